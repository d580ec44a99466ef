"""Immutable value classes."""

from typing import Any

import attrs
import pytest
from attrs import evolve, field

from mcpi.core.frozen import frozen


@frozen
class Point:
    """A class with two fields."""

    x: int
    y: list[int] = field(factory=list)


@frozen(kw_only=True)
class Named:
    """A class with a keyword-only field."""

    name: str = "a"


@frozen
class Nothing:
    """A class without fields."""


@frozen
class Deeper(Point):
    """A subclass with one more field."""

    z: int = 0


@frozen
class Peculiar:
    """A class with its own __eq__, __hash__ and __repr__."""

    x: int

    def __eq__(self, other: object) -> bool:
        """Compare with the number."""
        return other == self.x

    def __hash__(self) -> int:
        """Return a constant."""
        return 7

    def __repr__(self) -> str:
        """Return a constant."""
        return "peculiar"


def test_values_with_equal_fields_are_equal() -> None:
    assert Point(1, [2]) == Point(1, [2])
    assert Nothing() == Nothing()
    assert Named() == Named(name="a")


@pytest.mark.parametrize("other", [Point(2), Point(1, [3]), Deeper(1), Named(), 1, None])
def test_values_with_other_fields_or_classes_are_not_equal(other: object) -> None:
    assert Point(1) != other


def test_equal_values_have_the_same_hash() -> None:
    assert len({Named(), Named(name="a"), Named(name="b"), Nothing(), Nothing()}) == 3


def test_value_with_a_mutable_field_is_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(Point(1))


def test_repr_shows_the_fields() -> None:
    assert repr([Point(1), Named(name="b"), Nothing(), Deeper(1, [], 3)]) == (
        "[Point(x=1, y=[]), Named(name='b'), Nothing(), Deeper(x=1, y=[], z=3)]"
    )


def test_methods_defined_in_the_class_are_kept() -> None:
    assert (Peculiar(3) == 3, hash(Peculiar(3)), repr(Peculiar(3))) == (True, 7, "peculiar")


def test_assignment_to_a_field_raises() -> None:
    thing: Any = Point(1)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        thing.x = 2


def test_evolve_returns_a_changed_copy() -> None:
    assert evolve(Point(1), x=3) == Point(3)


def test_values_have_no_dict() -> None:
    assert not hasattr(Point(1), "__dict__")


def test_fields_are_matched_by_position() -> None:
    match Point(1, [2]):
        case Point(x, y):
            assert (x, y) == (1, [2])

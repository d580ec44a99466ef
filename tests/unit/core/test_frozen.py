"""Values that never change."""

from typing import Any

import attrs
import pytest
from attrs import evolve, field

from mcpi.core.frozen import frozen


@frozen
class Point:
    """Two parts."""

    x: int
    y: list[int] = field(factory=list)


@frozen(kw_only=True)
class Named:
    """A part with its name."""

    name: str = "a"


@frozen
class Nothing:
    """Nothing is in it."""


@frozen
class Deeper(Point):
    """One part more."""

    z: int = 0


@frozen
class Peculiar:
    """It compares, hashes and shows itself in its own way."""

    x: int

    def __eq__(self, other: object) -> bool:
        """It is its number."""
        return other == self.x

    def __hash__(self) -> int:
        """Always the same."""
        return 7

    def __repr__(self) -> str:
        """A word."""
        return "peculiar"


def test_values_of_the_same_parts_are_equal() -> None:
    assert Point(1, [2]) == Point(1, [2])
    assert Nothing() == Nothing()
    assert Named() == Named(name="a")


@pytest.mark.parametrize("other", [Point(2), Point(1, [3]), Deeper(1), Named(), 1, None])
def test_values_of_other_parts_or_other_classes_are_not(other: object) -> None:
    assert Point(1) != other


def test_equal_values_have_one_hash() -> None:
    assert len({Named(), Named(name="a"), Named(name="b"), Nothing(), Nothing()}) == 3


def test_a_value_with_a_part_that_changes_has_none() -> None:
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(Point(1))


def test_a_value_shows_its_parts() -> None:
    assert repr([Point(1), Named(name="b"), Nothing(), Deeper(1, [], 3)]) == (
        "[Point(x=1, y=[]), Named(name='b'), Nothing(), Deeper(x=1, y=[], z=3)]"
    )


def test_what_a_class_says_itself_stays() -> None:
    assert (Peculiar(3) == 3, hash(Peculiar(3)), repr(Peculiar(3))) == (True, 7, "peculiar")


def test_a_value_does_not_change() -> None:
    thing: Any = Point(1)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        thing.x = 2


def test_a_value_is_made_anew_with_other_parts() -> None:
    assert evolve(Point(1), x=3) == Point(3)


def test_a_value_has_no_room_for_more() -> None:
    assert not hasattr(Point(1), "__dict__")


def test_the_parts_are_matched_in_their_order() -> None:
    match Point(1, [2]):
        case Point(x, y):
            assert (x, y) == (1, [2])

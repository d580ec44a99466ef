"""Immutable value classes."""

import inspect
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, Generic, TypeVar

import attrs
import pytest
from attrs import evolve, field

from mcpi.core.frozen import frozen

T = TypeVar("T")


@frozen
class Point:
    """A class with two fields."""

    x: int
    y: list[int] = field(factory=list)


@frozen(kw_only=True)
class KeywordOnly:
    """A class with a keyword-only field."""

    name: str = "a"


@frozen
class Empty:
    """A class without fields."""


@frozen
class Subclass(Point):
    """A subclass with one more field."""

    z: int = 0


@frozen
class CustomMethods:
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
    assert Empty() == Empty()
    assert KeywordOnly() == KeywordOnly(name="a")


@pytest.mark.parametrize("other", [Point(2), Point(1, [3]), Subclass(1), KeywordOnly(), 1, None])
def test_values_with_other_fields_or_classes_are_not_equal(other: object) -> None:
    assert Point(1) != other


def test_equal_values_have_the_same_hash() -> None:
    assert len({KeywordOnly(), KeywordOnly(name="a"), KeywordOnly(name="b"), Empty(), Empty()}) == 3


def test_value_with_a_mutable_field_is_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(Point(1))


def test_repr_shows_the_fields() -> None:
    assert repr([Point(1), KeywordOnly(name="b"), Empty(), Subclass(1, [], 3)]) == (
        "[Point(x=1, y=[]), KeywordOnly(name='b'), Empty(), Subclass(x=1, y=[], z=3)]"
    )


def test_methods_defined_in_the_class_are_kept() -> None:
    assert (CustomMethods(3) == 3, hash(CustomMethods(3)), repr(CustomMethods(3))) == (True, 7, "peculiar")


def test_assignment_to_a_field_raises() -> None:
    thing: Any = Point(1)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        thing.x = 2


def test_evolve_returns_a_changed_copy() -> None:
    assert evolve(Point(1), x=3) == Point(3)


def test_assignment_to_another_attribute_raises() -> None:
    thing: Any = Point(1)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        thing.w = 2


def test_fields_are_matched_by_position() -> None:
    match Point(1, [2]):
        case Point(x, y):
            assert (x, y) == (1, [2])


def test_fields_are_known_before_there_is_an_instance() -> None:
    @frozen
    class Base:
        x: int
        y: tuple[int, ...] = ()

    @frozen
    class Child(Base):
        z: int = 0

    assert [one.name for one in attrs.fields(Child)] == ["x", "y", "z"]
    assert [one.default for one in attrs.fields(Base)] == [attrs.NOTHING, ()]


def test_undecorated_subclass_has_the_fields_of_its_base() -> None:
    @frozen
    class Base:
        x: int

    class Child(Base):
        pass

    assert repr(Child(1)).endswith("Child(x=1)")
    assert [one.name for one in attrs.fields(Child)] == ["x"]


def test_signature_names_the_fields() -> None:
    @frozen
    class Late:
        x: int
        y: int = 2

    assert str(inspect.signature(Late)) == "(x: int, y: int = 2) -> None"


def test_methods_of_a_generic_class_may_call_those_of_its_base() -> None:
    @frozen
    class Base(Generic[T]):
        x: T

        def shown(self) -> str:
            return f"{self.x}"

    @frozen
    class Child(Base[T]):
        def shown(self) -> str:
            return f"child {super().shown()}"

    assert Child(1).shown() == "child 1"


def test_threads_that_need_a_class_at_the_same_time_get_complete_values() -> None:
    def made() -> list[Any]:
        @frozen
        class Late:
            x: int
            y: tuple[int, ...] = ()
            z: dict[str, int] = field(factory=dict)

        return list(pool.map(Late, range(4)))

    interval = sys.getswitchinterval()
    started = Barrier(5)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(4):
            pool.submit(started.wait)
        # CPython 3.11 fails if threads switch while coverage installs its trace function in a new thread.
        started.wait(timeout=30)
        sys.setswitchinterval(1e-6)
        try:
            found = [[(one.x, one.y, one.z) for one in made()] for _ in range(100)]
        finally:
            sys.setswitchinterval(interval)

    assert found == [[(number, (), {}) for number in range(4)]] * 100

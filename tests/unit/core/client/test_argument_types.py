"""Wrong types of arguments are errors that name the argument and the expected type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import pytest
from attrs import frozen

from mcpi.core.client.argument_types import check_argument, check_fields
from mcpi.core.client.entries import Implementation
from mcpi.core.jsontext.exact import Printable

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("x", str),
        (True, bool),
        (0, int),
        (0, float),
        (1.5, float),
        (None, float | None),
        ("a", Literal["a", "b"] | None),
        ({"a": 5}, Mapping[str, Any]),
        ({"a": [5]}, Mapping[str, Printable]),
        ({"a": "b"}, Mapping[str, str]),
        (["a"], Sequence[str]),
        ([1, 2.5], tuple[float, ...]),
        ([{"a": 1}], Sequence[Mapping[str, Any]]),
        (print, Callable[[str], object]),
        (print, Callable | None),
        (Implementation(name="a"), Implementation),
    ],
)
def test_value_of_the_type_is_accepted(value: object, kind: Any) -> None:
    check_argument("x", value, kind)


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        (5, str, "a string, got 5"),
        (1, bool, "True or False, got 1"),
        ("1", int, "an integer from 0, got '1'"),
        (1.5, int, "an integer from 0, got 1.5"),
        (True, int, "an integer from 0, got True"),
        ("abc", float, "a number from 0, got 'abc'"),
        ("abc", float | None, "a number from 0 or None, got 'abc'"),
        (5, Literal["a", "b", "c"], "'a', 'b' or 'c', got 5"),
        ([1], Mapping[str, Any], "a dict with string keys, got [1]"),
        ({5: 1}, Mapping[str, Printable], "a dict with string keys, got {5: 1}"),
        ({"a": 5}, Mapping[str, str], "a dict of strings, got {'a': 5}"),
        ("x", Sequence[str], "a sequence of strings, got 'x'"),
        (["x"], tuple[float, ...], "a sequence of numbers, got ['x']"),
        (["x"], Sequence[Mapping[str, Any]], "a sequence of dicts, got ['x']"),
        (5, Callable[[str], object] | None, "a function or None, got 5"),
        ({"name": "a"}, Implementation, "an instance of Implementation, got {'name': 'a'}"),
        ("x" * 100, Sequence[str], f"a sequence of strings, got '{'x' * 79}…"),
    ],
)
def test_value_of_another_type_raises_a_type_error(value: object, kind: Any, problem: str) -> None:
    with pytest.raises(TypeError) as raised:
        check_argument("x", value, kind)
    assert str(raised.value) == f"x: expected {problem}"


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        (-1, int, "an integer from 0, got -1"),
        (-1, float | None, "a number from 0 or None, got -1"),
        (NAN, float, "a number from 0, got nan"),
        ("d", Literal["a", "b", "c"] | None, "'a', 'b' or 'c' or None, got 'd'"),
    ],
)
def test_other_value_raises_a_value_error(value: object, kind: Any, problem: str) -> None:
    with pytest.raises(ValueError, match="expected") as raised:
        check_argument("x", value, kind)
    assert str(raised.value) == f"x: expected {problem}"


@frozen
class Shelf:
    """A class with two fields."""

    name: str
    width: float = 1.0


def test_fields_are_named_with_their_class() -> None:
    check_fields(Shelf("a", 2))
    with pytest.raises(TypeError, match=r"^Shelf: width: expected a number from 0, got '2'$"):
        check_fields(Shelf("a", "2"))  # type: ignore[arg-type] # the mistake under test

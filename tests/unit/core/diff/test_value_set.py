"""Sets of JSON values."""

from typing import Any

import pytest

from mcpi.core.diff.value_set import ValueSet


def nested(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("values", "value", "expected"),
    [
        ([1, "a"], 1.0, True),
        ([1], True, False),
        ([None], None, True),
        ([{"a": [1], "b": {}}], {"b": {}, "a": [1.0]}, True),
        ([{"a": [1]}], {"a": [True]}, False),
        ([[]], {}, False),
        ([nested(5000, 1)], nested(5000, 1), True),
        ([nested(5000, 1)], nested(5000, 2), False),
        ([nested(30, {"a": 1})], nested(30, {"a": 1}), True),
    ],
)
def test_values_are_found_by_equality(values: Any, value: Any, expected: bool) -> None:  # noqa: FBT001 - a table
    assert (value in ValueSet(values)) is expected


def test_many_objects_need_few_comparisons() -> None:
    compared: list[int] = []

    class Counting(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            compared.append(1)
            return super().__getitem__(name)

    known: list[Any] = [Counting(id=number) for number in range(1000)]
    found = ValueSet(known)

    assert all(one in found for one in known)
    assert len(compared) < 10_000

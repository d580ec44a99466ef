"""The values of a change as short text."""

from typing import Any

import pytest

from mcpi.core.diff.value_text import value_text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a", "b", '"a" -> "b"'),
        (None, [1], "now [1]"),
        (0, None, "was 0"),
        ("x" * 20, "y", '"xxxxxxxx… -> "y"'),
        (None, "a\u202eb", 'now "a\\u202eb"'),
    ],
)
def test_values_are_shown_as_truncated_json(old: Any, new: Any, expected: str) -> None:
    assert value_text(old, new, 10) == expected

"""Malformed and rare keywords are compared, too."""

from typing import Any

import pytest

from support.changes import schema_change, summarized

NUMBER, TEXT = {"type": "number"}, {"type": "string"}


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ({**NUMBER, "multipleOf": 0.5}, {**NUMBER, "multipleOf": 1}, "multiple-of-changed"),
        ({**NUMBER, "multipleOf": 4}, {**NUMBER, "multipleOf": 6}, "multiple-of-changed"),
        ({**TEXT, "pattern": 1}, {**TEXT, "pattern": "a"}, "pattern-changed"),
        ({**TEXT, "format": "idn-email"}, {**TEXT, "format": "email"}, "format-narrowed"),
        ({**TEXT, "contentEncoding": "base64"}, {**TEXT, "contentEncoding": "base32"}, "encoding-changed"),
        ({**TEXT, "minLength": "x"}, {**TEXT, "minLength": 1}, "min-length-raised"),
        (
            {"type": ["string", "integer"], "enum": ["a", 1]},
            {"type": ["string", "integer"], "enum": [1]},
            "enum-narrowed",
        ),
        ({"anyOf": [{"enum": ["a"]}, NUMBER]}, {"anyOf": [{"enum": ["a", "b"]}, NUMBER]}, "enum-widened"),
        ({"anyOf": [{"enum": ["a"]}, NUMBER]}, {"anyOf": [TEXT, NUMBER]}, "enum-removed"),
        ({"enum": ["a", None, True]}, {"enum": ["a", None, True, False]}, "enum-widened"),
        ({"const": 1}, TEXT, "type-changed"),
        (TEXT, {"const": 1}, "type-changed"),
        ({"type": ["integer", "string"]}, {"type": ["number", "null"]}, "type-changed"),
        ({"type": ["number", "null"]}, {"type": ["integer", "string"]}, "type-changed"),
    ],
)
def test_keyword_change_is_reported_under_its_rule(old: Any, new: Any, rule: str) -> None:
    assert [one[0] for one in summarized(schema_change(old, new))] == [rule]

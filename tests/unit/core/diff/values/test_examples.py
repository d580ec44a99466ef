"""Examples: preferred values if they are valid, and otherwise other valid values."""

from typing import Any

import pytest

from mcpi.core.diff.values.examples import valid_example

DRAFT: Any = {"$schema": "http://json-schema.org/draft-07/schema#"}


@pytest.mark.parametrize(
    ("schema", "preferred", "value"),
    [
        ({"type": "string"}, ["text"], "text"),
        ({"type": "string"}, [1, "text"], "text"),
        ({"type": "string", "maxLength": 3}, ["text"], "a"),
        ({"$ref": "#/$defs/name"}, ["text"], "aaaaaa"),
        # The pattern is not supported, so any string may be valid.
        ({"type": "string", "pattern": "(?=a)"}, [1, "text"], "text"),
        ({"not": {}}, ["text"], "text"),
    ],
)
def test_example_is_the_first_valid_value(schema: Any, preferred: list[Any], value: Any) -> None:
    root = {**DRAFT, "$defs": {"name": {"type": "string", "minLength": 6}}}

    assert valid_example(schema, root, preferred) == value

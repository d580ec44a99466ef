"""The nesting depth, container ends and indented size of JSON text are computed without parsing."""

import json

import pytest
from hypothesis import given

from json_texts import TEXTS, exact, nested
from mcpi.core.jsontext import nesting
from mcpi.core.jsontext.indentation import indent
from mcpi.core.jsontext.nesting import MAX_DEPTH, container_end, is_too_deep, may_be_indented
from mcpi.core.jsontext.values import Json

BRACKETS_IN_STRINGS = '["' + "[{" * 2000 + '"]'
LONG_STRING = '"' + "\\\\" * (1 << 20) + r"\"" + '"'
"""A string of more than a chunk, with a backslash at every place where a chunk could end."""


@pytest.mark.parametrize(
    ("text", "too_deep"),
    [
        ("1", False),
        (nested(MAX_DEPTH), False),
        (nested(MAX_DEPTH + 1), True),
        ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), True),
        ("[" * (MAX_DEPTH + 1), True),
        (BRACKETS_IN_STRINGS, False),
        ("[" + ",".join(["[[],{}]"] * 2000) + "]", False),
        ("[" + ",".join([nested(MAX_DEPTH - 1)] * 3) + "]", False),
        (f"[{LONG_STRING},{nested(MAX_DEPTH - 1)}]", False),
        (f"[{LONG_STRING},{nested(MAX_DEPTH)}]", True),
        ("[" * 900 + ",".join(['"]"', '"["'] * 2000) + "]" * 900, False),
        ('["]",' * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1), True),
    ],
)
def test_nesting_beyond_the_limit_is_found(text: str, too_deep: bool) -> None:  # noqa: FBT001 - the expected result
    assert is_too_deep(text) == too_deep


@given(TEXTS)
def test_container_end_is_found_in_any_text(text: str) -> None:
    whole = exact(text)
    if whole.kind in {"array", "object"}:
        assert container_end(f"x{whole.text}]}}", 1) == 1 + len(whole.text)


@pytest.mark.parametrize("inner", [LONG_STRING, LONG_STRING[:-1] + 'é"', "[]," * (1 << 19) + '"]"'])
def test_container_end_is_found_across_chunks(inner: str) -> None:
    text = f"[{{}},{inner}]"

    assert container_end(f"{text}]", 0) == len(text)


@pytest.mark.parametrize("text", ["[", "[[]", '["]', '["]"', "[" * 3_000_000, '["' + "x" * 3_000_000, '["' + "\\" * 3])
def test_unclosed_container_has_no_end(text: str) -> None:
    assert container_end(text, 0) is None


@given(TEXTS)
def test_indented_size_estimate_is_an_upper_bound(text: str) -> None:
    assert not may_be_indented(exact(text).text, len(indent(exact(text).text)) - 1)


@pytest.mark.parametrize("row", [{"id": 1, "tags": ["a", "b", {}]}, [[[[[0], 1]], 2]]])
def test_indented_size_estimate_is_close(row: Json) -> None:
    text = json.dumps([row] * 1000, separators=(",", ":"))

    assert may_be_indented(text, len(indent(text)) * 5 // 4)


def test_closing_bracket_scan_terminates() -> None:
    closings = nesting._closings("[1]", 0, 0)  # noqa: SLF001 - unreachable with valid text

    assert list(closings) == [(3, 0)]

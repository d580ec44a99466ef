"""Every envelope in test output is validated against the shipped schema."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parents[1] / "src" / "mcpi" / "schemas" / "envelope.json"
MARK = '"structuredVersion"'
LONGEST = 2_000_000
"""Characters; checking longer output would take minutes."""


def check(stdout: str) -> None:
    """Check that every envelope in the output matches the schema."""
    if MARK not in stdout[:200] or len(stdout) > LONGEST:
        return
    for envelope in _envelopes(stdout):
        wrong = [f"{error.json_path}: {error.message[:300]}" for error in _validator().iter_errors(envelope)]
        assert wrong == [], wrong


def _envelopes(stdout: str) -> Iterator[Any]:
    """The envelopes in the output: a document, an array of a script, or one per line of a stream."""
    for text in (stdout,) if _is_json(stdout) else stdout.splitlines():
        found = json.loads(text)
        yield from (one for one in (found if isinstance(found, list) else [found]) if "structuredVersion" in one)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))

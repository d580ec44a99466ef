"""docs/errors.md has exactly one section for each error code."""

import json
import re
from pathlib import Path

import pytest

import envelopes

ROOT = Path(__file__).parents[2]
SECTIONS = re.findall(r"^## (.+)$", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE)
SCHEMA = json.loads((ROOT / "src" / "mcpi" / "schemas" / "envelope.json").read_text())
CODES = SCHEMA["$defs"]["error"]["properties"]["code"]["enum"]
FAULTS = (ROOT / "src" / "mcpi" / "core" / "outcome" / "faults.py").read_text()


def test_each_error_code_has_a_section() -> None:
    assert [code.lower().replace("_", "-") for code in CODES if code.lower().replace("_", "-") not in SECTIONS] == []


def test_each_section_documents_an_error_code() -> None:
    assert [name for name in SECTIONS if name.upper().replace("-", "_") not in CODES] == []


def test_schema_contains_each_error_code_in_the_source() -> None:
    named = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', FAULTS)) - {"INVALID"}

    assert (named | {"INTERRUPTED"}) - set(CODES) == set()


@pytest.mark.parametrize(
    "text", ['{"structuredVersion":1}', '[{"structuredVersion":1}]', '{}\n{"structuredVersion":1}\n']
)
def test_invalid_envelopes_are_detected_in_test_output(text: str) -> None:
    with pytest.raises(AssertionError, match="is a required property"):
        envelopes.check(text)

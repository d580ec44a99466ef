"""Every code has its section in docs/errors.md, and nothing else has one."""

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


def test_each_code_has_a_section() -> None:
    assert [code.lower().replace("_", "-") for code in CODES if code.lower().replace("_", "-") not in SECTIONS] == []


def test_each_section_belongs_to_a_code() -> None:
    assert [name for name in SECTIONS if name.upper().replace("-", "_") not in CODES] == []


def test_the_schema_knows_each_code_that_the_source_names() -> None:
    named = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', FAULTS)) - {"INVALID"}

    assert (named | {"INTERRUPTED"}) - set(CODES) == set()


@pytest.mark.parametrize(
    "text", ['{"structuredVersion":1}', '[{"structuredVersion":1}]', '{}\n{"structuredVersion":1}\n']
)
def test_no_test_overlooks_an_envelope_that_is_none(text: str) -> None:
    with pytest.raises(AssertionError, match="is a required property"):
        envelopes.check(text)

"""The reference lists everything defined in the schemas and the source."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
ENVELOPE = json.loads((ROOT / "src" / "mcpi" / "schemas" / "envelope.json").read_text())
SCRIPT = json.loads((ROOT / "src" / "mcpi" / "schemas" / "script.json").read_text())
CODES = ENVELOPE["$defs"]["error"]["properties"]["code"]["enum"]
FOLLOW = (ROOT / "src" / "mcpi" / "core" / "modes" / "follow.py").read_text()

KNOWN = {
    "envelope.md": {*ENVELOPE["properties"], *ENVELOPE["$defs"]["error"]["properties"], *CODES} - {"JSON_RPC_ERROR"},
    "script.md": {*SCRIPT["$defs"]["step"]["properties"], *SCRIPT["$defs"]["operators"]["properties"]} - {"params"},
    "events.md": set(re.findall(r'"event": ?"(\w+)"', FOLLOW)) | {"sampling", "elicitation", "roots"},
    "exit-codes.md": {"0", "1", "2", "124", "130"},
}


@pytest.mark.parametrize("page", KNOWN)
def test_reference_lists_all_defined_names(page: str) -> None:
    text = (REFERENCE / page).read_text()
    named = {word for row in re.findall(r"^\|(.+)\|$", text, re.MULTILINE) for word in re.findall(r"[\w]+", row)}

    assert KNOWN[page] - named == set()

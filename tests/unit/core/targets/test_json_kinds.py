"""The purpose of a JSON file is recognized by its content."""

import pytest

from mcpi.core.targets.json_kinds import json_kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"mcpServers": {}}', "config file"),
        ('{"lockVersion": 1, "tools": []}', "lock file"),
        ('\ufeff[{"method": "ping"}]', "script"),
        ('{"steps": []}', "script"),
        ('{"name": "package"}', "JSON file"),
        ("7", "JSON file"),
        ("{", "JSON file"),
        ("", "JSON file"),
    ],
)
def test_kind_of_a_json_file_is_recognized(text: str, kind: str) -> None:
    assert json_kind(text) == kind

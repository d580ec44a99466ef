"""The API that third-party plugins import."""

import re
from pathlib import Path

from mcpi.plugins import api

PAGE = (Path(__file__).parents[3] / "docs" / "plugins.md").read_text("utf-8")


def test_every_exported_name_exists() -> None:
    assert [name for name in api.__all__ if not hasattr(api, name)] == []


def test_every_exported_name_is_documented() -> None:
    section = PAGE.partition("## The API")[2].partition("\n## ")[0]

    assert sorted(set(re.findall(r"`(\w+)`", section))) == sorted(api.__all__)

"""The words around an unknown flag show its meaning."""

import pytest

from mcpi.core.cli.mistakes.wrong_flag import WrongFlag, find_wrong_flag
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool))


def wrong_flag(line: str) -> WrongFlag:
    """Return the flag -x or --x of the line."""
    words = line.split()
    found = find_wrong_flag("--x" if any(word.startswith("--x") for word in words) else "-x", words, KNOWN)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "value"),
    [("ping --x=1 2", "1"), ("ping --x 1", "1"), ("ping -x -1", "-1"), ("ping -x --demo", None), ("ping -x", None)],
)
def test_value_follows_an_equals_sign_or_the_flag(line: str, value: str | None) -> None:
    assert wrong_flag(line).value == value


@pytest.mark.parametrize(
    ("line", "has_script"),
    [
        ("s.json -x", True),
        ("--script s -x", True),
        ("tools/list --config mcp.json -x", False),
        ("ping -x -- s.json", False),
    ],
)
def test_script_is_a_word_or_the_value_of_its_flag(line: str, has_script: bool) -> None:  # noqa: FBT001 - a case
    assert wrong_flag(line).has_script == has_script


def test_flag_of_a_launcher_is_not_wrong() -> None:
    assert find_wrong_flag("-y", ["ping", "npx", "-y", "pkg"], KNOWN) is None
    assert wrong_flag("ping node a.js -x").follows_command
    assert not wrong_flag("ping -x node a.js").follows_command
    assert not wrong_flag("ping a -x -- node a.js").follows_command

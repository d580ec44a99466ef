"""The documented examples of lint rules violate and satisfy their rules."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from mcpi.core.lint.definitions import ServerLists
from mcpi.core.lint.linter import LintOptions, lint
from mcpi.core.lint.rules import RULES

EXAMPLES: dict[str, Any] = runpy.run_path(
    str(Path(__file__).parents[4] / "docs" / "rule_examples.py"),
)["RULE_EXAMPLES"]
MEMBERS = {"resource": "resources", "template": "resourceTemplates"}


def findings(place: str, fragment: str) -> list[tuple[str, str]]:
    """Lint a server with one definition that contains the fragment."""
    value = json.loads(fragment)
    if place in MEMBERS:
        return _linted({MEMBERS[place]: [{"name": "notes", **value}]})
    if place == "parameter":
        value = {"inputSchema": {"type": "object", "properties": {"value": value}}}
    elif place == "input":
        value = {"inputSchema": value}
    return _linted({"tools": [{"name": "tool", "inputSchema": {"type": "object", "properties": {}}, **value}]})


def _linted(lists: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.rule, one.severity) for one in lint(ServerLists(lists), LintOptions(pedantic=True)).findings]


@pytest.mark.parametrize("rule", EXAMPLES)
def test_bad_example_violates_the_rule(rule: str) -> None:
    example = EXAMPLES[rule]

    assert (rule, RULES[rule].severity) in findings(example.place, example.bad)


@pytest.mark.parametrize("rule", EXAMPLES)
def test_good_example_satisfies_the_rule_and_has_no_errors_or_warnings(rule: str) -> None:
    example = EXAMPLES[rule]
    found = findings(example.place, example.good)

    assert [one for one in found if one[0] == rule or one[1] != "info"] == []

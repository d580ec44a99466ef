"""Accepted changes: validation of entries, matching, and stale entries."""

import json
from typing import Any

import pytest

from mcpi.core.diff.accepted import AcceptedChange, parse_accepted, partition_changes
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

CHANGE: dict[str, Any] = {"rule": "tool-removed", "tool": "t", "pointer": ""}


def test_accepted_change_keeps_its_number_and_reason() -> None:
    text = '[{"rule": "tool-removed", "tool": "t", "reason": "it is gone"}]'

    assert parse_accepted("f", text) == Success(
        (AcceptedChange(1, "it is gone", {"rule": "tool-removed", "tool": "t"}),)
    )


@pytest.mark.parametrize(
    ("entries", "problem", "hints"),
    [
        ({}, "f: expected an array of accepted changes, found object", ()),
        ([1], "f: entry 1: expected an object, found number", ()),
        ([{"rul": "x"}], "f: entry 1: unknown key 'rul'", ("did you mean rule?",)),
        (
            [{"x": "x"}],
            "f: entry 1: unknown key 'x'",
            ("expected rule, tool, prompt, resource, template, pointer, reason",),
        ),
        ([{"rule": 1}], "f: entry 1: rule: expected a string, found number", ()),
        ([{"rule": "tool-removed"}], "f: entry 1: 'reason' is required", ()),
        ([{"rule": "tool-removed", "reason": ""}], "f: entry 1: 'reason' is required", ()),
        ([{"reason": "x"}], "f: entry 1: 'rule' is required", ()),
        (
            [{"rule": "tool-remove", "reason": "x"}],
            "f: entry 1: unknown rule 'tool-remove'",
            ("did you mean tool-removed?",),
        ),
        (
            [{"rule": "q", "reason": "x"}],
            "f: entry 1: unknown rule 'q'",
            ("the rules are listed at https://github.com/mcpi-cli/mcpi/blob/main/docs/rules.md",),
        ),
    ],
)
def test_invalid_entry_is_reported_with_its_number(entries: Any, problem: str, hints: tuple[str, ...]) -> None:
    assert parse_accepted("f", json.dumps(entries)) == Failure(Invalid("INVALID_ARGUMENT", "--accept", problem, hints))


def test_invalid_json_is_reported_with_its_line() -> None:
    assert parse_accepted("f", "[\n}") == Failure(
        Invalid("INVALID_ARGUMENT", "--accept", "f: invalid JSON: a value is missing at line 2, column 1")
    )


@pytest.mark.parametrize(
    ("members", "covers"),
    [
        ({"rule": "tool-removed"}, True),
        ({"rule": "tool-removed", "tool": "t"}, True),
        ({"rule": "tool-removed", "tool": "u"}, False),
        ({"rule": "tool-removed", "prompt": "t"}, False),
        ({"rule": "tool-removed", "pointer": "/x"}, False),
        ({"rule": "tool-added"}, False),
    ],
)
def test_all_members_of_an_entry_must_match(members: Any, covers: bool) -> None:  # noqa: FBT001 - a table
    assert AcceptedChange(1, "r", members).covers(CHANGE) is covers


def test_accepted_changes_are_separated_and_stale_entries_returned() -> None:
    matched, unused = AcceptedChange(1, "r", {"rule": "tool-removed"}), AcceptedChange(2, "s", {"rule": "tool-added"})
    other: dict[str, Any] = {"rule": "title-changed"}

    assert partition_changes([CHANGE, other], (matched, unused)) == ([other], [{**CHANGE, "reason": "r"}], (unused,))
    assert unused.label == 'entry 2 {"rule":"tool-added"}'

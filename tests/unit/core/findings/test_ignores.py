"""Ignored findings."""

import pytest

from mcpi.core.findings.finding import Finding
from mcpi.core.findings.ignores import Ignore, apply_ignores, parse_ignore, read_ignores
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.result import Failure, Success

FINDING = Finding("type-list", "warning", "m", "tool", "search", "/inputSchema/properties/a/type")


@pytest.mark.parametrize(
    ("ignore", "matches"),
    [
        (Ignore("type-list"), True),
        (Ignore("lookbehind"), False),
        (Ignore("type-list", "search"), True),
        (Ignore("type-list", "other"), False),
        (Ignore("type-list", "search", "tool"), True),
        (Ignore("type-list", "search", "prompt"), False),
        (Ignore("type-list", pointer="/inputSchema/properties/a"), True),
        (Ignore("type-list", pointer="/inputSchema/properties/a/type"), True),
        (Ignore("type-list", pointer="/inputSchema/properties/ab"), False),
        (Ignore("type-list", pointer="/inputSchema/prop"), False),
    ],
)
def test_ignore_matches_by_rule_name_kind_and_pointer(ignore: Ignore, matches: bool) -> None:  # noqa: FBT001 - a table
    assert ignore.matches(FINDING) is matches


def test_ignore_is_parsed_from_a_rule_with_an_optional_name() -> None:
    assert parse_ignore("type-list", "--ignore") == Ignore("type-list", origin="--ignore")
    assert parse_ignore("invalid-uri:file:///a b", "--ignore") == Ignore(
        "invalid-uri", "file:///a b", origin="--ignore"
    )
    assert [parse_ignore(text, "").text for text in ("a", "a:b")] == ["a", "a:b"]


def test_ignores_are_parsed_with_their_reasons() -> None:
    entries: Json = [
        {"rule": "type-list", "tool": "search", "pointer": "/inputSchema", "reason": "our clients take it"},
        {"rule": "empty-capability", "reason": "prompts follow"},
    ]

    assert read_ignores(entries, "f") == Success(
        (Ignore("type-list", "search", "tool", "/inputSchema", "f"), Ignore("empty-capability", origin="f"))
    )


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ({}, "expected an array of objects, got object"),
        (["type-list"], "ignore[0] is of type string; expected an object"),
        (
            [{"rule": "a", "reason": "b", "tol": "c"}],
            "ignore[0] has the unknown key 'tol'; expected pointer, prompt, reason, resource, rule, template, tool",
        ),
        ([{"reason": "b"}], "ignore[0] requires 'rule'"),
        ([{"rule": "a", "reason": "b"}, {"rule": "a", "reason": " "}], "ignore[1] requires 'reason'"),
        ([{"rule": "a", "reason": "b", "tool": 1}], "ignore[0] tool: expected a string, got number"),
    ],
)
def test_invalid_entry_is_named(entries: Json, problem: str) -> None:
    assert read_ignores(entries, "f") == Failure(problem)


def test_unused_ignores_are_returned() -> None:
    used, unused = Ignore("type-list"), Ignore("type-list", "other")

    assert apply_ignores([FINDING], [used, unused]) == ((), (unused,))
    assert apply_ignores([FINDING], []) == ((FINDING,), ())

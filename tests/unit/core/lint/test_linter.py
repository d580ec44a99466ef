"""All lint rules together: every defect in the corpus is found, and real tool lists are clean."""

import pytest

from mcpi.core.findings.ignores import Ignore
from mcpi.core.lint.definitions import ServerLists
from mcpi.core.lint.linter import LintOptions, lint
from mcpi.core.lint.rules import RULES
from support.linting import (
    CLEAN,
    DEFECTIVE,
    CorpusFile,
    found,
    lint_result,
    rules_and_pointers,
    tool,
    tool_with_property,
)

EVERYWHERE = ("claude", "openai", "gemini", "vscode", "cursor")


@pytest.mark.parametrize("case", DEFECTIVE, ids=lambda case: case.name)
def test_defect_is_reported_with_its_rule_and_position(case: CorpusFile) -> None:
    expected = case.data["expect"]
    kind, name = next(
        ((key, expected[key]) for key in ("tool", "resource", "template", "prompt") if key in expected), ("", "")
    )
    found = lint(case.lists, LintOptions()).findings

    assert (expected["rule"], expected["severity"], kind, name, expected["pointer"]) in [
        (one.rule, one.severity, one.kind, one.name, one.pointer) for one in found
    ]
    allowed = {expected["rule"], *case.data.get("also", [])}
    assert [one for one in found if one.severity != "info" and one.rule not in allowed] == []


@pytest.mark.parametrize("case", CLEAN, ids=lambda case: case.name)
def test_a_real_list_has_no_error_and_at_most_three_warnings(case: CorpusFile) -> None:
    found = lint(case.lists, LintOptions()).findings

    assert [one for one in found if one.severity == "error"] == []
    assert len([one for one in found if one.severity == "warning"]) <= 3


def test_corpus_is_large_enough_and_named_after_its_rules() -> None:
    assert len(DEFECTIVE) >= 60
    assert len(CLEAN) >= 20
    assert [case.name for case in DEFECTIVE if case.name.partition("--")[0] != case.data["expect"]["rule"]] == []


def test_each_definition_rule_has_a_defect_in_the_corpus() -> None:
    covered = {case.data["expect"]["rule"] for case in DEFECTIVE}
    elsewhere = {"list-failed", "pagination", "token-budget", "unused-ignore"}

    assert [rule.id for rule in RULES.values() if not rule.pedantic and rule.id not in covered | elsewhere] == []


def test_errors_are_listed_first_and_counted_in_the_summary() -> None:
    result = lint_result(tool_with_property({"type": "array"}), tool("docs.search"), tool_with_property({}))

    assert [one.severity for one in result.findings] == ["error", "error", "warning", "info"]
    assert result.document()["summary"] == {
        "errors": 2,
        "warnings": 1,
        "infos": 1,
        "tools": 3,
        "tokens": result.tokens,
        "toolTokens": result.tool_tokens,
    }


def test_finding_lists_only_the_selected_clients() -> None:
    array = tool_with_property({"type": "array"})

    assert [one.rejected_by for one in lint_result(array).findings] == [("openai", "gemini", "vscode")]
    assert [one.rejected_by for one in lint_result(array, clients=("vscode",)).findings] == [("vscode",)]
    assert found(array, clients=("claude",)) == []


def test_universally_invalid_schema_is_reported_for_any_client_selection() -> None:
    assert [
        (one.rule, one.rejected_by)
        for one in lint_result(tool_with_property({"type": "int"}), clients=("vscode",)).findings
    ] == [("unknown-type", ())]


def test_ignored_finding_is_omitted_and_unused_ignore_is_reported() -> None:
    ignores = tuple(
        Ignore(*given, origin="--ignore") for given in (("type-list",), ("lookbehind",), ("loockbehind",), ("zzz",))
    )

    result = lint_result(tool_with_property({"type": ["string", "null"]}), ignores=ignores)
    assert [(one.rule, one.message) for one in result.findings] == [
        ("unused-ignore", "--ignore ignores lookbehind, which matches no finding"),
        ("unused-ignore", "--ignore ignores loockbehind, which is not a rule (did you mean lookbehind?)"),
        ("unused-ignore", "--ignore ignores zzz, which is not a rule"),
    ]


def test_grouped_rule_reports_one_finding_per_tool() -> None:
    properties = {name: {"type": ["string", "null"]} for name in "abc"}
    (one,) = lint_result(tool(inputSchema={"type": "object", "properties": properties})).findings

    assert (one.pointer, one.message) == (
        "/inputSchema/properties/a/type",
        "the type is a list: string, null (and 2 more places)",
    )
    properties.pop("c")
    (one,) = lint_result(tool(inputSchema={"type": "object", "properties": properties})).findings
    assert one.message == "the type is a list: string, null (and 1 more place)"


def test_last_finding_of_a_grouped_rule_lists_the_remaining_tools() -> None:
    schema = tool_with_property({"type": ["string", "null"]})["inputSchema"]
    found = lint_result(*(tool(f"tool_{number}", inputSchema=schema) for number in range(20))).findings

    assert [one.name for one in found] == ["tool_0", "tool_1", ""]
    assert found[-1].pointer == "/tools"
    assert found[-1].message.startswith("also found in tool tool_2 (value), tool tool_3 (value), ")
    assert found[-1].message.endswith("tool tool_11 (value) and 8 more")
    assert len(lint_result(*(tool(f"tool_{number}", inputSchema=schema) for number in range(4))).findings) == 3


def test_last_finding_of_a_grouped_rule_names_the_parameters() -> None:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in ("a", "b/c", "d", "e")}}
    root = {"type": "object", "properties": {}, "additionalProperties": {"type": ["string", "null"]}}
    found = lint_result(tool("one", inputSchema=schema), pedantic=True).findings
    (listed,) = (one for one in found if one.message.startswith("also found"))

    assert listed.message == "also found in tool one (d, e)"
    roots = lint_result(*(tool(f"tool_{number}", inputSchema=root) for number in range(4))).findings
    assert roots[-1].message == "also found in tool tool_2, tool tool_3"


def test_unreferenced_definitions_are_not_checked_for_client_rules() -> None:
    unused = {"type": "array"}

    assert found(tool_with_property({"type": "string"}, **{"$defs": {"Unused": unused}})) == []
    assert found(tool_with_property({"type": "string"}, **{"$defs": {"Unused": {"type": "int"}}})) == [
        ("unknown-type", "/inputSchema/$defs/Unused/type")
    ]


def test_listing_problems_are_findings() -> None:
    server = ServerLists({}, problems=(("list-failed", "tools: no"), ("pagination", "twice")))

    assert [(one.rule, one.severity, one.message) for one in lint(server, LintOptions()).findings] == [
        ("list-failed", "error", "tools: no"),
        ("pagination", "error", "twice"),
    ]


def test_entry_that_is_not_an_object_is_an_invalid_definition() -> None:
    assert found("search") == [("invalid-definition", "/name"), ("invalid-definition", "/inputSchema")]


def test_definition_too_deep_to_write_is_linted() -> None:
    deep: object = "x"
    for _ in range(100_000):
        deep = {"a": deep}

    assert found(tool(_meta=deep)) == [("tool-tokens", ""), ("list-tokens", "/tools")]


def test_empty_server_has_no_findings() -> None:
    assert rules_and_pointers(lint(ServerLists({}), LintOptions(pedantic=True)).findings) == []

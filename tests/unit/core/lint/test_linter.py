"""All rules together: each defect of the corpus is found with its rule, and real lists are clean."""

import pytest

from mcpi.core.findings.ignores import Ignore
from mcpi.core.lint.definitions import ServerLists
from mcpi.core.lint.linter import LintOptions, lint
from mcpi.core.lint.rules import RULES
from support.linting import CLEAN, DEFECTIVE, Listed, found, judged, places, taking, tool

EVERYWHERE = ("claude", "openai", "gemini", "vscode", "cursor")


@pytest.mark.parametrize("case", DEFECTIVE, ids=lambda case: case.name)
def test_a_defect_is_found_with_its_rule_and_its_place(case: Listed) -> None:
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
def test_a_real_list_has_no_error_and_at_most_three_warnings(case: Listed) -> None:
    found = lint(case.lists, LintOptions()).findings

    assert [one for one in found if one.severity == "error"] == []
    assert len([one for one in found if one.severity == "warning"]) <= 3


def test_the_corpus_is_large_enough_and_named_by_its_rules() -> None:
    assert len(DEFECTIVE) >= 60
    assert len(CLEAN) >= 20
    assert [case.name for case in DEFECTIVE if case.name.partition("--")[0] != case.data["expect"]["rule"]] == []


def test_each_rule_about_definitions_has_a_defect_in_the_corpus() -> None:
    covered = {case.data["expect"]["rule"] for case in DEFECTIVE}
    elsewhere = {"list-failed", "pagination", "token-budget", "unused-ignore"}

    assert [rule.id for rule in RULES.values() if not rule.pedantic and rule.id not in covered | elsewhere] == []


def test_errors_come_first_and_the_summary_counts_them() -> None:
    result = judged(taking({"type": "array"}), tool("docs.search"), taking({}))

    assert [one.severity for one in result.findings] == ["error", "error", "warning", "info"]
    assert result.document()["summary"] == {
        "errors": 2,
        "warnings": 1,
        "infos": 1,
        "tools": 3,
        "tokens": result.tokens,
        "toolTokens": result.tool_tokens,
    }


def test_a_finding_names_the_clients_among_those_that_are_asked_for() -> None:
    array = taking({"type": "array"})

    assert [one.rejected_by for one in judged(array).findings] == [("openai", "gemini", "vscode")]
    assert [one.rejected_by for one in judged(array, clients=("vscode",)).findings] == [("vscode",)]
    assert found(array, clients=("claude",)) == []


def test_a_schema_that_is_wrong_for_everyone_is_found_whatever_the_clients() -> None:
    assert [(one.rule, one.rejected_by) for one in judged(taking({"type": "int"}), clients=("vscode",)).findings] == [
        ("unknown-type", ())
    ]


def test_an_ignored_finding_is_left_out_and_an_ignore_of_nothing_is_reported() -> None:
    ignores = tuple(
        Ignore(*given, origin="--ignore") for given in (("type-list",), ("lookbehind",), ("loockbehind",), ("zzz",))
    )

    result = judged(taking({"type": ["string", "null"]}), ignores=ignores)
    assert [(one.rule, one.message) for one in result.findings] == [
        ("unused-ignore", "--ignore ignores lookbehind, which does not match any finding"),
        ("unused-ignore", "--ignore ignores loockbehind, which is not a rule (did you mean lookbehind?)"),
        ("unused-ignore", "--ignore ignores zzz, which is not a rule"),
    ]


def test_places_of_one_tool_are_one_finding_if_the_rule_is_grouped() -> None:
    properties = {name: {"type": ["string", "null"]} for name in "abc"}
    (one,) = judged(tool(inputSchema={"type": "object", "properties": properties})).findings

    assert (one.pointer, one.message) == (
        "/inputSchema/properties/a/type",
        "the type is a list: string, null (and 2 more places)",
    )
    properties.pop("c")
    (one,) = judged(tool(inputSchema={"type": "object", "properties": properties})).findings
    assert one.message == "the type is a list: string, null (and 1 more place)"


def test_of_a_grouped_rule_that_many_tools_violate_the_last_finding_names_the_rest() -> None:
    schema = taking({"type": ["string", "null"]})["inputSchema"]
    found = judged(*(tool(f"tool_{number}", inputSchema=schema) for number in range(20))).findings

    assert [one.name for one in found] == ["tool_0", "tool_1", ""]
    assert found[-1].pointer == "/tools"
    assert found[-1].message.startswith("the same is true of tool tool_2, tool tool_3, ")
    assert found[-1].message.endswith("tool tool_11 and 8 more")
    assert len(judged(*(tool(f"tool_{number}", inputSchema=schema) for number in range(4))).findings) == 3


def test_definitions_that_nothing_refers_to_are_not_sent_to_models() -> None:
    unused = {"type": "array"}

    assert found(taking({"type": "string"}, **{"$defs": {"Unused": unused}})) == []
    assert found(taking({"type": "string"}, **{"$defs": {"Unused": {"type": "int"}}})) == [
        ("unknown-type", "/inputSchema/$defs/Unused/type")
    ]


def test_problems_of_the_listing_are_findings() -> None:
    server = ServerLists({}, problems=(("list-failed", "tools: no"), ("pagination", "twice")))

    assert [(one.rule, one.severity, one.message) for one in lint(server, LintOptions()).findings] == [
        ("list-failed", "error", "tools: no"),
        ("pagination", "error", "twice"),
    ]


def test_an_entry_that_is_no_object_is_an_invalid_definition() -> None:
    assert found("search") == [("invalid-definition", "/name"), ("invalid-definition", "/inputSchema")]


def test_a_definition_beyond_the_writer_s_depth_is_judged() -> None:
    deep: object = "x"
    for _ in range(3000):
        deep = {"a": deep}

    assert found(tool(_meta=deep)) == [("tool-tokens", "")]


def test_a_server_without_anything_has_no_findings() -> None:
    assert places(lint(ServerLists({}), LintOptions(pedantic=True)).findings) == []

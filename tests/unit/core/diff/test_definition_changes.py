"""Changes of definitions and of the server: rule, class, subject and pointer of each recorded change."""

from typing import Any

import pytest

from mcpi.core.diff.definition_changes import compare
from support.changes import CASES, snapshot


@pytest.mark.parametrize("case", CASES["definitions"], ids=lambda one: str(one["name"]))
def test_single_change_has_its_rule_class_subject_and_pointer(case: dict[str, Any]) -> None:
    old, new = (snapshot(**case[side]) for side in ("old", "new"))
    found = [
        {
            "rule": one.rule,
            "class": one.change_class,
            "subject": {one.subject: one.name} if one.subject else {},
            "pointer": one.pointer,
        }
        for one in compare(old, new)
    ]

    assert found == case["changes"]


def test_tools_with_unchanged_descriptions_are_detected_as_renamed() -> None:
    def tools(word: str) -> list[Any]:
        return [{"name": f"{word}{at}", "description": f"do {at}", "inputSchema": {}} for at in range(60)]

    found = compare(snapshot(tools=tools("old")), snapshot(tools=tools("new")))

    assert {one.rule for one in found} == {"tool-renamed"}
    assert found[7].new == found[7].name.replace("old", "new")


def test_added_tools_are_reported_in_the_order_of_their_names() -> None:
    names = [f"tool{at}" for at in range(10, 30)]
    found = compare(snapshot(), snapshot(tools=[{"name": one, "inputSchema": {}} for one in names]))

    assert [one.name for one in found] == names


def test_snapshot_has_no_changes_against_itself() -> None:
    for case in CASES["definitions"]:
        assert compare(snapshot(**case["old"]), snapshot(**case["old"])) == ()


def test_explicitly_chosen_versions_are_not_compared() -> None:
    old, new = snapshot({"protocolVersion": "2025-06-18"}), snapshot({"protocolVersion": "2025-11-25"})

    assert compare(old, new, versions=False) == ()


def test_unchanged_resource_annotations_are_not_reported() -> None:
    def resource(priority: int) -> Any:
        return [{"uri": "a", "annotations": {"audience": ["user"], "priority": priority}}]

    (found,) = compare(snapshot(resources=resource(0)), snapshot(resources=resource(1)))

    assert (found.rule, found.pointer) == ("audience-changed", "/annotations/priority")


def test_unchanged_task_support_and_hints_are_not_reported() -> None:
    def tool(title: str) -> Any:
        about = {
            "execution": {"taskSupport": "required", "x": title},
            "annotations": {"readOnlyHint": True, "title": title},
        }
        return [{"name": "t", "inputSchema": {}, **about}]

    found = compare(snapshot(tools=tool("a")), snapshot(tools=tool("b")))

    assert [one.rule for one in found] == ["title-changed", "metadata-changed"]

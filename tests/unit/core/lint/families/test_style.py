"""Style rules, which only apply with --pedantic."""

from mcpi.core.jsontext.values import JsonObject
from mcpi.core.lint.definitions import ServerLists
from mcpi.core.lint.linter import LintOptions, lint
from support.linting import found, rules_and_pointers, tool, tool_with_property

FINE = tool(annotations={"readOnlyHint": False}, inputSchema={"type": "object", "properties": {}})


def test_style_rules_only_apply_when_pedantic() -> None:
    assert found(tool(description="")) == []
    assert found(FINE, pedantic=True) == []


def test_missing_descriptions_and_annotations_are_reported() -> None:
    assert found({**tool_with_property({"type": "string"}), "description": " "}, pedantic=True) == [
        ("missing-description", ""),
        ("missing-annotations", ""),
        ("missing-parameter-description", "/inputSchema/properties/value"),
    ]
    assert found({**FINE, "inputSchema": tool_with_property({"$ref": "#"})["inputSchema"]}, pedantic=True) == []


def test_hints_that_are_redundant_beside_read_only_are_reported() -> None:
    annotations = {"readOnlyHint": True, "idempotentHint": False, "destructiveHint": False}
    sensible = {"readOnlyHint": True, "openWorldHint": False}

    assert found({**FINE, "annotations": sensible}, pedantic=True) == []

    assert found({**FINE, "annotations": annotations}, pedantic=True) == [
        ("redundant-hint", "/annotations/idempotentHint"),
        ("redundant-hint", "/annotations/destructiveHint"),
    ]


def test_differing_titles_are_reported() -> None:
    titled: JsonObject = {**FINE, "title": "A", "annotations": {"readOnlyHint": False, "title": "B"}}

    assert found(titled, pedantic=True) == [("differing-titles", "/annotations/title")]


def test_name_listed_twice_in_required_is_reported() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": "A."}}, "required": ["a", "a"]}

    assert found({**FINE, "inputSchema": schema}, pedantic=True) == [("repeated-required", "/inputSchema/required")]


def test_mixed_name_styles_are_reported() -> None:
    names = [{**FINE, "name": name} for name in ("get_user", "get-file", "search")]

    assert found(*names, pedantic=True) == [("mixed-name-styles", "/tools")]


def test_missing_description_is_reported_for_prompts_but_not_resources() -> None:
    server = ServerLists({"resources": [{"uri": "file:///a", "name": "a"}], "prompts": [{"name": "b"}]})

    assert rules_and_pointers(lint(server, LintOptions(pedantic=True)).findings) == [("missing-description", "")]

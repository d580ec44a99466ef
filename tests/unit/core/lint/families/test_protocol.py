"""Definitions compared with the MCP specification."""

import pytest

from mcpi.core.jsontext.values import JsonObject
from mcpi.core.lint.definitions import ServerLists
from mcpi.core.lint.linter import LintOptions, lint
from support.linting import found, rules_and_pointers, tool


def list_of(key: str, *entries: JsonObject, **more: object) -> list[tuple[str, str]]:
    return rules_and_pointers(lint(ServerLists({key: list(entries)}, **more), LintOptions()).findings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("members", "pointers"),
    [
        ({"name": ""}, ["/name"]),
        ({"name": 1}, ["/name"]),
        ({"inputSchema": True}, ["/inputSchema"]),
        ({"inputSchema": None}, ["/inputSchema"]),
        ({"title": 1, "annotations": []}, ["/title", "/annotations"]),
        ({"outputSchema": True}, ["/outputSchema"]),
    ],
)
def test_member_of_the_wrong_type_is_reported(members: JsonObject, pointers: list[str]) -> None:
    assert found({**tool(), **members}) == [("invalid-definition", pointer) for pointer in pointers]


def test_resources_templates_and_prompts_are_checked_for_their_members() -> None:
    assert list_of("resources", {"name": "a"}) == [("invalid-definition", "/uri")]
    assert list_of("resources", {"uri": "file:///a", "name": "a", "size": "1"}) == [("invalid-definition", "/size")]
    assert list_of("resourceTemplates", {"uriTemplate": "file:///{a}"}) == [("invalid-definition", "/name")]
    assert list_of("resourceTemplates", {"name": "a"}) == [("invalid-definition", "/uriTemplate")]
    assert list_of("prompts", {"arguments": []}) == [("invalid-definition", "/name")]
    assert list_of("prompts", {"name": "a", "arguments": [{}]}) == [("invalid-definition", "/arguments/0/name")]


@pytest.mark.parametrize(
    "uri", ["file:///a%20b", "https://example.com:8080/?a=b#c", "urn:isbn:1", "demo://readme", "http://[::1]/"]
)
def test_valid_uri_has_no_finding(uri: str) -> None:
    assert list_of("resources", {"uri": uri, "name": "a"}) == []


def test_repeated_template_variable_is_reported() -> None:
    assert list_of("resourceTemplates", {"uriTemplate": "file:///{a}", "name": "a"}) == []
    assert list_of("resourceTemplates", {"uriTemplate": "file:///{a}/{a}", "name": "a"}) == [
        ("template-variables", "/uriTemplate")
    ]


@pytest.mark.parametrize(
    "annotations",
    [
        {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": False},
        {"readOnlyHint": False, "destructiveHint": True},
        {"title": "Search"},
    ],
)
def test_consistent_annotations_have_no_finding(annotations: JsonObject) -> None:
    assert found(tool(annotations=annotations)) == []


def test_a_name_without_words_is_not_misleading() -> None:
    assert found(tool("_", annotations={"readOnlyHint": True})) == []


def test_any_modern_output_schema_is_valid_but_few_clients_accept_it() -> None:
    server = ServerLists({"tools": [tool(outputSchema={"type": "array", "items": {}})]}, era="modern")

    assert [(one.rule, one.severity) for one in lint(server, LintOptions()).findings] == [
        ("output-schema-type", "warning")
    ]


def test_a_capability_is_empty_if_all_of_its_lists_are() -> None:
    capabilities: JsonObject = {"resources": {}, "prompts": {}, "tools": False}
    template = {"uriTemplate": "file:///{a}", "name": "a"}

    def server(**lists: list[object]) -> ServerLists:
        return ServerLists(lists, capabilities)  # type: ignore[arg-type]

    assert rules_and_pointers(lint(server(resources=[], resourceTemplates=[template]), LintOptions()).findings) == []
    assert rules_and_pointers(lint(server(resources=[], prompts=[]), LintOptions()).findings) == [
        ("empty-capability", "/capabilities/resources"),
        ("empty-capability", "/capabilities/prompts"),
    ]


def test_valid_header_parameter_has_no_finding() -> None:
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}

    assert found(tool(inputSchema=schema)) == []

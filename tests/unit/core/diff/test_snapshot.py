"""Lock documents: the same bytes for the same server, and errors of invalid ones."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.diff.snapshot import Snapshot, lock_document, parse_lock, read_lock
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

TOOL: dict[str, Any] = {
    "name": "b",
    "inputSchema": {
        "type": ["string", "null"],
        "required": ["y", "x"],
        "properties": {"required": {"enum": [2, 1], "default": ["b", "a"]}, "a": True},
        "anyOf": [{"required": ["b", "a"]}],
    },
}


def test_members_and_unordered_arrays_are_sorted() -> None:
    document = lock_document({"b": {"z": 1, "a": [2, 1]}}, {"tools": [TOOL, {"name": "a"}]})

    assert dump(document) == (
        '{"lockVersion":1,"b":{"a":[2,1],"z":1},"tools":[{"name":"a"},{"inputSchema":{"anyOf":[{"required":["a","b"]}],'
        '"properties":{"a":true,"required":{"default":["b","a"],"enum":[1,2]}},"required":["x","y"],'
        '"type":["null","string"]},"name":"b"}],"prompts":[],"resources":[],"resourceTemplates":[]}'
    )


@given(st.permutations(["a", "b", "c"]), st.permutations(["x", "y", "z"]))
def test_lock_does_not_depend_on_the_order_of_the_server(names: list[str], keys: list[str]) -> None:
    tools: list[Any] = [
        {"name": name, "inputSchema": {"properties": {key: {} for key in keys}, "required": keys}} for name in names
    ]
    other: list[Any] = [
        {"name": name, "inputSchema": {"required": ["x", "y", "z"], "properties": {"x": {}, "y": {}, "z": {}}}}
        for name in "abc"
    ]

    assert dump(lock_document({}, {"tools": tools})) == dump(lock_document({}, {"tools": other}))


def test_sizes_and_timestamps_of_resources_are_omitted() -> None:
    resource: Any = {"uri": "a", "size": 1, "annotations": {"lastModified": "2026-01-01", "priority": 1}}

    assert lock_document({}, {"resources": [resource]})["resources"] == [{"uri": "a", "annotations": {"priority": 1}}]


def test_lock_document_round_trips() -> None:
    facts: Any = {"protocolVersion": "2025-11-25", "supportedVersions": ["2025-11-25"], "serverInfo": {"name": "s"}}
    document = lock_document({**facts, "capabilities": {"tools": {}}, "instructions": "i"}, {"tools": [{"name": "t"}]})
    empty: dict[str, Any] = {"prompts": {}, "resources": {}, "resourceTemplates": {}}

    assert parse_lock("f", dump(document)) == Success(
        Snapshot(
            "2025-11-25", ("2025-11-25",), {"name": "s"}, {"tools": {}}, "i", {"tools": {"t": {"name": "t"}}, **empty}
        )
    )


def test_tools_with_the_same_name_are_numbered() -> None:
    document = lock_document(
        {"protocolVersion": "v"}, {"tools": [{"name": "t", "title": "1"}, {"name": "t", "title": "2"}]}
    )

    assert list(read_lock("f", document).unwrap().definitions["tools"]) == ["t", "t #2"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n"a": }', "invalid JSON: a value is missing at line 2, column 6"),
        ("[]", "expected a lock document, found array"),
        ("{}", "not a lock file: it has no 'lockVersion'"),
        ('{"lockVersion":2}', "lockVersion is 2; this version of mcpi supports only 1"),
        ('{"lockVersion":true}', "lockVersion is true; this version of mcpi supports only 1"),
        ('{"lockVersion":1,"tools":[]}', "protocolVersion is missing"),
        ('{"lockVersion":1,"protocolVersion":""}', "protocolVersion is missing"),
        ('{"lockVersion":1,"protocolVersion":1}', "protocolVersion: expected a string, found number"),
        ('{"lockVersion":1,"protocolVersion":"v","serverInfo":[]}', "serverInfo: expected an object, found array"),
        (
            '{"lockVersion":1,"protocolVersion":"v","supportedVersions":"v"}',
            "supportedVersions: expected an array, found string",
        ),
        ('{"lockVersion":1,"protocolVersion":"v","tools":{}}', "tools: expected an array, found object"),
        (
            '{"lockVersion":1,"protocolVersion":"v","tools":[{"name":"a"},{}]}',
            "tools[1]: expected an object with the string 'name'",
        ),
    ],
)
def test_invalid_lock_is_rejected_with_a_reason(text: str, problem: str) -> None:
    hint = "write a lock file with: mcpi lock SERVER --output FILE"

    assert parse_lock("f", text) == Failure(Invalid("INVALID_ARGUMENT", "f", problem, (hint,)))


def test_any_json_value_is_kept_as_a_schema() -> None:
    tools: list[Any] = [
        {"name": "t", "inputSchema": {"properties": [], "type": 1, "items": [{"required": "x"}]}, "outputSchema": None}
    ]

    assert lock_document({}, {"tools": tools})["tools"] == tools

"""The metadata of modern requests, and the result types and input requests of modern results."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES, exact, nested
from mcpi.core.jsontext.exact import Exact, Params, Printable
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.jsontext.writing import dump
from mcpi.core.wire.modern import (
    TASKS,
    check_result,
    input_request_method,
    input_requests,
    next_round_params,
    params_by_name,
    progress_token,
    request_meta,
    result_type,
    with_meta,
)
from mcpi.core.wire.server_info import ClientInfo
from mcpi.core.wire.violations import Violation

CACHED = [
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "resources/read",
    "server/discover",
]


def test_tasks_extension_has_its_specified_name() -> None:
    assert TASKS == "io.modelcontextprotocol/tasks"


def test_request_metadata_has_client_info_and_capabilities() -> None:
    assert request_meta(ClientInfo({"sampling": {}}, "mcpi", "1.0"), "2026-07-28", None) == {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "mcpi", "version": "1.0"},
        "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
    }


def test_request_metadata_has_the_log_level() -> None:
    assert request_meta(ClientInfo({}), "2026-07-28", "debug")["io.modelcontextprotocol/logLevel"] == "debug"


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ('{"resultType": "complete"}', "complete"),
        ('{"resultType": "input_required"}', "input_required"),
        ('{"resultType": "task"}', "task"),
        ('{"resultType": "weird"}', "weird"),
        ('{"resultType": 5}', "complete"),
        ("{}", "complete"),
        ("[]", "complete"),
    ],
)
def test_result_without_result_type_is_complete(result: str, kind: str) -> None:
    assert result_type(exact(result)) == kind


@pytest.mark.parametrize("method", CACHED)
@pytest.mark.parametrize(
    ("result", "violations"),
    [
        ('{"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}', []),
        ('{"resultType": "input_required"}', []),
        ('{"resultType": "complete", "ttlMs": 0}', ["missing-cache-hint: the result of METHOD lacks cacheScope"]),
        ('{"resultType": "task"}', ["missing-cache-hint: the result of METHOD lacks ttlMs and cacheScope"]),
        (
            '{"cacheScope": "public"}',
            [
                "missing-result-type: the result of METHOD has no resultType",
                "missing-cache-hint: the result of METHOD lacks ttlMs",
            ],
        ),
    ],
)
def test_cacheable_result_requires_cache_hints(method: str, result: str, violations: list[str]) -> None:
    found = [f"{violation.rule}: {violation.detail}" for violation in check_result(method, exact(result))]

    assert found == [violation.replace("METHOD", method) for violation in violations]


@pytest.mark.parametrize(
    ("result", "violations"),
    [
        ('{"resultType": "complete"}', ()),
        ('{"resultType": "input_required"}', ()),
        ('{"resultType": "task"}', ()),
        (
            '{"content": []}',
            (Violation("missing-result-type", "the result of tools/call has no resultType", '{"content": []}'),),
        ),
        (
            "null",
            (Violation("missing-result-type", "the result of tools/call has no resultType", "null"),),
        ),
        (
            '{"resultType": "weird"}',
            (Violation("unknown-result-type", 'the result of tools/call has the unknown resultType "weird"'),),
        ),
        (
            '{"resultType": [1.10]}',
            (Violation("unknown-result-type", "the result of tools/call has the unknown resultType [1.10]"),),
        ),
        (
            f'{{"resultType": {nested(800)}}}',
            (
                Violation(
                    "unknown-result-type",
                    f"the result of tools/call has the unknown resultType {'[' * 300}… (1600 characters)",
                ),
            ),
        ),
    ],
)
def test_missing_or_unknown_result_type_is_a_violation(result: str, violations: tuple[Violation, ...]) -> None:
    assert check_result("tools/call", exact(result)) == violations


@pytest.mark.parametrize(
    ("params", "members"),
    [
        (None, {}),
        ({"a": 1}, {"a": 1}),
        (exact('{"a": 1.10}'), {"a": Exact("1.10", 1.1)}),
        (exact("[1]"), {}),
    ],
)
def test_params_are_read_by_name(params: Params | None, members: Mapping[str, Printable]) -> None:
    assert params_by_name(params) == members


@pytest.mark.parametrize(
    ("params", "dressed"),
    [
        (None, '{"_meta":{"b":2,"a":1}}'),
        ({"x": 1}, '{"x":1,"_meta":{"b":2,"a":1}}'),
        (exact('{"x": 1.10}'), '{"x":1.10,"_meta":{"b":2,"a":1}}'),
        ({"_meta": {"a": 9, "c": 3}, "x": 1}, '{"_meta":{"b":2,"a":9,"c":3},"x":1}'),
        (exact('{"_meta": {"c": 1.10, "a": 9}}'), '{"_meta":{"b":2,"a":9,"c":1.10}}'),
        ({"_meta": exact('{"c": 1.10}')}, '{"_meta":{"b":2,"a":1,"c":1.10}}'),
        ({"_meta": "mine"}, '{"_meta":"mine"}'),
        (exact('{"_meta":null}'), '{"_meta":null}'),
        (exact("[1,2]"), "[1,2]"),
    ],
)
def test_metadata_is_merged_into_the_params_of_the_user(params: Params | None, dressed: str) -> None:
    assert dump(with_meta(params, {"b": 2, "a": 1})) == dressed


@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}, exact('{"a": 1}')])
def test_params_are_unchanged_without_metadata(params: Params | None) -> None:
    assert with_meta(params, {}) is params


def test_next_round_adds_the_responses_and_the_state_to_the_params() -> None:
    required = exact('{"resultType": "input_required", "inputRequests": {}, "requestState": "a\\u0062"}')
    again = next_round_params({"name": "x", "arguments": {"a": 1}}, required, {"who": {"action": "accept"}})

    assert (
        dump(again) == '{"name":"x","arguments":{"a":1},"inputResponses":{"who":{"action":"accept"}},'
        '"requestState":"a\\u0062"}'
    )


def test_next_round_drops_the_responses_and_state_of_the_last_one() -> None:
    before: Params = {"inputResponses": {"who": 1}, "name": "x", "requestState": "old"}

    assert next_round_params(before, exact('{"resultType": "input_required"}'), {}) == {"name": "x"}


def test_next_round_keeps_the_spelling_of_user_params() -> None:
    again = next_round_params(exact('{"uri": "\\u0061", "requestState": 1}'), exact('{"requestState": "new"}'), {})

    assert dump(again) == '{"uri":"\\u0061","requestState":"new"}'


def test_input_requests_are_read_in_order() -> None:
    required = exact('{"inputRequests": {"b": {"method": "roots/list"}, "a": 5}}')

    assert list(input_requests(required).items()) == [
        ("b", Exact('{"method": "roots/list"}', {"method": "roots/list"})),
        ("a", Exact("5", 5)),
    ]


@pytest.mark.parametrize("required", ["{}", '{"inputRequests": {}}', '{"inputRequests": [1]}', "[]"])
def test_missing_or_invalid_input_requests_are_empty(required: str) -> None:
    assert input_requests(exact(required)) == {}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ('{"method": "roots/list"}', ("roots/list", None)),
        ('{"method": "x", "params": {"a": 1.10}}', ("x", Exact('{"a": 1.10}', {"a": 1.1}))),
        ('{"method": 5, "params": null}', ("", Exact("null", None))),
        ('"roots/list"', ("", None)),
    ],
)
def test_input_request_has_a_method_and_params(wanted: str, expected: tuple[str, Exact | None]) -> None:
    assert input_request_method(exact(wanted)) == expected


@pytest.mark.parametrize(
    ("params", "token"),
    [
        (None, None),
        ({}, None),
        ({"_meta": {}}, None),
        ({"_meta": {"progressToken": 3}}, 3),
        ({"_meta": {"progressToken": "three"}}, "three"),
        ({"_meta": {"progressToken": exact('"three"')}}, "three"),
        ({"_meta": exact('{"progressToken": 3}')}, 3),
        (exact('{"_meta": {"progressToken": 3}}'), 3),
        (exact('{"_meta": {"progressToken": 3.5}}'), None),
        (exact('{"_meta": {"progressToken": true}}'), None),
        ({"_meta": {"progressToken": True}}, None),
        (exact('{"_meta": [3]}'), None),
        ({"_meta": "3"}, None),
        (exact("[3]"), None),
    ],
)
def test_progress_token_is_read_from_the_metadata(params: Params | None, token: int | str | None) -> None:
    assert progress_token(params) == token


@given(st.dictionaries(st.text(), VALUES, max_size=3), st.dictionaries(st.text(), VALUES, max_size=3))
def test_user_metadata_takes_precedence(given: JsonObject, ours: JsonObject) -> None:
    assert params_by_name(with_meta({"_meta": given}, ours)) == {"_meta": {**ours, **given}}

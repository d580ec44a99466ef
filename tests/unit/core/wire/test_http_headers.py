"""HTTP headers that mirror the message, and faults for HTTP error statuses."""

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES, exact
from mcpi.core.jsontext.exact import Params
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Correction, HttpFailed, InvalidResponse
from mcpi.core.wire.http_headers import (
    ACCEPT,
    HTTP_LEVEL_STATUSES,
    LAST_EVENT,
    SESSION,
    VERSION,
    encode_event_id,
    encode_header_value,
    event_stream_failure,
    has_response_to,
    header_annotation_problem,
    headers,
    http_failure,
    is_modern,
    param_headers,
    unexpected_body,
)

MODERN = {"mcp-protocol-version": "2026-07-28"}


def test_header_names_follow_the_specification() -> None:
    assert (ACCEPT, SESSION, VERSION, LAST_EVENT) == (
        "application/json, text/event-stream",
        "mcp-session-id",
        "mcp-protocol-version",
        "last-event-id",
    )


def test_authentication_and_rate_limit_statuses_are_http_level() -> None:
    assert HTTP_LEVEL_STATUSES == (401, 403, 407, 429)


@pytest.mark.parametrize(
    ("version", "mirrored"),
    [
        ("2024-11-05", {}),
        ("2025-03-26", {}),
        ("2025-06-18", {"mcp-protocol-version": "2025-06-18"}),
        ("2025-11-25", {"mcp-protocol-version": "2025-11-25"}),
    ],
)
def test_handshake_requests_mirror_the_version_if_required(version: str, mirrored: dict[str, str]) -> None:
    assert headers("tools/call", {"name": "x"}, version, modern=False) == mirrored


@pytest.mark.parametrize(
    ("method", "params", "mirrored"),
    [
        ("tools/list", None, {"mcp-method": "tools/list"}),
        ("tools/list", {"name": "x"}, {"mcp-method": "tools/list"}),
        ("tools/call", {"name": "x"}, {"mcp-method": "tools/call", "mcp-name": "x"}),
        ("tools/call", {"name": exact('"\\u0078"')}, {"mcp-method": "tools/call", "mcp-name": "x"}),
        ("tools/call", exact('{"name": "x", "uri": "y"}'), {"mcp-method": "tools/call", "mcp-name": "x"}),
        ("tools/call", {"name": exact("5")}, {"mcp-method": "tools/call"}),
        ("tools/call", {"name": 5}, {"mcp-method": "tools/call"}),
        ("tools/call", {}, {"mcp-method": "tools/call"}),
        ("tools/call", exact("[1]"), {"mcp-method": "tools/call"}),
        ("tools/call", {"name": "é"}, {"mcp-method": "tools/call", "mcp-name": "=?base64?w6k=?="}),
        ("prompts/get", {"name": "x"}, {"mcp-method": "prompts/get", "mcp-name": "x"}),
        ("resources/read", {"name": "x", "uri": "u:y"}, {"mcp-method": "resources/read", "mcp-name": "u:y"}),
        ("tasks/get", {"taskId": "t"}, {"mcp-method": "tasks/get", "mcp-name": "t"}),
        ("tasks/update", {"taskId": "t"}, {"mcp-method": "tasks/update", "mcp-name": "t"}),
        ("tasks/cancel", {"taskId": "t"}, {"mcp-method": "tasks/cancel", "mcp-name": "t"}),
        ("tasks/result", {"taskId": "t"}, {"mcp-method": "tasks/result", "mcp-name": "t"}),
        ("vendor/dö", None, {"mcp-method": "=?base64?dmVuZG9yL2TDtg==?="}),
        ("", None, {}),
    ],
)
def test_modern_requests_mirror_the_version_the_method_and_the_name(
    method: str, params: Params | None, mirrored: dict[str, str]
) -> None:
    assert headers(method, params, "2026-07-28", modern=True) == MODERN | mirrored


def test_method_header_identifies_the_modern_era() -> None:
    assert is_modern(headers("x", None, "2026-07-28", modern=True))
    assert not is_modern(headers("x", None, "2025-11-25", modern=False))


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a b ~!", "a b ~!"),
        ("=?base64?", "=?base64?"),
        (" a", "=?base64?IGE=?="),
        ("a ", "=?base64?YSA=?="),
        ("a\tb", "=?base64?YQli?="),
        ("a\r\nb: c", "=?base64?YQ0KYjogYw==?="),
        ("\x7f", "=?base64?fw==?="),
        ("é", "=?base64?w6k=?="),
        ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
        ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
        ("\ud800", "=?base64?7aCA?="),
    ],
)
def test_header_value_is_base64_encoded_if_necessary(value: str, header: str) -> None:
    assert encode_header_value(value) == header


@given(st.text() | st.text().map("=?base64?{}?=".format))
def test_encoded_header_is_visible_ascii_and_decodes_to_the_value(value: str) -> None:
    header = encode_header_value(value)
    inside = header.removeprefix("=?base64?").removesuffix("?=")
    wrapped = len(header) == len(inside) + len("=?base64??=")

    assert (b64decode(inside, validate=True).decode() if wrapped else header) == value
    assert all(" " <= character <= "~" for character in header)
    assert header == header.strip()


def tool(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


REGION: Json = {"type": "string", "x-mcp-header": "Region"}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        None,
        [],
        "text",
        tool(),
        tool(region=REGION),
        tool(region=REGION, count={"type": "integer", "x-mcp-header": "n"}, dry={"type": "boolean"}),
        tool(dry={"type": "boolean", "x-mcp-header": "!#$%&'*+-.^_`|~0aZ"}),
        tool(where=tool(region=REGION), region={"type": "string", "x-mcp-header": "Region-2"}),
        # Names of properties and definitions, and data, are not x-mcp-header keywords.
        {"properties": {"x-mcp-header": {"type": "string"}, "properties": {"type": "string"}}},
        tool(a={"default": {"x-mcp-header": 1}, "examples": [{"x-mcp-header": 1}], "const": {"x-mcp-header": 1}}),
        tool(a={"enum": [{"x-mcp-header": 1}], "x-example": {"x-mcp-header": 1}, "required": ["x-mcp-header"]}),
        {"$defs": {"x-mcp-header": {"type": "string"}}, "patternProperties": {"x-mcp-header": {}}},
        {"properties": [REGION], "$defs": [REGION]},
    ],
)
def test_header_annotations_on_arguments_are_valid(schema: Json) -> None:
    assert header_annotation_problem(schema) is None


ELSEWHERE = "x-mcp-header is allowed only on an argument"


@pytest.mark.parametrize(
    "schema",
    [
        REGION,
        *({keyword: REGION} for keyword in ("items", "contains", "additionalProperties", "propertyNames", "not")),
        *({keyword: REGION} for keyword in ("if", "then", "else", "contentSchema", "unevaluatedItems")),
        *({keyword: [{}, REGION]} for keyword in ("allOf", "anyOf", "oneOf", "prefixItems", "items")),
        *({keyword: {"a": REGION}} for keyword in ("patternProperties", "dependentSchemas", "$defs", "definitions")),
        {"unevaluatedProperties": REGION},
        tool(a={"type": "array", "items": REGION}),
        {"items": tool(a=REGION)},
    ],
)
def test_header_annotation_outside_of_arguments_is_invalid(schema: Json) -> None:
    assert header_annotation_problem(schema) == ELSEWHERE


@pytest.mark.parametrize(
    ("mark", "kind", "problem"),
    [
        (5, "string", "x-mcp-header of 'where.a' is of type number, not a string"),
        (None, "string", "x-mcp-header of 'where.a' is of type null, not a string"),
        ("", "string", "x-mcp-header '' of 'where.a' is not a valid header name"),
        ("a b", "string", "x-mcp-header 'a b' of 'where.a' is not a valid header name"),
        ("a\n", "string", "x-mcp-header 'a\\n' of 'where.a' is not a valid header name"),
        ("é", "string", "x-mcp-header 'é' of 'where.a' is not a valid header name"),
        ("ok", "number", "x-mcp-header of 'where.a' is allowed only on strings, integers and booleans"),
        ("ok", "object", "x-mcp-header of 'where.a' is allowed only on strings, integers and booleans"),
        ("ok", ["string"], "x-mcp-header of 'where.a' is allowed only on strings, integers and booleans"),
        ("ok", None, "x-mcp-header of 'where.a' is allowed only on strings, integers and booleans"),
    ],
)
def test_malformed_header_annotation_is_invalid(mark: Json, kind: Json, problem: str) -> None:
    assert header_annotation_problem(tool(where=tool(a={"type": kind, "x-mcp-header": mark}))) == problem


def test_two_arguments_may_not_share_a_header() -> None:
    schema = tool(b={"type": "string", "x-mcp-header": "region"}, where=tool(a=REGION))

    assert header_annotation_problem(schema) == "x-mcp-header 'region' of 'b' is already used by 'where.a'"


def test_schema_of_any_depth_is_searched() -> None:
    schema: Json = REGION
    for _ in range(5000):
        schema = {"not": schema}

    assert header_annotation_problem(schema) == ELSEWHERE


@pytest.mark.parametrize(
    ("arguments", "mirrored"),
    [
        ({}, {}),
        ({"region": "eu"}, {"mcp-param-Region": "eu"}),
        ({"region": ""}, {"mcp-param-Region": ""}),
        ({"region": "Zürich"}, {"mcp-param-Region": "=?base64?WsO8cmljaA==?="}),
        ({"region": None}, {}),
        ({"region": ["eu"]}, {}),
        ({"region": 5}, {"mcp-param-Region": "5"}),
        ({"dry": True}, {"mcp-param-Dry": "true"}),
        ({"dry": False}, {"mcp-param-Dry": "false"}),
        ({"where": {"n": 0}}, {"mcp-param-N": "0"}),
        ({"where": {"n": 2**64}}, {"mcp-param-N": "18446744073709551616"}),
        ({"where": {"n": 1.5}}, {"mcp-param-N": "1.5"}),
        ({"where": 5}, {}),
        ({"other": "x", "n": 1, "items": [{"n": 2}]}, {}),
        ({"dry": True, "region": "eu"}, {"mcp-param-Region": "eu", "mcp-param-Dry": "true"}),
    ],
)
def test_annotated_arguments_are_mirrored_in_headers(arguments: JsonObject, mirrored: dict[str, str]) -> None:
    schema = tool(
        region=REGION,
        dry={"type": "boolean", "x-mcp-header": "Dry"},
        where=tool(n={"type": "integer", "x-mcp-header": "N"}),
        other={"type": "string"},
        items={"items": tool(n={"type": "integer", "x-mcp-header": "M"})},
    )

    assert param_headers(schema, arguments) == mirrored


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=3))
def test_schema_without_annotations_adds_no_headers(arguments: JsonObject) -> None:
    assert param_headers(tool(a={"type": "string"}), arguments) == {}


def test_http_failure_keeps_useful_headers_and_the_body() -> None:
    helpful = {
        "content-type": "text/html",
        "retry-after": "7",
        "www-authenticate": "Bearer",
        "location": "/",
        "allow": "GET",
        "mcp-session-id": "s",
    }
    answer = {name.title(): value for name, value in helpful.items()} | {"Date": "today", "set-cookie": "secret"}

    assert http_failure(500, "http://h/mcp", answer, "\n <h1>oh</h1>\n", "tools/call") == HttpFailed(
        500,
        "http://h/mcp",
        "http://h/mcp answered tools/call with HTTP status 500",
        helpful,
        "<h1>oh</h1>",
        (),
    )


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        ("invalid_token", "the server rejected the token; it may have expired or be for another server"),
        ("insufficient_scope", "the token lacks a required scope; get one with more scopes"),
        ("else", "pass a valid token with --token env:NAME, or another credential with --header"),
    ],
)
def test_challenge_error_selects_the_hint(error: str, hint: str) -> None:
    for status in (401, 403):
        challenge = {"WWW-Authenticate": f'Bearer error="{error}"'}
        assert http_failure(status, "http://h/mcp", challenge, "", "tools/call").hints == (hint,)


@pytest.mark.parametrize(
    ("status", "hints"),
    [
        (401, ("pass a valid token with --token env:NAME, or another credential with --header",)),
        (403, ("pass a valid token with --token env:NAME, or another credential with --header",)),
        (404, ("check the path of the URL, and --transport (http, or the older sse)",)),
        (405, ("check the path of the URL, and --transport (http, or the older sse)",)),
        (400, ()),
        (429, ()),
        (503, ()),
    ],
)
def test_http_status_selects_the_hint(status: int, hints: tuple[str, ...]) -> None:
    assert http_failure(status, "http://h/x", {}, "", "GET").hints == hints


@pytest.mark.parametrize("doing", ["server/discover", "initialize"])
def test_bad_request_to_the_first_request_hints_at_the_older_transport(doing: str) -> None:
    hint = "if the server uses the older HTTP+SSE transport, add --transport sse"

    assert http_failure(400, "http://h/x", {}, "", doing).hints == (hint,)
    assert http_failure(400, "http://h/x", {}, "", "tools/list").hints == ()


@pytest.mark.parametrize(
    ("kind", "body", "what"),
    [
        ("text/plain", "hi", "content type text/plain"),
        ("", "hi", "content type none"),
        ("application/json", "{}", "a body without a response"),
        ("text/html", "", "an empty body"),
        ("text/plain", "", "an empty body"),
    ],
)
def test_body_without_a_message_is_reported(kind: str, body: str, what: str) -> None:
    evidence = (body,) if body else ()

    assert unexpected_body(200, "http://h/x", kind, body, "ping") == InvalidResponse(
        "INVALID_RESPONSE", f"http://h/x answered ping with HTTP status 200 and {what}", evidence
    )


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("http://h", "did you mean http://h/mcp?"),
        ("http://h/x", "check the path of the URL; most servers use /mcp"),
    ],
)
def test_web_page_is_not_an_mcp_endpoint(url: str, hint: str) -> None:
    problem = f"{url} is not an MCP endpoint: it answered initialize with a web page (content type text/html)"

    assert unexpected_body(200, url, "text/html", "<p>", "initialize") == InvalidResponse(
        "INVALID_RESPONSE", problem, ("<p>",), (hint,)
    )


@pytest.mark.parametrize(
    ("url", "right"),
    [("http://h", "http://h/mcp"), ("http://h:1/", "http://h:1/mcp"), ("http://h/x", None), ("http://h/?a=1", None)],
)
def test_not_found_at_the_root_path_suggests_mcp_path(url: str, right: str | None) -> None:
    fault = http_failure(404, url, {}, "", "GET")

    assert fault.correction == (None if right is None else Correction(url, (right,)))
    assert any(hint == f"did you mean {right}?" for hint in fault.hints) == (right is not None)


@pytest.mark.parametrize(
    ("url", "right"),
    [
        ("http://h/mpc", "http://h/mcp"),
        ("http://h/v1/MPC/", "http://h/v1/mcp"),
        ("http://h/mcp", None),
        ("http://h/map", None),
        ("http://h/mpc#x", None),
    ],
)
def test_misspelt_mcp_path_is_corrected(url: str, right: str | None) -> None:
    fault = http_failure(404, url, {}, "", "initialize")

    assert fault.correction == (None if right is None else Correction(url, (right,)))


@pytest.mark.parametrize(
    ("url", "way"),
    [("http://h/mcp", "omit --transport sse"), ("http://h/sse", "use --transport http")],
)
@pytest.mark.parametrize("status", [400, 405, 406])
def test_refused_event_stream_suggests_the_other_transport(status: int, url: str, way: str) -> None:
    fault = event_stream_failure(status, url, {}, "")

    assert (fault.status, fault.hints) == (status, (f"if the server uses Streamable HTTP, {way}",))


def test_root_path_of_the_older_transport_is_corrected() -> None:
    assert event_stream_failure(404, "http://h/", {}, "").correction == Correction("http://h/", ("http://h/sse",))
    assert event_stream_failure(503, "http://h/", {}, "").correction is None


@pytest.mark.parametrize(
    ("status", "answer", "message"),
    [
        (
            300,
            {"location": "http://other/"},
            ": a redirect to http://other/ to another origin, which mcpi does not follow",
        ),
        (
            399,
            {"Location": "http://other/"},
            ": a redirect to http://other/ to another origin, which mcpi does not follow",
        ),
        (302, {"location": "http://[::1"}, ": a redirect to http://[::1 to another origin, which mcpi does not follow"),
        (303, {"location": "/there"}, ": a redirect to /there, which mcpi does not follow"),
        (302, {}, ""),
        (304, {}, ""),
    ],
)
def test_redirect_is_reported_with_its_location(status: int, answer: dict[str, str], message: str) -> None:
    problem = http_failure(status, "http://h", answer, "", "GET").problem

    assert problem == f"http://h answered GET with HTTP status {status}{message}"


def test_location_header_is_ignored_for_other_statuses() -> None:
    assert [http_failure(status, "u", {"location": "/"}, "", "GET").problem for status in (299, 400)] == [
        "u answered GET with HTTP status 299",
        "u answered GET with HTTP status 400",
    ]


def test_long_body_is_truncated() -> None:
    assert http_failure(500, "http://h", {}, "x" * 1000, "GET").excerpt == "x" * 300 + "… (1000 characters)"


@pytest.mark.parametrize(
    ("last", "header"),
    [("7", "7"), ("", ""), (" a b\t", "a b"), ("é", "é"), ("\x01", "\x01"), ("a\fb", None), ("a\vb", None)],
)
def test_event_id_is_sent_without_surrounding_whitespace(last: str, header: str | None) -> None:
    assert encode_event_id(last) == header


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":{}}', True),
        (b'{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}', True),
        (b'{"jsonrpc":"2.0","id":8,"result":{}}', False),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}', False),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"}', False),
        (b"gone", False),
    ],
)
def test_only_a_response_with_the_request_id_is_a_match(body: bytes, expected: bool) -> None:  # noqa: FBT001 - a row
    assert has_response_to(body, 7) is expected

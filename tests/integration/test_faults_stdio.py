"""Misbehaving servers over stdio: malformed messages, wrong responses, failed negotiation."""

import sys

import pytest

from cases import CALL, LIST, PONG, Case, Faulty, check_plain, check_structured, documented, failing, rpc_error, timeout
from running import Mcpi

INVALID_RESPONSE_TEXT = "invalid response to tools/call (request 3)"
NO_ANSWER = "no response to tools/call (request 3) within"
DEEP = 800
LONG_TEXT = {"content": [{"type": "text", "text": "x" * (1 << 20)}]}


def text(words: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": words}]}


FRAMING = (
    Case("noise_before", evidence=("Starting up...", "[info] listening on stdio"), rules=("not-json", "not-json")),
    Case("noise_between", evidence=("handling the call",), rules=("not-json",)),
    Case("noise_after", evidence=("call handled",), rules=("not-json",)),
    Case("noise_of_25_lines", evidence=("noise 0", "noise 9"), rules=("not-json",) * 10),
    Case("blank_lines"),
    Case("noise_with_escape_sequences", evidence=("red",), rules=("invalid-utf8", "not-json")),
    Case("stderr_with_escape_sequences", evidence=("red",)),
    Case("invalid_utf8_noise", evidence=("caf\ufffd \ufffd\ufffd",), rules=("invalid-utf8", "not-json")),
    Case("invalid_utf8_response", text("caf\ufffd"), evidence=("is not UTF-8", "caf\ufffd"), rules=("invalid-utf8",)),
    Case("surrogate_bytes", text("\ufffd" * 3), evidence=("is not UTF-8",), rules=("invalid-utf8",)),
    timeout("utf16", NO_ANSWER, rules=("not-json", "not-json", "no-line-end")),
    Case("response_without_newline", evidence=("the last line is incomplete",), rules=("no-line-end",)),
    Case(
        "response_without_newline_kept_open", evidence=("the last line is incomplete", "pong"), rules=("no-line-end",)
    ),
    failing(
        "truncated_response", "SERVER_EXITED", "code 9", "out of ink", '"text": ', rules=("not-json", "no-line-end")
    ),
    timeout(
        "truncated_response_kept_open", NO_ANSWER, "bytes of an unterminated line", rules=("not-json", "no-line-end")
    ),
    failing("noise_without_newline", "SERVER_EXITED", "code 0", "going down", rules=("not-json", "no-line-end")),
    Case("megabyte_of_noise", evidence=("xxx… (1048576 characters)",), rules=("not-json",)),
    Case("megabyte_response", LONG_TEXT),
    Case("byte_by_byte"),
    Case("crlf"),
    Case("carriage_returns_only", evidence=("the last line is incomplete",), rules=("no-line-end",)),
    Case("byte_order_mark", evidence=("a byte order mark",), rules=("byte-order-mark",)),
    Case("nul_noise", evidence=("not a JSON-RPC message",), rules=("not-json",)),
    failing("nul_in_string", "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, rules=("not-json",)),
    timeout("nul_before_response", NO_ANSWER, "pong", rules=("not-json",)),
    failing("control_characters", "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, rules=("not-json",)),
    Case("unicode_line_separators", text("po\u2028\u2029\x85ng")),
    timeout("prefixed_response", NO_ANSWER, "INFO answer: {", rules=("not-json",)),
    failing("text_after_response", "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, "# done", rules=("not-json",)),
    failing("two_on_a_line", "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, "notifications/x", rules=("not-json",)),
    timeout("pretty_printed_response", NO_ANSWER, '"jsonrpc": "2.0",', rules=("not-json",) * 10),
    failing(
        "content_length_frames",
        "PROTOCOL_VERSION_MISMATCH",
        "answered initialize with no version",
        "Content-Length: 41",
        rules=("not-json", "no-line-end"),
    ),
    failing("trailing_comma", "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, rules=("not-json",)),
    timeout("single_quotes", NO_ANSWER, "{'jsonrpc': '2.0'", rules=("not-json",)),
    Case("empty_batch", evidence=("a batch of 0 messages",), rules=("batch", "batch", *("unclear-message",) * 2)),
    Case("bare_values", evidence=("null", "42"), rules=(*("not-json",) * 4, "wrong-jsonrpc", "unclear-message")),
    Case("nan_in_notification", evidence=("NaN",), rules=("not-json",)),
    Case("positional_params", evidence=("the params of notifications/x",), rules=("positional-params",)),
)


def verbatim(name: str, result: str) -> Case:
    return Case(name, verbatim=result, flags=("--compact",))


RESULTS = (
    verbatim("deep_nesting", '{"content":[],"deep":' + "[" * DEEP + "]" * DEEP + "}"),
    verbatim("deep_objects", '{"content":[],"deep":' + '{"a":' * DEEP + "1" + "}" * DEEP + "}"),
    failing("unclosed_nesting", "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, rules=("not-json",)),
    failing("mismatched_nesting", "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, rules=("not-json",)),
    verbatim("duplicate_keys", '{"content":[],"a":1,"a":2}'),
    verbatim("huge_integer", '{"content":[],"n":' + "9" * 10_000 + "}"),
    verbatim("unusual_numbers", '{"content":[],"n":[9007199254740993,1e400,-1E-999,-0,1.10,12345678901234567890]}'),
    verbatim("lone_surrogate", '{"content":[],"s":"\\ud800 \\udc00\\ud800"}'),
    verbatim("escapes", '{"content":[],"s":"\\u001b[31m \\u0000 \\/ \\u00e9 é"}'),
    verbatim("unusual_spacing", '{"content":[],"z":1,"a":{}}'),
    verbatim("empty_names", '{"content":[],"":{"":""},"__proto__":null}'),
    *(
        failing(name, "INVALID_RESPONSE", INVALID_RESPONSE_TEXT, literal, rules=("not-json",))
        for name, literal in (
            ("nan", "NaN"),
            ("infinity", "Infinity"),
            ("minus_infinity", "-Infinity"),
            ("leading_zero", "007"),
            ("hexadecimal", "0xFF"),
            ("bad_escape", "\\x41"),
        )
    ),
    verbatim("null_result", "null"),
    verbatim("text_result", '"pong"'),
    verbatim("array_result", '["pong"]'),
    verbatim("number_result", "1"),
    verbatim("result_violating_schema", '{"content":"no array","isError":"yes"}'),
)

LISTS = tuple(
    Case(name, out, method=LIST)
    for name, out in (
        (
            "one_bad_tool_of_three",
            {"tools": [{"name": "a", "inputSchema": {"type": "object"}}, {"nom": 7}, {"name": "c"}]},
        ),
        ("tools_null", {"tools": None}),
        ("tools_missing", {}),
        ("tools_object", {"tools": {"a": {}}}),
        ("list_is_array", [{"name": "a"}]),
        ("null_list", None),
        ("numeric_cursor", {"tools": [{"name": "only"}], "nextCursor": 7}),
        ("cursor_then_empty_page", {"tools": [{"name": "first"}]}),
    )
)
CURSORS = (
    Case(
        "repeated_cursor",
        {"tools": [{"name": "again"}] * 2, "nextCursor": "same"},
        evidence=("a cursor that it had returned before",),
        rules=("repeated-cursor",),
        method=LIST,
    ),
    Case(
        "endless_pages",
        {"tools": [{"name": f"tool{n}"} for n in range(1000)], "nextCursor": "1000"},
        evidence=("more than 1000 pages",),
        rules=("endless-pages",),
        method=LIST,
    ),
    rpc_error("cursor_then_error", {"code": -32602, "message": "Invalid cursor"}, method=LIST),
)

RESPONSES = (
    Case("responds_twice", evidence=("request 3 was already answered", "pong again"), rules=("repeated-id",)),
    Case("initialize_answered_twice", evidence=("request 2 was already answered",), rules=("repeated-id",)),
    Case("unknown_id", evidence=("no request has the id 4711",), rules=("unknown-id",)),
    timeout("only_unknown_id", NO_ANSWER, "no request has the id 4711", rules=("unknown-id",)),
    Case("response_before_request", evidence=("no request has the id 3",), rules=("unknown-id",)),
    Case("id_as_string", evidence=("id 3 was returned as '3'",), rules=("id-type",)),
    Case("id_as_float", evidence=("id 3 was returned as 3.0",), rules=("id-type",)),
    Case("id_as_fraction", evidence=("no request has the id 3.5",), rules=("unknown-id",)),
    Case("id_null", evidence=("a response without an id",), rules=("null-id",)),
    Case("id_missing", evidence=("a response without an id",), rules=("null-id",)),
    Case(
        "id_of_other_types", evidence=("the id of notifications/x is not a string or number",), rules=("null-id",) * 3
    ),
    failing("result_and_error", "INVALID_RESPONSE", "both a result and an error", rules=("result-and-error",)),
    Case("result_and_null_error", evidence=("a result and an error",), rules=("result-and-error",)),
    rpc_error(
        "null_result_and_error",
        {"code": -32000, "message": "no"},
        evidence=("a result and an error",),
        rules=("result-and-error",),
    ),
    failing(
        "neither_result_nor_error",
        "INVALID_RESPONSE",
        "it has neither a result nor an error",
        rules=("unclear-message",),
    ),
    Case("batch", evidence=("a batch of 2 messages",), rules=("batch",)),
    Case("method_and_result", evidence=("a method and a result",), rules=("method-and-result",)),
    Case("request_with_null_result", evidence=("a method and a result",), rules=("method-and-result",)),
    Case("progress_for_unknown_tokens", evidence=("no request has the progress token",), rules=("progress-token",) * 5),
    Case("wrong_jsonrpc", evidence=('jsonrpc is "1.0"',), rules=("wrong-jsonrpc",)),
    Case("no_jsonrpc", evidence=("jsonrpc is missing",), rules=("wrong-jsonrpc",)),
    rpc_error("error_as_text", "it broke", evidence=("the error is not an object",), rules=("malformed-error",)),
    rpc_error("error_without_code", {"message": "it broke"}, evidence=("the error lacks",), rules=("malformed-error",)),
    rpc_error(
        "error_code_as_text",
        {"code": "E_BROKE", "message": None},
        evidence=("the error lacks",),
        rules=("malformed-error",),
    ),
    rpc_error("error_null", None, evidence=("the error is not an object",), rules=("malformed-error",)),
    rpc_error("invalid_request_error", {"code": -32600, "message": "Invalid Request"}),
    rpc_error("method_not_found_error", {"code": -32601, "message": "Method not found"}),
    rpc_error(
        "application_error",
        {"code": -32000, "message": "no \x1b[31mink\x1b[0m", "data": {"n": 2**64, "more": ["a"]}},
    ),
    rpc_error(
        "error_without_id",
        {"code": -32700, "message": "Parse error"},
        evidence=("a response without an id",),
        rules=("null-id",),
    ),
    Case("echoes_request", evidence=("tools/call",)),
    Case("progress_extends_timeout", time=("--timeout", "2s")),
    timeout("endless_progress", NO_ANSWER, flags=("--max-total-timeout", "2s")),
    timeout("cancels_request", NO_ANSWER, "too hard"),
)


def answered(name: str, response: object, **more: object) -> Case:
    """A case whose server sends a request first, and repeats mcpi's response in its result."""
    meta = {"received": {"jsonrpc": "2.0", "id": "s-1", **response}}  # type: ignore[dict-item]
    return Case(name, {**PONG, "_meta": meta}, **more)  # type: ignore[arg-type]


UNKNOWN_METHOD = {"error": {"code": -32601, "message": "Method not found"}}
NO_CAPABILITIES = ("--client-capabilities", "{}")
SERVER_REQUESTS = (
    answered("requests_sampling", UNKNOWN_METHOD, evidence=("sampling/createMessage",), flags=NO_CAPABILITIES),
    answered("requests_elicitation", UNKNOWN_METHOD, evidence=("elicitation/create",), flags=NO_CAPABILITIES),
    answered("requests_roots", UNKNOWN_METHOD, evidence=("roots/list",), flags=NO_CAPABILITIES),
    answered("requests_unknown_method", UNKNOWN_METHOD, evidence=("vendor/unknown",), rules=("positional-params",)),
    answered("requests_ping", {"result": {}}),
    Case("requests_with_unusual_ids", {**PONG, "_meta": {"received": [0, -1, 2**60, 1.5, "", "é"]}}),
    Case("requests_with_unusual_id_spellings", {**PONG, "_meta": {"same": [True] * 5}}),
    Case("request_with_null_id", evidence=("the id of roots/list is not a string or number",), rules=("null-id",)),
    Case("requests_before_initialize"),
    Case("notifies_before_initialize", evidence=("warming up",)),
    Case(
        "logs_without_capability",
        evidence=("logging was not declared", "disk full"),
        rules=("undeclared-capability",) * 3,
    ),
)

MISMATCH = "PROTOCOL_VERSION_MISMATCH"
NEGOTIATION = (
    failing("unknown_version", MISMATCH, "1999-12-31"),
    failing("no_version", MISMATCH, "no version"),
    failing("version_as_number", MISMATCH, "20251125"),
    failing("initialize_null", MISMATCH, "no version"),
    failing("initialize_array", MISMATCH, "no version"),
    failing(
        "initialize_invalid_json", "INVALID_RESPONSE", "invalid response to initialize (request 2)", rules=("not-json",)
    ),
    failing("initialize_rejected", "HANDSHAKE_FAILED", "-32602", "no such client"),
    Case("initialize_without_capabilities", evidence=("the server declared none",), rules=("undeclared-capability",)),
    Case(
        "initialize_null_members",
        evidence=("serverInfo in the server's response is not an object", "the server declared none"),
        rules=("schema", "schema", "undeclared-capability"),
    ),
    failing("no_tools_capability", "CAPABILITY_MISSING", "it declared: prompts"),
    timeout("no_initialize_response", "no response to initialize (request 2)", "thinking", code="CONNECTION_TIMEOUT"),
    timeout("no_responses", "server/discover (request 1) and initialize (request 2)", code="CONNECTION_TIMEOUT"),
    Case("no_discover_response"),
    Case("late_discover_response"),
    Case("discover_null"),
    Case("discover_empty"),
    Case("discover_invalid_json", evidence=('"result":{',), rules=("not-json",)),
    Case("discover_without_id", evidence=("a response without an id",), rules=("null-id",)),
    Case("discover_other_version"),
    Case("exits_on_discover", evidence=("initialize expected",)),
    failing("modern_without_common_version", MISMATCH, "2031-01-01"),
    Case(
        "modern_sends_request",
        {"resultType": "complete", "content": []},
        evidence=("a modern server sent the request roots/list",),
        rules=("server-request",),
    ),
    Case(
        "modern_unknown_result_type",
        {"resultType": "surprise", "content": []},
        evidence=("surprise",),
        rules=("unknown-result-type",),
    ),
    failing("modern_always_input_required", "INVALID_RESPONSE", "more than 10 times"),
    failing("exits_on_initialized", "SERVER_EXITED", "code 4"),
)

CASES = (*FRAMING, *RESULTS, *LISTS, *CURSORS, *RESPONSES, *SERVER_REQUESTS, *NEGOTIATION)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_plain_output_has_the_result_or_the_error(case: Case, faulty: Faulty) -> None:
    check_plain(case, "--", *faulty(case.name))


def test_batch_is_not_a_violation_in_2025_03_26(faulty: Faulty) -> None:
    case = Case("batch", flags=("--protocol-version", "2025-03-26"))

    check_plain(case, "--", *faulty(case.name))


@pytest.mark.parametrize("case", documented(*CASES), ids=str)
def test_structured_output_has_the_result_or_the_error(case: Case, faulty: Faulty) -> None:
    check_structured(case, "--", *faulty(case.name))


LONG_LOGS = """
import json, sys
text = "x" * 1000
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        capabilities = {"tools": {}, "logging": {}}
        info = {"name": "x", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
    elif "id" in message:
        for level in ("info", "loud") if message["method"] == "tools/call" else ():
            params = {"level": level, "data": text}
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": params}))
        result = {"tools": []} if message["method"] == "tools/list" else {"content": []}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
"""A server that sends a valid and an invalid log message, both longer than the quoted part."""


def test_long_notification_is_validated_as_a_whole(mcpi: Mcpi) -> None:
    server = (sys.executable, "-S", "-c", LONG_LOGS)
    ran = mcpi(*CALL, "--era", "handshake", "--validate", "--structured", "--", *server)

    found = [violation["detail"] for violation in ran.json["violations"]]
    assert [detail.partition(": ")[0] for detail in found] == [
        "notifications/message violates the schema of 2025-11-25 at /params/level"
    ]

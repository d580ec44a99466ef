"""Misbehaving servers over Streamable HTTP."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cases import (
    CALL,
    LIST,
    PONG,
    SECRET,
    SMALL,
    STATUS_CODES,
    Case,
    FaultyWeb,
    check_plain,
    check_structured,
    documented,
    failing,
    other_origin,
    rpc_error,
    timeout,
)
from running import measured, wait_until

SDK = Path(__file__).parents[2] / "fixtures" / "servers" / "sdk.py"

NO_ANSWER = "no response to tools/call (request 3) within"
UNREADABLE = "invalid response to tools/call (request 3)"
ENDED = "ended its response to tools/call without a result"
NO_RESULT = "HTTP status 200 and a body without a response"
TOO_LONG = "a message of more than 1048576 bytes"
HINTS = {401: "resource_metadata", 403: "insufficient_scope", 405: "GET", 429: "17", 503: "120"}
STATUSES = (
    *(400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 415, 421, 422, 425, 426, 428, 429),
    *(431, 451, 500, 501, 502, 503, 504, 505, 507, 511, 599),
)


def status(number: int, when: str = "") -> Case:
    """A status instead of a response, and its expected message."""
    expected = (f"with HTTP status {number}", f"no ink ({number}) for nobody", HINTS.get(number, ""))
    return failing(f"status_{number}{when}", STATUS_CODES.get(number, "HTTP_STATUS"), *expected)


AT_START = (400, 401, 403, 404, 405, 406, 407, 408, 410, 429, 500, 502, 503, 504)
STATUS_CASES = (*map(status, STATUSES), *(status(number, "_at_start") for number in AT_START))
HEADERS = (
    failing("challenge_with_60000_spaces", "AUTHENTICATION_FAILED", "HTTP status 401"),
    failing("status_202", "INVALID_RESPONSE", "HTTP status 202 and an empty body"),
    failing("status_204", "INVALID_RESPONSE", "HTTP status 204 and an empty body"),
    failing("status_304", "HTTP_STATUS", "HTTP status 304"),
    failing("status_101", "INVALID_RESPONSE", "is not HTTP"),
    Case("early_hints"),
    timeout("endless_early_hints", NO_ANSWER),
    failing("invalid_status_line", "INVALID_RESPONSE", "is not HTTP", "two hundred"),
    failing("ssh_server", "INVALID_RESPONSE", "does not speak HTTP: it sent 'SSH-2.0-OpenSSH"),
    failing("no_headers", "INVALID_RESPONSE", "does not speak HTTP: it sent '{"),
    failing("closes_on_connect", "CONNECTION_LOST", "was lost during server/discover"),
    timeout("no_response_on_connect", "server/discover (request 1)", code="CONNECTION_TIMEOUT"),
    failing("closes_without_response", "CONNECTION_LOST", "was lost during tools/call"),
    failing("resets_connection", "CONNECTION_LOST", "Connection reset by peer"),
    timeout("no_response", NO_ANSWER),
    failing("truncated_head", "CONNECTION_LOST", "was lost during tools/call"),
    timeout("slow_head", NO_ANSWER),
    failing("endless_head", "INVALID_RESPONSE", "is not HTTP", "too long"),
    failing("endless_header", "INVALID_RESPONSE", "is not HTTP", "too long"),
    failing("header_without_colon", "INVALID_RESPONSE", "is not HTTP", "nonsense"),
    failing("header_with_escape_sequence", "HTTP_STATUS", "HTTP status 500"),
    failing("header_in_latin1", "RATE_LIMITED", "café"),
    failing("reason_with_escape_sequence", "HTTP_STATUS", "HTTP status 500"),
    Case("http_1_0"),
    Case("cookies"),
)

MEGABYTE = 1 << 20
NO_TOOL = {"code": -32602, "message": "no such tool"}
BODIES = (
    failing("html", "INVALID_RESPONSE", "HTTP status 200 and content type text/html", "Sign in"),
    failing("html_as_json", "INVALID_RESPONSE", NO_RESULT, "Sign in", rules=("not-json",)),
    failing("html_502", "HTTP_STATUS", "HTTP status 502", "text/html", "Sign in"),
    failing("plain_text", "INVALID_RESPONSE", "HTTP status 200 and content type text/plain", "pong"),
    failing("no_content_type", "INVALID_RESPONSE", "HTTP status 200 and content type none", "pong"),
    Case("json_with_charset"),
    failing("json_as_events", "CONNECTION_LOST", ENDED, "pong"),
    failing("empty", "INVALID_RESPONSE", "HTTP status 200 and an empty body"),
    failing("blank", "INVALID_RESPONSE", "HTTP status 200 and an empty body"),
    Case("byte_order_mark", evidence=("a byte order mark",), rules=("byte-order-mark",)),
    Case(
        "invalid_utf8",
        {"content": [{"type": "text", "text": "caf\ufffd"}]},
        evidence=("is not UTF-8",),
        rules=("invalid-utf8",),
    ),
    failing("utf16", "INVALID_RESPONSE", NO_RESULT, rules=("not-json",)),
    failing("two_documents", "INVALID_RESPONSE", UNREADABLE, rules=("not-json",)),
    failing("truncated_json", "INVALID_RESPONSE", UNREADABLE, rules=("not-json",)),
    failing("nan", "INVALID_RESPONSE", UNREADABLE, "NaN", rules=("not-json",)),
    failing("null", "INVALID_RESPONSE", NO_RESULT, "null", rules=("not-json",)),
    failing("empty_batch", "INVALID_RESPONSE", NO_RESULT, "[]", rules=("batch",)),
    Case("batch", evidence=("a batch of 2 messages",), rules=("batch",)),
    failing("wrong_id", "INVALID_RESPONSE", NO_RESULT, "no request has the id 4711", rules=("unknown-id",)),
    failing("only_a_notification", "INVALID_RESPONSE", NO_RESULT, "notifications/x"),
    rpc_error("error_response", NO_TOOL),
    rpc_error("error_response_400", NO_TOOL),
    rpc_error("error_response_404", NO_TOOL),
    rpc_error("error_response_500", NO_TOOL),
    failing("error_response_401", "AUTHENTICATION_FAILED", "HTTP status 401", 'Basic realm="x"', "no such tool"),
    rpc_error("error_response_without_id", NO_TOOL),
    failing("other_json_500", "HTTP_STATUS", "HTTP status 500", "Internal Server Error"),
    failing("invalid_gzip", "INVALID_RESPONSE", "cannot be decoded"),
    failing("truncated_gzip", "INVALID_RESPONSE", NO_RESULT, rules=("not-json",)),
    Case("unknown_encoding"),
    Case("deep_nesting", verbatim='{"content":[],"deep":' + "[" * 800 + "]" * 800 + "}", flags=("--compact",)),
    Case("huge_integer", verbatim='{"content":[],"n":' + "9" * 10_000 + "}", flags=("--compact",)),
    Case("duplicate_keys", verbatim='{"content":[],"a":1,"a":2}', flags=("--compact",)),
    Case("null_result", None),
    Case("response_with_method", evidence=("a method and a result",), rules=("method-and-result",)),
    failing("eleven_encodings", "INVALID_RESPONSE", "cannot be decoded"),
    Case("gzip_response"),
    failing("gzip_bomb", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("gzip_bomb_in_gzip", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("gzip_bomb_500", "HTTP_STATUS", "HTTP status 500", flags=SMALL),
    failing("gzip_bomb_events", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("truncated_body", "CONNECTION_LOST", "HTTP status 200, and the body was cut", "pong"),
    failing("truncated_body_500", "HTTP_STATUS", "HTTP status 500", "out of ink"),
    failing("content_length_too_small", "INVALID_RESPONSE", NO_RESULT, rules=("not-json",)),
    failing("negative_content_length", "INVALID_RESPONSE", "is not HTTP", "Content-Length"),
    failing("two_content_lengths", "INVALID_RESPONSE", "is not HTTP", "Content-Length"),
    failing("truncated_chunk", "CONNECTION_LOST", "HTTP status 200, and the body was cut", "pong"),
    failing("missing_last_chunk", "CONNECTION_LOST", "HTTP status 200, and the body was cut", "pong"),
    failing("invalid_chunk_size", "CONNECTION_LOST", "HTTP status 200, and the body was cut", "zz"),
    Case("chunks_of_one_byte"),
    timeout("slow_body", NO_ANSWER, "HTTP status 200 and "),
    timeout("slow_body_500", NO_ANSWER, "HTTP status 500 and 10 bytes of a body: out of ink"),
    timeout("slow_initialize", "no response to initialize (request 2)", "status 200 and", code="CONNECTION_TIMEOUT"),
    failing("endless_body", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("endless_body_at_start", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("endless_body_500", "HTTP_STATUS", "HTTP status 500"),
    failing("body_hangs_500", "HTTP_STATUS", "HTTP status 500", "out of ink"),
    failing("fifty_megabytes", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
)

IDS = ("with_spaces", "not_ascii", "with_control_characters", "with_escape_sequence", "empty", "folded")
CLIENT_ERROR = {"jsonrpc": "2.0", "id": "s-1", "error": {"code": -32601, "message": "Method not found"}}
ASKED = {**PONG, "_meta": CLIENT_ERROR}
SESSIONS = (
    Case("valid_session"),
    failing("session_not_found", "CONNECTION_LOST", "no longer has the session", "404", "Session not found"),
    failing("session_not_found_as_json", "CONNECTION_LOST", "no longer has the session", "Session not found"),
    rpc_error("session_error_response_404", NO_TOOL),
    failing("session_expired", "HTTP_STATUS", "HTTP status 410", "gone"),
    *(Case(f"session_delete_{how}") for how in ("hangs", "405", "404", "500", "resets")),
    *(Case(f"session_id_{how}", evidence=("the session id",), rules=("illegal-header",)) for how in IDS),
    *(Case(f"session_id_{how}") for how in ("long", "injected", "twice", "changes")),
    *(Case(f"initialized_{how}") for how in ("rejected", "hangs", "resets", "gets_response", "streams")),
    *(Case(f"stream_{how}") for how in ("hangs", "status_500", "html", "resets", "ends_immediately", "endless_event")),
    Case("stream_lost"),
    Case("stream_floods"),
    failing("response_on_other_stream", "INVALID_RESPONSE", "HTTP status 202"),
    *(Case(f"client_response_{how}", ASKED, evidence=("roots/list",)) for how in ("hangs", "resets", "rejected")),
    Case("requests_roots", ASKED, evidence=("roots/list",)),
)


def after(last: str) -> Any:
    """The response that reports the ID of the last event received."""
    return {**PONG, "_meta": {"after": last}}


STREAMS = (
    *(
        Case(name)
        for name in (
            *("comments", "no_space", "crlf", "carriage_returns", "crlf_split", "byte_order_mark_of_stream"),
            *("lines_of_data", "unknown_fields", "unknown_event", "empty_event", "bad_retry", "nul_in_id"),
            "stays_open",
        )
    ),
    Case("split_characters", {"content": [{"type": "text", "text": "café €"}]}),
    Case("response_as_other_event", evidence=("an event of type 'response'",), rules=("sse",)),
    Case("noise_event", evidence=("hello world",), rules=("not-json",)),
    Case("invalid_utf8_event", evidence=("is not UTF-8",), rules=("invalid-utf8",)),
    Case("responds_twice", evidence=("request 3 was already answered",), rules=("repeated-id",)),
    Case("response_before_endless_event", flags=SMALL),
    failing("long_comment", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    Case("progress_for_unknown_tokens", evidence=("no request has the progress token",), rules=("progress-token",)),
    Case("id_as_string", {"content": []}, evidence=("id 3 was returned as '3'",), rules=("id-type",)),
    Case("id_as_float", {"content": []}, evidence=("id 3 was returned as 3.0",), rules=("id-type",)),
    failing("incomplete_event", "CONNECTION_LOST", ENDED, "pong"),
    timeout("incomplete_event_kept_open", NO_ANSWER, "the last event is incomplete", "pong", rules=("sse",)),
    failing("data_without_field", "CONNECTION_LOST", ENDED, "pong"),
    failing("empty_stream", "CONNECTION_LOST", ENDED),
    failing("only_comments", "CONNECTION_LOST", ENDED, ": nothing"),
    failing("wrong_id_in_event", "CONNECTION_LOST", ENDED, "no request has the id 4711", rules=("unknown-id",)),
    failing("truncated_json_event", "CONNECTION_LOST", ENDED, rules=("not-json",)),
    timeout("endless_comments", NO_ANSWER),
    timeout("comment_flood", NO_ANSWER),
    timeout("endless_notifications", NO_ANSWER, '"n": ', rules=None),
    Case("hundred_thousand_notifications", within=20.0),
    failing("fifty_megabytes_in_an_event", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("endless_event", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("endless_lines_of_data", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("cut", "CONNECTION_LOST", ENDED, "peer closed connection", "notifications/x"),
    failing("cut_in_event", "CONNECTION_LOST", ENDED, "peer closed connection"),
    failing("closed", "CONNECTION_LOST", ENDED, "notifications/x"),
    Case("resumed", after("e-1")),
    Case("resumed_after_cut", after("e-1")),
    Case("resumed_repeatedly", after("n-0")),
    Case("resumed_after_incomplete_event", after("e-1")),
    Case("resumed_with_id_not_ascii", after("é €".encode().decode("latin-1"))),
    Case("resumed_with_id_with_control_characters", after("a\tb: \x01\x7f")),
    Case("resumed_with_id_with_spaces", after("e 1")),
    Case("resumed_with_id_not_utf8", after("e\ufffd".encode().decode("latin-1"))),
    failing("resumed_with_id_illegal_in_header", "CONNECTION_LOST", ENDED, "cannot be sent in a header"),
    Case("resumed_with_long_id", after("x" * 200_000)),
    failing("resumed_in_the_modern_era", "CONNECTION_LOST", ENDED),
    failing("resume_status_405", "CONNECTION_LOST", ENDED, "did not resume it: HTTP status 405"),
    failing("resume_status_404", "CONNECTION_LOST", ENDED, "did not resume it: HTTP status 404"),
    failing("resume_status_500", "CONNECTION_LOST", ENDED, "did not resume it: HTTP status 500"),
    failing("resume_html", "CONNECTION_LOST", ENDED, "did not resume it: content type text/html"),
    failing("resume_resets", "CONNECTION_LOST", "Connection reset by peer"),
    failing("endless_resumption", "CONNECTION_LOST", ENDED, "even after it was resumed 10 times", within=12.0),
    timeout("resume_hangs", NO_ANSWER),
    timeout("resume_after_a_year", NO_ANSWER),
)

CASES = (*HEADERS, *BODIES, *SESSIONS, *STREAMS)


@pytest.mark.parametrize("case", [*STATUS_CASES, *CASES], ids=str)
def test_plain_output_has_the_result_or_the_error(case: Case, faulty_web: FaultyWeb) -> None:
    check_plain(case, faulty_web("faulty_http", case.name).url())


@pytest.mark.parametrize("case", documented(*map(status, STATUS_CODES), *CASES), ids=str)
def test_structured_output_has_the_result_or_the_error(case: Case, faulty_web: FaultyWeb) -> None:
    check_structured(case, faulty_web("faulty_http", case.name).url())


ELSEWHERE = "to another origin, which mcpi does not follow"
CREDENTIALS = ("--token", SECRET, "--header", f"X-Api-Key: {SECRET}")
FOLLOWED = ("301", "302", "307", "308", "300", "absolute", "always", "5_times", "with_control_characters")
REFUSED = (
    *(f"{number}_to_another_origin" for number in (301, 302, 307, 308)),
    *("to_another_origin_at_start", "without_scheme", "to_localhost", "to_https", "to_userinfo", "to_file"),
    "to_invalid_port",
)


@pytest.mark.parametrize("name", FOLLOWED)
def test_same_origin_redirect_is_followed(name: str, faulty_web: FaultyWeb) -> None:
    case, web = Case(f"redirect_{name}", flags=CREDENTIALS), faulty_web("faulty_http", f"redirect_{name}")

    check_plain(case, web.url())

    assert {request["headers"]["authorization"] for request in web.seen()} == {f"Bearer {SECRET}"}


@pytest.mark.parametrize("name", REFUSED)
def test_cross_origin_redirect_is_not_followed(name: str, faulty_web: FaultyWeb) -> None:
    case = failing(f"redirect_{name}", "HTTP_STATUS", "a redirect to", ELSEWHERE, flags=CREDENTIALS)
    web = faulty_web("faulty_http", case.name)

    check_plain(case, web.url())
    check_structured(case, web.url())

    assert other_origin(web) == []


def test_cross_origin_redirect_of_the_event_stream_is_not_followed(faulty_web: FaultyWeb) -> None:
    case = Case("stream_redirect_to_another_origin", flags=CREDENTIALS)
    web = faulty_web("faulty_http", case.name)

    check_plain(case, web.url())

    assert other_origin(web) == []


@pytest.mark.parametrize(
    "case",
    [
        failing("redirect_loop", "INVALID_RESPONSE", "redirects more than 5 times", "tools/call"),
        failing("redirect_loop_at_start", "INVALID_RESPONSE", "redirects more than 5 times"),
        failing("redirect_to_itself", "INVALID_RESPONSE", "redirects more than 5 times"),
        failing("redirect_to_empty_location", "INVALID_RESPONSE", "redirects more than 5 times"),
        failing("endless_redirects", "INVALID_RESPONSE", "redirects more than 5 times"),
        failing("redirect_to_invalid_url", "INVALID_RESPONSE", "redirects to 'http://[::1', which is not a valid URL"),
        failing("redirect_without_location", "HTTP_STATUS", "HTTP status 307"),
        failing("redirect_303", "HTTP_STATUS", "HTTP status 303", "/elsewhere"),
    ],
    ids=str,
)
def test_broken_redirect_is_reported(case: Case, faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", case.name)

    check_plain(case, web.url())
    check_structured(case, web.url())


@pytest.mark.parametrize("name", ["status_304", "redirect_303", "redirect_without_location"])
def test_redirect_without_other_origin_is_not_reported_as_cross_origin(name: str, faulty_web: FaultyWeb) -> None:
    assert ELSEWHERE not in measured(*CALL, faulty_web("faulty_http", name).url()).stderr


def test_secret_in_an_error_body_is_masked(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "status_401")

    for more in ((), ("--structured",), ("--verbose",)):
        ran = measured(*CALL, *more, *CREDENTIALS, web.url())
        assert "for ***" in ran.stdout + ran.stderr
        assert SECRET not in ran.stdout + ran.stderr


def test_session_is_deleted_at_the_end(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "valid_session")

    measured(*CALL, web.url())

    seen = [(request["verb"], request["headers"].get("mcp-session-id")) for request in web.seen()]
    assert seen[-1] == ("DELETE", "abc-123")


@pytest.mark.parametrize("method", [CALL, LIST], ids=["listening", "not listening"])
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_protocol_version_header_is_sent_since_2025_06_18(
    version: str, method: tuple[str, ...], faulty_web: FaultyWeb
) -> None:
    web = faulty_web("faulty_http", "valid_session")

    measured(*method, "--era", "handshake", "--protocol-version", version, web.url())

    _, *later = web.seen()
    assert {request["verb"] for request in later} >= {"POST", "DELETE"}
    named = {request["headers"].get("mcp-protocol-version") for request in later}
    assert named == {version if version >= "2025-06-18" else None}


def test_modern_era_uses_no_session_and_does_not_resume(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "resumed_in_the_modern_era")

    measured(*CALL, web.url())

    seen = [(request["verb"], request["headers"].get("mcp-session-id")) for request in web.seen()]
    assert set(seen) == {("POST", None)}


def test_expired_session_is_not_reinitialized(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "session_not_found")

    measured(*CALL, "--retry", "2", web.url())

    methods = [request["message"].get("method") for request in web.seen() if request["verb"] == "POST"]
    assert methods == ["server/discover", "initialize", "notifications/initialized", "tools/call"]


@pytest.mark.parametrize("name", ["fifty_megabytes", "fifty_megabytes_in_an_event"])
def test_fifty_megabyte_result_is_printed_verbatim(name: str, faulty_web: FaultyWeb) -> None:
    expected = {"content": [{"type": "text", "text": "x" * (50 * MEGABYTE)}]}
    case = Case(name, expected, within=15.0, memory=350.0)

    check_plain(case, faulty_web("faulty_http", name).url())


@pytest.mark.parametrize(
    ("url", "code", "words"),
    [
        ("http://127.0.0.1:PORT/mcp", "CONNECTION_REFUSED", "Connection refused"),
        ("http://no-such-host.invalid/mcp", "HOST_NOT_FOUND", "no-such-host.invalid"),
        ("http://[::1]:PORT/mcp", "CONNECTION_REFUSED", "cannot connect to"),
        ("http://127.0.0.1:PORT/sse", "CONNECTION_REFUSED", "Connection refused"),
    ],
)
def test_unreachable_url_is_reported(url: str, code: str, words: str, refusing_port: int) -> None:
    case = failing("", code, words)
    url = url.replace("PORT", str(refusing_port))

    check_plain(case, url)
    check_structured(case, url)


@pytest.mark.parametrize("path", ["/mcp", "/sse"])
def test_tls_failure_differs_from_an_unreachable_server(path: str, faulty_web: FaultyWeb) -> None:
    case = failing("ssh_server", "TLS_FAILED", "no secure connection to")
    url = faulty_web("faulty_http", case.name).url(path).replace("http:", "https:")

    check_plain(case, url)


def test_plain_http_server_behind_https_url_gets_a_hint(faulty_web: FaultyWeb) -> None:
    case = failing("plain_http_server", "TLS_FAILED", "no secure connection to", "the server may expect http://")
    url = faulty_web("faulty_http", case.name).url().replace("http:", "https:")

    check_plain(case, url)


def test_non_ascii_header_is_sent_as_utf8(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "early_hints")

    check_plain(Case("", flags=("--header", "X-Name: é €")), web.url())

    assert web.seen()[0]["headers"]["x-name"].encode("latin-1").decode() == "é €"


def test_error_response_without_id_to_an_unknown_message_is_accepted(
    everything: tuple[str, ...], served: Callable[..., str]
) -> None:
    ran = measured(*LIST, "--structured", served(*everything, "streamableHttp"))

    assert (ran.exit_code, ran.json["violations"], ran.stderr) == (0, [], "")


def test_custom_headers_are_sent_as_given(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "early_hints")
    given = ("X-A: 1", "X-A: 2", "User-Agent: foo", "Accept: text/plain")

    check_plain(Case("", flags=tuple(word for one in given for word in ("-H", one))), web.url())

    seen = web.seen()[0]["headers"]
    assert [seen[name] for name in ("x-a", "user-agent", "accept")] == ["1, 2", "foo", "text/plain"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SSL_CERT_FILE", "/nonexistent", "No such file or directory"),
        ("all_proxy", "socks5h://localhost:1", "a SOCKS proxy requires the package socksio"),
        ("all_proxy", "foo://x", "Unknown scheme for proxy URL"),
        ("all_proxy", "http://[::1", "Invalid port"),
    ],
)
@pytest.mark.parametrize("transport", ["http", "sse"])
def test_invalid_proxy_and_certificate_variables_are_reported(
    transport: str, name: str, value: str, message: str
) -> None:
    case = failing("", "INVALID_ARGUMENT", message, name, flags=("--transport", transport))

    check_plain(case, "https://example.invalid/mcp", env={name: value})


SLOW = """
import http.server, json, sys, time

class Slow(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open(sys.argv[2], "a") as log:
            log.write(asked["method"] + "\\n")
        if asked["method"] == "tools/call":
            time.sleep(3)
        name = {"name": "slow", "version": "1"}
        about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": name}
        said = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": about}).encode() if "id" in asked else b""
        self.send_response(200 if said else 202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Slow).serve_forever()
"""


def test_timed_out_call_is_cancelled_before_exit(served: Callable[..., str], tmp_path: Path) -> None:
    log = tmp_path / "methods"
    url = served(sys.executable, "-c", SLOW, "PORT", str(log), path="/mcp")

    ran = measured("--method", "tools/call", "--tool-name", "x", "--era", "handshake", "--timeout", "2s", url)

    assert ran.exit_code == 124
    wait_until(lambda: "notifications/cancelled" in log.read_text())


def test_unsent_cancellation_is_not_in_the_trace(served: Callable[..., str], tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    url = served(sys.executable, str(SDK), "http", "PORT", path="/mcp")
    slow = ("--method", "tools/call", "--tool-name", "slow", "--tool-arg", "steps=2", "--tool-arg", "delayMs=5000")

    ran = measured(*slow, "--era", "modern", "--timeout", "2s", "--trace", str(trace), url)

    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert ran.exit_code == 124
    assert "notifications/cancelled" not in trace.read_text()
    assert any("is closed" in line["raw"] for line in lines if line["direction"] == "info")


@pytest.mark.parametrize("program", ["faulty_http", "faulty_sse"])
def test_notification_without_response_delays_only_one_request(
    program: str, faulty_web: FaultyWeb, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"method": "tools/call", "toolName": "echo"}] * 4))
    url = faulty_web(program, "initialized_hangs").url("/mcp" if program == "faulty_http" else "/sse")

    ran = measured("--script", str(script), url)

    assert ran.exit_code == 0
    assert len([one for one in ran.json if one["durationMs"] >= 1000]) <= 1


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_url_with_lone_surrogate_is_reported(transport: str, tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"odd": {"url": "http://127.0.0.1:1/\\ud800"}}}')
    flags = ("--config", str(config), "--server", "odd", "--transport", transport)
    case = failing("", "INVALID_RESPONSE", "cannot be sent to", "surrogates not allowed", flags=flags)

    check_plain(case)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stream_lost", "no-stream {'reason': 'the connection to http://127.0.0.1:%d/mcp was lost"),
        ("initialized_rejected", "was not accepted: http://127.0.0.1:%d/mcp answered notifications/initialized with"),
        ("stream_status_500", "no-stream {'reason': 'http://127.0.0.1:%d/mcp answered GET with"),
    ],
)
def test_failures_outside_the_call_are_reported_in_verbose_mode(name: str, message: str, faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", name)

    assert message % web.port in measured(*CALL, "--verbose", web.url()).stderr


def test_stream_of_a_temporarily_unavailable_server_is_reopened(faulty_web: FaultyWeb) -> None:
    flags = ("--follow", "--ndjson", "--timeout", "20s", "--era", "handshake", "--max-events", "3")

    ran = measured(*flags, faulty_web("faulty_http", "stream_unavailable").url())

    events = [json.loads(line)["event"] for line in ran.stdout.splitlines()]
    assert (ran.exit_code, events) == (0, ["notification", "reconnected", "notification"])


def test_stream_closed_at_once_is_reopened_at_a_limited_rate(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "stream_retry_0")

    ran = measured("--follow", "--timeout", "5s", "--era", "handshake", web.url())

    opened = [request for request in web.seen() if request["verb"] == "GET"]
    assert (ran.exit_code, 5 < len(opened) < 15) == (0, True)

"""Misbehaving servers over the older HTTP+SSE transport."""

import pytest

from cases import (
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
    timeout,
)

CREDENTIALS = ("--token", SECRET)
NO_ANSWER = "no response to tools/call (request 2) within"
CLOSED = "closed the event stream"
FOREIGN = "sent an endpoint on another origin"
TOO_LONG = "a message of more than 1048576 bytes"
STATUSES = (400, 401, 403, 404, 405, 406, 429, 500, 502, 503)


def status(where: str, number: int) -> Case:
    return failing(f"{where}_{number}", STATUS_CODES.get(number, "HTTP_STATUS"), f"with HTTP status {number}", "no ink")


STREAM = (
    *(status("stream", number) for number in STATUSES),
    failing("stream_204", "INVALID_RESPONSE", "content type none"),
    failing("stream_html", "INVALID_RESPONSE", "content type text/html", "welcome"),
    failing("stream_json", "INVALID_RESPONSE", "content type application/json", "use POST"),
    failing("stream_empty", "CONNECTION_LOST", CLOSED),
    timeout("stream_hangs", "no response to the request for the event stream", code="CONNECTION_TIMEOUT"),
    failing("stream_resets", "CONNECTION_LOST", "Connection reset by peer"),
    failing("closes_on_connect", "CONNECTION_LOST", "was lost during the event stream"),
    failing("ssh_server", "INVALID_RESPONSE", "does not speak HTTP: it sent 'SSH-2.0-OpenSSH"),
    failing("gzip_bomb", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
)
ENDPOINTS = (
    *(Case(f"endpoint_{how}") for how in ("absolute", "not_utf8", "crlf", "after_bom", "after_message", "twice")),
    failing("endpoint_invalid_url", "INVALID_RESPONSE", "not a URL", "http://[::1"),
    failing("endpoint_with_escape_sequence", "INVALID_RESPONSE", "not a URL"),
    failing("stream_ends_before_endpoint", "CONNECTION_LOST", CLOSED, ": goodbye"),
    timeout("no_endpoint", "no endpoint event from the event stream", "without an event", code="CONNECTION_TIMEOUT"),
    timeout(
        "incomplete_endpoint", "the last event is incomplete", "/messages", code="CONNECTION_TIMEOUT", rules=("sse",)
    ),
    timeout("endpoint_as_message", "/messages", code="CONNECTION_TIMEOUT", rules=("not-json",)),
)
EVENTS = (
    *(Case(how) for how in ("comments", "crlf", "carriage_returns", "lines_of_data", "unknown_event")),
    Case("closed_after_answer"),
    Case("split_characters", {"content": [{"type": "text", "text": "café €"}]}),
    Case("response_as_other_event", evidence=("an event of type 'response'",), rules=("sse",)),
    Case("noise_event", evidence=("hello",), rules=("not-json",)),
    Case("invalid_utf8_event", evidence=("is not UTF-8",), rules=("invalid-utf8",)),
    Case("responds_twice", evidence=("request 2 was already answered",), rules=("repeated-id",)),
    Case("id_as_string", {"content": []}, evidence=("id 2 was returned as '2'",), rules=("id-type",)),
    failing("nan_event", "INVALID_RESPONSE", "(request 2): ", "NaN", rules=("not-json",)),
    Case("deep_nesting", verbatim="[" * 800 + "]" * 800, flags=("--compact",)),
    Case("null_result", None),
    Case("response_before_endless_event", flags=SMALL),
    Case("progress_for_unknown_tokens", evidence=("no request has the progress token",), rules=("progress-token",)),
    timeout("wrong_id", NO_ANSWER, "no request has the id 4711", rules=("unknown-id",)),
    timeout("incomplete_event", NO_ANSWER, "the last event is incomplete", "pong", rules=("sse",)),
    failing("incomplete_event_and_closed", "CONNECTION_LOST", CLOSED, "pong"),
    timeout("data_without_field", NO_ANSWER),
    timeout("no_response", NO_ANSWER),
    failing("closed", "CONNECTION_LOST", CLOSED, "notifications/x"),
    failing("cut", "CONNECTION_LOST", CLOSED, "peer closed connection", "notifications/x"),
    failing("cut_in_event", "CONNECTION_LOST", CLOSED, "peer closed connection"),
    failing("reset", "CONNECTION_LOST", CLOSED, "Connection reset by peer"),
    Case("hundred_thousand_notifications", within=20.0),
    timeout("endless_notifications", NO_ANSWER, '"n": ', rules=None),
    timeout("endless_comments", NO_ANSWER),
    failing("endless_event", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("fifty_megabytes", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
)
POSTS = (
    *(status("post", number) for number in STATUSES),
    *(Case(name) for name in ("post_hangs", "post_html", "post_endless", "initialized_rejected")),
    Case("initialized_hangs"),
    Case("response_in_post_body", evidence=("the response arrived in the body of the POST",), rules=("sse",)),
    timeout("post_hangs_without_response", NO_ANSWER),
    failing("post_resets", "CONNECTION_LOST", "Connection reset by peer"),
    Case(
        "requests_roots",
        {**PONG, "_meta": {"jsonrpc": "2.0", "id": "s-1", "error": {"code": -32601, "message": "Method not found"}}},
        evidence=("roots/list",),
    ),
)

CASES = (*STREAM, *ENDPOINTS, *EVENTS, *POSTS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_plain_output_has_the_result_or_the_error(case: Case, faulty_web: FaultyWeb) -> None:
    check_plain(case, faulty_web("faulty_sse", case.name).url("/sse"))


@pytest.mark.parametrize("case", documented(*ENDPOINTS, *EVENTS, *POSTS[len(STATUSES) :]), ids=str)
def test_structured_output_has_the_result_or_the_error(case: Case, faulty_web: FaultyWeb) -> None:
    check_structured(case, faulty_web("faulty_sse", case.name).url("/sse"))


@pytest.mark.parametrize(
    "name",
    [
        *("on_another_origin", "without_scheme", "with_userinfo", "with_another_scheme", "file_url"),
        *("with_invalid_port", "then_another_origin"),
    ],
)
def test_endpoint_of_another_origin_receives_no_request(name: str, faulty_web: FaultyWeb) -> None:
    case = failing(f"endpoint_{name}", "INVALID_RESPONSE", FOREIGN, flags=CREDENTIALS)
    web = faulty_web("faulty_sse", case.name)

    check_plain(case, web.url("/sse"))

    assert other_origin(web) == []


@pytest.mark.parametrize("name", ["stream_redirected", "post_redirected"])
def test_same_origin_redirect_is_followed(name: str, faulty_web: FaultyWeb) -> None:
    case, web = Case(name, flags=CREDENTIALS), faulty_web("faulty_sse", name)

    check_plain(case, web.url("/sse"))

    assert {request["headers"]["authorization"] for request in web.seen()} == {f"Bearer {SECRET}"}


@pytest.mark.parametrize("name", ["stream_redirected_to_another_origin", "post_redirected_to_another_origin"])
def test_cross_origin_redirect_is_not_followed(name: str, faulty_web: FaultyWeb) -> None:
    case = failing(
        name, "HTTP_STATUS", "a redirect to", "to another origin, which mcpi does not follow", flags=CREDENTIALS
    )
    web = faulty_web("faulty_sse", name)

    check_plain(case, web.url("/sse"))

    assert other_origin(web) == []


@pytest.mark.parametrize("name", ["stream_redirect_loop", "post_redirect_loop"])
def test_redirect_loop_is_reported(name: str, faulty_web: FaultyWeb) -> None:
    case = failing(name, "INVALID_RESPONSE", "redirects more than 5 times")

    check_plain(case, faulty_web("faulty_sse", name).url("/sse"))


def test_fifty_megabyte_result_is_printed_verbatim(faulty_web: FaultyWeb) -> None:
    expected = {"content": [{"type": "text", "text": "x" * (50 << 20)}]}
    case = Case("fifty_megabytes", expected, within=20.0, memory=350.0)

    check_plain(case, faulty_web("faulty_sse", case.name).url("/sse"))

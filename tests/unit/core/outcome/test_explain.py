"""A fault is explained by its message, evidence, details and hints."""

import pytest

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.outcome.explain import NOT_STARTED, details, evidence, exit_during, sentence, split_stderr
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    Interrupted,
    Invalid,
    InvalidResponse,
    MissingCapability,
    OperationFailed,
    RpcError,
    TimedOut,
    Unauthorized,
    Unreachable,
)

RPC = RpcError(-32602, "bad cursor", Exact('{"code":-32602}', {"code": -32602}), "tools/list")
HTTP = HttpFailed(
    503, "https://a.example/mcp", headers={"retry-after": "5"}, excerpt="<h1>Down</h1>", hints=("try later",)
)
EXITED = Exited("node", "initialize", exit_code=3, stderr=("boom", "at x.js"))
LATE = TimedOut("REQUEST_TIMEOUT", 30.0, "tools/call (request 3)", '{"id":2}', ("raise --timeout",))

SENTENCES: list[tuple[str, Fault, str]] = [
    ("a flag", Invalid("INVALID_ARGUMENT", "--timeout", "is wrong"), "--timeout: is wrong"),
    ("no place", Invalid("PLUGIN_FAILED", "", "nothing works"), "nothing works"),
    ("no server", Unreachable("COMMAND_NOT_FOUND", "command not found: 'nod'"), "command not found: 'nod'"),
    ("an exit code", EXITED, "the server 'node' exited with code 3 during initialize"),
    ("an exit code of 0", Exited("node", "ping", exit_code=0), "the server 'node' exited with code 0 during ping"),
    ("a signal", Exited("node", "ping", signal="SIGKILL"), "the server 'node' was terminated by SIGKILL during ping"),
    ("an unknown end", Exited("node", ""), "the server 'node' exited"),
    ("a status", HTTP, "https://a.example/mcp answered with HTTP status 503"),
    ("a status with a reason", HttpFailed(404, "https://a.example", "the session is gone"), "the session is gone"),
    ("no token", Unauthorized("no token could be had"), "no token could be had"),
    ("seconds", LATE, "no response to tools/call (request 3) within 30 s"),
    ("a second", TimedOut("REQUEST_TIMEOUT", 1.0, "ping"), "no response to ping within 1 s"),
    ("milliseconds", TimedOut("REQUEST_TIMEOUT", 0.25, "ping"), "no response to ping within 250 ms"),
    ("part of a millisecond", TimedOut("REQUEST_TIMEOUT", 0.0002, "ping"), "no response to ping within 0.2 ms"),
    ("no protocol", InvalidResponse("INVALID_RESPONSE", "the result is no object"), "the result is no object"),
    ("an error", RPC, "tools/list failed: -32602 bad cursor"),
    (
        "an error to nothing",
        RpcError(-32700, "?", Exact("{}", {})),
        "the request failed: -32700 ?",
    ),
    ("a capability", MissingCapability("ping", "not in this era"), "ping: not in this era"),
    (
        "work that failed",
        OperationFailed("TASK_FAILED", "the task 7 ended with status failed"),
        "the task 7 ended with status failed",
    ),
    ("an interrupt", Interrupted("SIGTERM"), "interrupted by SIGTERM"),
]


@pytest.mark.parametrize(
    ("fault", "expected"), [row[1:] for row in SENTENCES], ids=[row[0].replace(" ", "-") for row in SENTENCES]
)
def test_fault_is_described_in_one_sentence(fault: Fault, expected: str) -> None:
    assert sentence(fault) == expected


def test_evidence_quotes_the_server_output() -> None:
    assert [
        evidence(Unreachable("TLS_FAILED", "", ("expired",))),
        evidence(InvalidResponse("INVALID_RESPONSE", "", ("[]",))),
        evidence(OperationFailed("TOOL_ERROR", "", ("out of disk",))),
        evidence(EXITED),
    ] == [("expired",), ("[]",), ("out of disk",), ("boom", "at x.js")]


def test_an_http_failure_shows_its_headers_and_then_its_body() -> None:
    assert evidence(HTTP) == ("retry-after: 5", "<h1>Down</h1>")


def test_an_http_failure_without_a_body_shows_its_headers_only() -> None:
    assert evidence(HttpFailed(401, "", headers={"www-authenticate": "Bearer"})) == ("www-authenticate: Bearer",)


def test_timeout_shows_the_last_received_message() -> None:
    assert evidence(LATE) == ('last received: {"id":2}',)


def test_timeout_without_any_message_reports_that_nothing_was_received() -> None:
    assert evidence(TimedOut("CONNECTION_TIMEOUT", 1.0, "initialize")) == ("no message was received",)
    expected = ("no message was received while mcpi waited",)
    assert evidence(TimedOut("REQUEST_TIMEOUT", 1.0, "ping", connected=True)) == expected


def test_timeout_of_another_event_than_a_message_does_not_mention_messages() -> None:
    assert evidence(TimedOut("REQUEST_TIMEOUT", 1.0, "the login", problem="the login did not finish")) == ()


def test_timeout_with_a_known_cause_shows_the_cause() -> None:
    assert evidence(TimedOut("REQUEST_TIMEOUT", 1.0, "x", cause="the pipe is full")) == ("the pipe is full",)


@pytest.mark.parametrize(
    "fault",
    [
        Invalid("INVALID_ARGUMENT", "--x", "no", ("hint",)),
        RPC,
        MissingCapability("ping", "no", ("hint",)),
        Interrupted("INT"),
    ],
    ids=["Invalid", "RpcError", "MissingCapability", "Interrupted"],
)
def test_fault_not_caused_by_the_server_has_no_evidence(fault: Fault) -> None:
    assert evidence(fault) == ()


DETAILS: list[tuple[str, Fault, Printable]] = [
    ("Invalid", Invalid("INVALID_ARGUMENT", "--x", "no", ("a", "b")), {"where": "--x"}),
    ("Unreachable", Unreachable("TLS_FAILED", "no", ("expired",)), {"evidence": ["expired"]}),
    ("Exited", EXITED, {"exitCode": 3, "signal": None, "stderr": ["boom", "at x.js"]}),
    ("Signalled", Exited("node", "", signal="SIGSEGV"), {"exitCode": None, "signal": "SIGSEGV", "stderr": []}),
    (
        "HttpFailed",
        HTTP,
        {
            "status": 503,
            "url": "https://a.example/mcp",
            "headers": {"retry-after": "5"},
            "body": "<h1>Down</h1>",
        },
    ),
    ("TimedOut", LATE, {"waitedMs": 30000.0, "outstanding": "tools/call (request 3)", "lastSeen": '{"id":2}'}),
    (
        "TimedOut-after-1.1-s",
        TimedOut("REQUEST_TIMEOUT", 1.1, "ping"),
        {"waitedMs": 1100.0, "outstanding": "ping", "lastSeen": ""},
    ),
    ("InvalidResponse", InvalidResponse("INVALID_RESPONSE", "", ("[]",)), {"evidence": ["[]"]}),
    ("RpcError", RPC, {}),
    ("MissingCapability", MissingCapability("ping", "no", ("use discover",)), {}),
    ("OperationFailed", OperationFailed("TOOL_ERROR", "", ("out of disk",)), {"evidence": ["out of disk"]}),
    ("Failed-with-details", OperationFailed("SCHEMA_MISMATCH", "", ("x",), {"problems": []}), {"problems": []}),
    ("Interrupted", Interrupted("SIGINT"), {}),
]


@pytest.mark.parametrize(
    ("fault", "expected"), [row[1:] for row in DETAILS], ids=[row[0].replace(" ", "-") for row in DETAILS]
)
def test_details_are_machine_readable(fault: Fault, expected: Printable) -> None:
    assert details(fault) == expected


def test_rejected_token_shows_its_evidence_hints_and_details() -> None:
    details_given: dict[str, Printable] = {"status": 400, "error": "invalid_grant"}
    fault = Unauthorized("it was refused", ("more at x",), ("log in again",), details_given)

    assert (evidence(fault), fault.hints, details(fault)) == (("more at x",), ("log in again",), details_given)
    assert details(Unauthorized("it was refused", ("more at x",))) == {"evidence": ["more at x"]}


@pytest.mark.parametrize(
    ("exited", "hints"),
    [
        (Exited("node", "", 0), (NOT_STARTED,)),
        (Exited("node", "", 1), ()),
        (Exited("node", "", signal="SIGKILL"), ()),
        (Exited("node", "", 0, had_read_input=True), ()),
    ],
)
def test_program_that_ends_without_reading_has_not_started_a_server(exited: Exited, hints: tuple[str, ...]) -> None:
    explained = exit_during(exited, ["server/discover", "initialize"], is_connected=False)

    assert (explained.pending, explained.hints) == ("server/discover and initialize", hints)


@pytest.mark.parametrize(
    ("pending", "during"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_exit_names_the_pending_requests(pending: list[str], during: str) -> None:
    assert exit_during(Exited("node", "", 1), pending, is_connected=True).pending == during


def test_server_that_ends_later_had_been_started() -> None:
    assert exit_during(Exited("node", "", 0), ["ping"], is_connected=True) == Exited("node", "ping", 0)


@pytest.mark.parametrize(
    ("recent", "shown"),
    [
        (9, ("1", "2", "3", "4", "5", "6")),
        (2, ("5", "6")),
        (0, ("stderr before this step:", "2", "3", "4", "5", "6")),
    ],
)
def test_stderr_from_before_a_step_is_shown_only_if_there_is_no_other(recent: int, shown: tuple[str, ...]) -> None:
    assert evidence(split_stderr(Exited("node", "", 3, stderr=tuple("123456")), recent)) == shown


def test_only_an_exited_server_has_stderr() -> None:
    assert split_stderr(Interrupted("SIGINT"), 0) == Interrupted("SIGINT")
    assert evidence(split_stderr(Exited("node", "", 3), 0)) == ()

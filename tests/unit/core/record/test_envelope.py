"""The envelope is one document for success and failure, with all recorded events."""

from typing import Any

import pytest

from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Exited, Fault, Invalid, InvalidResponse, RpcError
from mcpi.core.plans.events import ImplicitRequest, NotificationReceived, ServerRequestReceived, ViolationSeen
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, connection_facts, connection_json, envelope, error_json
from mcpi.core.record.transcript import Transcript
from mcpi.core.session.session import Session
from mcpi.core.session.terms import StageTimes, Terms
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.replay import exact

HELP = "https://github.com/mcpi-cli/mcpi/blob/main/docs/errors.md"
SERVER = NegotiatedServer(
    "handshake", "2025-11-25", exact({"name": "s"}), exact({"tools": {}}), negotiation="set by --era handshake"
)
NOWHERE: dict[str, Printable] = {
    "logs": [],
    "notifications": [],
    "serverRequests": [],
    "violations": [],
    "implicit": [],
    "stderr": [],
    "connection": None,
}


def document(*args: Any) -> dict[str, Printable]:
    whole = envelope(*args)
    assert isinstance(whole, dict)
    return whole


def test_success_envelope_has_all_members_in_order() -> None:
    whole = document(RunInfo("tools/list", 0.2345), PlanResult(exact({"tools": []})), None, ConnectionFacts())

    assert list(whole.items()) == [
        ("structuredVersion", 1),
        ("success", True),
        ("method", "tools/list"),
        ("durationMs", 234.5),
        ("result", exact({"tools": []})),
        ("error", None),
        *NOWHERE.items(),
    ]


def test_failure_envelope_has_the_same_members_and_an_error() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--x", "no such flag", ("did you mean --y?",))
    whole = document(RunInfo(), PlanResult(None, fault), None, ConnectionFacts())

    assert whole == {
        "structuredVersion": 1,
        "success": False,
        "method": None,
        "durationMs": 0.0,
        "result": None,
        "error": {
            "category": "validation",
            "code": "INVALID_ARGUMENT",
            "message": "--x: no such flag",
            "retryable": False,
            "helpUrl": f"{HELP}#invalid-argument",
            "hints": ["did you mean --y?"],
            "details": {"where": "--x"},
        },
        **NOWHERE,
    }


def test_json_rpc_error_is_included_as_the_server_sent_it() -> None:
    sent = exact({"code": -32601, "message": "no", "data": 1.50})

    assert error_json(RpcError(-32601, "no", sent, "x/y")) == {
        "category": "capability",
        "code": "JSON_RPC_ERROR",
        "message": "x/y failed: -32601 no",
        "retryable": False,
        "helpUrl": f"{HELP}#json-rpc-error",
        "rpc": sent,
        "hints": [],
        "details": {},
    }


def test_script_members_of_a_step_precede_its_method() -> None:
    whole = document(RunInfo("ping", 0.0, {"index": 2, "name": "alive"}), PlanResult(), None, ConnectionFacts())

    assert list(whole)[:5] == ["structuredVersion", "success", "index", "name", "method"]


def test_all_recorded_events_are_included() -> None:
    seen = Transcript(0.0, keep=True)
    seen.record(NotificationReceived("notifications/message", exact({"level": "info", "data": "x"}), 0.0))
    seen.record(NotificationReceived("n", None, 0.0))
    seen.record(ServerRequestReceived("roots/list", None, {}, 0.0))
    for _ in range(12):
        seen.record(ViolationSeen(Violation("batch", "two"), 0.0))
    seen.add_stderr_line("a line")
    whole = document(RunInfo(), PlanResult(), seen, ConnectionFacts())

    assert [len(whole[name]) for name in ("logs", "notifications", "serverRequests", "violations")] == [1, 1, 1, 10]  # type: ignore[arg-type]
    assert whole["stderr"] == ["a line"]
    assert whole["dropped"] == {"violations:batch": 2}


def test_authorization_requests_are_included_without_a_connection() -> None:
    seen = Transcript(0.0, keep=True)
    seen.attempts.append({"method": "GET", "url": "https://as.example", "status": 404, "problem": "not found"})
    connection = document(RunInfo(), PlanResult(), seen, ConnectionFacts())["connection"]

    assert isinstance(connection, dict)
    assert (connection["transport"], connection["attempts"]) == (None, seen.attempts)


def test_invalid_argument_found_by_the_server_includes_the_rpc_error() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--tool-name", "there is no such tool", rpc=exact({"code": -32602}))
    error = document(RunInfo(), PlanResult(None, fault), None, ConnectionFacts())["error"]

    assert isinstance(error, dict)
    assert error["rpc"] == exact({"code": -32602})


def test_implicit_requests_are_included() -> None:
    seen = Transcript(0.0, keep=True)
    seen.record(ImplicitRequest("server/discover", None, "there is no ping", 1.0))

    expected = [{"method": "server/discover", "params": None, "reason": "there is no ping"}]
    assert document(RunInfo(), PlanResult(), seen, ConnectionFacts())["implicit"] == expected


def test_dropped_is_omitted_if_nothing_was_dropped() -> None:
    assert "dropped" not in document(RunInfo(), PlanResult(), Transcript(0.0, keep=True), ConnectionFacts())


def test_connection_includes_negotiation_and_timings() -> None:
    known = ConnectionFacts("stdio", SERVER, {"sampling": {}}, 0.0123, 0.5, 1.0, None, 0, None)

    assert document(RunInfo(), PlanResult(), None, known)["connection"] == {
        "transport": "stdio",
        "era": "handshake",
        "protocolVersion": "2025-11-25",
        "negotiation": "set by --era handshake",
        "serverInfo": exact({"name": "s"}),
        "serverCapabilities": exact({"tools": {}}),
        "clientCapabilities": {"sampling": {}},
        "attempts": [],
        "timings": {"connectMs": 12.3, "handshakeMs": 500.0, "requestMs": 1000.0, "closeMs": None},
        "exitCode": 0,
        "signal": None,
    }


def test_connection_without_a_server_has_null_members() -> None:
    known = connection_json(ConnectionFacts("http", connect=0.0))

    assert {name: known[name] for name in ("transport", "era", "protocolVersion", "negotiation", "serverInfo")} == {
        "transport": "http",
        "era": None,
        "protocolVersion": None,
        "negotiation": None,
        "serverInfo": None,
    }


def session(times: StageTimes, lost: Fault | None = None) -> Session:
    one = Session(Terms(ClientInfo({"sampling": {}}), transport="http"), {}, lambda _: None)
    one.times, one.connection_fault, one.server = times, lost, SERVER
    return one


def test_connection_facts_are_read_from_the_session() -> None:
    assert connection_facts(session(StageTimes(1.0, 1.5, 3.0)), 10.0) == ConnectionFacts(
        "http", SERVER, {"sampling": {}}, connect=0.5, handshake=1.5, request=7.0
    )


def test_unopened_session_has_no_transport() -> None:
    known = connection_facts(session(StageTimes()), 10.0)

    assert (known.transport, known.connect, known.handshake, known.request) == (None, None, None, None)


@pytest.mark.parametrize(
    ("lost", "ending"),
    [
        (Exited("node", "", 3), (3, None)),
        (Exited("node", "", None, "SIGKILL"), (None, "SIGKILL")),
        (InvalidResponse("INVALID_RESPONSE", "no"), (None, None)),
    ],
)
def test_connection_facts_include_the_exit_code_or_signal(lost: Fault, ending: tuple[int | None, str | None]) -> None:
    known = connection_facts(session(StageTimes(1.0), lost), 10.0)

    assert (known.exit_code, known.signal) == ending

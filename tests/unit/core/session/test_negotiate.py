"""Negotiation of era and version with servers that respond, are late, refuse or exit."""

import pytest
from attrs import evolve

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Exited, Fault, HttpFailed, Interrupted, InvalidResponse, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    Event,
    ImplicitRequest,
    NotificationReceived,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Call, Steps
from mcpi.core.session.effects import Effects
from mcpi.core.session.negotiate import open_session, reopen_session
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from mcpi.core.wire.violations import Violation, quote
from support.constants import LOST, request_meta
from support.conversation import (
    CLIENT,
    Close,
    Conversation,
    Expect,
    FailRequest,
    FailToOpen,
    Pause,
    ReportEvent,
    ServerAction,
    Write,
    answer,
    ask,
    error,
    line,
    notify,
    starting,
)
from support.replay import exact

DISCOVERED: dict[str, Json] = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "instructions": "Ask away.",
    "ttlMs": 0,
    "cacheScope": "private",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "2"}},
}
INITIALIZED: dict[str, Json] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "old", "version": "1"},
    "instructions": "Be kind.",
}
META = request_meta({"sampling": {}})
DISCOVER: dict[str, Json] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {"_meta": META},
}
READY: dict[str, Json] = {"jsonrpc": "2.0", "method": "notifications/initialized"}
REFUSED = error(1, -32601, "Method not found")
HINTS = ("for slow servers, use a longer --connect-timeout",)


def initialize(number: int, version: str = "2025-11-25") -> dict[str, Json]:
    info: Json = {"name": "mcpi", "version": "1.0"}
    params: Json = {"protocolVersion": version, "capabilities": {"sampling": {}}, "clientInfo": info}
    return {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}


def modern(note: str, *, result: dict[str, Json] = DISCOVERED, transport: str = "stdio") -> Success[NegotiatedServer]:
    info, capabilities = exact({"name": "new", "version": "2"}), exact({"tools": {}})
    shown_version = exact(result)
    return Success(
        NegotiatedServer("modern", "2026-07-28", info, capabilities, "Ask away.", note, shown_version, transport)
    )


def handshake(
    note: str, *, result: dict[str, Json] = INITIALIZED, transport: str = "stdio"
) -> Success[NegotiatedServer]:
    info, capabilities = exact({"name": "old", "version": "1"}), exact({"tools": {}})
    version = str(result["protocolVersion"])
    return Success(
        NegotiatedServer("handshake", version, info, capabilities, "Be kind.", note, exact(result), transport)
    )


def negotiate(conversation: Conversation) -> Result[NegotiatedServer]:
    return conversation.run(open_session(conversation.session))


def http(status: int) -> HttpFailed:
    return HttpFailed(status, "http://localhost/mcp")


# Automatic negotiation: server/discover first, then initialize concurrently.


def test_early_discover_result_selects_the_modern_era_without_initialize() -> None:
    conversation = starting(Expect("server/discover"), Pause(0.29), answer(1, DISCOVERED))

    assert negotiate(conversation) == modern("server/discover succeeded")
    assert conversation.messages == [DISCOVER]


def test_early_discover_error_sends_initialize_at_once() -> None:
    conversation = starting(Expect("server/discover"), REFUSED, Expect("initialize"), answer(2, INITIALIZED))

    assert negotiate(conversation) == handshake("server/discover failed (error -32601: Method not found)")
    assert conversation.messages == [DISCOVER, initialize(2), READY]
    assert conversation.log == [
        (0.0, "open"),
        (0.0, "server/discover"),
        (0.0, "initialize"),
        (0.0, "notifications/initialized"),
        (0.0, "listen"),
    ]


def test_initialize_is_sent_300_ms_after_an_unanswered_discover() -> None:
    conversation = starting(Expect("initialize"), answer(2, INITIALIZED))

    assert negotiate(conversation) == handshake("no response to server/discover within 0.3 s; initialize succeeded")
    assert conversation.log[1:3] == [(0.0, "server/discover"), (0.3, "initialize")]


def test_discover_is_not_cancelled_when_initialize_is_sent() -> None:
    conversation = starting(Expect("initialize"), answer(2, INITIALIZED))
    negotiate(conversation)

    assert conversation.messages == [DISCOVER, initialize(2), READY]


def test_late_discover_result_selects_the_modern_era() -> None:
    conversation = starting(Expect("initialize"), Pause(1), answer(1, DISCOVERED))

    assert negotiate(conversation) == modern("server/discover succeeded")
    assert conversation.clock == 1.3
    assert conversation.messages == [DISCOVER, initialize(2)]


def test_late_initialize_error_of_a_modern_server_is_ignored() -> None:
    late = error(2, -32022, "Unsupported protocol version", {"supported": ["2026-07-28"]})
    conversation = starting(Expect("initialize"), answer(1, DISCOVERED), late, notify("notifications/x"))

    def effects() -> Effects[None]:
        yield from open_session(conversation.session)
        yield from conversation.session.sleep(1)

    conversation.run(effects())
    assert conversation.events == [NotificationReceived("notifications/x", None, 0.3)]


def test_late_discover_error_of_a_handshake_server_is_ignored() -> None:
    conversation = starting(Expect("initialize"), answer(2, INITIALIZED), REFUSED, notify("notifications/x"))

    def effects() -> Effects[None]:
        yield from open_session(conversation.session)
        yield from conversation.session.sleep(1)

    conversation.run(effects())
    assert conversation.events == [NotificationReceived("notifications/x", None, 0.3)]


def test_late_discover_error_leaves_the_decision_to_initialize() -> None:
    conversation = starting(Expect("initialize"), REFUSED, Pause(2), answer(2, INITIALIZED))

    note = "server/discover failed (error -32601: Method not found); initialize succeeded"
    assert negotiate(conversation) == handshake(note)
    assert conversation.clock == 2.3


def test_discover_is_still_awaited_after_initialize_is_refused() -> None:
    refused = error(2, -32022, "initialize is not accepted", {"supported": ["2026-07-28"]})
    conversation = starting(Expect("initialize"), refused, Pause(5), answer(1, DISCOVERED))

    assert negotiate(conversation) == modern("server/discover succeeded")


def test_initialize_refused_before_discover_reports_the_initialize_error() -> None:
    conversation = starting(Expect("initialize"), error(2, -32603, "no"), Pause(1), REFUSED)

    assert negotiate(conversation) == Failure(
        InvalidResponse(
            "HANDSHAKE_FAILED",
            "the server rejected initialize with error -32603: no",
            ('{"code":-32603,"message":"no"}',),
        )
    )


def test_connection_loss_after_refused_initialize_reports_the_refusal() -> None:
    conversation = starting(Expect("initialize"), error(2, -32603, "no"), Close(LOST))

    outcome = negotiate(conversation)
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.failure(), InvalidResponse)


def test_initialize_result_with_unknown_version_ends_the_negotiation() -> None:
    conversation = starting(Expect("initialize"), answer(2, {"protocolVersion": "1999-01-01"}))

    assert isinstance(negotiate(conversation), Failure)
    assert conversation.clock == 0.3


def test_discover_refused_before_initialize_reports_the_initialize_error() -> None:
    conversation = starting(Expect("initialize"), REFUSED, error(2, -32600, "bad"))

    assert negotiate(conversation) == Failure(
        InvalidResponse(
            "HANDSHAKE_FAILED",
            "the server rejected initialize with error -32600: bad",
            ('{"code":-32600,"message":"bad"}',),
        )
    )


def test_connect_timeout_names_pending_requests_and_last_seen() -> None:
    conversation = starting(notify("notifications/starting"))

    what, seen = "server/discover (request 1) and initialize (request 2)", '{"jsonrpc":"2.0","method":'
    assert negotiate(conversation) == Failure(
        TimedOut("CONNECTION_TIMEOUT", 30.0, what, f'{seen}"notifications/starting"}}', HINTS)
    )
    assert conversation.clock == 30.0


LATE = error(2, -32022, "no handshake")


def meet_and_call(conversation: Conversation) -> Effects[Result[Exact]]:
    """Connect, and send a request."""
    yield from open_session(conversation.session)
    return (yield from conversation.session.call(Call("x")))


@pytest.mark.parametrize(
    ("actions", "seen"),
    [
        ((), ""),
        ((Pause(1), LATE), ""),
        ((Pause(1), LATE, notify("n")), line({"method": "n"}).decode().strip()),
        ((Pause(1), Write(b"noise\n"), LATE), "noise"),
    ],
)
def test_timeout_after_the_handshake_does_not_quote_the_handshake(actions: tuple[ServerAction, ...], seen: str) -> None:
    conversation = starting(Expect("initialize"), answer(1, DISCOVERED), Expect("x"), *actions)
    outcome = conversation.run(meet_and_call(conversation))

    assert isinstance(outcome, Failure)
    fault = outcome.failure()
    assert isinstance(fault, TimedOut)
    assert fault.last_seen == seen


def test_response_beside_that_to_discover_is_not_quoted() -> None:
    both = Write(answer(1, DISCOVERED).data + LATE.data)
    conversation = starting(Expect("initialize"), both, Expect("x"))
    conversation.run(meet_and_call(conversation))

    assert str(conversation.session.last_received) == ""


def test_late_response_to_discover_is_not_quoted() -> None:
    conversation = starting(Expect("initialize"), answer(2, INITIALIZED), Expect("x"), REFUSED)
    conversation.run(meet_and_call(conversation))

    assert str(conversation.session.last_received) == ""


def test_connect_timeout_cancels_discover_but_not_initialize() -> None:
    conversation = starting()
    negotiate(conversation)

    params = {"requestId": 1, "reason": "no response within 30 s"}
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    assert conversation.messages == [DISCOVER, initialize(2), cancelled]


def test_no_cancellation_is_sent_over_http() -> None:
    conversation = starting(transport="http")
    negotiate(conversation)

    assert [message["method"] for message in conversation.messages] == ["server/discover", "initialize"]


def test_connect_timeout_quotes_the_last_output() -> None:
    conversation = starting(Write(b"Listening on port 3000\n"), connect_timeout=5.0)

    what = "server/discover (request 1) and initialize (request 2)"
    assert negotiate(conversation) == Failure(
        TimedOut("CONNECTION_TIMEOUT", 5.0, what, "Listening on port 3000", HINTS)
    )


def test_flood_of_messages_does_not_delay_the_connect_timeout() -> None:
    flood = line({"method": "notifications/x"}) * 3 + line({"id": 1, "result": INITIALIZED})
    conversation = starting(Expect("initialize"), Pause(2), Write(flood), connect_timeout=2.0, era="handshake")

    what, seen = "initialize (request 1)", '{"jsonrpc":"2.0","method":"notifications/x"}'
    assert negotiate(conversation) == Failure(TimedOut("CONNECTION_TIMEOUT", 2.0, what, seen, HINTS))


def test_short_connect_timeout_ends_before_initialize_is_sent() -> None:
    conversation = starting(connect_timeout=0.2)
    negotiate(conversation)

    assert conversation.clock == 0.2


def test_connect_timeout_after_a_late_discover_error_names_initialize() -> None:
    conversation = starting(Expect("initialize"), REFUSED)

    assert negotiate(conversation) == Failure(
        TimedOut(
            "CONNECTION_TIMEOUT",
            30.0,
            "initialize (request 2)",
            '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
            HINTS,
        )
    )


@pytest.mark.parametrize("settled", [answer(1, DISCOVERED), answer(2, INITIALIZED)])
def test_losing_request_is_not_outstanding_after_negotiation(settled: ServerAction) -> None:
    conversation = starting(Expect("initialize"), settled, Expect("x"), Close(Exited("node", "", 1)))

    def effects() -> Effects[Result[Exact]]:
        yield from open_session(conversation.session)
        return (yield from conversation.session.call(Call("x")))

    assert conversation.run(effects()) == Failure(Exited("node", "x", 1))


# Versions offered by the server.


UNSUPPORTED = "Unsupported protocol version"


def client_version(*versions: str) -> ServerAction:
    return error(1, -32022, UNSUPPORTED, {"supported": list(versions), "requested": "2026-07-28"})


def test_newest_common_version_of_a_discover_error_is_used() -> None:
    result: dict[str, Json] = {**INITIALIZED, "protocolVersion": "2025-06-18"}
    conversation = starting(
        Expect("server/discover"),
        client_version("2027-01-01", "2024-11-05", "2025-06-18"),
        Expect("initialize"),
        answer(2, result),
    )

    assert negotiate(conversation) == handshake("server/discover offered version 2025-06-18", result=result)
    assert conversation.messages == [DISCOVER, initialize(2, "2025-06-18"), READY]


def test_error_listing_the_requested_version_is_a_mismatch() -> None:
    conversation = starting(Expect("server/discover"), client_version("2026-07-28"))

    data = '{"supported":["2026-07-28"],"requested":"2026-07-28"}'
    evidence = f'{{"code":-32022,"message":"Unsupported protocol version","data":{data}}}'
    problem = "the server rejected server/discover with error -32022: Unsupported protocol version"
    assert negotiate(conversation) == Failure(InvalidResponse("PROTOCOL_VERSION_MISMATCH", problem, (evidence,)))
    assert conversation.messages == [DISCOVER]


def test_error_listing_only_unknown_versions_is_a_mismatch() -> None:
    conversation = starting(Expect("server/discover"), client_version("2027-01-01"))

    outcome = negotiate(conversation)
    assert isinstance(outcome, Failure)
    assert outcome.failure().code == "PROTOCOL_VERSION_MISMATCH"  # type: ignore[union-attr]
    assert conversation.messages == [DISCOVER]


@pytest.mark.parametrize("data", [None, {"supported": "2025-11-25"}, {"supported": [5]}, [], {"supported": []}])
def test_version_error_without_versions_leads_to_initialize(data: Json) -> None:
    conversation = starting(
        Expect("server/discover"), error(1, -32022, "no", data), Expect("initialize"), answer(2, INITIALIZED)
    )

    assert negotiate(conversation) == handshake("server/discover failed (error -32022: no)")


def test_discover_result_with_only_older_versions_leads_to_the_newest() -> None:
    discovered: dict[str, Json] = {**DISCOVERED, "supportedVersions": ["2024-11-05", "2025-03-26"]}
    result: dict[str, Json] = {**INITIALIZED, "protocolVersion": "2025-03-26"}
    conversation = starting(Expect("server/discover"), answer(1, discovered), Expect("initialize"), answer(2, result))

    assert negotiate(conversation) == handshake("server/discover offered version 2025-03-26", result=result)
    assert conversation.messages[1] == initialize(2, "2025-03-26")
    assert conversation.session.peer.allows_batches


def test_discover_result_with_only_unknown_versions_is_a_mismatch() -> None:
    discovered: dict[str, Json] = {**DISCOVERED, "supportedVersions": ["2027-01-01", "2028-01-01"]}
    conversation = starting(Expect("server/discover"), answer(1, discovered))

    problem = "the server supports 2027-01-01, 2028-01-01; mcpi requested 2026-07-28"
    assert negotiate(conversation) == Failure(
        InvalidResponse("PROTOCOL_VERSION_MISMATCH", problem, (quote(exact(discovered).text),))
    )
    assert conversation.messages == [DISCOVER]


def test_empty_discover_result_leads_to_initialize() -> None:
    conversation = starting(Expect("server/discover"), answer(1, {}), Expect("initialize"), answer(2, INITIALIZED))

    assert negotiate(conversation) == handshake("server/discover failed (no version in the response)")


def test_unreadable_discover_response_leads_to_initialize() -> None:
    malformed = Write(b'{"jsonrpc":"2.0","id":1,"result":{]}\n')
    conversation = starting(Expect("server/discover"), malformed, Expect("initialize"), answer(2, INITIALIZED))

    assert negotiate(conversation) == handshake("server/discover failed (invalid response)")


@pytest.mark.parametrize(
    ("version", "shown_version"),
    [
        ("2026-07-28", 'version "2026-07-28"'),
        ("1999-01-01", 'version "1999-01-01"'),
        (5, "version 5"),
        (None, "version null"),
    ],
)
def test_unsupported_version_in_initialize_result_is_a_mismatch(version: Json, shown_version: str) -> None:
    result: dict[str, Json] = {"protocolVersion": version}
    conversation = starting(Expect("initialize"), answer(1, result), era="handshake")

    supported = "mcpi supports 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05"
    problem = f"the server answered initialize with {shown_version}; {supported}"
    assert negotiate(conversation) == Failure(
        InvalidResponse("PROTOCOL_VERSION_MISMATCH", problem, (exact(result).text,))
    )


def test_initialize_result_without_version_is_a_mismatch() -> None:
    conversation = starting(Expect("initialize"), answer(1, {"capabilities": {}}), era="handshake")

    supported = "mcpi supports 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05"
    problem = f"the server answered initialize with no version; {supported}"
    assert negotiate(conversation) == Failure(
        InvalidResponse("PROTOCOL_VERSION_MISMATCH", problem, ('{"capabilities":{}}',))
    )


def test_supported_older_version_is_accepted() -> None:
    result: dict[str, Json] = {**INITIALIZED, "protocolVersion": "2024-11-05"}
    conversation = starting(Expect("initialize"), answer(1, result), era="handshake")

    assert negotiate(conversation) == handshake("set by --era handshake", result=result)


def test_sse_supports_only_the_handshake() -> None:
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), era="handshake", transport="sse")

    assert negotiate(conversation).unwrap().negotiation == "SSE supports only the handshake era"


def test_initialize_result_without_server_info_is_accepted() -> None:
    conversation = starting(Expect("initialize"), answer(1, {"protocolVersion": "2025-11-25"}), era="handshake")

    empty, shown_version = Exact("{}", {}), exact({"protocolVersion": "2025-11-25"})
    assert negotiate(conversation) == Success(
        NegotiatedServer("handshake", "2025-11-25", empty, empty, "", "set by --era handshake", shown_version)
    )


# Transport failures.


@pytest.mark.parametrize("status", [400, 404, 405, 406, 415, 422, 500, 501])
def test_http_status_for_an_unknown_method_leads_to_initialize(status: int) -> None:
    conversation = starting(
        Expect("server/discover"),
        FailRequest(1, http(status)),
        Expect("initialize"),
        answer(2, INITIALIZED),
        transport="http",
    )

    note = f"server/discover failed (HTTP status {status})"
    assert negotiate(conversation) == handshake(note, transport="http")


@pytest.mark.parametrize("status", [302, 401, 403, 407, 408, 425, 429, 502, 503])
def test_http_status_unrelated_to_the_era_is_the_fault(status: int) -> None:
    conversation = starting(Expect("server/discover"), FailRequest(1, http(status)), transport="http")

    assert negotiate(conversation) == Failure(http(status))
    assert [message["method"] for message in conversation.messages] == ["server/discover"]


@pytest.mark.parametrize(
    "fault",
    [
        Unreachable("CONNECTION_LOST", "the server closed the connection"),
        TimedOut("REQUEST_TIMEOUT", 1.0, "the body"),
        Exited("server", "", 1),
    ],
)
def test_transport_failure_of_discover_does_not_lead_to_initialize(fault: Fault) -> None:
    conversation = starting(Expect("server/discover"), FailRequest(1, fault), transport="http")

    assert negotiate(conversation) == Failure(fault)
    assert len(conversation.messages) == 1


def test_http_status_for_initialize_is_the_fault() -> None:
    conversation = starting(
        Expect("server/discover"),
        FailRequest(1, http(404)),
        Expect("initialize"),
        FailRequest(2, http(404)),
        transport="http",
    )

    assert negotiate(conversation) == Failure(http(404))


def test_exit_before_any_response_names_the_pending_request() -> None:
    conversation = starting(Expect("server/discover"), Close(Exited("node", "", 1, stderr=("oops",))))

    fault = Exited("node", "server/discover", 1, stderr=("oops",))
    assert negotiate(conversation) == Failure(fault)
    assert conversation.events == [ConnectionClosed(fault, 0.0)]
    assert conversation.messages == [DISCOVER]


def test_server_exiting_on_discover_is_restarted_with_initialize() -> None:
    offended = Exited("node", "", 1, had_read_input=True)
    conversation = starting(Expect("server/discover"), Close(offended), Expect("initialize"), answer(1, INITIALIZED))

    assert negotiate(conversation) == handshake("the server exited after server/discover and was restarted")
    assert [effect for _, effect in conversation.log[:5]] == ["open", "server/discover", "close", "open", "initialize"]


def test_server_exiting_late_on_discover_is_restarted() -> None:
    offended = Exited("node", "", 1, had_read_input=True)
    first = (Expect("server/discover"), Expect("initialize"), Close(offended))
    conversation = starting(*first, Expect("initialize"), answer(1, INITIALIZED))

    assert negotiate(conversation) == handshake("the server exited after server/discover and was restarted")


def test_server_exiting_after_a_response_is_not_restarted() -> None:
    fault = Exited("node", "", 1, had_read_input=True)
    conversation = starting(Expect("server/discover"), Expect("initialize"), error(1, -1, "no"), Close(fault))

    assert negotiate(conversation) == Failure(Exited("node", "initialize", 1, had_read_input=True))


def test_server_exiting_on_initialize_too_is_not_restarted_again() -> None:
    offended = Exited("node", "", 1, had_read_input=True)
    conversation = starting(Expect("server/discover"), Close(offended), Expect("initialize"), Close(offended))

    assert negotiate(conversation) == Failure(Exited("node", "initialize", 1, had_read_input=True))


def test_failed_restart_is_the_fault() -> None:
    fault = Unreachable("COMMAND_NOT_FOUND", "it is gone")
    conversation = starting(
        Expect("server/discover"), Close(Exited("node", "", 1, had_read_input=True)), FailToOpen(fault)
    )

    assert negotiate(conversation) == Failure(fault)


def test_exit_with_both_requests_pending_names_both() -> None:
    conversation = starting(Expect("initialize"), Close(Exited("node", "", 1)))

    assert negotiate(conversation) == Failure(Exited("node", "server/discover and initialize", 1))


def test_connection_loss_after_a_late_discover_error_is_the_fault() -> None:
    conversation = starting(Expect("initialize"), REFUSED, Close(LOST))

    assert negotiate(conversation) == Failure(LOST)


# Explicit era or version.


def test_handshake_era_starts_with_initialize() -> None:
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), era="handshake")

    assert negotiate(conversation) == handshake("set by --era handshake")
    assert conversation.messages == [initialize(1), READY]


@pytest.mark.parametrize("version", ["2024-11-05", "2026-07-28", "vendor-1"])
def test_initialize_offers_the_requested_version(version: str) -> None:
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), era="handshake", version=version)
    negotiate(conversation)

    assert conversation.messages[0] == initialize(1, version)


def test_unanswered_initialize_times_out_without_cancellation() -> None:
    conversation = starting(era="handshake", connect_timeout=2.0)

    assert negotiate(conversation) == Failure(TimedOut("CONNECTION_TIMEOUT", 2.0, "initialize (request 1)", "", HINTS))
    assert conversation.messages == [initialize(1)]


def test_refused_initialize_is_a_failed_handshake() -> None:
    conversation = starting(Expect("initialize"), error(1, -32602, "which client?"), era="handshake")

    assert negotiate(conversation) == Failure(
        InvalidResponse(
            "HANDSHAKE_FAILED",
            "the server rejected initialize with error -32602: which client?",
            ('{"code":-32602,"message":"which client?"}',),
        )
    )


def test_version_error_for_initialize_is_a_version_mismatch() -> None:
    conversation = starting(Expect("initialize"), error(1, -32022, "speak modern"), era="handshake")

    assert negotiate(conversation) == Failure(
        InvalidResponse(
            "PROTOCOL_VERSION_MISMATCH",
            "the server rejected initialize with error -32022: speak modern",
            ('{"code":-32022,"message":"speak modern"}',),
        )
    )


def test_the_modern_era_never_sends_initialize() -> None:
    conversation = starting(Expect("server/discover"), Pause(2), answer(1, DISCOVERED), era="modern")

    assert negotiate(conversation) == modern("set by --era modern")
    assert conversation.messages == [DISCOVER]
    assert conversation.session.modern


def test_modern_era_skips_discover_if_not_needed() -> None:
    conversation = starting(era="modern", discover=False, transport="http")

    assert negotiate(conversation) == Success(
        NegotiatedServer(
            "modern",
            "2026-07-28",
            negotiation="set by --era modern",
            transport="http",
            was_asked_for_capabilities=False,
        )
    )
    assert conversation.messages == []


def test_unanswered_discover_times_out_and_is_cancelled() -> None:
    conversation = starting(era="modern", connect_timeout=0.5)

    assert negotiate(conversation) == Failure(
        TimedOut("CONNECTION_TIMEOUT", 0.5, "server/discover (request 1)", "", HINTS)
    )
    params = {"requestId": 1, "reason": "no response within 0.5 s"}
    assert conversation.messages[1] == {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def test_refused_discover_in_the_modern_era_is_a_failed_handshake() -> None:
    conversation = starting(Expect("server/discover"), REFUSED, era="modern")

    assert negotiate(conversation) == Failure(
        InvalidResponse(
            "HANDSHAKE_FAILED",
            "the server rejected server/discover with error -32601: Method not found",
            ('{"code":-32601,"message":"Method not found"}',),
        )
    )


def test_http_status_for_discover_in_the_modern_era_is_the_fault() -> None:
    conversation = starting(Expect("server/discover"), FailRequest(1, http(404)), era="modern", transport="http")

    assert negotiate(conversation) == Failure(http(404))


def test_refused_version_is_replaced_by_the_best_listed_version() -> None:
    refused = error(1, -32022, UNSUPPORTED, {"supported": ["2026-07-28", "2025-11-25"]})
    conversation = starting(
        Expect("server/discover"), refused, Expect("server/discover"), answer(2, DISCOVERED), version="2099-01-01"
    )

    known = "the server does not support 2099-01-01 and offered 2026-07-28"
    assert negotiate(conversation) == modern(f"version 2099-01-01 belongs to the modern era; {known}")
    versions = [
        message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] for message in conversation.messages
    ]
    assert versions == ["2099-01-01", "2026-07-28"]
    assert conversation.events == [
        TransportNote("another-version", {"requested": "2099-01-01", "used": "2026-07-28"}, 0.0)
    ]


def test_server_refusing_its_own_listed_version_is_a_mismatch() -> None:
    refused = {"supported": ["2026-07-28"]}
    conversation = starting(
        Expect("server/discover"),
        error(1, -32022, UNSUPPORTED, refused),
        Expect("server/discover"),
        error(2, -32022, UNSUPPORTED, refused),
        version="2099-01-01",
    )

    outcome = negotiate(conversation)
    assert isinstance(outcome, Failure)
    assert outcome.failure().code == "PROTOCOL_VERSION_MISMATCH"  # type: ignore[union-attr]


def test_modern_era_rejects_a_listed_handshake_version() -> None:
    conversation = starting(Expect("server/discover"), client_version("2025-11-25"), era="modern")

    outcome = negotiate(conversation)
    assert isinstance(outcome, Failure)
    assert outcome.failure().code == "PROTOCOL_VERSION_MISMATCH"  # type: ignore[union-attr]


def test_requested_modern_version_is_preferred() -> None:
    discovered: dict[str, Json] = {**DISCOVERED, "supportedVersions": ["2026-07-28", "2099-01-01"]}
    conversation = starting(Expect("server/discover"), answer(1, discovered), era="modern", version="2099-01-01")

    outcome = negotiate(conversation)
    assert isinstance(outcome, Success)
    assert outcome.unwrap().version == "2099-01-01"


def test_requested_handshake_version_is_not_used_in_the_modern_era() -> None:
    discovered: dict[str, Json] = {**DISCOVERED, "supportedVersions": ["2025-06-18", "2026-07-28"]}
    conversation = starting(Expect("server/discover"), answer(1, discovered), era="modern", version="2025-06-18")

    outcome = negotiate(conversation)
    assert isinstance(outcome, Success)
    assert outcome.unwrap().version == "2026-07-28"


@pytest.mark.parametrize("version", ["2025-06-18", "2024-10-07"])
def test_requested_handshake_version_starts_with_initialize(version: str) -> None:
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), version=version)

    assert negotiate(conversation) == handshake(f"version {version} belongs to the handshake era")
    assert conversation.messages[0] == initialize(1, version)


def test_requested_modern_version_uses_only_discover() -> None:
    conversation = starting(Expect("server/discover"), Pause(3), answer(1, DISCOVERED), version="2026-07-28")

    assert negotiate(conversation) == modern("version 2026-07-28 belongs to the modern era")


# Details of both eras.


def test_malformed_server_info_is_a_violation() -> None:
    conversation = starting(Expect("initialize"), answer(1, {**INITIALIZED, "serverInfo": "x"}), era="handshake")

    assert isinstance(negotiate(conversation), Success)
    problem = "serverInfo in the server's response is not an object"
    assert conversation.events == [ViolationSeen(Violation("schema", problem, '"x"'), 0.0)]


def test_missing_members_of_a_discover_result_are_violations() -> None:
    bare: dict[str, Json] = {
        name: DISCOVERED[name] for name in ("supportedVersions", "capabilities", "instructions", "_meta")
    }
    conversation = starting(Expect("server/discover"), Pause(0.1), answer(1, bare))

    assert negotiate(conversation) == modern("server/discover succeeded", result=bare)
    no_type = Violation("missing-result-type", "the result of server/discover has no resultType", exact(bare).text)
    no_hint = Violation("missing-cache-hint", "the result of server/discover lacks ttlMs and cacheScope")
    assert conversation.events == [ViolationSeen(no_type, 0.1), ViolationSeen(no_hint, 0.1)]


def test_discover_over_http_has_version_and_method_headers() -> None:
    conversation = starting(Expect("server/discover"), answer(1, DISCOVERED), transport="http")
    negotiate(conversation)

    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover"}
    assert [one.headers for one in conversation.sent] == [headers]


def test_stdio_requests_have_no_headers() -> None:
    conversation = starting(Expect("initialize"), answer(2, INITIALIZED))
    negotiate(conversation)

    assert [one.headers for one in conversation.sent] == [{}, {}, {}]


def test_version_header_is_sent_only_after_initialize() -> None:
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), era="handshake", transport="http")
    negotiate(conversation)

    assert [one.headers for one in conversation.sent] == [{}, {"mcp-protocol-version": "2025-11-25"}]


def test_server_stream_is_not_opened_if_disabled() -> None:
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), era="handshake", open_server_stream=False)
    negotiate(conversation)

    assert conversation.log[-1] == (0.0, "notifications/initialized")


def test_modern_server_gets_no_messages_after_discover() -> None:
    conversation = starting(Expect("server/discover"), answer(1, DISCOVERED), log_level="debug")
    negotiate(conversation)

    assert conversation.log == [(0.0, "open"), (0.0, "server/discover")]


@pytest.mark.parametrize("reply", [answer(2, {}), error(2, -32602, "no such level"), Close(LOST)])
def test_log_level_is_set_if_requested_and_declared(reply: ServerAction) -> None:
    result: dict[str, Json] = {**INITIALIZED, "capabilities": {"logging": {}}}
    conversation = starting(
        Expect("initialize"), answer(1, result), Expect("logging/setLevel"), reply, era="handshake", log_level="debug"
    )

    assert isinstance(negotiate(conversation), Success)
    level = {"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "debug"}}
    assert conversation.messages == [initialize(1), READY, level]
    found = [event for event in conversation.events if isinstance(event, ImplicitRequest)]
    assert [(one.method, one.params) for one in found] == [("logging/setLevel", {"level": "debug"})]


def test_log_level_is_not_set_without_the_logging_capability() -> None:
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), era="handshake", log_level="debug")
    negotiate(conversation)

    assert conversation.messages == [initialize(1), READY]


def no_answer(_: bool, __: ServerRequest) -> Steps[Reply]:  # noqa: FBT001 - its flags are a bool
    yield from ()
    return Accept({})


@pytest.mark.parametrize(
    ("given", "expected"), [(True, ["notifications/initialized", "news"]), (False, ["notifications/initialized"])]
)
def test_configured_handler_is_announced_after_handshake(given: bool, expected: list[str]) -> None:  # noqa: FBT001 - a case
    responder = Responder("roots/list", "roots", bool, lambda _, __: {}, no_answer, lambda args: args, announce="news")
    conversation = starting(
        Expect("initialize"),
        answer(1, INITIALIZED),
        era="handshake",
        handlers={"roots/list": Handler(responder, given)},
    )
    negotiate(conversation)

    assert [message["method"] for message in conversation.messages[1:]] == expected


def test_a_request_during_the_handshake_is_answered() -> None:
    conversation = starting(Expect("initialize"), ask("a", "x/y"), answer(1, INITIALIZED), era="handshake")
    negotiate(conversation)

    refusal = {"jsonrpc": "2.0", "id": "a", "error": {"code": -32601, "message": "Method not found"}}
    assert conversation.messages[1] == refusal


def test_request_during_modern_discover_is_an_unanswered_violation() -> None:
    conversation = starting(Expect("server/discover"), ask("a", "x/y"), answer(1, DISCOVERED), era="modern")
    negotiate(conversation)

    evidence = line({"id": "a", "method": "x/y"}).decode().strip()
    violation = Violation("server-request", "a modern server sent the request x/y", evidence)
    assert conversation.events == [ViolationSeen(violation, 0.0)]
    assert conversation.messages == [DISCOVER]


def test_the_exact_capabilities_are_declared() -> None:
    client = ClientInfo({"experimental": {"x": {}}}, "mcpi", "1.0")
    conversation = starting(Expect("initialize"), answer(1, INITIALIZED), era="handshake", client=client)
    negotiate(conversation)

    assert conversation.messages[0]["params"]["capabilities"] == {"experimental": {"x": {}}}


# Several attempts in one session.


def test_opening_an_open_session_sends_no_requests() -> None:
    conversation = starting(Expect("server/discover"), answer(1, DISCOVERED))

    def effects() -> Effects[tuple[Result[NegotiatedServer], Result[NegotiatedServer]]]:
        return (yield from open_session(conversation.session)), (yield from open_session(conversation.session))

    first, second = conversation.run(effects())
    assert first == second
    assert conversation.messages == [DISCOVER]
    assert conversation.session.state == "connected"


def test_opening_a_lost_session_fails() -> None:
    conversation = starting(Expect("server/discover"), answer(1, DISCOVERED), Close(LOST))

    def effects() -> Effects[Result[NegotiatedServer]]:
        yield from open_session(conversation.session)
        yield from conversation.session.sleep(1)
        return (yield from open_session(conversation.session))

    assert conversation.run(effects()) == Failure(LOST)
    assert conversation.session.state == "error"


def test_connection_stages_are_timed() -> None:
    conversation = starting(Expect("server/discover"), Pause(0.25), answer(1, DISCOVERED))
    negotiate(conversation)

    times = conversation.session.times
    assert (times.start, times.opened, times.negotiated) == (0.0, 0.0, 0.25)


REFUSED_CONNECTION = Unreachable("CONNECTION_REFUSED", "nobody listens")
WITHOUT_RETRIES = evolve(REFUSED_CONNECTION, hints=("if the server is still starting, add --retry 5",))


def test_a_failure_to_open_is_final_without_retries() -> None:
    conversation = starting(FailToOpen(REFUSED_CONNECTION))

    assert negotiate(conversation) == Failure(WITHOUT_RETRIES)
    assert conversation.session.state == "disconnected"
    assert conversation.session.times.start is None


def test_session_is_not_opened_again_after_a_failed_open() -> None:
    conversation = starting(FailToOpen(REFUSED_CONNECTION))

    def effects() -> Effects[Result[NegotiatedServer]]:
        yield from open_session(conversation.session)
        return (yield from open_session(conversation.session))

    assert conversation.run(effects()) == Failure(WITHOUT_RETRIES)
    assert conversation.log == [(0.0, "open failed")]


def test_retries_are_one_two_and_four_seconds_apart() -> None:
    shut = FailToOpen(REFUSED_CONNECTION)
    conversation = starting(shut, shut, shut, shut, shut, retries=4)

    fault = evolve(REFUSED_CONNECTION, hints=("gave up after 4 retries",))
    assert negotiate(conversation) == Failure(fault)
    assert conversation.session.connection_fault == fault
    assert [at for at, what in conversation.log if what == "open failed"] == [0.0, 1.0, 3.0, 7.0, 11.0]


def test_retry_starts_with_a_fresh_connection() -> None:
    conversation = starting(
        Expect("server/discover"),
        Close(Exited("node", "", 1)),
        Expect("server/discover"),
        answer(1, DISCOVERED),
        retries=1,
    )

    assert negotiate(conversation) == modern("server/discover succeeded")
    assert conversation.messages == [DISCOVER, DISCOVER]
    assert conversation.log == [
        (0.0, "open"),
        (0.0, "server/discover"),
        (0.0, "close"),
        (1.0, "open"),
        (1.0, "server/discover"),
    ]


def test_each_attempt_has_the_full_connect_timeout() -> None:
    conversation = starting(era="handshake", connect_timeout=2.0, retries=1)
    negotiate(conversation)

    assert conversation.log == [
        (0.0, "open"),
        (0.0, "initialize"),
        (2.0, "close"),
        (3.0, "open"),
        (3.0, "initialize"),
    ]
    assert conversation.clock == 5.0


def test_permanent_failure_is_not_retried() -> None:
    missing = Unreachable("COMMAND_NOT_FOUND", "no such command")
    conversation = starting(FailToOpen(missing), retries=3)

    assert negotiate(conversation) == Failure(missing)


def test_connection_loss_during_the_retry_pause_is_ignored() -> None:
    conversation = starting(
        Expect("server/discover"),
        FailRequest(1, http(503)),
        Pause(0.5),
        Close(LOST),
        Expect("server/discover"),
        answer(1, DISCOVERED),
        retries=1,
        transport="http",
    )

    assert negotiate(conversation) == modern("server/discover succeeded", transport="http")


def test_interrupt_ends_the_retry_pause_and_all_attempts() -> None:
    conversation = starting(FailToOpen(REFUSED_CONNECTION), Pause(0.5), Close(Interrupted("SIGINT")), retries=3)

    assert negotiate(conversation) == Failure(Interrupted("SIGINT"))
    assert conversation.clock == 0.5
    assert conversation.session.state == "disconnected"
    assert conversation.session.connection_fault == Interrupted("SIGINT")


def test_retry_after_header_sets_the_retry_delay() -> None:
    busy = FailToOpen(HttpFailed(429, "http://localhost/mcp", headers={"retry-after": "7"}))
    conversation = starting(busy, busy, retries=1)

    assert isinstance(negotiate(conversation), Failure)
    assert conversation.clock == 7.0


def test_interrupt_during_negotiation_is_not_retried() -> None:
    conversation = starting(Expect("server/discover"), Close(Interrupted("SIGINT")), retries=3)

    assert negotiate(conversation) == Failure(Interrupted("SIGINT"))
    assert len(conversation.messages) == 1


def test_transport_notes_during_negotiation_are_recorded() -> None:
    conversation = starting(
        Expect("server/discover"), ReportEvent("resuming", {"lastEventId": "7"}), answer(1, DISCOVERED)
    )
    negotiate(conversation)

    expected: list[Event] = [TransportNote("resuming", {"lastEventId": "7"}, 0.0)]
    assert conversation.events == expected


def test_opened_session_accepts_calls() -> None:
    conversation = starting(
        Expect("server/discover"), answer(1, DISCOVERED), Expect("ping"), answer(2, {"resultType": "complete"})
    )

    def effects() -> Effects[Result[Exact]]:
        yield from open_session(conversation.session)
        return (yield from conversation.session.call(Call("ping")))

    assert conversation.run(effects()) == Success(exact({"resultType": "complete"}))
    assert conversation.session.terms.client == CLIENT


# Reopened sessions.


def lose_and_reopen(conversation: Conversation, attempts: int) -> Effects[Result[NegotiatedServer]]:
    yield from open_session(conversation.session)
    yield from conversation.session.sleep(10)
    return (yield from reopen_session(conversation.session, attempts))


def test_lost_session_is_reopened_with_a_new_negotiation() -> None:
    again: dict[str, Json] = {**INITIALIZED, "protocolVersion": "2025-06-18"}
    conversation = starting(
        Expect("server/discover"),
        answer(1, DISCOVERED),
        Close(LOST),
        Expect("server/discover"),
        REFUSED,
        Expect("initialize"),
        answer(2, again),
    )

    note = "server/discover failed (error -32601: Method not found)"
    assert conversation.run(lose_and_reopen(conversation, 3)) == handshake(note, result=again)
    assert conversation.session.state == "connected"
    assert [(at, what) for at, what in conversation.log if what in {"open", "close"}] == [
        (0.0, "open"),
        (0.0, "close"),
        (1.0, "open"),
    ]


def test_failure_that_is_not_retried_has_no_number_of_retries() -> None:
    missing = HttpFailed(404, "https://mcp.example/mcp")
    conversation = starting(FailToOpen(REFUSED_CONNECTION), FailToOpen(missing), transport="http", retries=5)

    assert negotiate(conversation) == Failure(missing)


def test_reopening_makes_the_given_number_of_attempts() -> None:
    shut = FailToOpen(REFUSED_CONNECTION)
    conversation = starting(Expect("server/discover"), answer(1, DISCOVERED), Close(LOST), shut, shut, shut)

    fault = evolve(REFUSED_CONNECTION, hints=("gave up after 3 retries",))
    assert conversation.run(lose_and_reopen(conversation, 3)) == Failure(fault)
    assert [at for at, what in conversation.log if what == "open failed"] == [1.0, 3.0, 7.0]
    assert conversation.session.state == "disconnected"


def test_interrupt_ends_reopening() -> None:
    conversation = starting(
        Expect("server/discover"),
        answer(1, DISCOVERED),
        Close(LOST),
        Pause(0.5),
        Close(Interrupted("SIGTERM")),
    )

    assert conversation.run(lose_and_reopen(conversation, 3)) == Failure(Interrupted("SIGTERM"))
    assert conversation.clock == 0.5
    assert conversation.session.state == "disconnected"
    assert conversation.session.connection_fault == Interrupted("SIGTERM")

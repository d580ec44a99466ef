"""Parsing the results and errors of initialize and server/discover."""

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import HttpFailed, InvalidResponse, RpcError, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Steps
from mcpi.core.session.effects import Effects
from mcpi.core.session.handshake import (
    ANNOUNCEMENT_GRACE,
    ANNOUNCEMENT_WAIT,
    brief_reason,
    finish_handshake,
    negotiation_failure,
    newest_common_version,
    read_discover,
    read_initialize,
    supported_versions,
    unexpected_members,
)
from mcpi.core.wire.server_info import EMPTY, NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.conversation import Close, Conversation, Expect, Pause, ServerAction, ask, connected
from support.replay import exact

LOST = Unreachable("CONNECTION_LOST", "gone")


def rpc(number: int, data: Json = None) -> RpcError:
    return RpcError(number, "no", exact({"code": number, "message": "no", "data": data}))


def test_initialize_result_becomes_the_negotiated_server() -> None:
    result = exact(
        {
            "protocolVersion": "2025-06-18",
            "serverInfo": {"name": "s"},
            "capabilities": {"tools": {}},
            "instructions": "Be kind.",
        }
    )

    info, capabilities = exact({"name": "s"}), exact({"tools": {}})
    assert read_initialize(Success(result), "asked", "http") == Success(
        NegotiatedServer("handshake", "2025-06-18", info, capabilities, "Be kind.", "asked", result, "http")
    )


def test_non_object_members_are_treated_as_empty_and_reported() -> None:
    result = exact({"protocolVersion": "2025-06-18", "serverInfo": "x", "capabilities": []})
    server = read_initialize(Success(result), "asked", "stdio").unwrap()

    assert (server.info, server.capabilities) == (EMPTY, EMPTY)
    assert unexpected_members(server) == (
        Violation("schema", "serverInfo in the server's response is not an object", '"x"'),
        Violation("schema", "capabilities in the server's response is not an object", "[]"),
    )
    assert unexpected_members(NegotiatedServer("handshake", "2025-06-18")) == ()


def test_long_result_is_truncated_in_a_version_mismatch() -> None:
    result = exact({"protocolVersion": "1", "instructions": "x" * 300})

    outcome = read_initialize(Success(result), "", "stdio")
    assert isinstance(outcome, Failure)
    fault = outcome.failure()
    assert isinstance(fault, InvalidResponse)
    assert fault.evidence == (f"{result.text[:300]}… ({len(result.text)} characters)",)


def test_discover_result_becomes_the_negotiated_server() -> None:
    result = exact(
        {
            "supportedVersions": ["2025-11-25", "2026-07-28"],
            "capabilities": {},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s"}},
        }
    )

    info, capabilities = exact({"name": "s"}), exact({})
    assert read_discover(Success(result), "2026-07-28", "asked", "stdio") == Success(
        NegotiatedServer("modern", "2026-07-28", info, capabilities, "", "asked", result)
    )


def test_discover_result_without_server_info_is_accepted() -> None:
    result = exact({"supportedVersions": ["2026-07-28"]})

    outcome = read_discover(Success(result), "2026-07-28", "", "stdio")
    assert isinstance(outcome, Success)
    assert outcome.unwrap().info == Exact("{}", {})


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        ("2026-07-28", "2026-07-28"),
        ("2099-01-01", "2099-01-01"),
        ("2025-11-25", "2026-07-28"),
        ("2098-01-01", "2026-07-28"),
    ],
)
def test_requested_version_is_used_if_offered_and_modern(versions: str, chosen: str) -> None:
    result = exact({"supportedVersions": ["2025-11-25", "2026-07-28", "2099-01-01"]})

    outcome = read_discover(Success(result), versions, "", "stdio")
    assert isinstance(outcome, Success)
    assert outcome.unwrap().version == chosen


def test_version_mismatch_names_supported_and_requested_versions() -> None:
    result = exact({"supportedVersions": []})

    problem = "the server supports no version; mcpi requested 2026-07-28"
    assert read_discover(Success(result), "2026-07-28", "", "stdio") == Failure(
        InvalidResponse("PROTOCOL_VERSION_MISMATCH", problem, ('{"supportedVersions":[]}',))
    )


def test_other_failures_are_returned_unchanged() -> None:
    assert read_initialize(Failure(LOST), "", "stdio") == Failure(LOST)
    assert read_discover(Failure(LOST), "2026-07-28", "", "stdio") == Failure(LOST)


@pytest.mark.parametrize(("number", "code"), [(-32022, "PROTOCOL_VERSION_MISMATCH"), (-32601, "HANDSHAKE_FAILED")])
def test_error_response_is_a_refusal_with_the_error_as_evidence(number: int, code: str) -> None:
    fault = negotiation_failure("initialize", rpc(number)).failure()

    assert isinstance(fault, InvalidResponse)
    problem = f"the server rejected initialize with error {number}: no"
    assert (fault.code, fault.problem, fault.evidence) == (code, problem, (rpc(number).error.text,))


def test_refusal_names_the_refused_request() -> None:
    assert read_initialize(Failure(rpc(-32601)), "", "stdio") == negotiation_failure("initialize", rpc(-32601))
    assert read_discover(Failure(rpc(-32601)), "2026-07-28", "", "stdio") == negotiation_failure(
        "server/discover", rpc(-32601)
    )


@pytest.mark.parametrize(
    ("outcome", "named"),
    [
        (Success(exact({"supportedVersions": ["b", 5, "a"]})), ("b", "a")),
        (Success(exact([])), ()),
        (Failure(rpc(-32022, {"supported": ["b", "a"]})), ("b", "a")),
        (Failure(rpc(-32022)), ()),
        (Failure(rpc(-32601, {"supported": ["b", "a"]})), ()),
        (Failure(LOST), ()),
    ],
)
def test_supported_versions_are_read_from_results_and_errors(outcome: Result[Exact], named: tuple[str, ...]) -> None:
    assert supported_versions(outcome) == named


@pytest.mark.parametrize(
    ("named", "tried", "found"),
    [
        (("2024-11-05", "2025-11-25", "2026-07-28"), (), "2026-07-28"),
        (("2024-11-05", "2025-11-25", "2026-07-28"), ("2026-07-28",), "2025-11-25"),
        (("2027-01-01",), (), None),
        ((), (), None),
    ],
)
def test_newest_common_version_is_chosen(named: tuple[str, ...], tried: tuple[str, ...], found: str | None) -> None:
    assert newest_common_version(named, tried) == found


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (Success(exact({})), "no version in the response"),
        (Failure(rpc(-32601)), "error -32601: no"),
        (Failure(HttpFailed(404, "http://x")), "HTTP status 404"),
        (Failure(InvalidResponse("INVALID_RESPONSE", "?")), "invalid response"),
    ],
)
def test_reason_for_a_failed_discover_is_brief(outcome: Result[Exact], result: str) -> None:
    assert brief_reason(outcome) == result


HANDSHAKE = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({}))


def answer(_: bool, __: ServerRequest) -> Steps[Reply]:  # noqa: FBT001 - its flags are a bool
    yield from ()
    return Accept({"roots": []})


def declare(_: bool, __: str) -> JsonObject:  # noqa: FBT001 - see above
    return {}


def negotiated(*actions: ServerAction) -> Conversation:
    responder = Responder("roots/list", "roots", bool, declare, answer, bool, announce="news")
    conversation = connected(
        HANDSHAKE, Expect("news"), *actions, handlers={"roots/list": Handler(responder, args=True)}
    )

    def effects() -> Effects[None]:
        return finish_handshake(conversation.session, HANDSHAKE)

    conversation.run(effects())
    return conversation


def test_server_gets_a_grace_period_after_requesting_roots() -> None:
    conversation = negotiated(Pause(0.2), ask("r", "roots/list"))

    assert conversation.messages[-1] == {"jsonrpc": "2.0", "id": "r", "result": {"roots": []}}
    assert conversation.clock == 0.2 + ANNOUNCEMENT_GRACE


def test_silent_server_delays_the_handshake_by_the_announcement_wait() -> None:
    assert negotiated().clock == ANNOUNCEMENT_WAIT


def test_lost_connection_ends_the_announcement_wait() -> None:
    assert negotiated(Pause(0.1), Close(Unreachable("CONNECTION_LOST", "it is gone"))).clock == 0.1

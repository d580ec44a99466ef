"""A modern server's stream of notifications is asked for, and what it agreed to is waited for, but not for ever."""

import pytest

from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import InvalidResponse, RpcError, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ResponseReceived,
    ServerAsked,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.plans.listening import all_list_changes, listen
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import ClockReading, Connect, NextEvent, Notify, ReadClock, Send, Step
from mcpi.core.wire.server_info import EMPTY, NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.replay import exact, replay

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
FILTERS: dict[str, Json] = {"toolsListChanged": True}
AGREED = exact({"notifications": FILTERS})
LOST = Unreachable("CONNECTION_LOST", "the pipe broke")
ACKNOWLEDGEMENT = NotificationReceived(ACKNOWLEDGED, AGREED, 101.0)
LATE = TimedOut("REQUEST_TIMEOUT", 5.0, "subscriptions/listen (request 7)")


def listened(*exchanges: tuple[Step, object]) -> PlanResult:
    """How listening ends that begins at the second 100, with a patience of 5 s and the request 7."""
    begun = (ReadClock(), ClockReading(100.0, 5.0, frozenset()))
    sent = (Send("subscriptions/listen", {"notifications": FILTERS}), 7)
    return replay(listen(FILTERS), begun, sent, *exchanges)


@pytest.mark.parametrize(
    ("declared", "filters"),
    [
        (
            {"tools": {"listChanged": True}, "prompts": {"listChanged": True}, "resources": {"listChanged": True}},
            {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True},
        ),
        ({"prompts": {"listChanged": True}, "tools": {}}, {"promptsListChanged": True}),
        ({"resources": {"listChanged": False, "subscribe": True}}, {}),
        ({}, {}),
    ],
)
def test_all_is_asked_for_that_the_server_says_it_can_tell(declared: Json, filters: dict[str, Json]) -> None:
    assert all_list_changes(NegotiatedServer("modern", "2026-07-28", capabilities=exact(declared))) == filters


def test_what_the_server_agreed_to_is_the_result() -> None:
    assert listened((NextEvent(5.0), ACKNOWLEDGEMENT)) == PlanResult(AGREED)


def test_an_acknowledgement_may_say_nothing() -> None:
    assert listened((NextEvent(5.0), NotificationReceived(ACKNOWLEDGED, None, 101.0))) == PlanResult(EMPTY)


@pytest.mark.parametrize(
    "other",
    [
        NotificationReceived("notifications/message", exact({"level": "info"}), 102.0),
        ResponseReceived(6, Success(exact({})), 102.0),
        ResponseReceived(6, Failure(LOST), 102.0),
        ViolationSeen(Violation("not-json", "no"), 102.0),
        TransportNote("resuming", {}, 102.0),
        ServerAsked("roots/list", None, {}, 102.0),
    ],
)
def test_whatever_else_happens_meanwhile_is_no_answer_and_costs_time(other: Event) -> None:
    assert listened((NextEvent(5.0), other), (NextEvent(3.0), ACKNOWLEDGEMENT)) == PlanResult(AGREED)


def test_what_happened_before_gives_no_time_back() -> None:
    old = NotificationReceived("notifications/message", None, 60.0)

    assert listened((NextEvent(5.0), old), (NextEvent(5.0), ACKNOWLEDGEMENT)) == PlanResult(AGREED)


def test_an_error_for_an_answer_is_the_end() -> None:
    error = RpcError(-32602, "no", exact({"code": -32602, "message": "no"}))

    assert listened((NextEvent(5.0), ResponseReceived(7, Failure(error), 101.0))) == PlanResult(None, error)


def test_a_result_before_the_acknowledgement_is_no_acknowledgement() -> None:
    problem = "the server ended the subscription without acknowledging it"
    ended = PlanResult(None, InvalidResponse("INVALID_RESPONSE", problem, ('{"a":1}',)))

    assert listened((NextEvent(5.0), ResponseReceived(7, Success(exact({"a": 1})), 101.0))) == ended


def test_a_connection_that_is_lost_is_the_end() -> None:
    assert listened((NextEvent(5.0), ConnectionClosed(LOST, 101.0))) == PlanResult(None, LOST)


GIVEN_UP: dict[str, Json] = {"requestId": 7, "reason": "no acknowledgement within 5 s"}
TOLD: Step = Notify("notifications/cancelled", GIVEN_UP)


def test_silence_ends_with_our_patience_and_the_server_is_told() -> None:
    modern = NegotiatedServer("modern", "2026-07-28")

    assert listened((NextEvent(5.0), DeadlineReached(105.0)), (Connect(), modern), (TOLD, None)) == PlanResult(
        None, LATE
    )


def test_over_http_the_end_of_the_connection_says_it() -> None:
    modern = NegotiatedServer("modern", "2026-07-28", transport="http")

    assert listened((NextEvent(5.0), DeadlineReached(105.0)), (Connect(), modern)) == PlanResult(None, LATE)


def test_a_server_that_tells_other_things_for_ever_is_not_listened_to_for_ever() -> None:
    chatter = [
        (NextEvent(105.0 - at), NotificationReceived("notifications/message", None, at + 1))
        for at in (100.0, 101.0, 102.0)
    ]
    last = (NextEvent(2.0), NotificationReceived("notifications/message", None, 105.0))
    modern = NegotiatedServer("modern", "2026-07-28", transport="http")

    assert listened(*chatter, last, (Connect(), modern)) == PlanResult(None, LATE)

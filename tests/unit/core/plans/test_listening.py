"""A modern server's notification stream is requested, and its acknowledgement is awaited until the timeout."""

import pytest

from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import InvalidResponse, RpcError, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ResponseReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.plans.listening import all_list_changes, listen
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import ClockReading, Connect, NextEvent, Notify, ReadClock, Send, Step
from mcpi.core.wire.server_info import EMPTY, NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.constants import LOST
from support.replay import exact, replay

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
FILTERS: dict[str, Json] = {"toolsListChanged": True}
ACCEPTED = exact({"notifications": FILTERS})
ACKNOWLEDGEMENT = NotificationReceived(ACKNOWLEDGED, ACCEPTED, 101.0)
LATE = TimedOut("REQUEST_TIMEOUT", 5.0, "subscriptions/listen (request 7)")


def listened(*exchanges: tuple[Step, object]) -> PlanResult:
    """The result of listening from second 100, with a timeout of 5 s and request ID 7."""
    started = (ReadClock(), ClockReading(100.0, 5.0, frozenset()))
    sent = (Send("subscriptions/listen", {"notifications": FILTERS}), 7)
    return replay(listen(FILTERS), started, sent, *exchanges)


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
def test_all_declared_list_changes_are_requested(declared: Json, filters: dict[str, Json]) -> None:
    assert all_list_changes(NegotiatedServer("modern", "2026-07-28", capabilities=exact(declared))) == filters


def test_acknowledged_filters_are_the_result() -> None:
    assert listened((NextEvent(5.0), ACKNOWLEDGEMENT)) == PlanResult(ACCEPTED)


def test_acknowledgement_without_params_is_accepted() -> None:
    assert listened((NextEvent(5.0), NotificationReceived(ACKNOWLEDGED, None, 101.0))) == PlanResult(EMPTY)


@pytest.mark.parametrize(
    "other",
    [
        NotificationReceived("notifications/message", exact({"level": "info"}), 102.0),
        ResponseReceived(6, Success(exact({})), 102.0),
        ResponseReceived(6, Failure(LOST), 102.0),
        ViolationSeen(Violation("not-json", "no"), 102.0),
        TransportNote("resuming", {}, 102.0),
        ServerRequestReceived("roots/list", None, {}, 102.0),
    ],
)
def test_unrelated_events_do_not_extend_the_timeout(other: Event) -> None:
    assert listened((NextEvent(5.0), other), (NextEvent(3.0), ACKNOWLEDGEMENT)) == PlanResult(ACCEPTED)


def test_earlier_events_do_not_extend_the_timeout() -> None:
    old = NotificationReceived("notifications/message", None, 60.0)

    assert listened((NextEvent(5.0), old), (NextEvent(5.0), ACKNOWLEDGEMENT)) == PlanResult(ACCEPTED)


def test_error_response_fails_the_subscription() -> None:
    error = RpcError(-32602, "no", exact({"code": -32602, "message": "no"}))

    assert listened((NextEvent(5.0), ResponseReceived(7, Failure(error), 101.0))) == PlanResult(None, error)


def test_result_before_the_acknowledgement_is_an_invalid_response() -> None:
    problem = "the server ended the subscription without acknowledging it"
    ended = PlanResult(None, InvalidResponse("INVALID_RESPONSE", problem, ('{"a":1}',)))

    assert listened((NextEvent(5.0), ResponseReceived(7, Success(exact({"a": 1})), 101.0))) == ended


def test_lost_connection_fails_the_subscription() -> None:
    assert listened((NextEvent(5.0), ConnectionClosed(LOST, 101.0))) == PlanResult(None, LOST)


GIVEN_UP: dict[str, Json] = {"requestId": 7, "reason": "no acknowledgement within 5 s"}
TOLD: Step = Notify("notifications/cancelled", GIVEN_UP)


def test_timeout_cancels_the_request() -> None:
    modern = NegotiatedServer("modern", "2026-07-28")

    assert listened((NextEvent(5.0), DeadlineReached(105.0)), (Connect(), modern), (TOLD, None)) == PlanResult(
        None, LATE
    )


def test_timeout_over_http_sends_no_cancellation() -> None:
    modern = NegotiatedServer("modern", "2026-07-28", transport="http")

    assert listened((NextEvent(5.0), DeadlineReached(105.0)), (Connect(), modern)) == PlanResult(None, LATE)


def test_continuous_unrelated_notifications_do_not_delay_the_timeout() -> None:
    notifications = [
        (NextEvent(105.0 - at), NotificationReceived("notifications/message", None, at + 1))
        for at in (100.0, 101.0, 102.0)
    ]
    last = (NextEvent(2.0), NotificationReceived("notifications/message", None, 105.0))
    modern = NegotiatedServer("modern", "2026-07-28", transport="http")

    assert listened(*notifications, last, (Connect(), modern)) == PlanResult(None, LATE)

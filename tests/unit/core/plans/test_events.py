"""Events are immutable values that compare by content."""

import pytest
from attrs.exceptions import FrozenInstanceError

from mcpi.core.outcome.faults import Interrupted
from mcpi.core.outcome.result import Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ResponseReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
    params_size,
)
from mcpi.core.wire.violations import Violation
from support.replay import exact


def events() -> list[Event]:
    return [
        NotificationReceived("a", exact({}), 1.0),
        ServerRequestReceived("a", None, {}, 1.0),
        ResponseReceived(1, Success(exact({})), 1.0),
        ViolationSeen(Violation("batch", "two"), 1.0),
        TransportNote("resuming", {}, 1.0),
        ConnectionClosed(Interrupted("SIGINT"), 1.0),
        DeadlineReached(1.0),
    ]


def test_events_with_equal_content_are_equal() -> None:
    assert events() == events()


@pytest.mark.parametrize("event", events(), ids=lambda event: type(event).__name__)
def test_event_time_is_immutable(event: Event) -> None:
    assert event.at == 1.0
    with pytest.raises(FrozenInstanceError):
        event.at = 2.0  # type: ignore[misc]


def test_event_size_is_the_size_of_its_params() -> None:
    found = exact({"a": 1})

    assert [
        params_size(event)
        for event in (NotificationReceived("a", found, 1.0), ServerRequestReceived("a", found, {}, 1.0))
    ] == [len(found.text)] * 2
    assert [params_size(event) for event in (NotificationReceived("a", None, 1.0), DeadlineReached(1.0))] == [0, 0]


def test_server_request_is_handled_by_default() -> None:
    assert ServerRequestReceived("a", None, {}, 1.0) == ServerRequestReceived("a", None, {}, 1.0, handled=True)

"""Events are values: two that say the same are the same, and none can be changed."""

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
    ServerAsked,
    TransportNote,
    ViolationSeen,
    params_size,
)
from mcpi.core.wire.violations import Violation
from support.replay import exact


def events() -> list[Event]:
    return [
        NotificationReceived("a", exact({}), 1.0),
        ServerAsked("a", None, {}, 1.0),
        ResponseReceived(1, Success(exact({})), 1.0),
        ViolationSeen(Violation("batch", "two"), 1.0),
        TransportNote("resuming", {}, 1.0),
        ConnectionClosed(Interrupted("SIGINT"), 1.0),
        DeadlineReached(1.0),
    ]


def test_events_that_say_the_same_are_the_same() -> None:
    assert events() == events()


@pytest.mark.parametrize("event", events(), ids=lambda event: type(event).__name__)
def test_an_event_has_its_time_and_keeps_it(event: Event) -> None:
    assert event.at == 1.0
    with pytest.raises(FrozenInstanceError):
        event.at = 2.0  # type: ignore[misc]


def test_an_event_weighs_as_much_as_the_server_said() -> None:
    told = exact({"a": 1})

    assert [
        params_size(event) for event in (NotificationReceived("a", told, 1.0), ServerAsked("a", told, {}, 1.0))
    ] == [len(told.text)] * 2
    assert [params_size(event) for event in (NotificationReceived("a", None, 1.0), DeadlineReached(1.0))] == [0, 0]


def test_a_question_counts_as_handled_unless_it_is_said_otherwise() -> None:
    assert ServerAsked("a", None, {}, 1.0) == ServerAsked("a", None, {}, 1.0, handled=True)

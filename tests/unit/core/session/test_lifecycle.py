"""The state table of a connection."""

from typing import get_args

import pytest

from mcpi.core.session.lifecycle import TRANSITIONS, State, Trigger, advance, diagram


@pytest.mark.parametrize(
    ("start", "trigger", "end"),
    [
        ("disconnected", "connect", "connecting"),
        ("connecting", "handshake_complete", "connected"),
        ("connecting", "timeout", "error"),
        ("connecting", "transport_error", "error"),
        ("connecting", "disconnect", "disconnecting"),
        ("connected", "disconnect", "disconnecting"),
        ("connected", "connection_lost", "error"),
        ("error", "reconnect", "connecting"),
        ("error", "give_up", "disconnected"),
        ("error", "disconnect", "disconnecting"),
        ("disconnecting", "cleanup_complete", "disconnected"),
    ],
)
def test_each_trigger_leads_to_its_state(start: State, trigger: Trigger, end: State) -> None:
    assert advance(start, trigger) == end


@pytest.mark.parametrize(("start", "trigger"), [("disconnected", "disconnect"), ("connected", "connect")])
def test_invalid_transition_raises_key_error(start: State, trigger: Trigger) -> None:
    with pytest.raises(KeyError):
        advance(start, trigger)


def test_every_trigger_has_a_transition() -> None:
    assert {trigger for _, trigger in TRANSITIONS} == set(get_args(Trigger))


def test_every_state_can_be_entered_and_left() -> None:
    states = set(get_args(State))

    assert {start for start, _ in TRANSITIONS} == states
    assert {end for end, _ in TRANSITIONS.values()} == states


def test_the_diagram_has_a_line_for_each_transition() -> None:
    first, start, *lines = diagram().splitlines()

    assert (first, start) == ("stateDiagram-v2", "    [*] --> disconnected")
    assert lines[0] == "    disconnected --> connecting: connect"
    assert len(lines) == len(TRANSITIONS)

"""The state machine of follow mode and its diagram cover every state and trigger."""

from typing import get_args

from mcpi.core.modes.follow_states import FOLLOW_TRANSITIONS, FollowTrigger, State, diagram


def test_every_state_and_trigger_has_a_transition() -> None:
    assert {turn for _, turn in FOLLOW_TRANSITIONS} == set(get_args(FollowTrigger))
    assert {start for start, _ in FOLLOW_TRANSITIONS} | set(FOLLOW_TRANSITIONS.values()) == set(get_args(State))


def test_diagram_has_one_line_per_transition() -> None:
    first, start, *lines = diagram().splitlines()

    assert (first, start) == ("stateDiagram-v2", "    [*] --> init")
    assert lines[0] == "    init --> connected: connect"
    assert len(lines) == len(FOLLOW_TRANSITIONS)

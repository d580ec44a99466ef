"""The state machine of follow mode is complete, and so is its diagram."""

from typing import get_args

from mcpi.core.modes.follow_states import FOLLOW_TRANSITIONS, FollowTrigger, State, diagram


def test_every_state_and_every_turn_has_its_place() -> None:
    assert {turn for _, turn in FOLLOW_TRANSITIONS} == set(get_args(FollowTrigger))
    assert {start for start, _ in FOLLOW_TRANSITIONS} | set(FOLLOW_TRANSITIONS.values()) == set(get_args(State))


def test_the_diagram_has_a_line_for_each_turn() -> None:
    first, start, *lines = diagram().splitlines()

    assert (first, start) == ("stateDiagram-v2", "    [*] --> init")
    assert lines[0] == "    init --> connected: connect"
    assert len(lines) == len(FOLLOW_TRANSITIONS)

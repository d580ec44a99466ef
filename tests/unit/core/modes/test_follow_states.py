"""The state machine of follow mode is complete, and so is its diagram."""

from typing import get_args

from mcpi.core.modes.follow_states import TURNS, State, Turn, diagram


def test_every_state_and_every_turn_has_its_place() -> None:
    assert {turn for _, turn in TURNS} == set(get_args(Turn))
    assert {start for start, _ in TURNS} | set(TURNS.values()) == set(get_args(State))


def test_the_diagram_has_a_line_for_each_turn() -> None:
    first, start, *lines = diagram().splitlines()

    assert (first, start) == ("stateDiagram-v2", "    [*] --> init")
    assert lines[0] == "    init --> connected: connect"
    assert len(lines) == len(TURNS)

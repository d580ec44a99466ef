"""State machine of follow mode."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

State: TypeAlias = Literal["init", "connected", "streaming", "disconnecting", "error"]
FollowTrigger: TypeAlias = Literal[
    "connect", "result", "notification", "signal", "timeout", "enough", "failure", "closed"
]

FOLLOW_TRANSITIONS: Mapping[tuple[State, FollowTrigger], State] = {
    ("init", "connect"): "connected",
    ("init", "failure"): "error",
    ("connected", "result"): "streaming",
    ("connected", "failure"): "error",
    ("streaming", "notification"): "streaming",
    ("streaming", "signal"): "disconnecting",
    ("streaming", "timeout"): "disconnecting",
    ("streaming", "enough"): "disconnecting",
    ("streaming", "closed"): "error",
}
"""State transitions of follow mode; the exit code is 0 after `disconnecting`, and that of the fault after `error`."""


def diagram() -> str:
    """Draw the table as a Mermaid state diagram for the docs."""
    lines = ["stateDiagram-v2", "    [*] --> init"]
    lines += [f"    {start} --> {end}: {turn}" for (start, turn), end in FOLLOW_TRANSITIONS.items()]
    return "\n".join(lines) + "\n"

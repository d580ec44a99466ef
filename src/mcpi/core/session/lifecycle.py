"""Connection states and the transitions between them."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

State: TypeAlias = Literal["disconnected", "connecting", "connected", "disconnecting", "error"]
Trigger: TypeAlias = Literal[
    "connect",
    "handshake_complete",
    "timeout",
    "transport_error",
    "disconnect",
    "connection_lost",
    "reconnect",
    "give_up",
    "cleanup_complete",
]

TRANSITIONS: Mapping[tuple[State, Trigger], tuple[State, str]] = {
    ("disconnected", "connect"): ("connecting", "open the transport and negotiate"),
    ("connecting", "handshake_complete"): ("connected", "send requests and pings"),
    ("connecting", "timeout"): ("error", "record the failure, count the attempt"),
    ("connecting", "transport_error"): ("error", "record the failure, count the attempt"),
    ("connecting", "disconnect"): ("disconnecting", "stop negotiating"),
    ("connected", "disconnect"): ("disconnecting", "stop sending pings, fail pending requests"),
    ("connected", "connection_lost"): ("error", "fail pending requests"),
    ("error", "reconnect"): ("connecting", "after the delay, open the transport and negotiate"),
    ("error", "give_up"): ("disconnected", "report the failure"),
    ("error", "disconnect"): ("disconnecting", "release the transport"),
    ("disconnecting", "cleanup_complete"): ("disconnected", "release all resources"),
}


def advance(state: State, trigger: Trigger) -> State:
    """Return the next state; a transition missing from the table is a programming error (KeyError)."""
    return TRANSITIONS[state, trigger][0]


def diagram() -> str:
    """Render the table as a Mermaid state diagram for the docs."""
    lines = ["stateDiagram-v2", "    [*] --> disconnected"]
    lines += [f"    {start} --> {end}: {trigger}" for (start, trigger), (end, _) in TRANSITIONS.items()]
    return "\n".join(lines) + "\n"

"""Trace entries for --trace and for reports."""

from mcpi.core.jsontext.exact import Exact, parse_json_text
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.session.effects import SendMessage
from mcpi.core.text.timestamps import iso, milliseconds
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, RpcResponse
from mcpi.core.wire.peer import Received


class TraceBuilder:
    """Builds an entry per message, with the response time of each request."""

    def __init__(self, epoch: float) -> None:
        """Set the epoch: the wall-clock time at which the connection's clock was zero."""
        self._epoch = epoch
        self._asked: dict[Id, float] = {}

    def sent(self, outgoing: SendMessage, at: float) -> TraceEntry:
        """Build the entry for an outgoing message."""
        if outgoing.kind == "request":
            self._asked[outgoing.request_id] = at
        text = outgoing.data.decode()
        entry = self._message("sent", at, text, Exact(text))
        return {**entry, "headers": dict(outgoing.headers)} if outgoing.headers else entry

    def received(self, received: Received, at: float) -> TraceEntry:
        """Build the entry for an incoming message."""
        entry = self._message("received", at, *_spelled(received))
        answered = [message.id for message in received.messages if isinstance(message, RpcResponse | InvalidMessage)]
        asked = self._asked.pop(answered[0], None) if answered else None
        if asked is not None:
            entry["answerMs"] = milliseconds(at - asked)
        if received.violations:
            entry["violations"] = [violation.as_json() for violation in received.violations]
        return entry

    def note(self, kind: str, text: str, at: float) -> TraceEntry:
        """Build the entry for anything else: a line of stderr or a transport event."""
        return {"time": iso(self._epoch + at), "direction": kind, "raw": text}

    def _message(self, direction: str, at: float, raw: str, parsed: Exact | None) -> TraceEntry:
        return {"time": iso(self._epoch + at), "direction": direction, "raw": raw, "parsed": parsed}


def _spelled(received: Received) -> tuple[str, Exact | None]:
    """Return the text as it arrived, and as JSON; a message without irregularities is not parsed again."""
    raw = received.raw.decode(errors="replace")
    if len(received.messages) == 1 and not received.violations and raw[:1] == "{":
        return raw, Exact(raw.rstrip())
    found = parse_json_text(raw)
    return raw, found if isinstance(found, Exact) else None

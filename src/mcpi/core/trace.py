"""The traffic as lines: for --verbose and for --trace."""

from mcpi.core.acts import Transmit
from mcpi.core.exact import Exact, Unreadable, read
from mcpi.core.render import dump
from mcpi.core.times import iso, milliseconds
from mcpi.core.wire.jsonrpc import Answer, Garbled, Id
from mcpi.core.wire.peer import Received


class Trace:
    """Every message both ways as a JSON line, with the time its answer took."""

    def __init__(self, epoch: float) -> None:
        """The epoch is the wall-clock time at which the connection's own clock was zero."""
        self._epoch = epoch
        self._asked: dict[Id, float] = {}

    def sent(self, outgoing: Transmit, at: float) -> str:
        """The line for a message that went out."""
        if outgoing.kind == "request":
            self._asked[outgoing.number] = at
        raw = outgoing.data.decode()
        return self._line("sent", at, raw, read(raw), {"headers": dict(outgoing.headers)} if outgoing.headers else {})

    def received(self, received: Received, at: float) -> str:
        """The line for a message that came in."""
        raw = received.raw.decode(errors="replace")
        answered = [message.id for message in received.messages if isinstance(message, Answer | Garbled)]
        asked = self._asked.pop(answered[0], None) if answered else None
        more: dict[str, object] = {} if asked is None else {"answerMs": milliseconds(at - asked)}
        if received.violations:
            more["violations"] = [violation.as_json() for violation in received.violations]
        return self._line("received", at, raw, read(raw), more)

    def note(self, kind: str, text: str, at: float) -> str:
        """The line for a thing that is no message: the server's stderr, or the transport's doings."""
        return dump({"time": iso(self._epoch + at), "direction": kind, "raw": text}) + "\n"

    def _line(self, direction: str, at: float, raw: str, parsed: Exact | Unreadable, more: dict[str, object]) -> str:
        known = parsed if isinstance(parsed, Exact) else None
        entry = {"time": iso(self._epoch + at), "direction": direction, "raw": raw, "parsed": known, **more}
        return dump(entry) + "\n"  # type: ignore[arg-type]

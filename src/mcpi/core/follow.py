"""Follow mode: what happens on a connection, a line each, until an end that is meant or one that is not."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import field, frozen

from mcpi.core import explain, faults
from mcpi.core.acts import Acts, Now
from mcpi.core.ended import Ended
from mcpi.core.events import Asked, Closed, Event, Irregular, Noted, Notified, Replied
from mcpi.core.exact import Exact, Printable
from mcpi.core.faults import Exited, Fault, Interrupted, TimedOut, Unreachable
from mcpi.core.outcome import Failure, Success
from mcpi.core.render import dump, text
from mcpi.core.session import Session
from mcpi.core.steps import Call, Emit
from mcpi.core.values import as_object, as_text
from mcpi.core.wire.conduct import LISTS

State: TypeAlias = Literal["init", "connected", "streaming", "disconnecting", "error"]
Turn: TypeAlias = Literal["connect", "result", "notification", "signal", "timeout", "enough", "failure", "closed"]

TURNS: Mapping[tuple[State, Turn], State] = {
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
"""The states of follow mode; the exit code is 0 from disconnecting, 1 from error."""


@frozen
class Wishes:
    """How the stream is wanted."""

    logs: bool = False
    """Log messages as events of their own, after logging/setLevel."""
    uri: str | None = None
    """The resource that is read again when it changes."""
    refetch: bool = False
    seconds: float | None = None
    events: int | None = None
    ping: float | None = None
    names: Mapping[str, str] = field(factory=dict)
    """What the events are called that are questions of the server."""


class Follower:
    """One stream, from its first event to its end."""

    def __init__(self, session: Session, wishes: Wishes, started: float) -> None:
        """Nothing has been shown; the end is counted from the start of everything."""
        self.session = session
        self.wishes = wishes
        self.state: State = "connected"
        self.shown = 0
        self.dirty: dict[str, None] = {}
        self.until = None if wishes.seconds is None else started + wishes.seconds
        self.spoke = started

    def turn(self, turn: Turn) -> None:
        """The table's next state."""
        self.state = TURNS[self.state, turn]

    def stream(self) -> Acts[Ended]:
        """Lines until the end."""
        self.turn("result")
        if self.wishes.uri is not None:
            yield from self._show([dump({"event": "subscribed", "uri": self.wishes.uri})])
        while True:
            yield from self._wait()
            ended = yield from self._drain()
            if ended is not None:
                return ended

    def _wait(self) -> Acts[None]:
        """Until something happens, or it is time for a ping or for the end."""
        times = [self.until, None if self.wishes.ping is None else self.spoke + self.wishes.ping]
        known = [time for time in times if time is not None]
        yield from self.session.gather(min(known) if known else None)

    def _drain(self) -> Acts[Ended | None]:
        """What has happened is shown; how it ended, if it has."""
        now: float = yield Now()
        closed: Fault | None = None
        lines: list[str] = []
        events = self.session.events
        while events and not self._enough(len(lines)):
            event = events.popleft()
            self.spoke = now
            if isinstance(event, Closed):
                closed = event.fault
                break
            lines += self._lines(event)
        if self.session.dropped:
            lines.append(dump({"event": "dropped", "count": self.session.dropped}))
            self.session.dropped = 0
        yield from self._show(lines)
        if closed is None and self.dirty and not events:
            yield from self._reread()
        return (yield from self._ended(closed, now))

    def _ended(self, closed: Fault | None, now: float) -> Acts[Ended | None]:
        if isinstance(closed, Interrupted):
            self.turn("signal")
        elif closed is not None:
            self.turn("closed")
            yield from self._show([dump({"event": "closed", **_reason(closed)})])
            return Ended(None, closed)
        elif self._enough(0):
            self.turn("enough")
        elif self.until is not None and now >= self.until:
            self.turn("timeout")
        else:
            return (yield from self._ping(now))
        return Ended()

    def _enough(self, more: int) -> bool:
        return self.wishes.events is not None and self.shown + more >= self.wishes.events

    def _show(self, lines: list[str]) -> Acts[None]:
        if lines:
            self.shown += len(lines)
            yield Emit("\n".join(lines) + "\n")

    def _ping(self, now: float) -> Acts[Ended | None]:
        """A sign of life is asked for when there has been none for long."""
        if self.wishes.ping is None or now < self.spoke + self.wishes.ping:
            return None
        outcome = yield from self.session.call(Call("ping"))
        self.spoke = yield Now()
        match outcome:
            case Failure(TimedOut(waited=waited)):
                silent = f"the server did not answer a ping within {waited:g} s"
                return (yield from self._ended(Unreachable("CONNECTION_LOST", silent), now))
            case _:
                return None

    def _lines(self, event: Event) -> list[str]:
        match event:
            case Notified(method, params):
                return self._notified(method, params)
            case Asked(method, params, response):
                name = self.wishes.names.get(method)
                head: dict[str, Printable] = {"event": name} if name else {"event": "request", "method": method}
                return [dump({**head, "request": params, "response": response})]
            case Irregular(violation):
                return [dump({"event": "violation", **violation.as_json()})]
            case Noted(name, facts):
                return [dump({"event": name, **(facts if isinstance(facts, Mapping) else {})})]
            case Replied(number, outcome):
                return [dump({"event": "answer", "id": number, **_answered(outcome)})]
            case _:
                return []

    def _notified(self, method: str, params: Exact | None) -> list[str]:
        members = as_object(params.value) if params is not None else {}
        if self.wishes.logs and method == "notifications/message" and params is not None:
            return [dump({"event": "log", **params.members()})]
        if method == "notifications/resources/updated" and self.wishes.uri is not None:
            self.dirty[as_text(members.get("uri"))] = None
            return []
        if self.wishes.refetch and method in LISTS:
            self.dirty[method] = None
        shown = "" if params is None else f',"params":{dump(params)}'
        return [f'{{"event":"notification","method":{text(method)}{shown}}}']

    def _reread(self) -> Acts[None]:
        """What has changed is read once more, however often it has changed meanwhile."""
        dirty, self.dirty = self.dirty, {}
        for what in dirty:
            if what in LISTS:
                outcome = yield from self.session.call(Call(LISTS[what]))
                yield from self._show([dump({"event": "refetched", "method": LISTS[what], **_answered(outcome)})])
                continue
            outcome = yield from self.session.call(Call("resources/read", {"uri": what}))
            match outcome:
                case Success(result):
                    contents = result.members().get("contents")
                    yield from self._show([dump({"event": "updated", "uri": what, "contents": contents})])
                case Failure():
                    yield from self._show([dump({"event": "updated", "uri": what, **_answered(outcome)})])


def _answered(outcome: Success[Exact] | Failure[Fault]) -> dict[str, Printable]:
    match outcome:
        case Success(result):
            return {"result": result}
        case Failure(fault):
            return {"error": {"code": faults.code(fault), "message": explain.sentence(fault)}}


def _reason(fault: Fault) -> dict[str, Printable]:
    reason: dict[str, Printable] = {"reason": explain.sentence(fault), "code": faults.code(fault)}
    if isinstance(fault, Exited):
        reason |= {"exitCode": fault.exit_code, "signal": fault.signal}
    return reason


def diagram() -> str:
    """The table as a Mermaid state diagram, for the docs."""
    lines = ["stateDiagram-v2", "    [*] --> init"]
    lines += [f"    {start} --> {end}: {turn}" for (start, turn), end in TURNS.items()]
    return "\n".join(lines) + "\n"

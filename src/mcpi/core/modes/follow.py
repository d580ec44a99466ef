"""Follow mode: what happens on a connection, a line each, until an end that is meant or one that is not."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from attrs import evolve, field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable, compact
from mcpi.core.jsontext.pointers import captured
from mcpi.core.jsontext.values import as_object
from mcpi.core.jsontext.writing import dump, text
from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.faults import Exited, Fault, Interrupted, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ServerAnswered,
    ServerAsked,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.plans.pagination import all_pages
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.steps import Call, Emit, Plan, request
from mcpi.core.session.effects import Effects, Now
from mcpi.core.session.run_plan import run_plan
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id, as_id
from mcpi.core.wire.notifications import LIST_METHODS, LISTEN

Rarer: TypeAlias = ServerAsked | ViolationSeen | TransportNote | ServerAnswered | ConnectionClosed | DeadlineReached
"""What is no notification, of which there may be many."""
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
class FollowOptions:
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

    def __init__(self, session: Session, wishes: FollowOptions, started: float) -> None:
        """Nothing has been shown; the end is counted from the start of everything."""
        self.session = session
        self.wishes = wishes
        self.state: State = "connected"
        self.shown: int = 0
        self.dirty: dict[str, None] = {}
        self.until: float | None = None if wishes.seconds is None else started + wishes.seconds
        self.spoke: float = started
        self.pinged: tuple[Id, float] | None = None
        self.lost: Fault | None = None

    def turn(self, turn: Turn) -> None:
        """The table's next state."""
        self.state = TURNS[self.state, turn]

    def stream(self) -> Effects[PlanResult]:
        """Lines until the end."""
        self.turn("result")
        if self.wishes.uri is not None:
            yield from self._show([dump({"event": "subscribed", "uri": self.wishes.uri})])
        while self.state == "streaming":
            yield from self._wait()
            yield from self._drain()
        return PlanResult(None, self.lost)

    def _wait(self) -> Effects[None]:
        """Until something happens, or it is time for a ping or for the end."""
        known = [time for time in (self.until, self._sign_due()) if time is not None]
        if not self._enough(0):
            yield from self.session.gather(min(known) if known else None)

    def _sign_due(self) -> float | None:
        """When a sign of life is to be asked for, or is overdue."""
        if self.pinged is not None:
            return self.pinged[1] + self.session.terms.patience
        return None if self.wishes.ping is None else self.spoke + self.wishes.ping

    def leave(self) -> Effects[None]:
        """What happened before a failure is shown, and nothing is waited for."""
        lines, closed = self._taken((yield Now()))
        ends = [] if closed is None or isinstance(closed, Interrupted) else [_farewell(closed)]
        yield from self._show([*lines, *ends])

    def _drain(self) -> Effects[None]:
        """What has happened is shown, and whether it was the last."""
        now: float = yield Now()
        lines, closed = self._taken(now)
        yield from self._show(lines)
        yield from self._reread()
        yield from self._turn(closed, now)

    def _taken(self, now: float) -> tuple[list[str], Fault | None]:
        """The lines of what has happened, and why there will be no more."""
        closed: Fault | None = None
        lines: list[str] = []
        if self.session.dropped:
            # The oldest are dropped: what is missing stood before all that is left.
            lines.append(dump({"event": "dropped", "count": self.session.dropped}))
            self.session.dropped = 0
        for event in self.session.events.take():
            if self._enough(len(lines)):
                break
            self.spoke = now
            closed = self._unsubscribed(event) or closed
            if isinstance(event, NotificationReceived):
                lines += self._notified(event.method, event.params)
            elif isinstance(event, ServerAnswered) and self.pinged is not None and event.number == self.pinged[0]:
                closed = closed or self._pong(event.outcome)
            else:
                closed = _left(event) or closed
                lines += self._lines(event)
                # That there is no stream is nothing that the server tells, which is what somebody may count.
                self.shown -= isinstance(event, TransportNote) and event.event == "no-stream"
        return lines, closed

    def _unsubscribed(self, event: Event) -> Fault | None:
        """The end of the stream, where the server says it in order."""
        match event:
            # MCP 2026-07-28, subscriptions: the server ends one by its result, or by notifications/cancelled.
            case ServerAnswered(number, Success()):
                pass
            case NotificationReceived("notifications/cancelled", params) if params is not None:
                number = as_id(as_object(params.value).get("requestId"))
            case _:
                return None
        if self.session.methods.get(number) != LISTEN:
            return None
        return Unreachable("CONNECTION_LOST", "the server has ended the subscription")

    def _pong(self, outcome: Result[Exact]) -> Fault | None:
        """Why there is nobody any more; whatever a server says to a ping is a sign of life."""
        self.pinged = None
        match outcome:
            case Failure(Unreachable() as fault):
                return fault
            case _:
                return None

    def _turn(self, closed: Fault | None, now: float) -> Effects[None]:
        if isinstance(closed, Interrupted):
            self.turn("signal")
        elif closed is not None:
            self.turn("closed")
            self.lost = closed
            yield from self._show([_farewell(closed)])
        elif self._enough(0):
            self.turn("enough")
        elif self.until is not None and now >= self.until:
            self.turn("timeout")
        else:
            yield from self._ping(now)

    def _enough(self, more: int) -> bool:
        return self.wishes.events is not None and self.shown + more >= self.wishes.events

    def _show(self, lines: list[str]) -> Effects[None]:
        if lines:
            self.shown += len(lines)
            yield Emit("\n".join(lines) + "\n")

    def _ping(self, now: float) -> Effects[None]:
        """A sign of life is asked for when there has been none for long."""
        due = self._sign_due()
        if due is None or now < due:
            return
        if self.pinged is None:
            self.pinged = yield from self.session.send(Call("ping"))
            return
        number, at = self.pinged
        yield from self.session.withdraw(number, now - at)
        silent = f"the server did not answer a ping within {round(now - at, 3):g} s"
        yield from self._turn(Unreachable("CONNECTION_LOST", silent), now)

    def _lines(self, event: Rarer) -> list[str]:
        match event:
            case ServerAsked(method, params, response):
                name = self.wishes.names.get(method)
                head: dict[str, Printable] = {"event": name} if name else {"event": "request", "method": method}
                return [dump({**head, "request": params, "response": response})]
            case ViolationSeen(violation):
                return [dump({"event": "violation", **violation.as_json()})]
            case TransportNote(name, facts):
                return [dump({"event": name, **(facts if isinstance(facts, Mapping) else {})})]
            case ServerAnswered(number, outcome):
                return [dump({"event": "answer", "id": number, **_answered(outcome)})]
            case ConnectionClosed() | DeadlineReached():
                return []

    def _notified(self, method: str, params: Exact | None) -> list[str]:
        members = as_object(params.value) if params is not None else {}
        if self.wishes.logs and method == "notifications/message" and params is not None and members:
            return [_log(params)]
        uri = members.get("uri")
        if method == "notifications/resources/updated" and self.wishes.uri is not None and isinstance(uri, str):
            self.dirty[uri] = None
            return []
        if self.wishes.refetch and method in LIST_METHODS:
            self.dirty[method] = None
        shown = "" if params is None else f',"params":{dump(params)}'
        return [f'{{"event":"notification","method":{text(method)}{shown}}}']

    def _reread(self) -> Effects[None]:
        """What has changed is read once more, however often it has changed meanwhile."""
        dirty, self.dirty = self.dirty, {}
        for what in dirty:
            if self._enough(0):
                return
            outcome = yield from self._carry_out(_again(what))
            if isinstance(self.session.lost, Interrupted):
                return
            yield from self._show([dump(_changed(what, outcome))])

    def _carry_out(self, plan: Plan) -> Effects[Result[Printable]]:
        """What the plan brings, for which the stream does not stay open longer than it should."""
        usual = self.session.terms
        if self.until is not None:
            now: float = yield Now()
            self.session.terms = evolve(usual, patience=min(usual.patience, max(self.until - now, 0.0)))
        begun = begin(plan)
        assert isinstance(begun, StartedPlan)
        ended = yield from run_plan(begun, self.session, lambda _: None)
        self.session.terms = evolve(self.session.terms, patience=usual.patience)
        return Success(ended.result) if ended.fault is None else Failure(ended.fault)


def _left(event: Event) -> Fault | None:
    """Why nothing more will come, if the event says so: the connection is lost, or one whose answer is a stream."""
    match event:
        case ConnectionClosed(fault) | ServerAnswered(outcome=Failure(Unreachable() as fault)):
            return fault
        case _:
            return None


def _log(params: Exact) -> str:
    """A log message with its own members, as they were spelled."""
    if "event" in as_object(params.value):
        head = {"event": "log"}
        return dump({**head, **params.members(), **head})
    return f'{{"event":"log",{compact(params.text)[1:]}'


def _again(what: str) -> Plan:
    """What reads again what has changed: a list, by its notification, or a resource."""
    if what in LIST_METHODS:
        return all_pages(LIST_METHODS[what], LIST_METHODS[what].partition("/")[0])
    return request("resources/read", {"uri": what})


def _changed(what: str, outcome: Result[Printable]) -> dict[str, Printable]:
    told = _answered(outcome)
    if what in LIST_METHODS:
        return {"event": "refetched", "method": LIST_METHODS[what], **told}
    contents = {"contents": captured(told["result"], "/contents")} if "result" in told else told
    return {"event": "updated", "uri": what, **contents}


def _answered(outcome: Success[Any] | Failure[Fault]) -> dict[str, Printable]:
    match outcome:
        case Success(result):
            return {"result": result}
        case Failure(fault):
            return {"error": {"code": faults.code(fault), "message": explain.sentence(fault)}}


def _farewell(fault: Fault) -> str:
    about = {"exitCode": fault.exit_code, "signal": fault.signal} if isinstance(fault, Exited) else {}
    return dump({"event": "closed", "reason": explain.sentence(fault), "code": faults.code(fault), **about})


def diagram() -> str:
    """The table as a Mermaid state diagram, for the docs."""
    lines = ["stateDiagram-v2", "    [*] --> init"]
    lines += [f"    {start} --> {end}: {turn}" for (start, turn), end in TURNS.items()]
    return "\n".join(lines) + "\n"

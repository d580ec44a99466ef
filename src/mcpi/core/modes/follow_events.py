"""Events of follow mode as lines of JSON."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.indentation import compact
from mcpi.core.jsontext.pointers import resolve_exact
from mcpi.core.jsontext.values import as_object
from mcpi.core.jsontext.writing import dump, text
from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.faults import Exited, Fault
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    ImplicitRequest,
    NotificationReceived,
    ResponseReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.wire.notifications import LIST_METHODS
from mcpi.core.wire.violations import Violation

Stamp: TypeAlias = Callable[[float], str]
"""Converts a time of the connection's clock to a timestamp."""


class EventLines:
    """Formats events; each line has the event's name and its timestamp."""

    def __init__(self, stamp: Stamp, names: Mapping[str, str], *, shows_logs: bool) -> None:
        """Set the event names for requests from the server, by method."""
        self.stamp = stamp
        self._names = names
        self._shows_logs = shows_logs

    def line(self, event: str, at: float, members: Mapping[str, Printable]) -> str:
        """Format an event."""
        return dump({"event": event, "timestamp": self.stamp(at), **members})

    def of(self, event: Event) -> list[str]:
        """Format an event of the connection."""
        match event:
            case NotificationReceived(method, params, at):
                return [self._notification(method, params, at)]
            case ServerRequestReceived(method, params, response, at):
                name = self._names.get(method)
                asked: dict[str, Printable] = {} if name else {"method": method}
                return [self.line(name or "request", at, {**asked, "request": params, "response": response})]
            case ViolationSeen(violation, at):
                return [self._violation(violation, at)]
            case TransportNote(name, facts, at):
                return [self.line(name, at, facts if isinstance(facts, Mapping) else {})]
            case ResponseReceived(number, outcome, at):
                return [self.line("answer", at, {"id": number, **_outcome_members(outcome)})]
            case ConnectionClosed() | DeadlineReached() | ImplicitRequest():
                return []

    def _violation(self, violation: Violation, at: float) -> str:
        """Format a violation; a server may print millions of lines that are not JSON."""
        about = "".join(f',"{key}":{text(value)}' for key, value in violation.as_json().items())
        return f'{{"event":"violation","timestamp":"{self.stamp(at)}"{about}}}'

    def _notification(self, method: str, params: Exact | None, at: float) -> str:
        head = f'"timestamp":"{self.stamp(at)}"'
        if self._shows_logs and method == "notifications/message" and params is not None:
            members = as_object(params.value)
            if members and members.keys().isdisjoint({"event", "timestamp"}):
                return f'{{"event":"log",{head},{compact(params.text)[1:]}'
            if members:
                known = {"event": "log", "timestamp": self.stamp(at)}
                return dump({**known, **params.members(), **known})
        shown = "" if params is None else f',"params":{dump(params)}'
        return f'{{"event":"notification",{head},"method":{text(method)}{shown}}}'

    def fetched(self, what: str, outcome: Result[Printable], at: float) -> str:
        """Format a list that was fetched again, named by its notification, or a resource."""
        members = _outcome_members(outcome)
        if what in LIST_METHODS:
            return self.line("refetched", at, {"method": LIST_METHODS[what], **members})
        contents = {"contents": resolve_exact(members["result"], "/contents")} if "result" in members else members
        return self.line("updated", at, {"uri": what, **contents})

    def closed(self, fault: Fault, at: float) -> str:
        """Format the end of the connection."""
        about = {"exitCode": fault.exit_code, "signal": fault.signal} if isinstance(fault, Exited) else {}
        return self.line("closed", at, {"reason": explain.sentence(fault), "code": faults.code(fault), **about})


def _outcome_members(outcome: Result[Printable] | Result[Exact]) -> dict[str, Printable]:
    match outcome:
        case Success(result):
            return {"result": result}
        case Failure(fault):
            return {"error": {"code": faults.code(fault), "message": explain.sentence(fault)}}

"""Bounded record of a connection's events, with the number of dropped entries."""

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeVar

from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.plans.events import (
    Event,
    ImplicitRequest,
    NotificationReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
    params_size,
)
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.session.bounded_queue import MAX_CHARACTERS, BoundedQueue
from mcpi.core.text.timestamps import iso
from mcpi.core.wire.violations import Violation

T = TypeVar("T")

MAX_ENTRIES = 10_000
"""Maximum number of entries per kind: notifications, logs, server requests, messages."""
MAX_PER_RULE = 10
"""Maximum number of violations kept per rule."""
MAX_STDERR_LINES = 200
"""Maximum number of stderr lines; the oldest are dropped first."""
MAX_STDERR_CHARACTERS = 1 << 20
"""Maximum number of characters in these lines."""
STDOUT_HINT = "stdout may contain only MCP messages; servers must log to stderr"


class Transcript:
    """Events of a connection, in the form that the envelope contains."""

    def __init__(self, epoch: float, *, keep: bool) -> None:
        """Start empty; the epoch is the wall-clock time at which the connection's clock was zero."""
        self.epoch = epoch
        self._stdout_hints: tuple[str, ...] | None = None
        """The hint about the first log line on the server's stdout, until it is taken; None before that line."""
        self.keep_notifications = keep
        self.debug: Mapping[str, Printable] | None = None
        """Fields of the envelope's `debug` object besides `results`; None if no debugger is attached."""
        self._clear()

    def _clear(self) -> None:
        self.notifications: list[Printable] = []
        self.logs: list[Printable] = []
        self.requests: list[Printable] = []
        self.violations: list[Printable] = []
        self.implicit: list[Printable] = []
        self.attempts: list[Printable] = []
        self.messages: list[TraceEntry] = []
        self.debug_results: list[Printable] = []
        self.stderr: BoundedQueue[str] = BoundedQueue(MAX_STDERR_LINES, len, MAX_STDERR_CHARACTERS)
        self.dropped: defaultdict[str, int] = defaultdict(int)
        self._held: defaultdict[str, int] = defaultdict(int)
        self._rules: defaultdict[str, int] = defaultdict(int)

    def take(self) -> "Transcript | None":
        """Return the record so far, and start an empty one; return None if it is empty."""
        entries = self._held or self.violations or self.stderr or self.attempts or self.debug_results
        if not entries and not self.dropped and self.debug is None:
            return None
        part = Transcript.__new__(Transcript)
        vars(part).update(vars(self))
        self._clear()
        return part

    def record(self, event: Event) -> None:
        """Append the event to the list of its kind."""
        match event:
            case NotificationReceived() if not self.keep_notifications:
                pass
            case ViolationSeen(violation, _, on_stdout):
                self._add_violation(violation, on_stdout=on_stdout)
            case NotificationReceived("notifications/message", params, at):
                self._add("logs", self.logs, log_entry(params, self.timestamp(at)), params_size(event))
            case NotificationReceived(method, params, at):
                seen = {"method": method, "params": params, "timestamp": self.timestamp(at)}
                self._add("notifications", self.notifications, seen, params_size(event))
            case ServerRequestReceived(method, params, response, at):
                asked = {"method": method, "params": params, "response": response, "timestamp": self.timestamp(at)}
                self._add("serverRequests", self.requests, asked, params_size(event))
            case ImplicitRequest(method, params, reason):
                self._add("implicit", self.implicit, {"method": method, "params": params, "reason": reason}, 0)
            case TransportNote("debug", result):
                self.debug_results.append(result)
            case _:
                pass

    def take_stdout_hint(self) -> tuple[str, ...]:
        """Return the hint about a log line on the server's stdout, once for each run."""
        hints = self._stdout_hints or ()
        self._stdout_hints = () if hints else self._stdout_hints
        return hints

    def printed_lines(self) -> tuple[str, ...]:
        """Return what the server printed: the evidence of violations, and the lines on stderr."""
        violations = (as_object(to_plain(one)) for one in self.violations)
        return (*(as_text(one.get("evidence")) for one in violations), *self.stderr.items)

    def events(self) -> dict[str, Json]:
        """Return the logs, notifications, server requests and violations as JSON."""
        lists = {"logs": self.logs, "notifications": self.notifications, "serverRequests": self.requests}
        return {name: to_plain(entries) for name, entries in {**lists, "violations": self.violations}.items()}

    def _add_violation(self, violation: Violation, *, on_stdout: bool) -> None:
        if on_stdout and violation.is_log and self._stdout_hints is None:
            self._stdout_hints = (STDOUT_HINT,)
        self._rules[violation.rule] += 1
        if self._rules[violation.rule] <= MAX_PER_RULE:
            self.violations.append(violation.as_json())
        else:
            self.dropped[f"violations:{violation.rule}"] += 1

    def add_message(self, entry: TraceEntry) -> None:
        """Append a trace entry for the reports."""
        self._add("messages", self.messages, entry, len(str(entry["raw"])))

    def add_stderr_line(self, line: str) -> None:
        """Append a line that the server wrote to stderr."""
        gone = self.stderr.append(line)
        if gone:
            self.dropped["stderr"] += gone

    def timestamp(self, at: float) -> str:
        """Convert a time of the connection's clock to a timestamp."""
        return iso(self.epoch + at)

    def _add(self, name: str, entries: list[T], entry: T, size: int) -> None:
        if len(entries) < MAX_ENTRIES and self._held[name] < MAX_CHARACTERS:
            self._held[name] += size
            entries.append(entry)
        else:
            self.dropped[name] += 1


def log_entry(params: Exact | None, timestamp: str) -> dict[str, Printable]:
    """Build the entry for a log message, with its data as text."""
    if params is None:
        return {"level": None, "logger": None, "message": "", "data": None, "timestamp": timestamp}
    members = as_object(params.value)
    data = params.members().get("data")
    message = "" if data is None else data.value if isinstance(data.value, str) else dump(data)
    return {
        "level": members.get("level"),
        "logger": members.get("logger"),
        "message": message,
        "data": data,
        "timestamp": timestamp,
    }

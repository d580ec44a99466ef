"""Report formats and the data that they render."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.wire.violations import quote

_LABELS = {
    "waitedMs": "waited (ms)",
    "outstanding": "waited for",
    "lastSeen": "last received",
    "exitCode": "exit code",
    "failing": "failing classes",
}
"""The names of details in messages."""
Verdict: TypeAlias = Literal["passed", "failed", "allowed", "skipped"]
ShowVerdict: TypeAlias = Callable[[Verdict | None, Callable[[], Sequence[str]]], None]
"""Shows the lines about a step with this verdict, or about the whole script; they are formatted on demand."""


@frozen
class ReportedStep:
    """One step: its title, its envelope, and the messages exchanged during it."""

    title: str
    """The step's name, else its method and tool."""
    envelope: Mapping[str, Printable]
    failed: bool = False
    failure_allowed: bool = False
    """True if the step was allowed to fail."""
    messages: "tuple[TraceEntry, ...]" = ()
    skipped: bool = False
    """True if the step was not run."""

    @property
    def verdict(self) -> Verdict:
        """The outcome of the step."""
        if self.skipped:
            return "skipped"
        return "passed" if not self.failed else "allowed" if self.failure_allowed else "failed"


def violations(step: ReportedStep) -> list[str]:
    """Return the protocol violations during the step, each with the text that the server sent."""
    found = map(as_object, as_list(to_plain(step.envelope.get("violations"))))
    return [": ".join(filter(None, (as_text(one.get("detail")), as_text(one.get("evidence"))))) for one in found]


def failure_reasons(step: ReportedStep) -> list[str]:
    """Return the evidence of a failure: the expectations that failed, the tool's text, or what the server sent."""
    details = as_object(_error(step).get("details"))
    problems = [as_object(one) for one in as_list(details.get("problems"))]
    found = [f"{as_text(one.get('pointer')) or '/'}: {as_text(one.get('problem'))}" for one in problems]
    return found or [as_text(one) for key in ("failures", "evidence") for one in as_list(details.get(key))]


def failure_details(step: ReportedStep) -> list[str]:
    """Return the JSON-RPC error or the details of a failure as lines, unless they are listed as reasons."""
    error = _error(step)
    shown = {} if failure_reasons(step) else as_object(error.get("rpc")) or as_object(error.get("details"))
    return [line for name, value in shown.items() for line in _detail_lines(_LABELS.get(name, name), value)]


def _detail_lines(label: str, value: Json) -> list[str]:
    if value in (None, "", [], {}):
        return []
    return [f"{label}:", *map(_line, value)] if isinstance(value, list) else [f"{label}: {_line(value)}"]


def _line(value: Json) -> str:
    return value if isinstance(value, str) else dump(value)


def failure_message(step: ReportedStep) -> str:
    """Return the error's message on one line, with the first reason, shortened."""
    message = as_text(_error(step).get("message"))
    reason = " ".join(next(iter(failure_reasons(step)), "").split())
    return message if not reason or reason in message else f"{message}: {quote(reason)}"


def _error(step: ReportedStep) -> JsonObject:
    return as_object(to_plain(step.envelope.get("error")))


def show_nothing(_: Verdict | None, __: Callable[[], Sequence[str]]) -> None:
    """Show no lines."""


@frozen
class ScriptLog:
    """Receives the verdicts of a script's steps as they end, and the steps for the reports."""

    show: ShowVerdict = show_nothing
    shows_violations: bool = True
    """True if the violations are shown below the verdict of their step."""
    steps: list[ReportedStep] = field(factory=list)


@frozen
class Report:
    """The data of one run."""

    title: str
    steps: tuple[ReportedStep, ...]
    """All steps in the order of the script, including those that were skipped."""
    exit_code: int = 0
    time: str = ""
    version: str = ""
    facts: Mapping[str, Printable] = field(factory=dict)
    script: str = ""
    """File name of the script; empty for a single call."""
    source: str = ""
    """The file that findings refer to: the script, the server's program, or a lock file."""


@frozen
class ReportFormat:
    """A report format."""

    name: str
    render: Callable[[Report], str]
    summary: str = ""


TraceEntry: TypeAlias = dict[str, Printable]

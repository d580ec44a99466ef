"""Report formats and the data that they render."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import as_list, as_object, as_text


@frozen
class ReportedStep:
    """One step: its title, its envelope, and the messages exchanged during it."""

    title: str
    envelope: Mapping[str, Printable]
    failed: bool = False
    failure_allowed: bool = False
    """True if the step was allowed to fail."""
    messages: "tuple[TraceEntry, ...]" = ()


def violations(step: ReportedStep) -> list[str]:
    """Return the protocol violations during the step, one sentence each."""
    found = as_list(to_plain(step.envelope.get("violations")))
    return [as_text(as_object(one).get("detail")) for one in found]


@frozen
class Report:
    """The data of one run."""

    title: str
    steps: tuple[ReportedStep, ...]
    skipped: tuple[str, ...] = ()
    """Titles of the steps that were skipped."""
    exit_code: int = 0
    time: str = ""
    version: str = ""
    facts: Mapping[str, Printable] = field(factory=dict)


@frozen
class ReportFormat:
    """A report format."""

    name: str
    render: Callable[[Report], str]
    summary: str = ""


TraceEntry: TypeAlias = dict[str, Printable]

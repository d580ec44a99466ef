"""Reports: what happened, in the form that somebody else reads."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable, plain
from mcpi.core.jsontext.values import as_list, as_object, as_text


@frozen
class ReportedStep:
    """One step: its title, its envelope, and the traffic while it was carried out."""

    title: str
    envelope: Mapping[str, Printable]
    failed: bool = False
    allowed: bool = False
    """Whether it was allowed to fail."""
    messages: "tuple[TraceEntry, ...]" = ()


def violations(step: ReportedStep) -> list[str]:
    """What was wrong with the protocol meanwhile, a sentence each."""
    found = as_list(plain(step.envelope.get("violations")))
    return [as_text(as_object(one).get("detail")) for one in found]


@frozen
class Report:
    """One run."""

    title: str
    steps: tuple[ReportedStep, ...]
    skipped: tuple[str, ...] = ()
    """The titles of the steps that were not carried out."""
    exit_code: int = 0
    time: str = ""
    version: str = ""
    facts: Mapping[str, Printable] = field(factory=dict)


@frozen
class ReportFormat:
    """One form of report."""

    name: str
    render: Callable[[Report], str]
    summary: str = ""


TraceEntry: TypeAlias = dict[str, Printable]

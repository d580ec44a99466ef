"""Fail a run because of protocol violations, for --fail-on-violation."""

from attrs import evolve

from mcpi.core.jsontext.exact import to_plain
from mcpi.core.jsontext.values import JsonObject, as_object, as_text
from mcpi.core.outcome.faults import OperationFailed
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.transcript import Transcript
from mcpi.core.wire.violations import SENT

SETTLING = 0.1
"""Seconds in which a violation after the last response still counts."""
MAX_WARNINGS = 10
"""Maximum number of violations shown for a step."""
_DROPPED = "violations:"


def fail_on_violations(ended: PlanResult, seen: Transcript, title: str = "", *, quoted: bool = True) -> PlanResult:
    """Replace the fault of a run that would exit with 0, if there were violations; `quoted` lists them as evidence."""
    count = count_violations(seen)
    if not count:
        return ended
    prefix, times = f"{title}: " if title else "", "" if count == 1 else f" {count} times"
    evidence = violation_texts(seen) if quoted else ()
    hints = seen.take_stdout_hint()
    fault = OperationFailed("VIOLATION", f"{prefix}the server violated the protocol{times}", evidence, hints=hints)
    return evolve(ended, fault=fault)


def count_violations(seen: Transcript) -> int:
    """Return the number of violations by the server, including those that were not kept."""
    dropped = [number for name, number in seen.dropped.items() if name.startswith(_DROPPED) and SENT not in name]
    return len(_by_server(seen)) + sum(dropped)


def violation_texts(seen: Transcript) -> tuple[str, ...]:
    """Describe each violation by the server in one line."""
    return tuple(map(_text, _by_server(seen)))


def violation_warnings(seen: Transcript) -> tuple[str, ...]:
    """Format the first violations as warnings, a line with the number of the others, and the hint on stdout, once."""
    lines = [f"warning: {_text(one)}" for one in _recorded(seen)[:MAX_WARNINGS]]
    dropped = sum(number for name, number in seen.dropped.items() if name.startswith(_DROPPED))
    more = len(seen.violations) + dropped - len(lines)
    omitted = f"warning: {more} more violation{' is' if more == 1 else 's are'} not shown"
    return (*lines, *([omitted] if more else []), *seen.take_stdout_hint())


def _text(violation: JsonObject) -> str:
    return ": ".join(filter(None, (as_text(violation.get("detail")), as_text(violation.get("evidence")))))


def _recorded(seen: Transcript) -> list[JsonObject]:
    return [as_object(to_plain(one)) for one in seen.violations]


def _by_server(seen: Transcript) -> list[JsonObject]:
    return [one for one in _recorded(seen) if one.get("rule") != SENT]

"""Ignored findings: rules that a user accepts, for all definitions or for one."""

from collections.abc import Iterable, Sequence

from mcpi.core.findings.finding import SUBJECT_KINDS, Finding
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, as_object, as_text, type_name
from mcpi.core.outcome.result import Failure, Success

_KEYS = frozenset({"rule", "pointer", "reason", *SUBJECT_KINDS})


@frozen
class Ignore:
    """A rule to ignore, in one definition or in all."""

    rule: str
    name: str = ""
    """The name or URI of the definition; empty for all."""
    kind: str = ""
    """The kind of the definition; empty for any."""
    pointer: str = ""
    """The pointer of the finding or of a part around it; empty for the whole definition."""
    origin: str = ""
    """The flag or the file that names it."""

    def matches(self, finding: Finding) -> bool:
        """Tell whether the finding is to be ignored."""
        return (
            self.rule == finding.rule
            and self.name in {"", finding.name}
            and self.kind in {"", finding.kind}
            and f"{finding.pointer}/".startswith(f"{self.pointer.rstrip('/')}/")
        )

    @property
    def text(self) -> str:
        """The ignore in the form of a flag's value."""
        return f"{self.rule}:{self.name}" if self.name else self.rule


def parse_ignore(text: str, origin: str) -> Ignore:
    """Parse `RULE` or `RULE:NAME`; a name may contain colons."""
    rule, _, name = text.partition(":")
    return Ignore(rule.strip(), name.strip(), origin=origin)


def read_ignores(entries: Json, origin: str) -> Success[tuple[Ignore, ...]] | Failure[str]:
    """Read a list of `{"rule", "tool"?, "pointer"?, "reason"}`, or return the problem."""
    if not isinstance(entries, list):
        return Failure(f"expected an array of objects, got {type_name(entries)}")
    found: list[Ignore] = []
    for number, entry in enumerate(entries):
        problem = _problem(entry)
        if problem:
            return Failure(f"ignore[{number}] {problem}")
        members = as_object(entry)
        kind = next((one for one in SUBJECT_KINDS if one in members), "")
        name = as_text(members[kind]) if kind else ""
        found.append(Ignore(as_text(members["rule"]), name, kind, as_text(members.get("pointer")), origin))
    return Success(tuple(found))


def _problem(entry: Json) -> str:
    if not isinstance(entry, dict):
        return f"is of type {type_name(entry)}; expected an object"
    unknown = sorted(entry.keys() - _KEYS)
    if unknown:
        return f"has the unknown key {unknown[0]!r}; expected {', '.join(sorted(_KEYS))}"
    for name in ("rule", "reason"):
        if not as_text(entry.get(name)).strip():
            return f"requires {name!r}"
    wrong = next((name for name, value in entry.items() if not isinstance(value, str)), None)
    return "" if wrong is None else f"{wrong}: expected a string, got {type_name(entry[wrong])}"


def apply_ignores(
    findings: Iterable[Finding], ignores: Sequence[Ignore]
) -> tuple[tuple[Finding, ...], tuple[Ignore, ...]]:
    """Return the findings that are not ignored, and the ignores that match none."""
    kept: list[Finding] = []
    used: set[int] = set()
    for finding in findings:
        matching = [at for at, one in enumerate(ignores) if one.matches(finding)]
        used.update(matching)
        if not matching:
            kept.append(finding)
    return tuple(kept), tuple(one for at, one in enumerate(ignores) if at not in used)

"""Accepted changes: a file that lists intended changes, with their reasons."""

from attrs import field

from mcpi.core.diff.change_rules import RULES
from mcpi.core.diff.snapshot import DEFINITION_KINDS
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.comments import located
from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import Json, JsonObject, type_name
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, ParseResult, Success
from mcpi.core.text.suggestions import nearest
from mcpi.core.version import DOCS

SUBJECTS = tuple(kind.subject for kind in DEFINITION_KINDS)
_KEYS = ("rule", *SUBJECTS, "pointer", "reason")
_REQUIRED = ("rule", "reason")


@frozen
class AcceptedChange:
    """One entry of the file."""

    number: int
    reason: str
    members: JsonObject = field(factory=dict)
    """The members that a change must have: its rule, subject and pointer."""

    def covers(self, change: JsonObject) -> bool:
        """Tell whether the entry matches the change."""
        return all(change.get(name) == value for name, value in self.members.items())

    @property
    def label(self) -> str:
        """The entry as messages show it."""
        return f"entry {self.number} {dump(self.members)}"


def parse_accepted(path: str, text: str) -> ParseResult[tuple[AcceptedChange, ...]]:
    """Parse the file, and check all entries."""
    text = text.removeprefix("\ufeff")
    found = parse_json_text(text)
    if isinstance(found, JsonSyntaxProblem):
        return _wrong(path, located(found, text))
    if not isinstance(found.value, list):
        return _wrong(path, f"expected an array of accepted changes, found {type_name(found.value)}")
    entries: list[AcceptedChange] = []
    for number, one in enumerate(found.value, 1):
        problem = _problem(one)
        if problem is not None:
            return _wrong(path, f"entry {number}: {problem[0]}", *problem[1:])
        assert isinstance(one, dict)
        members: JsonObject = {name: value for name, value in one.items() if name != "reason"}
        entries.append(AcceptedChange(number, str(one["reason"]), members))
    return Success(tuple(entries))


def _problem(entry: Json) -> tuple[str, ...] | None:
    """Return the problem of an entry, and a hint."""
    if not isinstance(entry, dict):
        return (f"expected an object, found {type_name(entry)}",)
    for name, value in entry.items():
        if name not in _KEYS:
            near = nearest(name, _KEYS)
            return (f"unknown key {name!r}", f"did you mean {near}?" if near else f"expected {', '.join(_KEYS)}")
        if not isinstance(value, str):
            return (f"{name}: expected a string, found {type_name(value)}",)
    for name in _REQUIRED:
        if not entry.get(name):
            return (f"{name!r} is required",)
    rule = str(entry["rule"])
    if rule not in RULES:
        near = nearest(rule, RULES)
        listed = f"the rules are listed at {DOCS}/rules.md"
        return (f"unknown rule {rule!r}", f"did you mean {near}?" if near else listed)
    return None


def _wrong(path: str, problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", "--accept", f"{path}: {problem}", hints))


def partition_changes(
    changes: list[JsonObject], accepted: tuple[AcceptedChange, ...]
) -> tuple[list[JsonObject], list[JsonObject], tuple[AcceptedChange, ...]]:
    """Return the changes that are not accepted, the accepted ones with their reasons, and the stale entries."""
    used: set[int] = set()
    rest: list[JsonObject] = []
    known: list[JsonObject] = []
    for change in changes:
        covering = [entry for entry in accepted if entry.covers(change)]
        used |= {entry.number for entry in covering}
        if covering:
            known.append({**change, "reason": covering[0].reason})
        else:
            rest.append(change)
    return rest, known, tuple(entry for entry in accepted if entry.number not in used)

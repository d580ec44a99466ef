"""Human-readable table of changes, with the totals first."""

from collections.abc import Iterator, Sequence

from mcpi.core.diff.accepted import SUBJECTS
from mcpi.core.diff.change_rules import RULES
from mcpi.core.diff.families.diff_rule import CLASSES
from mcpi.core.diff.value_text import cut, shortened, value_text
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.text.colors import Paint
from mcpi.core.text.layout import clamp_width

_MAX_ROWS = 50
_INDENT = 10
_STYLES = {"breaking": "error", "routing": "warning"}


def verdict(changes: Sequence[JsonObject]) -> str:
    """Return the number of changes of each class as text."""
    if not changes:
        return "no changes"
    counts = ((sum(one["class"] == name for one in changes), name) for name in CLASSES)
    total = f"{len(changes)} change{'s' if len(changes) > 1 else ''}"
    return f"{total}: {', '.join(f'{count} {name}' for count, name in counts if count)}"


def changes_table(document: Printable, width: int, paint: Paint) -> list[str]:
    """Format a document with changes: the totals, then each change, with the most severe ones first."""
    members = as_object(to_plain(document))
    changes, accepted = map(as_list, (members.get("changes"), members.get("accepted")))
    ordered = sorted(map(as_object, changes), key=lambda one: _position(one["class"]))
    worst = as_text(ordered[0]["class"]) if ordered else ""
    lines = [
        paint(_STYLES.get(worst, "good"), f"{verdict(ordered)}{f', {len(accepted)} accepted' if accepted else ''}")
    ]
    for one in ordered[:_MAX_ROWS]:
        lines += _rows(one, clamp_width(width) - _INDENT, paint)
    more = len(ordered) - _MAX_ROWS
    return [*lines, *([f"and {more} more"] if more > 0 else [])]


def _position(name: Json) -> int:
    return next(at for at, one in enumerate(CLASSES) if one == name)


def _rows(change: JsonObject, width: int, paint: Paint) -> Iterator[str]:
    kind = next((subject for subject in SUBJECTS if subject in change), "")
    place = " ".join(part for part in (kind, as_text(change.get(kind)), as_text(change["pointer"])) if part)
    found, rule = as_text(change["class"]), as_text(change["rule"])
    yield f"{paint(_STYLES.get(found, 'faint'), found.ljust(_INDENT - 1))} {paint('name', rule)}  {cut(place, width)}"
    yield f"{'':{_INDENT}}{cut(as_text(change['why']), 4 * width)}"
    old, new = change["old"], change["new"]
    yield f"{'':{_INDENT}}{value_text(old, new, width if None in (old, new) else width // 2)}"
    if "witness" in change:
        yield f"{'':{_INDENT}}witness: {shortened(change['witness'], width)}"
    if found == "breaking":
        yield f"{'':{_INDENT}}{paint('faint', f'fix: {RULES[rule].fix}')}"

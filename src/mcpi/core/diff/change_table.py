"""The changes as a table for people, with the verdict first."""

from collections.abc import Sequence

from mcpi.core.diff.accepted import SUBJECTS
from mcpi.core.diff.families.diff_rule import CLASSES
from mcpi.core.jsontext.values import Json, JsonObject, as_text
from mcpi.core.jsontext.writing import dump

_MAX_ROWS = 200
_MAX_VALUE = 40


def verdict(changes: Sequence[JsonObject]) -> str:
    """Return the number of changes of each class, in one sentence."""
    if not changes:
        return "no changes"
    counts = ((sum(one["class"] == name for one in changes), name) for name in CLASSES)
    total = f"{len(changes)} change{'s' if len(changes) > 1 else ''}"
    return f"{total}: {', '.join(f'{count} {name}' for count, name in counts if count)}"


def table(changes: Sequence[JsonObject]) -> tuple[str, ...]:
    """Return the lines of the table; the most severe changes come first."""
    ordered = sorted(changes, key=lambda one: CLASSES.index(one["class"]))
    rows = [_row(one) for one in ordered[:_MAX_ROWS]]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(3)]
    lines: list[str] = []
    for one, row in zip(ordered, rows, strict=False):
        lines.append("  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3])))
        if "witness" in one:
            lines.append(f"{'':{widths[0]}}  witness: {_shortened(one['witness'], 2 * _MAX_VALUE)}")
    more = len(ordered) - len(rows)
    return (verdict(changes), *lines, *((f"and {more} more",) if more else ()))


def _row(change: JsonObject) -> tuple[str, str, str, str]:
    names = [as_text(change[subject]) for subject in SUBJECTS if subject in change]
    place = f"{names[0] if names else 'server'}{as_text(change['pointer'])}"
    return as_text(change["class"]), as_text(change["rule"]), place, _values(change)


def _values(change: JsonObject) -> str:
    old, new = change["old"], change["new"]
    if new is None:
        return f"was {_shortened(old)}"
    return f"now {_shortened(new)}" if old is None else f"{_shortened(old)} -> {_shortened(new)}"


def _shortened(value: Json, most: int = _MAX_VALUE) -> str:
    text = dump(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"

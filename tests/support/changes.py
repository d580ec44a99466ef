"""The recorded single changes of fixtures/diff, and shortcuts to compare."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcpi.core.diff.change_rules import Change
from mcpi.core.diff.definition_changes import compare
from mcpi.core.diff.families.diff_rule import DiffRule
from mcpi.core.diff.snapshot import Snapshot, lock_document, read_lock
from mcpi.core.jsontext.values import Json, JsonObject

FOLDER = Path(__file__).parents[2] / "fixtures" / "diff"
CASES: dict[str, list[dict[str, Any]]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))
}


def snapshot(facts: JsonObject | None = None, **lists: list[Json]) -> Snapshot:
    """Return the snapshot of a server with these lists, parsed from its lock file."""
    about = {"protocolVersion": "2025-11-25", **(facts or {})}
    return read_lock("test", json.loads(json.dumps(lock_document(about, lists)))).unwrap()


def with_schema(schema: Json, member: str) -> Snapshot:
    """Return the snapshot of a server whose only tool has this schema."""
    return snapshot(tools=[{"name": "tool", member: schema}])


def schema_change(old: Json, new: Json, member: str = "inputSchema") -> tuple[Change, ...]:
    """Return the changes between two schemas of a tool."""
    return compare(with_schema(old, member), with_schema(new, member))


def summarized(changes: tuple[Change, ...]) -> list[tuple[str, str, str]]:
    """Return rule, class and pointer of each change."""
    return [(one.rule, one.change_class, one.pointer) for one in changes]


def classes_of(rules: Iterable[DiffRule]) -> dict[str, str]:
    """Return the classes of each rule by its name."""
    return {rule.name: rule.classes for rule in rules}

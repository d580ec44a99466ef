"""Compare two snapshots: the server, and each tool, prompt, resource and template."""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from mcpi.core.diff.change_rules import RULES, Change
from mcpi.core.diff.families.diff_rule import Side
from mcpi.core.diff.schema_changes import schema_changes
from mcpi.core.diff.schema_node import SchemaChange, token
from mcpi.core.diff.snapshot import DEFINITION_KINDS, PROMPT, TOOL, DefinitionKind, Snapshot
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text, json_equal

_HINTS: Mapping[str, tuple[str, bool, bool]] = {
    "readOnlyHint": ("read-only", False, True),
    "destructiveHint": ("destructive", True, False),
    "idempotentHint": ("idempotent", False, True),
    "openWorldHint": ("open-world", True, False),
}
"""Each hint of a tool with its default (MCP 2025-11-25, ToolAnnotations) and its stronger value."""
_ONLY_FOR_WRITERS = ("destructiveHint", "idempotentHint")
_TASK_WAYS: Mapping[str, frozenset[str]] = {
    "forbidden": frozenset({"call"}),
    "optional": frozenset({"call", "task"}),
    "required": frozenset({"task"}),
}
_TEXTS = {"title": "title-changed", "description": "description-changed"}
_WORD = re.compile(r"[a-z0-9]+")
_SIMILAR = 0.6
_MAX_PAIRS = 2500


@frozen
class _Subject:
    """The definition that changes are about."""

    kind: str = ""
    name: str = ""

    def change(self, rule: str, pointer: str, old: Json = None, new: Json = None) -> Change:
        found, why = RULES[rule].judge("")
        return Change(rule, found, pointer, old, new, why, self.kind, self.name)


def compare(old: Snapshot, new: Snapshot, *, versions: bool = True) -> tuple[Change, ...]:
    """Compare two snapshots; without `versions` the protocol versions are not compared, as the user chose them.

    Capabilities depend on the era, so those of different eras are not compared either.
    """
    found: list[Change] = [*_versions(old, new)] if versions else []
    server = _Subject()
    if not json_equal(old.server, new.server):
        found += _server_info(old.server, new.server)
    if old.instructions != new.instructions:
        found.append(
            server.change("instructions-changed", "/instructions", old.instructions or None, new.instructions or None)
        )
    if {old.era, new.era} != {"handshake", "modern"}:
        found += _capabilities(old.capabilities, new.capabilities, "/capabilities")
    for kind in DEFINITION_KINDS:
        found += _list(kind, old.definitions.get(kind.key, {}), new.definitions.get(kind.key, {}))
    return tuple(found)


def _versions(old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Compare the supported protocol versions if both are known, or else the negotiated ones."""
    server = _Subject()
    if old.supported_versions and new.supported_versions:
        for version in sorted(set(old.supported_versions) - set(new.supported_versions)):
            yield server.change("protocol-version-removed", "/supportedVersions", version)
        for version in sorted(set(new.supported_versions) - set(old.supported_versions)):
            yield server.change("protocol-version-added", "/supportedVersions", None, version)
        return
    before, after = old.protocol_version, new.protocol_version
    if before != after:
        rule = "raised" if after > before else "lowered"
        yield server.change(f"protocol-version-{rule}", "/protocolVersion", before, after)


def _server_info(old: JsonObject, new: JsonObject) -> Iterator[Change]:
    for name in dict.fromkeys((*old, *new)):
        if not json_equal(old.get(name), new.get(name)):
            rule = _TEXTS.get(name, "server-info-changed")
            yield _Subject().change(rule, f"/serverInfo{token(name)}", old.get(name), new.get(name))


def _capabilities(old: Json, new: Json, pointer: str) -> Iterator[Change]:
    """Compare capabilities; one that is false or null counts as absent."""
    mine, other = as_object(old), as_object(new)
    for name in sorted({*mine, *other}):
        before, after, place = mine.get(name), other.get(name), f"{pointer}{token(name)}"
        had, has = before not in (None, False), after not in (None, False)
        if had != has:
            yield _Subject().change(f"capability-{'removed' if had else 'added'}", place, before, after)
        elif isinstance(before, dict) and isinstance(after, dict):
            yield from _capabilities(before, after, place)
        elif had and not json_equal(before, after):
            yield _Subject().change("capability-changed", place, before, after)


def _list(kind: DefinitionKind, old: Mapping[str, JsonObject], new: Mapping[str, JsonObject]) -> Iterator[Change]:
    """Compare the definitions of one kind."""
    gone = {name: one for name, one in old.items() if name not in new}
    come = {name: one for name, one in new.items() if name not in old}
    renamed = dict(_renamed(kind, gone, come))
    for name, before in old.items():
        subject = _Subject(kind.subject, name)
        if name in renamed:
            yield subject.change(f"{kind.subject}-renamed", f"/{kind.identifier}", name, renamed[name])
        elif name not in new:
            yield subject.change(f"{kind.subject}-removed", "", before)
            continue
        after = new[renamed.get(name, name)]
        if _fingerprint(before) != _fingerprint(after):
            yield from _definition(kind, subject, before, after)
    called = {*renamed.values()}
    for name, one in come.items():
        if name not in called:
            yield _Subject(kind.subject, name).change(f"{kind.subject}-added", "", None, one)


def _fingerprint(definition: JsonObject) -> str:
    return json.dumps(definition, sort_keys=True)


def _renamed(
    kind: DefinitionKind, gone: Mapping[str, JsonObject], come: Mapping[str, JsonObject]
) -> Iterator[tuple[str, str]]:
    """Yield the old and the new name of each definition that was most likely renamed."""
    if len(gone) * len(come) > _MAX_PAIRS:
        same = {_body(kind, one): name for name, one in come.items()}
        yield from ((name, same.pop(_body(kind, one))) for name, one in gone.items() if _body(kind, one) in same)
        return
    scores = (
        (_similarity(kind, one, other), name, called) for name, one in gone.items() for called, other in come.items()
    )
    taken: set[str] = set()
    renamed: set[str] = set()
    for score, name, called in sorted(scores, key=lambda found: (-found[0], found[1], found[2])):
        if score >= _SIMILAR and name not in renamed and called not in taken:
            renamed.add(name)
            taken.add(called)
            yield name, called


def _body(kind: DefinitionKind, definition: JsonObject) -> str:
    return _fingerprint(
        {name: value for name, value in definition.items() if name not in (kind.identifier, "name", "title")}
    )


def _similarity(kind: DefinitionKind, old: JsonObject, new: JsonObject) -> float:
    """Rate the similarity of two definitions from 0 to 1: half for the words, half for the name."""
    before, after = _body(kind, old), _body(kind, new)
    mine, other = ({*_WORD.findall(text.lower())} for text in (before, after))
    shared = len(mine & other) / len(mine | other) if mine | other else 0.0
    names = SequenceMatcher(None, as_text(old.get(kind.identifier)), as_text(new.get(kind.identifier))).ratio()
    if before != after:
        return (shared + names) / 2
    return max(_SIMILAR, names) if as_text(old.get("description")) else names


def _definition(kind: DefinitionKind, subject: _Subject, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    """Compare two definitions member by member."""
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if name == kind.identifier or json_equal(before, after):
            continue
        if name in _TEXTS:
            yield subject.change(_TEXTS[name], f"/{name}", before, after)
        elif kind is TOOL:
            yield from _tool_member(subject, name, before, after)
        elif kind is PROMPT and name == "arguments":
            yield from _arguments(subject, as_list(before), as_list(after))
        elif kind is not PROMPT:
            yield from _resource_member(subject, name, before, after)
        else:
            yield subject.change("metadata-changed", token(name), before, after)


def _tool_member(subject: _Subject, name: str, old: Json, new: Json) -> Iterator[Change]:
    if name == "inputSchema":
        yield from _schema(subject, schema_changes(old, new, "/inputSchema", "input"), "input")
    elif name == "outputSchema":
        if old is None or new is None:
            yield subject.change(f"output-schema-{'added' if old is None else 'removed'}", "/outputSchema", old, new)
        else:
            yield from _schema(subject, schema_changes(old, new, "/outputSchema", "output"), "output")
    elif name == "annotations":
        yield from _hints(subject, as_object(old), as_object(new))
    elif name == "execution":
        yield from _execution(subject, as_object(old), as_object(new))
    else:
        yield subject.change("metadata-changed", token(name), old, new)


def _schema(subject: _Subject, changes: tuple[SchemaChange, ...], side: Side) -> Iterator[Change]:
    for one in changes:
        found, why = RULES[one.rule].judge(side)
        yield Change(one.rule, found, one.pointer, one.old, one.new, why, subject.kind, subject.name, side, one)


def _hints(subject: _Subject, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    """Compare a tool's annotations; a missing hint has its default."""
    only_reads = [found.get("readOnlyHint") is True for found in (old, new)]
    for name in dict.fromkeys((*old, *new)):
        before, after, place = old.get(name), new.get(name), f"/annotations{token(name)}"
        if json_equal(before, after):
            continue
        if name == "title":
            yield subject.change("title-changed", place, before, after)
            continue
        hint, default, better = _HINTS.get(name, ("", False, False))
        mine, other = (default if one is None else one is True for one in (before, after))
        if not hint or mine == other or (name in _ONLY_FOR_WRITERS and all(only_reads)):
            yield subject.change("metadata-changed", place, before, after)
        else:
            yield subject.change(
                f"{hint}-hint-{'strengthened' if other is better else 'weakened'}", place, before, after
            )


def _execution(subject: _Subject, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    """Compare how a tool can be called; without taskSupport it cannot be called as a task."""
    for name in dict.fromkeys((*old, *new)):
        before, after, place = old.get(name), new.get(name), f"/execution{token(name)}"
        if json_equal(before, after):
            continue
        mine, other = (_TASK_WAYS.get(as_text(one) or "forbidden", frozenset()) for one in (before, after))
        if name != "taskSupport" or mine == other:
            yield subject.change("metadata-changed", place, before, after)
        elif "call" in mine - other:
            yield subject.change("task-support-required", place, before, after)
        else:
            yield subject.change(f"task-support-{'removed' if mine - other else 'added'}", place, before, after)


def _resource_member(subject: _Subject, name: str, old: Json, new: Json) -> Iterator[Change]:
    if name == "mimeType":
        rule = "added" if old is None else "removed" if new is None else "changed"
        yield subject.change(f"mime-type-{rule}", "/mimeType", old, new)
    elif name == "annotations":
        mine, other = as_object(old), as_object(new)
        for key in dict.fromkeys((*mine, *other)):
            if not json_equal(mine.get(key), other.get(key)):
                yield subject.change("audience-changed", f"/annotations{token(key)}", mine.get(key), other.get(key))
    else:
        yield subject.change("name-changed" if name == "name" else "metadata-changed", token(name), old, new)


def _arguments(subject: _Subject, old: list[Json], new: list[Json]) -> Iterator[Change]:
    """Compare the arguments of a prompt."""
    mine, other = (
        {as_text(as_object(one).get("name")): (at, as_object(one)) for at, one in enumerate(found)}
        for found in (old, new)
    )
    for name, (at, before) in mine.items():
        if name in other:
            place, after = other[name]
            yield from _argument(subject, f"/arguments/{place}", before, after)
        else:
            yield subject.change("argument-removed", f"/arguments/{at}", before)
    for name, (at, after) in other.items():
        if name not in mine:
            rule = "required-argument-added" if after.get("required") is True else "argument-added"
            yield subject.change(rule, f"/arguments/{at}", None, after)


def _argument(subject: _Subject, pointer: str, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    for name in dict.fromkeys((*old, *new)):
        before, after, place = old.get(name), new.get(name), f"{pointer}{token(name)}"
        if name == "required":
            if (before is True) != (after is True):
                yield subject.change(f"argument-{'required' if after is True else 'optional'}", place, before, after)
        elif not json_equal(before, after):
            yield subject.change(_TEXTS.get(name, "metadata-changed"), place, before, after)

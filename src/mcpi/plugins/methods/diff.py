"""Methods lock and diff: write a lock file of everything a server offers, and compare two versions."""

import re
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from attrs import evolve

from mcpi.core.findings.table import finding_lines
from mcpi.core.flags.types import LOCK_FILES, Filename, ServerOrLock, Version
from mcpi.core.frozen import frozen
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.plans.server_lists import all_lists
from mcpi.core.plans.world_steps import ReadTextFile, RunOnServer
from mcpi.core.targets.target import with_quoted_scripts
from mcpi.plugins.api import (
    AnyMethod,
    Failure,
    Invalid,
    Json,
    JsonObject,
    Method,
    OperationFailed,
    Plan,
    Printable,
    Result,
    Steps,
    Success,
    as_list,
    as_object,
    catch_failure,
    check,
    connect,
    findings_of,
    hookimpl,
    must,
    stop,
    to_plain,
    warn,
)

if TYPE_CHECKING:
    from mcpi.core.diff.accepted import AcceptedChange
    from mcpi.core.diff.change_rules import Change
    from mcpi.core.diff.snapshot import Snapshot
    from mcpi.core.diff.values.witnesses import Search
    from mcpi.core.text.colors import Paint

EraChoice: TypeAlias = Literal["auto", "handshake", "modern"]
MAX_CHECKS = 60
"""Maximum number of values that the schema library checks for witnesses."""
SHOWN = 20
"""Maximum number of changes shown as evidence."""
_FAILING = {
    "breaking": ("breaking",),
    "routing": ("breaking", "routing"),
    "any": ("breaking", "additive", "routing", "cosmetic"),
    "never": (),
}
_IS_SERVER = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*://|config:")
REVERSED = "the old side is a server and the new side a lock file; to check the server, give the lock file first"


@frozen(kw_only=True)
class Lock:
    """Print a lock file of everything the server offers."""


@frozen(kw_only=True)
class Diff:
    """Compare two versions of a server."""

    old: ServerOrLock | None = None
    """Old side: a lock file, a URL, config:NAME, or a command in quotes (default, if --new is given: the target)."""
    new: ServerOrLock | None = None
    """New side, in the same forms (default, if --old is given: the target)."""
    old_era: EraChoice | None = None
    """Protocol era for the old side (default: --era)."""
    new_era: EraChoice | None = None
    """Protocol era for the new side (default: --era)."""
    old_protocol_version: Version | None = None
    """Protocol version to offer to the old side (default: --protocol-version)."""
    new_protocol_version: Version | None = None
    """Protocol version to offer to the new side (default: --protocol-version)."""
    accept: Filename | None = None
    """JSON file of accepted changes: [{"rule", "tool", "pointer", "reason"}]; the run fails if an entry matches no
    change."""
    fail_on: Literal["breaking", "routing", "any", "never"] = "breaking"
    """Changes that fail the run with exit code 1 (default breaking); routing: breaking changes and changed
    descriptions."""


@frozen
class _Side:
    """One side of a comparison; without text it is the target."""

    flag: str
    text: str | None
    era: str | None
    version: str | None

    @property
    def is_pinned(self) -> bool:
        return self.era is not None or self.version is not None


def lock(_: Lock) -> Plan:
    """Return the lock document of the server."""
    return (yield from take_snapshot())


def take_snapshot() -> Steps[JsonObject]:
    """Fetch all lists of the server, and return its lock document."""
    from mcpi.core.diff.snapshot import lock_document  # noqa: PLC0415 - rarely needed

    server = yield from connect()
    lists, faults = yield from all_lists(server)
    for fault in faults.values():
        yield from stop(fault)
    facts: JsonObject = {
        "serverInfo": as_object(server.info.value),
        "protocolVersion": server.version,
        "era": server.era,
        "capabilities": as_object(server.capabilities.value),
    }
    supported = as_list(as_object(server.result.value).get("supportedVersions"))
    if supported:
        facts["supportedVersions"] = sorted(supported, key=str)
    if server.instructions:
        facts["instructions"] = server.instructions
    return lock_document(facts, {key: as_list(as_object(to_plain(whole)).get(key)) for key, whole in lists.items()})


def diff(args: Diff) -> Plan:
    """Compare the two sides; stop with a fault if there are changes of a class that fails the run."""
    from mcpi.core.diff.accepted import partition_changes  # noqa: PLC0415 - rarely needed
    from mcpi.core.diff.change_rules import summary  # noqa: PLC0415 - rarely needed
    from mcpi.core.diff.change_table import verdict  # noqa: PLC0415 - rarely needed
    from mcpi.core.diff.definition_changes import compare  # noqa: PLC0415 - rarely needed

    old = _Side("--old", args.old, args.old_era, args.old_protocol_version)
    new = _Side("--new", args.new, args.new_era, args.new_protocol_version)
    is_pinned = old.is_pinned or new.is_pinned
    if args.old is None and args.new is None and not is_pinned:
        hints = (
            "for example: mcpi diff mcpi.lock.json 'node server.js'",
            "or: mcpi diff mcpi.lock.json -- node server.js",
        )
        yield from stop(Invalid("MISSING_ARGUMENT", "--old", "nothing to compare: give OLD and NEW", hints))
    accepted = yield from _accepted(args.accept)
    before, after = yield from must(
        with_quoted_scripts((yield from catch_failure(_snapshots(old, new))), (args.old, args.new))
    )
    changes = compare(before, after, versions=not is_pinned)
    documents = yield from _with_witnesses(changes)
    rest, known, stale = partition_changes(documents, accepted)
    result: dict[str, Printable] = {"changes": rest, "summary": summary(rest)}
    if args.accept is not None:
        result["accepted"] = known
    if stale:
        problem = f"{args.accept}: {'; '.join(entry.label for entry in stale)}: no change matches"
        yield from stop(
            Invalid("INVALID_ARGUMENT", "--accept", problem, ("remove the entries that are no longer needed",)), result
        )
    broken: list[Json] = [one for one in rest if one["class"] in _FAILING[args.fail_on]]
    if broken:
        hint = "to accept intended changes, list them in a file for --accept, or update the lock file with mcpi lock"
        lines = finding_lines(findings_of({"result": {"changes": broken, "summary": {}}}) or (), SHOWN)
        details: dict[str, Printable] = {**summary(rest), "failing": [*_FAILING[args.fail_on]]}
        yield from stop(OperationFailed("CONTRACT_CHANGED", verdict(rest), lines, details, (hint,)), result)
    return result


def _snapshots(old: _Side, new: _Side) -> "Steps[tuple[Snapshot, Snapshot]]":
    before, after = (yield from _snapshot(old)), (yield from _snapshot(new))
    if after.is_file and not before.is_file:
        yield from warn(REVERSED)
    return before, after


def _accepted(path: str | None) -> "Steps[tuple[AcceptedChange, ...]]":
    if path is None:
        return ()
    from mcpi.core.diff.accepted import parse_accepted  # noqa: PLC0415 - rarely needed

    text = yield from must((yield from _read("--accept", path)))
    return (yield from must(parse_accepted(path, text)))


def _read(flag: str, path: str) -> Steps[Result[str]]:
    return cast("Result[str]", (yield ReadTextFile(flag, path)))


def _snapshot(side: _Side) -> "Steps[Snapshot]":
    """Return the snapshot of a side, which may be a lock document, a lock file or a server."""
    from mcpi.core.diff.snapshot import read_lock  # noqa: PLC0415 - rarely needed

    text = side.text
    if text is None and not side.is_pinned:
        return (yield from must(read_lock("target", (yield from take_snapshot()))))
    if text is None or _IS_SERVER.match(text):
        return (yield from _of_server(side))
    if text.lstrip().startswith("{"):
        return (yield from _of_lock(side, side.flag, text))
    found = yield from _read(side.flag, text)
    is_file = text == "-" or (text.endswith(LOCK_FILES) and not re.search(r"\s", text))
    match found:
        case Success(content) if is_file or content.lstrip("\ufeff \t\r\n").startswith("{"):
            return (yield from _of_lock(side, text, content))
        case Failure() if is_file:
            return (yield from must(cast("Result[Snapshot]", found)))
        case _:
            return (yield from _of_server(side))


def _of_lock(side: _Side, file: str, text: str) -> "Steps[Snapshot]":
    from mcpi.core.diff.snapshot import parse_lock  # noqa: PLC0415 - rarely needed

    if side.is_pinned:
        flag = f"{side.flag}-{'era' if side.era is not None else 'protocol-version'}"
        yield from stop(
            Invalid("INVALID_ARGUMENT", flag, f"{file} is a lock file, which already has an era and a version")
        )
    return evolve((yield from must(parse_lock(file, text))), is_file=True)


def _of_server(side: _Side) -> "Steps[Snapshot]":
    """Take the snapshot of a server, on a separate connection."""
    from mcpi.core.diff.snapshot import read_lock  # noqa: PLC0415 - rarely needed

    found = cast("Result[Printable]", (yield RunOnServer(side.flag, side.text, take_snapshot, side.era, side.version)))
    return (yield from must(read_lock(side.text or "target", to_plain((yield from must(found))))))


def _with_witnesses(changes: "tuple[Change, ...]") -> Steps[list[JsonObject]]:
    """Return the changes as JSON, the breaking ones with a witness if one is found."""
    from mcpi.core.diff.values.witnesses import searched  # noqa: PLC0415 - rarely needed

    documents: list[JsonObject] = []
    checks = 0
    for change, found in searched(changes):
        document = change.document()
        if found is not None and found.is_found:
            document["witness"] = found.found
        elif found is not None:
            for value in found.undecided:
                checks += 1
                if checks <= MAX_CHECKS and (yield from _is_witness(value, found)):
                    document["witness"] = value
                    break
        documents.append(document)
    return documents


def _is_witness(value: Json, found: "Search") -> Steps[bool]:
    """Check the witness with the schema library; a schema that the library cannot apply proves nothing."""
    if (yield from check(value, found.accepting)):
        return False
    problems = yield from check(value, found.refusing)
    return bool(problems) and not any(where is None or text.startswith("the schema") for where, text in problems)


def _needs_target(args: Diff) -> bool:
    """Tell whether a side is the target."""
    return args.old is None or args.new is None


def _table(document: Printable, width: int, paint: "Paint") -> list[str]:
    """Format the changes as a table."""
    from mcpi.core.diff.change_table import changes_table  # noqa: PLC0415 - rarely needed

    return changes_table(document, width, paint)


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method(
            "lock", Lock, lock, "print a lock file of everything the server offers, for diff", is_protocol_method=False
        ),
        Method(
            "diff",
            Diff,
            diff,
            "compare two servers or lock files, and report which changes break clients",
            is_protocol_method=False,
            needs_target=_needs_target,
            summarize=_table,
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("lock", "diff")

"""lock and diff: their requests, the sides of a comparison, and when it fails."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve

from mcpi.core.flags.types import ServerOrLock, Version
from mcpi.core.jsontext.exact import to_plain
from mcpi.core.jsontext.values import as_list, as_object
from mcpi.core.outcome.faults import Invalid, InvalidResponse, OperationFailed
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call, CallAll, Connect, Step, Validate, Warn
from mcpi.core.plans.world_steps import ReadTextFile, RunOnServer
from mcpi.core.text.colors import no_color
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.plugins.methods.diff import REVERSED, Diff, Lock, diff, lock, mcpi_methods, mcpi_tools, take_snapshot
from support.replay import exact, next_step, replay

TOOL: dict[str, Any] = {"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
STRICT = {**TOOL, "inputSchema": {**TOOL["inputSchema"], "required": ["a"]}}
SERVER = NegotiatedServer("handshake", "2025-11-25", exact({"name": "s"}), exact({"tools": {}}), "hello")
LISTS = CallAll((Call("tools/list"),))
ZERO = {"breaking": 0, "additive": 0, "routing": 0, "cosmetic": 0}
FAULT = InvalidResponse("INVALID_RESPONSE", "no")


def lock_text(*tools: Any, **more: Any) -> dict[str, Any]:
    facts = {"capabilities": {"tools": {}}, "era": "handshake", "instructions": "hello"}
    lists = {"tools": list(tools), "prompts": [], "resources": [], "resourceTemplates": []}
    about = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "s"}}
    return {"lockVersion": 1, **facts, **about, **lists, **more}


def run(
    args: Diff,
    files: Mapping[str, Any] | None = None,
    *tools: Any,
    problems: Any = (),
    warnings: list[str] | None = None,
) -> PlanResult:
    """Run the comparison with these files and with servers that have these tools; the warnings are added to a list."""
    plan, shown = diff(args), list(problems)
    reply: Any = None
    contents = {
        name: json.dumps(value) if not isinstance(value, str) else value for name, value in (files or {}).items()
    }
    while True:
        step: Step | PlanResult = next_step(plan, reply)
        match step:
            case PlanResult():
                return evolve(step, result=to_plain(step.result))
            case ReadTextFile(flag, path):
                reply = Failure(Invalid("INVALID_ARGUMENT", flag, f"cannot read {path}"))
                reply = Success(contents[path]) if path in contents else reply
            case Connect():
                reply = SERVER
            case CallAll():
                reply = (Success(exact({"tools": list(tools)})),)
            case Warn(sentence):
                reply = None
                (warnings if warnings is not None else []).append(sentence)
            case RunOnServer():
                reply = Failure(FAULT) if not tools else Success(lock_text(*tools))
            case _:
                assert isinstance(step, Validate), step
                reply = shown.pop(0) if shown else ()


def test_lock_and_diff_are_tools_but_not_protocol_methods() -> None:
    assert [(one.name, one.connects, one.is_protocol_method) for one in mcpi_methods()] == [
        ("lock", True, False),
        ("diff", True, False),
    ]
    assert mcpi_tools() == ("lock", "diff")


@pytest.mark.parametrize(
    ("args", "needed"),
    [(Diff(), True), (Diff(old=ServerOrLock("a")), True), (Diff(old=ServerOrLock("a"), new=ServerOrLock("b")), False)],
)
def test_target_is_required_unless_both_sides_are_given(args: Diff, needed: bool) -> None:  # noqa: FBT001 - a table
    assert mcpi_methods()[1].connects_with(args) is needed


def test_lock_has_sorted_lists() -> None:
    other = {**TOOL, "name": "a"}
    ended = replay(
        lock(Lock()), (Connect(), SERVER), (LISTS, (Success(exact({"tools": [TOOL, other], "nextCursor": None})),))
    )

    assert ended.result == lock_text(other, TOOL)


def test_a_lock_has_the_versions_that_a_modern_server_supports() -> None:
    server = evolve(SERVER, result=exact({"supportedVersions": ["2026-07-28", "2025-11-25"]}), instructions="")
    ended = replay(lock(Lock()), (Connect(), server), (LISTS, (Success(exact({"tools": []})),)))
    expected = lock_text(supportedVersions=["2025-11-25", "2026-07-28"])
    del expected["instructions"]

    assert ended.result == expected


def test_failed_list_request_fails_the_lock() -> None:
    assert replay(lock(Lock()), (Connect(), SERVER), (LISTS, (Failure(FAULT),))) == PlanResult(None, FAULT)


def test_missing_sides_fail_before_the_first_step() -> None:
    fault = run(Diff()).fault

    assert isinstance(fault, Invalid)
    assert (fault.code, fault.where) == ("MISSING_ARGUMENT", "--old")


FILE = Diff(old=ServerOrLock("old.json"))
BOTH = Diff(old=ServerOrLock("old.json"), new=ServerOrLock("new.json"))


@pytest.mark.parametrize(
    ("args", "files"),
    [
        (FILE, {"old.json": lock_text(TOOL)}),
        (Diff(new=ServerOrLock("old.json")), {"old.json": lock_text(TOOL)}),
        (Diff(old=ServerOrLock("mine")), {"mine": f"\ufeff \n{json.dumps(lock_text(TOOL))}"}),
        (Diff(old=ServerOrLock("-")), {"-": lock_text(TOOL)}),
        (Diff(old=ServerOrLock(json.dumps(lock_text(TOOL)))), {}),
        (Diff(old=ServerOrLock("node s.js")), {}),
        (Diff(old=ServerOrLock("./server")), {"./server": "#!/bin/sh"}),
        (Diff(old=ServerOrLock("npx s --config a.json")), {}),
        (Diff(old=ServerOrLock("https://example.com/a.json")), {}),
        (Diff(old=ServerOrLock("config:x")), {}),
        (Diff(new_era="modern"), {}),
        (Diff(old_protocol_version=Version("2025-06-18")), {}),
    ],
)
def test_every_form_of_a_side_is_accepted(args: Diff, files: dict[str, Any]) -> None:
    assert run(args, files, TOOL) == PlanResult({"changes": [], "summary": ZERO})


@pytest.mark.parametrize(
    ("args", "files", "where", "problem"),
    [
        (FILE, {}, "--old", "cannot read old.json"),
        (Diff(old=ServerOrLock("a.lock")), {}, "--old", "cannot read a.lock"),
        (Diff(old=ServerOrLock("-")), {}, "--old", "cannot read -"),
        (
            FILE,
            {"old.json": "{"},
            "old.json",
            "invalid JSON: Expecting property name enclosed in double quotes at line 1, column 2",
        ),
        (Diff(old=ServerOrLock("-")), {"-": ""}, "-", "invalid JSON: a value is missing at line 1, column 1"),
        (FILE, {"old.json": "[]"}, "old.json", "expected a lock document, found array"),
        (
            evolve(FILE, old_era="modern"),
            {"old.json": lock_text()},
            "--old-era",
            "old.json is a lock file, which already has an era and a version",
        ),
        (
            evolve(FILE, old_protocol_version=Version("2025-11-25")),
            {"old.json": lock_text()},
            "--old-protocol-version",
            "old.json is a lock file, which already has an era and a version",
        ),
        (evolve(FILE, accept="a"), {"old.json": lock_text()}, "--accept", "cannot read a"),
        (evolve(FILE, accept="a"), {"a": "{}"}, "--accept", "a: expected an array of accepted changes, found object"),
    ],
)
def test_unreadable_side_names_the_problem(args: Diff, files: dict[str, Any], where: str, problem: str) -> None:
    fault = run(args, files, TOOL).fault

    assert isinstance(fault, Invalid)
    assert (fault.where, fault.problem.partition(" (")[0]) == (where, problem)


@pytest.mark.parametrize(
    ("args", "is_warned"),
    [
        (Diff(old=ServerOrLock("node s.js"), new=ServerOrLock("old.json")), True),
        (Diff(new=ServerOrLock("old.json")), True),
        (FILE, False),
        (evolve(FILE, new=ServerOrLock("node s.js")), False),
        (evolve(FILE, new=ServerOrLock("old.json")), False),
    ],
)
def test_lock_file_on_the_new_side_only_is_a_warning(args: Diff, is_warned: bool) -> None:  # noqa: FBT001 - a table
    warnings: list[str] = []
    run(args, {"old.json": lock_text(TOOL)}, TOOL, warnings=warnings)

    assert warnings == [REVERSED] * is_warned


def test_server_failure_ends_the_comparison() -> None:
    assert run(Diff(old=ServerOrLock("node s.js"))).fault == FAULT


def test_named_server_uses_its_own_era_and_version() -> None:
    plan = diff(
        evolve(FILE, old=ServerOrLock("https://x"), old_era="modern", old_protocol_version=Version("2026-07-28"))
    )

    assert next_step(plan, None) == RunOnServer("--old", "https://x", take_snapshot, "modern", "2026-07-28")


def test_breaking_change_fails_with_a_witness() -> None:
    ended = run(FILE, {"old.json": lock_text(TOOL)}, STRICT)

    assert isinstance(ended.fault, OperationFailed)
    assert (ended.fault.code, ended.fault.problem) == ("CONTRACT_CHANGED", "1 change: 1 breaking")
    assert ended.fault.details == {**ZERO, "breaking": 1, "failing": ["breaking"]}
    assert ended.result == {
        "changes": [
            {
                "rule": "required-added",
                "class": "breaking",
                "tool": "t",
                "pointer": "/inputSchema/required/0",
                "old": None,
                "new": "a",
                "why": "a property became required: arguments that used to be valid may be rejected",
                "witness": {},
            }
        ],
        "summary": {**ZERO, "breaking": 1},
    }


@pytest.mark.parametrize(
    ("fail_on", "tool", "fails"),
    [
        ("breaking", {**TOOL, "title": "T"}, False),
        ("routing", {**TOOL, "title": "T"}, True),
        ("routing", {**TOOL, "icons": []}, False),
        ("any", {**TOOL, "icons": []}, True),
        ("never", STRICT, False),
    ],
)
def test_fail_on_selects_the_failing_classes(fail_on: Any, tool: Any, fails: bool) -> None:  # noqa: FBT001 - a table
    assert (run(evolve(FILE, fail_on=fail_on), {"old.json": lock_text(TOOL)}, tool).fault is not None) is fails


def test_accepted_change_is_listed_separately_and_does_not_fail() -> None:
    accepted = [{"rule": "required-added", "tool": "t", "reason": "meant"}]
    ended = run(evolve(FILE, accept="a.json"), {"old.json": lock_text(TOOL), "a.json": accepted}, STRICT)

    assert ended.fault is None
    assert isinstance(ended.result, dict)
    assert (ended.result["changes"], ended.result["summary"]) == ([], ZERO)
    assert [(one["rule"], one["reason"]) for one in ended.result["accepted"]] == [("required-added", "meant")]


def test_stale_accept_entry_fails_and_is_named() -> None:
    files = {"old.json": lock_text(TOOL), "a.json": [{"rule": "tool-removed", "reason": "old"}]}
    ended = run(evolve(FILE, accept="a.json", fail_on="never"), files, TOOL)

    assert isinstance(ended.fault, Invalid)
    assert ended.fault.problem == 'a.json: entry 1 {"rule":"tool-removed"}: no change matches'
    assert ended.result == {"changes": [], "summary": ZERO, "accepted": []}


def test_explicitly_chosen_version_is_not_a_change() -> None:
    old = ServerOrLock(json.dumps(lock_text(TOOL, protocolVersion="2025-06-18")))
    chosen, free = run(Diff(old=old, new_era="handshake"), {}, TOOL), run(Diff(old=old), {}, TOOL)

    assert chosen.result == {"changes": [], "summary": ZERO}
    assert free.result != chosen.result


CHOICE = {**TOOL, "inputSchema": {"type": "object", "properties": {"a": {"dependencies": {"x": ["y"]}}}}}
FREE = {**TOOL, "inputSchema": {"type": "object", "properties": {"a": {}}}}


@pytest.mark.parametrize(
    ("problems", "has_witness"),
    [
        (((), (("", "no"),)), True),
        (((("", "no"),), (), (("", "no"),)), True),
        (((), ()), False),
        (((), (("", "the schema itself is invalid"),)), False),
    ],
)
def test_witness_is_found_with_the_validation_library(problems: Any, has_witness: bool) -> None:  # noqa: FBT001 - a table
    ended = run(FILE, {"old.json": lock_text(FREE)}, CHOICE, problems=problems)

    assert isinstance(ended.result, dict)
    assert ("witness" in ended.result["changes"][0]) is has_witness


def test_total_length_of_the_tried_values_is_limited() -> None:
    def tools(length: int) -> list[Any]:
        names = [f"p{number}" for number in range(100)]
        properties = {name: {"type": "string", "minLength": length} for name in names}
        schema = {"type": "object", "properties": properties, "required": names}
        return [{"name": "t", "inputSchema": schema}]

    ended = run(FILE, {"old.json": lock_text(*tools(1_000))}, *tools(1_001))
    found = ["witness" in as_object(one) for one in as_list(as_object(to_plain(ended.result))["changes"])]

    assert (len(found), found[0], found[-1]) == (100, True, False)


def test_table_starts_with_the_verdict() -> None:
    summarize = mcpi_methods()[1].summarize

    assert summarize is not None
    assert summarize({"changes": []}, 80, no_color) == ["no changes"]

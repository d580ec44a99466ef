"""The final report of a debug session."""

import pytest

from mcpi.core.debugger.inspector.debug_effects import NoCodeFound
from mcpi.core.debugger.program.debug_session import DebugSession, SourceFile
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.debugger.program.verdict import (
    Verdict,
    build_verdict,
    document,
    hint,
    no_file,
    no_inspector,
    not_started,
    port_in_use,
    remarks,
)
from mcpi.core.flags.places import SourceLine
from mcpi.core.jsontext.values import JsonObject

ONE: JsonObject = {"type": "number", "value": 1}


def debugging(*results: JsonObject, command: str = "") -> DebugSession:
    one = DebugSession(Probe((SourceLine("a.js", 5),), ("x",)), [SourceFile("/p/a.js")], command)
    one.results += results
    return one


def test_successful_run_reports_only_results() -> None:
    one = debugging(ONE, ONE)
    one.resolved_lines[0] = 5
    one.exited(0, None)

    assert build_verdict(one, 30.0, late=False) == Verdict("results", {"results": [ONE, ONE]})
    assert build_verdict(one, 30.0, late=False).error == ""


def test_timeout_after_a_hit_is_not_an_error() -> None:
    assert build_verdict(debugging(ONE), 1.0, late=True) == Verdict("results", {"results": [ONE], "timedOut": True})


def test_irregularities_are_reported_with_the_results() -> None:
    one = debugging(ONE)
    one.truncated, one.undebugged_address = True, "127.0.0.1:9229"
    one.resolved_lines[0] = 7
    one.exited(3, None)

    assert build_verdict(one, 1.0, late=False).document == {
        "results": [ONE],
        "truncated": True,
        "breakpoint": {"file": "a.js", "line": 5, "resolvedLine": 7},
        "hint": "a child process ran without a debugger because 127.0.0.1:9229 was in use; use --inspect-brk=0",
        "exitCode": 3,
    }


def test_remarks_tell_which_breakpoints_moved_and_that_values_are_missing() -> None:
    one = debugging(ONE)
    one.attached, one.evaluating, one.resolved_lines[0] = 1, True, 7
    moved = "a.js:5 has no code, so the breakpoint was moved to line 7"
    assert build_verdict(one, 1.0, late=False).remarks == (moved,)

    one.entered[0], one.truncated = "f", True
    assert remarks(one) == (
        f"{moved}, in `f()`",
        "further hits were not recorded: the limits are 10000 values and 1048576 bytes",
    )


def test_signal_is_reported_with_the_results() -> None:
    one = debugging(ONE)
    one.exited(None, "SIGSEGV")

    assert build_verdict(one, 1.0, late=False).document == {"results": [ONE], "signal": "SIGSEGV"}


def test_timeout_without_a_hit_is_reported() -> None:
    one = debugging(command="node a.js")
    one.stderr_line("boom")

    assert build_verdict(one, 30.0, late=True) == Verdict(
        "timeout",
        {
            "error": "Timeout waiting for breakpoint after 30000ms",
            "stderr": ["boom"],
            "hint": "no inspector found: start Node.js with --inspect-brk=0, and do not hide its stderr "
            "(with 2>/dev/null or --inspect-publish-uid=http)",
        },
    )


def test_exit_without_a_hit_is_reported() -> None:
    one = debugging(command="cd app && node --inspect-brk=0 a.js")
    one.attached = 1
    one.exited(7, None)

    assert build_verdict(one, 30.0, late=False) == Verdict(
        "exit",
        {
            "error": "Process exited before breakpoint was hit",
            "exitCode": 7,
            "signal": None,
            "stderr": [],
            "hint": "no loaded script has code at a.js:5, either directly or through a source map; "
            "for code in child processes, put NODE_OPTIONS=--inspect-brk=0 before the command instead of --inspect-brk",
        },
    )


def test_server_without_an_inspector_is_explained() -> None:
    assert hint(debugging()) == "no inspector found: the server does not run on Node.js, or its stderr is hidden"


def test_hint_without_a_command_does_not_change_the_command() -> None:
    one = debugging()
    one.attached = 1

    assert hint(one) == "no loaded script has code at a.js:5, either directly or through a source map"


def test_hint_names_the_location_of_the_breakpoint() -> None:
    one = debugging()
    one.attached = 1
    one.resolved_lines[0] = 5
    assert build_verdict(one, 1.0, late=True).document["hint"] == "a.js:5 was not reached"

    one.resolved_lines[0] = 8
    hint = "a.js:5 has no code, so the breakpoint was moved to line 8, which was not reached"
    assert build_verdict(one, 1.0, late=True).document["hint"] == hint


def test_expression_that_does_not_compile_is_reported() -> None:
    one = debugging()
    one.expression_error = "SyntaxError: no"

    assert build_verdict(one, 1.0, late=False).error == "Expression does not parse: SyntaxError: no"
    assert build_verdict(one, 1.0, late=False).kind == "expression"


def test_port_in_use_is_reported() -> None:
    one = debugging()
    one.address_in_use = "127.0.0.1:9229"

    assert build_verdict(one, 1.0, late=False) == port_in_use("127.0.0.1:9229")
    assert port_in_use("127.0.0.1:9229").error == "Inspector port is already in use: 127.0.0.1:9229"


def test_missing_breakpoint_file_is_named_by_its_resolved_path() -> None:
    verdict = no_file(SourceLine("src/b.js", 5), "/p/src/b.js")

    assert (verdict.kind, verdict.error) == ("breakpoint", "Breakpoint file not found: /p/src/b.js")


def test_command_that_cannot_be_started_is_reported() -> None:
    assert not_started("embedded null byte") == Verdict(
        "command",
        {
            "error": "The command cannot be started: embedded null byte",
            "hint": "write the command as one shell command line",
        },
    )


def test_stopped_program_is_marked_as_stopped() -> None:
    one = debugging(ONE)
    one.stopped = True

    assert build_verdict(one, 1.0, late=True).document == {"results": [ONE], "stopped": True}


@pytest.mark.parametrize(
    ("missing", "hint"),
    [
        (NoCodeFound(0, "", dropped=False), "a.js:5 has no code, and no code follows it"),
        (NoCodeFound(0, "f", dropped=False), "line 5 is in `f()`, which has no code after that line"),
        (NoCodeFound(0, "f", dropped=True), "line 5 is in `f()`, which is never called: V8 has no code for it"),
    ],
)
def test_hint_names_the_function_of_a_line_without_code(missing: NoCodeFound, hint: str) -> None:
    one = debugging()
    one.attached, one.no_code[0] = 1, missing

    assert build_verdict(one, 1.0, late=False).document["hint"] == hint


def test_expression_that_did_not_return_is_reported() -> None:
    one = debugging()
    one.attached, one.evaluating = 1, True

    hint = "the expression did not return: it ran forever or ended the process"
    assert build_verdict(one, 1.0, late=True).document["hint"] == hint


def test_several_breakpoints_are_reported_as_a_list() -> None:
    places = (SourceLine("a.js", 5), SourceLine("b.js", 6))
    one = DebugSession(Probe(places, ("x", "y")), [SourceFile("/p/a.js"), SourceFile("/p/b.js")])
    one.results.append(ONE)
    one.resolved_lines |= {0: 5, 1: 9}

    assert document(one)["breakpoint"] == [{"file": "b.js", "line": 6, "resolvedLine": 9}]


def test_address_without_an_inspector_is_reported() -> None:
    assert (no_inspector("9229").kind, no_inspector("9229").error) == ("attach", "No inspector found at 9229")


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("node --inspect-brk=0 b.js", "; if a child process runs it, use: NODE_OPTIONS=--inspect-brk=0 node b.js"),
        ("NODE_OPTIONS=--inspect-brk=0 node b.js", ""),
    ],
)
def test_hint_suggests_node_options_unless_already_used(command: str, advice: str) -> None:
    one = debugging(command=command)
    one.attached = 1

    loaded = "no loaded script has code at a.js:5, either directly or through a source map"
    assert hint(one) == loaded + advice

"""What is said at the end."""

from mcpi.core.debugger.program.debug_session import DebugSession
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.debugger.program.verdict import Verdict, build_verdict, no_file, not_started, port_in_use
from mcpi.core.flags.places import SourceLine
from mcpi.core.jsontext.values import JsonObject

ONE: JsonObject = {"type": "number", "value": 1}


def debugging(*results: JsonObject) -> DebugSession:
    one = DebugSession(Probe(SourceLine("a.js", 5), "x", 10), "/p/a.js")
    one.results += results
    return one


def test_results_are_all_that_is_said_when_all_went_well() -> None:
    one = debugging(ONE, ONE)
    one.resolved_line = 5
    one.exited(0, None)

    assert build_verdict(one, 30.0, late=False) == Verdict("results", {"results": [ONE, ONE]})
    assert build_verdict(one, 30.0, late=False).error == ""


def test_time_that_ran_out_after_a_hit_is_no_error() -> None:
    assert build_verdict(debugging(ONE), 1.0, late=True) == Verdict("results", {"results": [ONE], "timedOut": True})


def test_what_is_odd_is_said_beside_the_results() -> None:
    one = debugging(ONE)
    one.truncated, one.resolved_line, one.undebugged_address = True, 7, "127.0.0.1:9229"
    one.exited(3, None)

    assert build_verdict(one, 1.0, late=False).document == {
        "results": [ONE],
        "truncated": True,
        "breakpoint": {"file": "a.js", "line": 5, "resolvedLine": 7},
        "hint": "a child process ran undebugged, as 127.0.0.1:9229 was taken: use --inspect-brk=0",
        "exitCode": 3,
    }


def test_a_signal_is_said_beside_the_results() -> None:
    one = debugging(ONE)
    one.exited(None, "SIGSEGV")

    assert build_verdict(one, 1.0, late=False).document == {"results": [ONE], "signal": "SIGSEGV"}


def test_time_that_ran_out_without_a_hit_is_said_in_the_seeds_words() -> None:
    one = debugging()
    one.stderr_line("boom")

    assert build_verdict(one, 30.0, late=True) == Verdict(
        "timeout",
        {
            "error": "Timeout waiting for breakpoint after 30000ms",
            "stderr": ["boom"],
            "hint": "no inspector was seen: start Node.js with --inspect-brk=0, and let its stderr through "
            "(no 2>/dev/null, no --inspect-publish-uid=http)",
        },
    )


def test_a_program_that_ended_without_a_hit_is_said_in_the_seeds_words() -> None:
    one = debugging()
    one.attached = 1
    one.exited(7, None)

    assert build_verdict(one, 30.0, late=False) == Verdict(
        "exit",
        {
            "error": "Process exited before breakpoint was hit",
            "exitCode": 7,
            "signal": None,
            "stderr": [],
            "hint": "no script that was loaded has code at a.js:5, nor was one generated from it with a source map",
        },
    )


def test_the_hint_says_where_the_breakpoint_was() -> None:
    one = debugging()
    one.attached, one.resolved_line = 1, 5
    assert build_verdict(one, 1.0, late=True).document["hint"] == "a.js:5 was not reached"

    one.resolved_line = 8
    hint = "a.js:5 has no code: the breakpoint went to line 8, which was not reached"
    assert build_verdict(one, 1.0, late=True).document["hint"] == hint


def test_an_expression_that_does_not_compile_is_to_blame() -> None:
    one = debugging()
    one.expression_error = "SyntaxError: no"

    assert build_verdict(one, 1.0, late=False).error == "Expression does not parse: SyntaxError: no"
    assert build_verdict(one, 1.0, late=False).kind == "expression"


def test_a_port_that_was_taken_is_to_blame() -> None:
    one = debugging()
    one.address_in_use = "127.0.0.1:9229"

    assert build_verdict(one, 1.0, late=False) == port_in_use("127.0.0.1:9229")
    assert port_in_use("127.0.0.1:9229").error == "Inspector port is already in use: 127.0.0.1:9229"


def test_a_file_that_is_not_there_is_named_as_it_was_looked_for() -> None:
    verdict = no_file(SourceLine("src/b.js", 5), "/p/src/b.js")

    assert (verdict.kind, verdict.error) == ("breakpoint", "Breakpoint file not found: /p/src/b.js")


def test_a_command_that_cannot_be_started_is_to_blame() -> None:
    assert not_started("embedded null byte") == Verdict(
        "command",
        {
            "error": "The command cannot be started: embedded null byte",
            "hint": "it is one line, as a shell reads it",
        },
    )

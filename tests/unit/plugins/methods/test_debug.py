"""debug/script: its steps and its results."""

import pytest

from mcpi.core.debugger.program.probe import Probe, Program
from mcpi.core.debugger.program.verdict import Kind, Verdict
from mcpi.core.flags.places import SourceLine
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Fault, Interrupted, Invalid, OperationFailed, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import ClockReading, ReadClock, Warn
from mcpi.core.plans.world_steps import Debug
from mcpi.plugins.methods.debug import DebugScript, debug_script, mcpi_methods, mcpi_tools
from support.replay import replay

ARGS = DebugScript(debug_command="node --inspect-brk=0 a.js", breakpoint=(SourceLine("a.js", 3),), expression=("x",))
DEBUG = Debug(Program("node --inspect-brk=0 a.js", Probe((SourceLine("a.js", 3),), ("x",)), 5.0))
LOOKED = (ReadClock(), ClockReading(0.0, 5.0, frozenset()))


def test_debug_script_is_not_a_protocol_method_and_needs_no_server() -> None:
    (method,) = mcpi_methods()

    assert (method.name, method.connects, method.is_protocol_method) == ("debug/script", False, False)


def test_result_is_the_document_of_the_debugger() -> None:
    document: JsonObject = {"results": [{"type": "number", "value": 1}]}

    assert replay(debug_script(ARGS), LOOKED, (DEBUG, Success(Verdict("results", document)))) == PlanResult(document)


def test_remarks_about_the_results_are_warnings() -> None:
    found = Verdict("results", {"results": []}, ("moved to line 5",))

    ended = replay(debug_script(ARGS), LOOKED, (DEBUG, Success(found)), (Warn("moved to line 5"), None))
    assert ended == PlanResult(found.document)


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (
            "timeout",
            TimedOut(
                *("REQUEST_TIMEOUT", 5.0, "the breakpoint at a.js:3"),
                hints=("do",),
                problem="the breakpoint at a.js:3 was not hit",
            ),
        ),
        (
            "exit",
            OperationFailed(
                "BREAKPOINT_NOT_HIT", "no", ("boom", "do"), {"error": "no", "stderr": ["boom"], "hint": "do"}
            ),
        ),
        ("command", Invalid("INVALID_ARGUMENT", "--debug-command", "no", ("do",))),
        ("attach", Invalid("INVALID_ARGUMENT", "--attach", "no", ("do",))),
        ("breakpoint", Invalid("INVALID_ARGUMENT", "--breakpoint", "no", ("do",))),
        ("expression", Invalid("INVALID_ARGUMENT", "--expression", "no", ("do",))),
    ],
)
def test_failure_keeps_the_document(kind: Kind, fault: Fault) -> None:
    document: JsonObject = {"error": "no", "stderr": ["boom"], "hint": "do"}
    ended = replay(debug_script(ARGS), LOOKED, (DEBUG, Success(Verdict(kind, document))))

    assert ended == PlanResult(document, fault)


def test_interrupt_ends_the_method() -> None:
    ended = replay(debug_script(ARGS), LOOKED, (DEBUG, Failure(Interrupted("SIGINT"))))

    assert ended == PlanResult(None, Interrupted("SIGINT"))


def test_empty_expression_fails_before_the_program_starts() -> None:
    empty = DebugScript(debug_command="node", breakpoint=(SourceLine("a.js", 3),), expression=(" ",))

    ended = replay(debug_script(empty))
    assert isinstance(ended.fault, Invalid)
    assert ended.fault.where == "--expression"


@pytest.mark.parametrize(("command", "attach"), [(None, None), ("node", "9229")])
def test_exactly_one_of_debug_command_and_attach_is_required(command: str | None, attach: str | None) -> None:
    args = DebugScript(debug_command=command, attach=attach, breakpoint=(SourceLine("a.js", 3),), expression=("x",))

    assert replay(debug_script(args)).fault == Invalid(
        "MISSING_ARGUMENT", "debug/script", "debug/script requires --debug-command or --attach"
    )


def test_method_is_a_tool_for_agents() -> None:
    assert mcpi_tools() == ("debug/script",)

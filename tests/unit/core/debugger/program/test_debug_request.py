"""Arguments of the debug tool."""

import pytest

from mcpi.core.debugger.program.debug_request import INPUT_SCHEMA, OUTPUT_SCHEMA, parse_request
from mcpi.core.debugger.program.probe import Probe, Program
from mcpi.core.flags.places import RecordingLimits, SourceLine
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

NO_ARGUMENT = "unknown argument"
GOOD: JsonObject = {
    "command": "node --inspect-brk=9229 test.js",
    "breakpoint": {"file": "src/file.js", "line": 42},
    "expression": "myVariable",
    "timeout": 30000,
}


def test_minimal_request_is_parsed() -> None:
    probe = Probe((SourceLine("src/file.js", 42),), ("myVariable",))

    assert parse_request(GOOD) == Success(Program("node --inspect-brk=9229 test.js", probe, 30.0))


def test_integral_floats_are_accepted_as_integers() -> None:
    given: JsonObject = {**GOOD, "breakpoint": {"file": "a.js", "line": 42.0}, "maxResults": 5.0, "timeout": 0.5}

    assert parse_request(given) == Success(
        Program(str(GOOD["command"]), Probe((SourceLine("a.js", 42),), ("myVariable",), RecordingLimits(5)), 0.0005)
    )


@pytest.mark.parametrize(
    ("change", "where", "problem", "hints"),
    [
        ({"command": " "}, "command", "expected text, got an empty string", ()),
        ({"command": None}, "command", "missing required argument", ()),
        ({"breakpoint": "a.js:4"}, "breakpoint", "expected an object, found string", ()),
        ({"breakpoint": {}}, "breakpoint.file", "missing required argument", ()),
        ({"breakpoint": {"file": "a.js", "line": 0}}, "breakpoint.line", "expected an integer from 1, got 0", ()),
        (
            {"breakpoint": {"file": "a.js", "line": 1.5}},
            "breakpoint.line",
            "expected an integer from 1, got 1.5",
            (),
        ),
        ({"breakpoint": {"file": "a", "line": True}}, "breakpoint.line", "expected an integer from 1, got True", ()),
        ({"breakpoint": {"file": "a", "line": 1, "lin": 1}}, "breakpoint.lin", NO_ARGUMENT, ("did you mean line?",)),
        ({"expression": 5}, "expression", "expected text, got 5", ()),
        ({"timeout": 0}, "timeout", "expected milliseconds, greater than 0 and at most one day, got 0", ()),
        ({"timeout": True}, "timeout", "expected milliseconds, greater than 0 and at most one day, got True", ()),
        ({"timeout": "30s"}, "timeout", "expected milliseconds, greater than 0 and at most one day, got string", ()),
        ({"timeout": 1e999}, "timeout", "expected milliseconds, greater than 0 and at most one day, got inf", ()),
        ({"maxResults": 0}, "maxResults", "expected an integer from 1, got 0", ()),
        ({"zzz": 0}, "zzz", NO_ARGUMENT, ()),
    ],
)
def test_invalid_argument_is_named(change: JsonObject, where: str, problem: str, hints: tuple[str, ...]) -> None:
    assert parse_request({**GOOD, **change}) == Failure(Invalid("INVALID_ARGUMENT", where, problem, hints))


def test_optional_arguments_are_parsed() -> None:
    more: Json = [{"file": "b.js", "line": 7, "column": 3, "expression": "y"}, {"file": "c.js", "line": 8}]
    limits: JsonObject = {"maxValueBytes": 10, "maxTotalBytes": 20, "stopAfter": 4, "stack": True}
    places = (SourceLine("src/file.js", 42), SourceLine("b.js", 7, 3), SourceLine("c.js", 8))
    probe = Probe(places, ("myVariable", "y", "myVariable"), RecordingLimits(10_000, 10, 20), 4, stack=True)

    parsed = parse_request({**GOOD, "moreBreakpoints": more, **limits})
    assert parsed == Success(Program("node --inspect-brk=9229 test.js", probe, 30.0))


@pytest.mark.parametrize("schema", [INPUT_SCHEMA, OUTPUT_SCHEMA])
def test_schemas_describe_objects(schema: JsonObject) -> None:
    assert schema["type"] == "object"


def test_four_arguments_are_required() -> None:
    required: Json = ["command", "breakpoint", "expression", "timeout"]

    assert INPUT_SCHEMA["required"] == required

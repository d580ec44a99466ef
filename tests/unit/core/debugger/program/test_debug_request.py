"""The arguments of the tool."""

import pytest

from mcpi.core.debugger.program.debug_request import INPUT_SCHEMA, OUTPUT_SCHEMA, parse_request
from mcpi.core.debugger.program.probe import Probe, Program
from mcpi.core.flags.places import SourceLine
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

GOOD: JsonObject = {
    "command": "node --inspect-brk=9229 test.js",
    "breakpoint": {"file": "src/file.js", "line": 42},
    "expression": "myVariable",
    "timeout": 30000,
}


def test_the_seeds_request_is_understood() -> None:
    probe = Probe(SourceLine("src/file.js", 42), "myVariable", 10_000)

    assert parse_request(GOOD) == Success(Program("node --inspect-brk=9229 test.js", probe, 30.0))


def test_a_number_that_is_whole_is_whole_however_it_is_written() -> None:
    given: JsonObject = {**GOOD, "breakpoint": {"file": "a.js", "line": 42.0}, "maxResults": 5.0, "timeout": 0.5}

    assert parse_request(given) == Success(
        Program(str(GOOD["command"]), Probe(SourceLine("a.js", 42), "myVariable", 5), 0.0005)
    )


@pytest.mark.parametrize(
    ("change", "where", "problem", "hints"),
    [
        ({"command": " "}, "command", "expected text, got an empty one", ()),
        ({"command": None}, "command", "expected text, got nothing", ()),
        ({"breakpoint": "a.js:4"}, "breakpoint", "expected an object with file and line, got string", ()),
        ({"breakpoint": {}}, "breakpoint.file", "expected text, got nothing", ()),
        ({"breakpoint": {"file": "a.js"}}, "breakpoint.line", "expected a line from 1 on, got nothing", ()),
        ({"breakpoint": {"file": "a.js", "line": 0}}, "breakpoint.line", "expected a line from 1 on, got 0", ()),
        ({"breakpoint": {"file": "a.js", "line": 1.5}}, "breakpoint.line", "expected a line from 1 on, got 1.5", ()),
        ({"breakpoint": {"file": "a.js", "line": True}}, "breakpoint.line", "expected a line from 1 on, got True", ()),
        (
            {"breakpoint": {"file": "a.js", "lin": 1}},
            "breakpoint.lin",
            "there is no such argument",
            ("did you mean line?",),
        ),
        ({"expression": 5}, "expression", "expected text, got 5", ()),
        ({"timeout": 0}, "timeout", "expected milliseconds above 0, at most a day of them, got 0", ()),
        ({"timeout": True}, "timeout", "expected milliseconds above 0, at most a day of them, got True", ()),
        ({"timeout": "30s"}, "timeout", "expected milliseconds above 0, at most a day of them, got string", ()),
        ({"timeout": 1e999}, "timeout", "expected milliseconds above 0, at most a day of them, got inf", ()),
        ({"maxResults": 0}, "maxResults", "expected a number from 1 on, got 0", ()),
        ({"zzz": 0}, "zzz", "there is no such argument", ()),
    ],
)
def test_what_cannot_be_meant_is_named(change: JsonObject, where: str, problem: str, hints: tuple[str, ...]) -> None:
    assert parse_request({**GOOD, **change}) == Failure(Invalid("INVALID_ARGUMENT", where, problem, hints))


@pytest.mark.parametrize("schema", [INPUT_SCHEMA, OUTPUT_SCHEMA])
def test_the_schemas_are_of_objects(schema: JsonObject) -> None:
    assert schema["type"] == "object"


def test_the_seeds_four_arguments_are_required() -> None:
    required: Json = ["command", "breakpoint", "expression", "timeout"]

    assert INPUT_SCHEMA["required"] == required

"""Arguments and schemas of the debug-script tool."""

from collections.abc import Callable
from typing import NewType

from mcpi.core.debugger.program.probe import Probe, Program
from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.places import RecordingLimits, SourceLine
from mcpi.core.flags.structure import CONVERTER, InvalidValueError, exact_members, structure
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject, type_name
from mcpi.core.outcome.result import Failure, ParseResult, Success

_MAX_TIMEOUT = 24 * 60 * 60 * 1000.0
"""One day in milliseconds."""
_LIMITS = RecordingLimits()

Count = NewType("Count", int)
"""An integer greater than 0."""
Milliseconds = NewType("Milliseconds", float)
Text = NewType("Text", str)
"""A string that is not blank."""


@frozen
class ToolBreakpoint:
    """A position in a source file."""

    file: Text
    line: Count
    column: Count | None = None

    @property
    def place(self) -> SourceLine:
        """The position in the form that flags use."""
        return SourceLine(self.file, self.line, self.column)


@frozen
class FurtherBreakpoint(ToolBreakpoint):
    """An additional position, with an optional expression."""

    expression: Text | None = None


@frozen
class DebugArguments:
    """The arguments of the tool."""

    command: Text
    breakpoint: ToolBreakpoint
    expression: Text
    timeout: Milliseconds
    more_breakpoints: tuple[FurtherBreakpoint, ...] = ()
    max_results: Count = Count(_LIMITS.results)
    max_value_bytes: Count = Count(_LIMITS.value_bytes)
    max_total_bytes: Count = Count(_LIMITS.total_bytes)
    stop_after: Count | None = None
    stack: bool = False


_POSITION_PROPERTIES: JsonObject = {
    "file": {"type": "string", "description": "Path or file: URL of the source file; source maps are followed."},
    "line": {"type": "integer", "minimum": 1, "description": "Line of the file, counted from 1."},
    "column": {"type": "integer", "minimum": 1, "description": "Column of the line, counted from 1."},
}
_POSITION: JsonObject = {
    "type": "object",
    "properties": _POSITION_PROPERTIES,
    "required": ["file", "line"],
    "additionalProperties": False,
}
_FURTHER: JsonObject = {**_POSITION, "properties": {**_POSITION_PROPERTIES, "expression": {"type": "string"}}}


def _count(description: str, default: int | None = None) -> JsonObject:
    schema: JsonObject = {"type": "integer", "minimum": 1, "description": description}
    return schema if default is None else {**schema, "default": default}


INPUT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "command": {
            "type": "string",
            "description": "Shell command that runs Node.js with --inspect-brk=0 (0 selects a free port).",
        },
        "breakpoint": {"description": "Position at which to evaluate the expression.", **_POSITION},
        "expression": {
            "type": "string",
            "description": "JavaScript to evaluate at each hit; it can use `this`, local variables and arguments.",
        },
        "timeout": {
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "Timeout of the whole run in milliseconds, for example 30000.",
        },
        "moreBreakpoints": {
            "type": "array",
            "description": "Additional breakpoints, optionally with a different expression.",
            "items": _FURTHER,
        },
        "maxResults": _count("Maximum number of values to keep.", _LIMITS.results),
        "maxValueBytes": _count("Maximum size of one value in bytes; omitted parts are marked.", _LIMITS.value_bytes),
        "maxTotalBytes": _count("Maximum size of all values in bytes.", _LIMITS.total_bytes),
        "stopAfter": _count("Stop the program after this number of values."),
        "stack": {
            "type": "boolean",
            "default": False,
            "description": "Add the call stack and the names in scope to each value.",
        },
    },
    "required": ["command", "breakpoint", "expression", "timeout"],
    "additionalProperties": False,
}

OUTPUT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "results": {
            "type": "array",
            "description": "The value at each hit, in order.",
            "items": {
                "type": "object",
                "properties": {
                    "type": {
                        "type": "string",
                        "description": "The result of typeof, or error if the expression threw.",
                    },
                    "value": {
                        "description": 'The value as JSON; {"$kind": ...} represents values that JSON cannot express.'
                    },
                    "subtype": {"type": "string", "description": "null, array, map, set, error, promise and so on."},
                    "truncated": {
                        "type": "boolean",
                        "description": "True if parts of the value are omitted; they are marked.",
                    },
                    "breakpoint": {"type": "string", "description": "FILE:LINE, if there are several breakpoints."},
                    "stack": {"type": "array", "items": {"type": "object"}},
                    "scopes": {"type": "object", "description": "The names of the variables in each scope."},
                },
                "required": ["type", "value"],
            },
        },
        "truncated": {"type": "boolean", "description": "True if there were more hits than the limits allow."},
        "timedOut": {
            "type": "boolean",
            "description": "True if the program was still running when the timeout expired.",
        },
        "stopped": {"type": "boolean", "description": "True if the program was stopped after stopAfter values."},
        "breakpoint": {
            "type": ["object", "array"],
            "description": "The line to which the breakpoint was moved, if its own line has no code.",
        },
        "error": {"type": "string", "description": "The reason why there are no values."},
        "hint": {"type": "string", "description": "A suggestion for fixing the problem."},
        "exitCode": {"type": ["integer", "null"]},
        "signal": {"type": ["string", "null"]},
        "stderr": {"type": "array", "items": {"type": "string"}, "description": "The program's last lines of stderr."},
    },
    "anyOf": [{"required": ["results"]}, {"required": ["error"]}],
}


def parse_request(arguments: JsonObject) -> ParseResult[Program]:
    """Parse the arguments of a tool call."""
    match structure(DebugArguments, exact_members(arguments)):
        case Failure(mistakes):
            first = mistakes[0]
            if first.kind == "unknown":
                hints = (f"did you mean {first.problem}?",) if first.problem else ()
                return invalid(first.place, "unknown argument", *hints)
            return invalid(first.place, "missing required argument" if first.kind == "missing" else first.problem)
        case Success(given):
            return _program(given)


def _program(given: DebugArguments) -> ParseResult[Program]:
    places = [given.breakpoint.place, *(one.place for one in given.more_breakpoints)]
    expressions = [given.expression, *(one.expression or given.expression for one in given.more_breakpoints)]
    limits = RecordingLimits(given.max_results, given.max_value_bytes, given.max_total_bytes)
    probe = Probe(tuple(places), tuple(expressions), limits, given.stop_after, given.stack)
    return Success(Program(given.command, probe, given.timeout / 1000))


def _count_of(value: Json) -> Count | None:
    """Return an integer of at least 1, or None; JSON does not distinguish 1 from 1.0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 1 or value != value // 1:
        return None
    return Count(int(value))


def _milliseconds_of(value: Json) -> Milliseconds | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MAX_TIMEOUT:
        return None
    return Milliseconds(value)


def _text_of(value: Json) -> Text | None:
    return Text(value) if isinstance(value, str) and value.strip() else None


def _hook(read: Callable[[Json], object], expected: str) -> Callable[[Exact, object], object]:
    def hook(value: Exact, _: object) -> object:
        found = read(value.value)
        if found is None:
            raise InvalidValueError(f"expected {expected}, got {_describe(value.value)}")
        return found

    return hook


def _describe(value: Json) -> str:
    if isinstance(value, str) and not value.strip():
        return "an empty string"
    return repr(value) if isinstance(value, int | float) else type_name(value)


CONVERTER.register_structure_hook(Count, _hook(_count_of, "an integer from 1"))
CONVERTER.register_structure_hook(
    Milliseconds, _hook(_milliseconds_of, "milliseconds, greater than 0 and at most one day")
)
CONVERTER.register_structure_hook(Text, _hook(_text_of, "text"))

"""Arguments and schemas of the debug-script tool."""

from mcpi.core.debugger.program.probe import Probe, Program
from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, SourceLine
from mcpi.core.jsontext.values import Json, JsonObject, as_object, type_name
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, ParseResult, Success
from mcpi.core.text.suggestions import nearest

_MAX_TIMEOUT = 24 * 60 * 60 * 1000.0
"""One day in milliseconds."""

INPUT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "command": {
            "type": "string",
            "description": "The full command line that runs Node.js, with --inspect-brk=0 in it (any free port).",
        },
        "breakpoint": {
            "type": "object",
            "description": "Where to look.",
            "properties": {
                "file": {
                    "type": "string",
                    "description": "Path of the source file, relative or absolute; source maps are followed.",
                },
                "line": {"type": "integer", "minimum": 1, "description": "Line of the file, counted from 1."},
            },
            "required": ["file", "line"],
            "additionalProperties": False,
        },
        "expression": {
            "type": "string",
            "description": "JavaScript to evaluate each time the line is reached; it sees locals, arguments and this.",
        },
        "timeout": {
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "Milliseconds that the whole may take, for example 30000.",
        },
        "maxResults": {
            "type": "integer",
            "minimum": 1,
            "default": DEFAULT_MAX_RESULTS,
            "description": "Keep so many values at most.",
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
                    "type": {"type": "string", "description": "What typeof says, or error where evaluating threw."},
                    "value": {"description": "The value as JSON; text where JSON has no such value."},
                    "subtype": {"type": "string", "description": "null, array, map, set, error, promise and so on."},
                    "description": {"type": "string"},
                },
                "required": ["type", "value"],
            },
        },
        "truncated": {"type": "boolean", "description": "There were more hits than maxResults."},
        "timedOut": {"type": "boolean", "description": "The program still ran when the time was up."},
        "breakpoint": {
            "type": "object",
            "description": "Where the breakpoint went, if its line has no code.",
            "properties": {
                "file": {"type": "string"},
                "line": {"type": "integer"},
                "resolvedLine": {"type": "integer"},
            },
        },
        "error": {"type": "string", "description": "Why there is no value."},
        "hint": {"type": "string", "description": "What may help."},
        "exitCode": {"type": ["integer", "null"]},
        "signal": {"type": ["string", "null"]},
        "stderr": {"type": "array", "items": {"type": "string"}, "description": "The program's last lines."},
    },
    "anyOf": [{"required": ["results"]}, {"required": ["error"]}],
}


def parse_request(arguments: JsonObject) -> ParseResult[Program]:
    """Parse the arguments of a tool call."""
    given = arguments.get("breakpoint")
    if given is not None and not isinstance(given, dict):
        return invalid("breakpoint", f"expected an object with file and line, got {_describe(given)}")
    place = as_object(given)
    unknown = _unknown("", arguments, INPUT_SCHEMA) or _unknown(
        "breakpoint.", place, as_object(_property("breakpoint"))
    )
    if unknown is not None:
        return unknown
    for name, value in (
        ("command", arguments.get("command")),
        ("breakpoint.file", place.get("file")),
        ("expression", arguments.get("expression")),
    ):
        if not isinstance(value, str) or not value.strip():
            return invalid(name, f"expected text, got {_describe(value)}")
    line, most = (
        _positive_integer(place.get("line")),
        _positive_integer(arguments.get("maxResults", DEFAULT_MAX_RESULTS)),
    )
    if line is None:
        return invalid("breakpoint.line", f"expected a line from 1 on, got {_describe(place.get('line'))}")
    if most is None:
        return invalid("maxResults", f"expected a number from 1 on, got {_describe(arguments.get('maxResults'))}")
    time = arguments.get("timeout")
    if isinstance(time, bool) or not isinstance(time, int | float) or not 0 < time <= _MAX_TIMEOUT:
        return invalid("timeout", f"expected milliseconds above 0, at most a day of them, got {_describe(time)}")
    probe = Probe(SourceLine(str(place["file"]), line), str(arguments["expression"]), most)
    return Success(Program(str(arguments["command"]), probe, time / 1000))


def _unknown(prefix: str, given: JsonObject, schema: JsonObject) -> Failure[Invalid] | None:
    known = as_object(schema.get("properties"))
    for name in given:
        if name not in known:
            near = nearest(name, known)
            hints = (f"did you mean {near}?",) if near else ()
            return invalid(f"{prefix}{name}", "there is no such argument", *hints)
    return None


def _property(name: str) -> Json:
    return as_object(INPUT_SCHEMA["properties"])[name]


def _positive_integer(value: Json) -> int | None:
    """Return an integer of at least 1, or None; JSON does not distinguish 1 from 1.0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 1 or value != value // 1:
        return None
    return int(value)


def _describe(value: Json) -> str:
    if isinstance(value, str) and not value.strip():
        return "an empty one"
    return "nothing" if value is None else repr(value) if isinstance(value, int | float) else type_name(value)

"""The types of flag values, each parsed from text and from JSON."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NewType, TypeAlias, get_args, get_origin

from mcpi.core.flags.canned_answers import ElicitationAnswer, SamplingAnswer, parse_elicitation, parse_sampling
from mcpi.core.flags.pairs import (
    Expectation,
    File,
    Header,
    Pair,
    Variable,
    invalid,
    is_header_name,
    pair_source,
    parse_assignment,
    parse_header,
    parse_json_or_file,
    parse_named_file,
    parse_pair,
    parse_root,
    parse_uri,
    parse_variable,
    variable_source,
)
from mcpi.core.flags.places import SourceLine, parse_source_line
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import with_nearest
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.text.suggestions import nearest

Name: TypeAlias = Annotated[str, "NAME"]
Filename: TypeAlias = Annotated[str, "FILE"]
Folder: TypeAlias = Annotated[str, "DIR"]
Address: TypeAlias = Annotated[str, "URL"]
Uri: TypeAlias = Annotated[str, "URI"]
Identifier: TypeAlias = Annotated[str, "ID"]
Command: TypeAlias = Annotated[str, "COMMAND"]
ProgramName: TypeAlias = Annotated[str, "PROGRAM"]
Process: TypeAlias = Annotated[str, "PORT|PID|URL"]
JavaScript: TypeAlias = Annotated[str, "JAVASCRIPT"]
Cursor: TypeAlias = Annotated[str, "CURSOR"]
RuleName: TypeAlias = Annotated[str, "RULE[:TOOL]"]
TokenLimit: TypeAlias = Annotated[str, "LIMIT"]
"""String types with different placeholders in the help."""
Clients: TypeAlias = Annotated[str, "CLIENT", "claude|openai|gemini|vscode|cursor"]
LogLevel: TypeAlias = Annotated[str, "LEVEL", "debug|info|notice|warning|error|critical|alert|emergency"]
"""String types with the usual values, which completion offers."""
Port: TypeAlias = Annotated[int, "PORT"]
"""A number with another placeholder in the help."""
Duration = NewType("Duration", float)
"""Seconds."""
Secret = NewType("Secret", str)
"""A string that is masked in all output."""
PrivateKey = NewType("PrivateKey", str)
"""The text of a key file, masked in all output."""
Size = NewType("Size", int)
"""Bytes."""
Version = NewType("Version", str)
"""A protocol version, which is a date."""
Assignment = NewType("Assignment", tuple[str, str])
"""A name and its value."""
NamedFile = NewType("NamedFile", tuple[str, str])
"""A name and its file."""
ScriptVariable = NewType("ScriptVariable", Pair)
"""A variable of a script and its value: a string, or JSON."""
ServerOrLock = NewType("ServerOrLock", str)
"""A lock file or document, a URL, config:NAME, or a command as one word."""
LOCK_FILES = (".json", ".lock")
"""The file extensions of lock files."""
Root = NewType("Root", JsonObject)
"""A root, as the protocol defines it."""

Source: TypeAlias = File | Variable
Read: TypeAlias = Callable[[str, str], Result[Any]]

_DURATION = lazy_pattern(r"(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h)?", re.ASCII)
_UNITS = {None: 0.001, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_SECOND = 1000
_SHORT = 100
TIMEOUTS = ("--timeout", "--connect-timeout", "--max-total-timeout")
"""The flags that limit the time of a call."""
_DATE = lazy_pattern(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII)
_SIZE = lazy_pattern(r"(\d+)(k|m|g)?i?b?", re.IGNORECASE)
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_DIGITS = 16
_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})


@frozen
class FlagType:
    """The type of a flag's value, and its parser."""

    name: str
    read: Read
    """Parse the value from (flag, text)."""
    source: Callable[[str], Source | None] = lambda _: None
    """Return the file or variable that holds the text, or None if the text is the value itself."""
    types: tuple[str, ...] = ("string",)
    """The JSON types that are allowed in a script."""
    choices: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    """Values that completion offers, although others are allowed."""
    content: Callable[[str, str, str], Result[Any]] | None = None
    """Parse the value from (flag, text, content of the source), if the text matters too."""
    secret: bool = False
    """True if the value is masked in all output."""
    takes_bytes: bool = False
    """True if the value may hold bytes that are not UTF-8: the name of a file or a variable's value."""


def _text(_: str, text: str) -> Result[str]:
    return Success(text)


def _path(flag: str, text: str) -> Result[str]:
    return Success(text) if text else invalid(flag, "expected a name, got an empty string")


def read_switch(flag: str, text: str) -> Result[bool]:
    """Parse the value of a switch."""
    if text.lower() in _TRUE | _FALSE:
        return Success(text.lower() in _TRUE)
    return invalid(flag, f"expected true or false, got {text!r}")


def read_number(flag: str, text: str) -> Result[int]:
    """Parse a non-negative integer."""
    if text.isascii() and text.isdigit() and len(text) < _DIGITS:
        return Success(int(text))
    return invalid(flag, f"expected an integer of at least 0, got {text!r}")


def read_duration(flag: str, text: str) -> Result[Duration]:
    """Parse a duration and return it in seconds; a bare number is milliseconds."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return invalid(flag, f"expected a duration such as 500, 500ms, 30s or 2m, got {text!r}")
    return Success(Duration(float(match[1]) * _UNITS[match[2]]))


def timeout_hint(flag: str, text: str) -> str:
    """Return a hint about a timeout of zero, or below 1000 without a unit, which may have been meant as seconds."""
    if not text.strip("0.hms"):
        return f"{flag} {text} expires at once; to disable it in practice, use {flag} 24h"
    return f"{flag} {text} means {text} ms; write {text}s for seconds" if is_below_second(text) else ""


def early_timeouts(values: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the warnings about timeouts below 100 without a unit, which are probably meant as seconds."""
    given = ((flag, values[flag][-1].strip()) for flag in TIMEOUTS if flag in values)
    return [timeout_hint(flag, text) for flag, text in given if is_below_second(text) and float(text) < _SHORT]


def is_below_second(text: str) -> bool:
    """Tell whether the text is a duration of less than a second without a unit, and not zero."""
    match = _DURATION.fullmatch(text)
    return match is not None and match[2] is None and 0 < float(match[1]) < _SECOND


def _version(flag: str, text: str) -> Result[Version]:
    if _DATE.fullmatch(text):
        return Success(Version(text))
    return invalid(flag, f"expected a protocol version such as 2025-11-25, got {text!r}")


def read_size(flag: str, text: str) -> Result[Size]:
    """Parse a number of bytes; k, m and g are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or len(match[1]) >= _DIGITS or int(match[1]) == 0:
        return invalid(flag, f"expected a number of bytes such as 1048576 or 64m, got {text!r}")
    return Success(Size(int(match[1]) * _SIZES[(match[2] or "").lower()]))


def _json_source(text: str) -> Source | None:
    if text == "-":
        return File("-")
    return File(text[1:]) if text.startswith("@") else None


def _secret_source(text: str) -> Source | None:
    for mark, kind in (("env:", Variable), ("file:", File)):
        if text.startswith(mark):
            return kind(text.removeprefix(mark))
    return None


def _key_source(text: str) -> Source:
    return _secret_source(text) or File(text)


def _secret(_: str, text: str) -> Result[Secret]:
    return Success(Secret(text.strip("\r\n")))


def _header_source(text: str) -> Source | None:
    name, _, value = text.partition(":")
    return _secret_source(value.strip()) if is_header_name(name.strip()) else None


def _header_content(flag: str, text: str, content: str) -> Result[Header]:
    name = text.partition(":")[0]
    return parse_header(flag, f"{name}: {content.strip()}")


TEXT = FlagType("TEXT", _text)
SWITCH = FlagType("", read_switch, types=("boolean",))
NUMBER = FlagType("N", read_number, types=("number",))
DURATION = FlagType("DURATION", read_duration, types=("number", "string"))
SIZE = FlagType("BYTES", read_size, types=("number", "string"))
VERSION = FlagType("DATE", _version)
JSON = FlagType("JSON", parse_json_or_file, _json_source, ("object", "array", "string", "number", "boolean", "null"))
SECRET = FlagType("SECRET", _secret, _secret_source, secret=True)
KEY = FlagType("FILE", _secret, _key_source, secret=True)
PAIR = FlagType("K=V", parse_pair, pair_source, content=parse_pair)
HEADER = FlagType("NAME: VALUE", parse_header, _header_source, content=_header_content, takes_bytes=True)
SAMPLING = FlagType("JSON|auto|reject", parse_sampling, _json_source, ("object", "string"))
ELICITATION = FlagType("JSON|auto|decline|cancel", parse_elicitation, _json_source, ("object", "string"))


def parse_expectation(flag: str, text: str) -> Result[Expectation]:
    """Parse an expectation about the result."""
    from mcpi.core.flags.expectations import parse_flag  # noqa: PLC0415 - rarely needed

    return parse_flag(flag, text)


SERVER_OR_LOCK = FlagType("FILE|URL|COMMAND", _path, types=("object", "string"))
EXPECT = FlagType("/POINTER=VALUE", parse_expectation)
ROOT = FlagType("URI[=NAME]", parse_root)
PLACE = FlagType("FILE:LINE", parse_source_line, takes_bytes=True)
FILENAME = FlagType("FILE", _path, takes_bytes=True)
ASSIGNMENT = FlagType("NAME=VALUE", parse_assignment, takes_bytes=True)
NAMED_FILE = FlagType("NAME=FILE", parse_named_file, takes_bytes=True)
VARIABLE = FlagType("NAME[:]=VALUE", parse_variable, variable_source, content=parse_variable, takes_bytes=True)

FLAG_TYPES: Mapping[object, FlagType] = {
    str: TEXT,
    Filename: FILENAME,
    Folder: FlagType("DIR", _path, takes_bytes=True),
    **{
        kind: FlagType(get_args(kind)[1], _text)
        for kind in (Name, Address, Identifier, Command, ProgramName, Process, JavaScript, Cursor, RuleName, TokenLimit)
    },
    Uri: FlagType("URI", parse_uri),
    **{
        kind: FlagType(get_args(kind)[1], _text, usual=tuple(get_args(kind)[2].split("|")))
        for kind in (Clients, LogLevel)
    },
    bool: SWITCH,
    int: NUMBER,
    Port: FlagType("PORT", read_number, types=("number",)),
    Duration: DURATION,
    Size: SIZE,
    Version: VERSION,
    Exact: JSON,
    Secret: SECRET,
    PrivateKey: KEY,
    Pair: PAIR,
    Header: HEADER,
    Root: ROOT,
    Expectation: EXPECT,
    Assignment: ASSIGNMENT,
    NamedFile: NAMED_FILE,
    ScriptVariable: VARIABLE,
    ServerOrLock: SERVER_OR_LOCK,
    SourceLine: PLACE,
    SamplingAnswer: SAMPLING,
    ElicitationAnswer: ELICITATION,
}


def type_of(annotation: object) -> tuple[FlagType, bool]:
    """Return the type of a field's values, and True if its flag is repeatable."""
    if get_origin(annotation) is tuple:
        return type_of(get_args(annotation)[0])[0], True
    if annotation in FLAG_TYPES:
        return FLAG_TYPES[annotation], False
    if get_origin(annotation) is Literal:
        return _choice(get_args(annotation)), False
    inner = [part for part in get_args(annotation) if part is not type(None)]
    if len(inner) == 1:
        return type_of(inner[0])
    raise TypeError(f"no flag has a value of the type {annotation}")


def _choice(choices: tuple[str, ...]) -> FlagType:
    def read(flag: str, text: str) -> Result[str]:
        if text in choices:
            return Success(text)
        near = next((one for one in choices if one in text.lower()), nearest(text, choices))
        fault = invalid(flag, f"expected {', '.join(choices[:-1])} or {choices[-1]}, got {text!r}").failure()
        return Failure(with_nearest(fault, text, near))

    return FlagType("|".join(choices), read, choices=choices)

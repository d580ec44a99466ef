"""Structured flag values: key=value, key:=json, Name: Value, uri=name, ref/kind/name."""

import re

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, Printable, parse_json_text
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Correction, Invalid, with_correction, with_nearest
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success

_URI_ARGUMENT = lazy_pattern(r"ur[il]=([a-z][a-z0-9+.-]*:.*)", re.DOTALL | re.IGNORECASE)
_HEADER_NAME = lazy_pattern(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VARIABLE = lazy_pattern(r"[A-Z_][A-Z0-9_]*")
_FIRST_BYTE = 0xDC00
# PEP 383: bytes that cannot be decoded become lone surrogates.
_BYTES = lazy_pattern("[\udc80-\udcff]+")
NO_PAIR = "expected key=value or key:=json"
MAX_SHOWN = 60
"""Maximum length of a value that a hint repeats."""
_JSON_FILE = lazy_pattern(r"[^\s{}\[\]\"']+\.jsonc?")
_CALL = lazy_pattern(r"([\w./-]+)\((.*)\)", re.DOTALL)
_QUOTES = "\"'"
_REPORTS = {"junit": "xml", "html": "html", "md": "md", "sarif": "sarif", "tap": "tap"}
"""The formats of reports, with the usual extensions of their files."""
_VALUE = r""""[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^\s,"'\[{][^,]*?"""
_ARGUMENT = lazy_pattern(rf"\s*([\w-]+)\s*(:=|[:=])\s*({_VALUE})\s*(?:,|$)")
_PAIR = lazy_pattern(r"(?!:?=)(?P<key>[^=]+?)(?P<typed>:?)=(?P<value>.*)", re.DOTALL)


@frozen
class File:
    """A value to read from a file; '-' is standard input."""

    path: str


@frozen
class Variable:
    """A value to read from an environment variable."""

    name: str


@frozen
class Pair:
    """A tool argument or script variable: text, which for arguments is converted according to the schema, or JSON."""

    key: str
    value: str | Exact
    file: str = field(default="", eq=False)
    """The file that contains the text, if the value is key=@file."""


@frozen
class Expectation:
    """An expected value at one JSON pointer of a result."""

    pointer: str
    operator: str
    expected: Json


@frozen
class Header:
    """An HTTP header."""

    name: str
    value: str


def invalid(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """Return a failure for an invalid value of a flag."""
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


def undecodable(text: str) -> str | None:
    """Return the problem of a text with bytes that are not UTF-8 and cannot be written as JSON, or None."""
    found = _BYTES.search(text)
    if found is None:
        return None
    place = len(text[: found.start()].encode(errors="surrogateescape"))
    shown = " ".join(f"0x{ord(one) - _FIRST_BYTE:02x}" for one in found[0])
    return f"contains invalid UTF-8: {shown} at byte {place + 1}"


def parse_json(flag: str, text: str) -> ParseResult[Exact]:
    """Parse a JSON value."""
    found = parse_json_text(text)
    if not isinstance(found, JsonSyntaxProblem):
        return Success(found)
    if not text.strip():
        return invalid(flag, "empty; expected JSON")
    from mcpi.core.jsontext.comments import located  # noqa: PLC0415 - only needed for mistakes

    around = text[max(found.position - 20, 0) : found.position + 20]
    return invalid(flag, f"{located(found, text)}, near {around!r}")


def parse_json_or_file(flag: str, text: str) -> ParseResult[Exact]:
    """Parse a JSON value; suggest the @ that the name of a file lacks."""
    found = parse_json(flag, text)
    if isinstance(found, Success) or not _JSON_FILE.fullmatch(text):
        return found
    return Failure(with_correction(found.failure(), marked_file(text)))


def marked_file(name: str) -> Correction:
    """Return the correction of a value that is the name of a file."""
    return Correction(name, (f"@{name}",), "to read a file, write @ before its name")


def is_pair(text: str) -> bool:
    """Tell whether the text is key=value or key:=json."""
    return _PAIR.fullmatch(text) is not None


def pair_source(text: str) -> File | None:
    """Return the file of key=@file or key:=@file, or None."""
    match = _PAIR.fullmatch(text)
    if match is None or not match["value"].startswith("@") or match["value"].startswith("@@"):
        return None
    return File(match["value"][1:])


def parse_pair(flag: str, text: str, content: str | None = None) -> ParseResult[Pair]:
    """Parse one argument; `content` is the text of its file, if it names one."""
    match = _PAIR.fullmatch(text)
    if match is None:
        return invalid(flag, f"{NO_PAIR}, got {text!r}")
    value = content if content is not None else match["value"]
    if match["typed"]:
        return _typed(flag, match["key"], value)
    if content is not None:
        return Success(Pair(match["key"], content, match["value"][1:]))
    return Success(Pair(match["key"], value[1:] if value.startswith("@@") else value))


def _typed(flag: str, key: str, text: str) -> ParseResult[Pair]:
    match parse_json(flag, text):
        case Success(value):
            return Success(Pair(key, value))
        case Failure(fault):
            how = (
                f"to send a string, write {_json_pair(key, text)}" if text.strip() else f"{key}= sends an empty string"
            )
            return invalid(flag, f"the value of {key!r} is {fault.problem}", how)


def unconverted(key: str, text: str, file: str = "") -> str:
    """Return the hint that shows how to send a value that the schema does not allow."""
    return f"to send it anyway, write {f'{key}:=@{file}' if file else _json_pair(key, text)}"


def _json_pair(key: str, text: str) -> str:
    """Write key:=json for a shell, with the text as it is, or as a string if it is not JSON."""
    import shlex  # noqa: PLC0415 - only needed for mistakes

    from mcpi.core.jsontext.writing import dump  # noqa: PLC0415 - see above

    if len(text) > MAX_SHOWN:
        return f"{key}:=JSON"
    return shlex.quote(f"{key}:={dump(text) if isinstance(parse_json_text(text), JsonSyntaxProblem) else text}")


def is_header_name(name: str) -> bool:
    """Tell whether the name is valid for an HTTP header."""
    return _HEADER_NAME.fullmatch(name) is not None


def parse_header(flag: str, text: str) -> ParseResult[Header]:
    """Parse an HTTP header as curl writes it; errors do not quote the value, as it may be secret."""
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        return invalid(flag, "expected 'Name: Value', but there is no colon")
    if not is_header_name(name):
        problem = undecodable(name)
        return invalid(flag, f"the name {problem}" if problem else f"{name!r} is not a valid header name")
    if not value:
        return invalid(flag, f"the header {name} has no value")
    problem = undecodable(value)
    if problem is not None:
        return invalid(flag, f"the value of {name} {problem}")
    if not value.replace("\t", " ").isprintable():
        return invalid(flag, f"the value of {name} contains a control character")
    return Success(Header(name, value))


def parse_assignment(flag: str, text: str) -> ParseResult[tuple[str, str]]:
    """Parse NAME=VALUE, as env writes it."""
    name, equals, value = text.partition("=")
    if equals and name:
        return Success((name, value))
    how = f"to set it, write -e {text}=VALUE; without -e, the server inherits it from the shell, if it is set there"
    return invalid(flag, f"expected NAME=VALUE, got {text!r}", *((how,) if _VARIABLE.fullmatch(text) else ()))


def call_words(text: str) -> tuple[str, ...]:
    """Return the name and the arguments as key=value words for a call such as `add(a: 1, b: 2)`, else nothing."""
    call = _CALL.fullmatch(text)
    if call is None or _ARGUMENT.sub("", call[2]).strip():
        return ()
    found = (one.groups() for one in _ARGUMENT.finditer(call[2]))
    given = ((key, sign == ":=" or value[0] in "[{", value) for key, sign, value in found)
    return (call[1], *(f"{key}:={value}" if json else f"{key}={value.strip(_QUOTES)}" for key, json, value in given))


def parse_named_file(flag: str, text: str) -> ParseResult[tuple[str, str]]:
    """Parse NAME=FILE."""
    name, _, file = text.partition("=")
    if name and file:
        return Success((name, file))
    fault = invalid(flag, f"expected NAME=FILE, such as junit=report.xml, got {text!r}").failure()
    stem, _, ending = text.rpartition(".")
    format_name = next((one for one, usual in _REPORTS.items() if usual == ending), None)
    meant = f"{format_name}={text.removeprefix('=')}" if stem and format_name else None
    return Failure(with_nearest(fault, text, f"{text}=report.{_REPORTS[text]}" if text in _REPORTS else meant))


def variable_source(text: str) -> File | None:
    """Return the file of NAME:=@file, or None; the text of a variable may begin with an @."""
    match = _PAIR.fullmatch(text)
    return pair_source(text) if match is not None and match["typed"] else None


def parse_variable(flag: str, text: str, content: str | None = None) -> ParseResult[Pair]:
    """Parse NAME=TEXT or NAME:=JSON; `content` is the text of its file, if it names one."""
    match = _PAIR.fullmatch(text)
    if match is None:
        return invalid(flag, f"expected NAME=TEXT or NAME:=JSON, got {text!r}")
    return parse_pair(flag, text, content) if match["typed"] else Success(Pair(match["key"], match["value"]))


def parse_uri(flag: str, text: str) -> Result[str]:
    """Return the URI; uri=URI is an argument, not a URI, as no scheme contains an equals sign."""
    meant = _URI_ARGUMENT.fullmatch(text)
    if meant is None:
        return Success(text)
    fault = Invalid("INVALID_ARGUMENT", flag, f"expected a URI, got {text!r}")
    return Failure(with_correction(fault, Correction(text, (meant[1],))))


def parse_root(flag: str, text: str) -> ParseResult[JsonObject]:
    """Parse a root: uri or uri=name, split at the first '=' after the scheme."""
    scheme = text.find("://")
    if scheme < 1:
        return invalid(flag, f"expected a URI such as file:///home/me/project, got {text!r}")
    if not text.startswith("file://"):
        # MCP 2025-11-25, roots: "This MUST be a file:// URI in the current specification".
        return invalid(flag, f"expected a file:// URI, got {text!r}")
    equals = text.find("=", scheme + 3)
    root: JsonObject = {"uri": text} if equals == -1 else {"uri": text[:equals], "name": text[equals + 1 :]}
    return Success(root)


def parse_ref(flag: str, text: str) -> ParseResult[dict[str, Printable]]:
    """Parse a completion reference: ref/prompt/NAME or ref/resource/URI."""
    for kind, key in (("ref/prompt", "name"), ("ref/resource", "uri")):
        if text.startswith(f"{kind}/") and len(text) > len(kind) + 1:
            ref: dict[str, Printable] = {"type": kind, key: text[len(kind) + 1 :]}
            return Success(ref)
    return invalid(flag, f"expected ref/prompt/NAME or ref/resource/URI, got {text!r}")

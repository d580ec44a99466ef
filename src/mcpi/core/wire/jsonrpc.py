"""Parse JSON-RPC 2.0 messages and report each irregularity as a violation."""

import re
from json import JSONDecodeError
from typing import TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import (
    LARGE,
    Exact,
    JsonSyntaxProblem,
    parse_json_at,
    parse_json_text,
    split_members,
)
from mcpi.core.jsontext.nesting import MAX_DEPTH, container_end, is_too_deep
from mcpi.core.jsontext.patterns import LITERAL, STRING, STRING_BODY
from mcpi.core.jsontext.values import Json
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.wire.violations import Violation, quote

Id: TypeAlias = int | str | float | None


@frozen
class Request:
    """A method call that expects a response."""

    id: Exact
    """The id as received: some peers treat 1e2 and 100 as different ids, and some numbers lose precision."""
    method: str
    params: Exact | None
    quoted: str
    """The beginning of the message, as evidence."""


@frozen
class Notification:
    """A method call that expects no response."""

    method: str
    params: Exact | None
    quoted: str


@frozen
class RpcResponse:
    """A response: a result or an error."""

    id: Id
    result: Exact | None
    error: Exact | None
    quoted: str


@frozen
class InvalidMessage:
    """A message that names a request but is not a valid response to it."""

    id: Id
    problem: str
    quoted: str


Message: TypeAlias = Request | Notification | RpcResponse | InvalidMessage
Parsed: TypeAlias = tuple[tuple[Message, ...], tuple[Violation, ...]]

# A member's name with its value, or a container, or a string, or the end, or other text.
_PIECE = lazy_pattern(
    rf'"(?P<name>{STRING_BODY})"\s*+:\s*+(?P<value>{STRING}|{LITERAL})?'
    rf'|(?P<container>[{{\[])|{STRING}|(?P<end>[}}\]])|[^"{{}}\[\]]++',
    re.DOTALL,
)
_MEMBERS = ("jsonrpc", "id", "method", "params", "result", "error")
_RESPONSE_MEMBERS = frozenset({"jsonrpc", "result", "error"})
_BOM = "\ufeff"
_SPACE = " \t\r\n"


# Fast path for results and frequent notifications, as the usual libraries write them; the rest needs the full parser.
_SIMPLE_HEAD = lazy_pattern(
    rb'\{("jsonrpc":"2\.0",)?(?:"method":"([ !#-\[\]-~]*+)","params":|(?:"id":([1-9][0-9]{0,14}+),)?"result":)(?=\{)'
)
_SIMPLE_TAIL = lazy_pattern(r'(,"jsonrpc":"2\.0")?(?:,"id":([1-9][0-9]{0,14}+))?\}')


def parse_simple(raw: bytes) -> Notification | RpcResponse | None:
    """Parse a notification with params, or a result, on the fast path; return None if it needs the full parser."""
    head = _SIMPLE_HEAD.match(raw)
    if head is None:
        return None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    value = parse_json_at(text, head.end())
    tail = None if value is None else _SIMPLE_TAIL.fullmatch(text, head.end() + len(value.text))
    version, method, number = head.groups()
    if tail is None or (version is None) is (tail[1] is None):
        return None
    quoted = quote(text)
    if method is not None:
        return Notification(method.decode(), value, quoted) if tail[2] is None else None
    if (number is None) is (tail[2] is None):
        return None
    return RpcResponse(int(number or tail[2]), value, None, quoted)


def parse(raw: bytes) -> Parsed:
    """Parse the messages in one line, body or event, and report the violations."""
    if len(raw) >= LARGE and raw[:1] == b"{":
        parsed = _parse_large(raw)
        if parsed is not None:
            return parsed
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        text = raw.decode(errors="replace")
        found = Violation("invalid-utf8", f"byte {error.start} is not UTF-8", quote(text))
        messages, violations = _parse_text(text)
        return messages, (found, *violations)
    return _parse_text(text)


def _parse_large(raw: bytes) -> Parsed | None:
    """Parse an object, keeping only the texts of its members; return None if it needs the full parser."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    if is_too_deep(text):
        return None
    quoted = quote(text)
    del text
    from mcpi.core.jsontext import codec  # noqa: PLC0415 - rarely needed

    members = codec.utf8_member_texts(raw, _MEMBERS)
    return (
        None if members is None else _judge({name: Exact(part, is_flat=True) for name, part in members.items()}, quoted)
    )


def is_message(raw: bytes) -> bool:
    """Tell whether the bytes are complete messages."""
    messages, _ = parse(raw)
    return bool(messages) and not any(isinstance(message, InvalidMessage) for message in messages)


def _parse_text(text: str) -> Parsed:
    if text[:1] == "{":
        return _parse_object(text)
    bare = text.strip(_SPACE)
    if bare.startswith(_BOM):
        messages, violations = _parse_text(bare.lstrip(_BOM + _SPACE))
        return messages, (Violation("byte-order-mark", "a byte order mark before the message"), *violations)
    if not bare:
        return (), ()
    if bare[0] == "{":
        return _parse_object(bare)
    if bare[0] == "[":
        return _parse_batch(bare)
    return (), (Violation("not-json", "not a JSON-RPC message", quote(bare)),)


def _parse_batch(text: str) -> Parsed:
    whole = parse_json_text(text)
    if isinstance(whole, JsonSyntaxProblem):
        return (), (Violation("not-json", f"not a JSON-RPC message ({whole.problem})", quote(text)),)
    messages: list[Message] = []
    elements = whole.elements()
    violations = [Violation("batch", f"a batch of {len(elements)} messages", quote(text))]
    for element in elements:
        if element.kind == "object":
            inner, found = _parse_object(element.text)
            messages += inner
            violations += found
        else:
            violations.append(
                Violation("unclear-message", "an element of a batch is not an object", quote(element.text))
            )
    return tuple(messages), tuple(violations)


def _parse_object(text: str) -> Parsed:
    too_deep = is_too_deep(text)
    try:
        if too_deep:
            from mcpi.core.jsontext import codec  # noqa: PLC0415 - rarely needed

            codec.check_deep_value(text)
        members = split_members(text, too_deep=too_deep)
    except JSONDecodeError as error:
        return _unreadable(text, str(error))
    quoted = quote(text)
    message, violations = _judge(members, quoted)
    if too_deep:
        detail = f"a message is nested deeper than {MAX_DEPTH} levels; the deeper part was not parsed"
        violations = (Violation("too-deep", detail, quoted), *violations)
    return message, violations


def _judge(members: dict[str, Exact], quoted: str) -> Parsed:
    version = members.get("jsonrpc")
    wrong: tuple[Violation, ...] = ()
    if version is None or version.value != "2.0":
        problem = "is missing" if version is None else f"is {quote(version.text)}"
        wrong = (Violation("wrong-jsonrpc", f"jsonrpc {problem}; expected '2.0'", quoted),)
    message, violations = _classify(members, quoted)
    return (message,) if message else (), (*wrong, *violations)


def _unreadable(text: str, problem: str) -> Parsed:
    number, quoted = _response_id(text), quote(text)
    if number is None:
        return (), (Violation("not-json", f"not a JSON-RPC message ({problem})", quoted),)
    return (InvalidMessage(number, problem, quoted),), (Violation("not-json", problem, quoted),)


def _response_id(text: str) -> Id:
    """Return the id of the request that a malformed response belongs to, or None if it is not a response."""
    members: dict[str, str] = {}
    at: int | None = text.index("{") + 1
    while at is not None and (piece := _PIECE.match(text, at)) and piece["end"] is None:
        at = piece.end() if piece["container"] is None else container_end(text, piece.start())
        if piece["name"] is not None:
            members.setdefault(piece["name"], piece["value"] or "")
    if "method" in members or not members.keys() & _RESPONSE_MEMBERS:
        return None
    number = parse_json_text(members.get("id", ""))
    return as_id(number.value) if isinstance(number, Exact) else None


def _classify(members: dict[str, Exact], quoted: str) -> tuple[Message | None, tuple[Violation, ...]]:
    method = members.get("method")
    answers = "result" in members or "error" in members
    if method is not None and isinstance(method.value, str):
        return _call_or_response(members, method.value, quoted) if answers else _call(members, method.value, quoted)
    if answers:
        return _answer(members, quoted)
    number = as_id(members["id"].value if "id" in members else None)
    empty = None if number is None else InvalidMessage(number, "it has neither a result nor an error", quoted)
    return empty, (Violation("unclear-message", "neither a request, a notification nor a response", quoted),)


def _call_or_response(members: dict[str, Exact], method: str, quoted: str) -> tuple[Message, tuple[Violation, ...]]:
    """Classify a message with a method and a result or error: a response needs an id and a value that is not null."""
    found = Violation("method-and-result", "a message has both a method and a result or error", quoted)
    kinds = {members[name].kind for name in ("result", "error") if name in members}
    is_response = "id" in members and kinds != {"null"}
    message, violations = _answer(members, quoted) if is_response else _call(members, method, quoted)
    return message, (found, *violations)


def _call(members: dict[str, Exact], method: str, quoted: str) -> tuple[Message, tuple[Violation, ...]]:
    params = members.get("params")
    violations: tuple[Violation, ...] = ()
    if params is not None and params.kind != "object":
        violations = (Violation("positional-params", f"the params of {quote(method)} are not an object", quoted),)
    if "id" not in members:
        return Notification(method, params, quoted), violations
    number = members["id"]
    if as_id(number.value) is not None:
        return Request(number, method, params, quoted), violations
    # MCP 2025-11-25, basic: "the ID MUST NOT be null"; a request without a valid id is treated as a notification.
    violations += (Violation("null-id", f"the id of {quote(method)} is not a string or number", quoted),)
    return Notification(method, params, quoted), violations


def _answer(members: dict[str, Exact], quoted: str) -> tuple[Message, tuple[Violation, ...]]:
    result, error = members.get("result"), members.get("error")
    number = as_id(members["id"].value if "id" in members else None)
    if result is None or error is None:
        violations = _check_error(error, quoted) if error else ()
        return RpcResponse(number, result, error, quoted), violations
    both = Violation("result-and-error", "a response has both a result and an error", quoted)
    if error.kind == "null":
        return RpcResponse(number, result, None, quoted), (both,)
    if result.kind == "null":
        return RpcResponse(number, None, error, quoted), (both, *_check_error(error, quoted))
    return InvalidMessage(number, "the response has both a result and an error", quoted), (both,)


def as_id(value: Json) -> Id:
    """Return the value if it is a valid request id, else None."""
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _check_error(error: Exact, quoted: str) -> tuple[Violation, ...]:
    if error.kind != "object":
        return (Violation("malformed-error", "the error is not an object", quoted),)
    code, message = error.get("code"), error.get("message")
    if type(code) is not int or not isinstance(message, str):
        return (Violation("malformed-error", "the error lacks an integer code or a message", quoted),)
    return ()

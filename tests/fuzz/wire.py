"""Fuzz targets of the wire engine: it never raises, and it agrees with Python's json module."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from fuzz import grammar
from fuzz.mutate import mutated
from mcpi.core.jsontext import codec
from mcpi.core.jsontext.exact import Exact, parse_json_text, split_members
from mcpi.core.jsontext.indentation import compact, indent
from mcpi.core.jsontext.nesting import TOO_DEEP, is_too_deep
from mcpi.core.jsontext.writing import dump
from mcpi.core.secrets.redactor import MIN_WORD_LENGTH, Redactor
from mcpi.core.wire.jsonrpc import Notification, Request, RpcResponse, parse
from mcpi.core.wire.lines import LineSplitter
from mcpi.core.wire.peer import Peer
from mcpi.core.wire.sse_parser import SseDecoder

CORPUS = (
    b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"pong"}],"n":[1.10,-0,1e400]}}',
    b'{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no","data":{"a":null}}}',
    b'{"jsonrpc": "2.0", "method": "notifications/x", "params": {"level": "info", "data": "\\u00e9\\ud83d\\ude00"}}',
    b'{"jsonrpc":"2.0","id":"s-1","method":"roots/list","params":{"_meta":{"progressToken":7}}}',
    b'[{"jsonrpc":"2.0","id":3,"result":null},{"jsonrpc":"2.0","method":"n"}]',
    '{"jsonrpc":"2.0","id":1,"result":{"é":"\u2028 € 𝄞","a":{"b":[[],{}]}}}'.encode(),
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},"error":null}',
)
STREAMS = (
    b'event: message\nid: 1\ndata: {"jsonrpc":"2.0","id":1,\ndata: "result":{}}\n\n: ping\n\nretry: 10\n',
    b'\xef\xbb\xbfevent: endpoint\r\ndata: /messages\r\n\r\ndata: {"a":1}\r\r',
    b"".join(b"id: %d\ndata: %s\n\n" % (number, one) for number, one in enumerate(CORPUS)),
)
LIMIT = 2000
Target: TypeAlias = Callable[[Random], None]


class InvalidConstantError(ValueError):
    """A literal that is valid in JavaScript but not in JSON."""


def _reject_constant(literal: str) -> None:
    raise InvalidConstantError(literal)


def message(random: Random) -> None:
    """One mutated line, as received by a peer."""
    check_message(mutated(random, random.choice(CORPUS)).replace(b"\n", b" "))


def grammatical_message(random: Random) -> None:
    """One line made from the grammar, sometimes mutated."""
    data = grammar.batch(random).encode()
    check_message(data if random.random() < 0.7 else mutated(random, data).replace(b"\n", b" "))


def check_message(data: bytes) -> None:
    """Receive the line; everything kept of it must be printable."""
    peer = Peer()
    for method in ("a", "b", "c"):
        peer.request(method, None)
    peer.allows_batches = len(data) % 2 == 0
    received = peer.receive(data)
    for violation in received.violations:
        dump(violation.as_json()).encode()
    for one in received.messages:
        match one:
            case RpcResponse(_, result, error):
                _check_json(result or error)
            case Request(number, _, params):
                _check_json(number)
                _check_json(params)
            case Notification(_, params):
                _check_json(params)
            case _:
                pass
    _check_agreement(data)


def _check_json(held: Exact | None) -> None:
    """Check that the kept text is still JSON in every output format."""
    if held is None:
        return
    for text in (held.text, compact(held.text), indent(held.text)):
        again = parse_json_text(text)
        assert isinstance(again, Exact) or again.problem == TOO_DEEP, again
    held.members()
    held.elements()


def _check_agreement(data: bytes) -> None:
    """Check that Python's json and mcpi parse the same message, or both reject it."""
    text = data.decode(errors="replace").strip(" \t\r\n")
    if not text.startswith("{") or is_too_deep(text):
        return
    unreadable = "not-json" in {violation.rule for violation in parse(data)[1]}
    expected = _python_value(text)
    if expected is not ...:
        assert unreadable == (expected is None), text[:500]
        found = parse_json_text(text)
        assert expected is None or (isinstance(found, Exact) and found.value == expected[0])


def _python_value(text: str) -> Any:
    """The value read by Python's json, in a tuple; None for invalid JSON, ... beyond the limits of Python."""
    try:
        return (json.loads(text, parse_constant=_reject_constant),)
    except (json.JSONDecodeError, InvalidConstantError):
        return None
    except (ValueError, RecursionError):
        return ...


def large(random: Random) -> None:
    """The codec for large texts rejects, splits and formats like the codec for small texts."""
    text = "{" + mutated(random, random.choice(CORPUS)).decode(errors="replace").strip().lstrip("{[")
    if is_too_deep(text):
        return
    try:
        members = split_members(text)
    except json.JSONDecodeError:
        members = None
    try:
        parts = codec.member_texts(text)
    except json.JSONDecodeError:
        assert members is None, text[:500]
        return
    assert members is not None, text[:500]
    assert parts in (None, {name: part.text for name, part in members.items()}), text[:500]
    assert codec.formatted(text.encode(), 2) in (None, indent(text).encode()), text[:500]


def stream(random: Random) -> None:
    """Mutated events in pieces decode like the whole stream."""
    data = mutated(random, random.choice(STREAMS))
    whole, pieces = SseDecoder(LIMIT), SseDecoder(LIMIT)
    events = whole.feed(data)
    found = [event for piece in _cut(random, data) for event in pieces.feed(piece)]
    assert (found, pieces.too_long) == (events, whole.too_long)
    for event in events:
        parse(event.data)


def lines(random: Random) -> None:
    """Mutated lines in pieces split like the whole input."""
    data = mutated(random, b"\n".join(CORPUS))
    whole, pieces = LineSplitter(LIMIT), LineSplitter(LIMIT)
    expected = [*whole.feed(data), whole.finish()]
    found = [line for piece in _cut(random, data) for line in pieces.feed(piece)]
    assert ([*found, pieces.finish()], pieces.too_long) == (expected, whole.too_long)


def secrets(random: Random) -> None:
    """JSON with its secrets masked is still JSON, and contains no secrets."""
    text = random.choice(CORPUS).decode()
    word = random.choice(re.findall(r"[^\s\"{}\[\]:,]{4,}", text))
    at = random.randrange(len(word) - 3)
    secret = word[at : at + random.randrange(4, 30)]
    shown = Redactor([secret])(text)
    json.loads(shown)
    if re.fullmatch("[A-Za-z]+", secret):
        # Short words are not masked, nor are secrets that are part of a longer word.
        found = re.search(f"(?<![A-Za-z0-9]){secret}(?![A-Za-z0-9])", shown)
        assert found is None or len(secret) < MIN_WORD_LENGTH
    else:
        # Digits may be part of a number, which is not masked.
        assert secret not in shown or not set(secret) - set("0123456789+-.eE")


def _cut(random: Random, data: bytes) -> list[bytes]:
    marks = sorted(random.randrange(len(data) + 1) for _ in range(random.randrange(6)))
    return [data[start:end] for start, end in zip([0, *marks], [*marks, len(data)], strict=True)]


TARGETS: tuple[Target, ...] = (message, message, grammatical_message, large, stream, lines, secrets)

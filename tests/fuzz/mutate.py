"""Random mutations of values and bytes."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

DEEP = 3000
VALUES: Sequence[Any] = (
    *(None, True, False, 0, -1, 3, 2**70, 1.5, 1e300, "", "x", "3", "\ud800", "é\u2028", [], {}, [1], {"a": 1}),
    *([[[]]], {"": {"": None}}, "x" * 500, "notifications/message", "2025-11-25", "a\nb\x1b[31m"),
)
PIECES: Sequence[bytes] = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b" ", b"\x1b["),
    *(b"null", b"true", b"NaN", b"Infinity", b"-", b"0", b"1e999", b"9" * 5000, b"\\ud800", b"\\u00", b"\xed\xa0\x80"),
    *(b'"id":', b'"method":', b'"result":', b'"error":', b'"jsonrpc":"2.0"', b'"params":{}', b"data: ", b"id: 1\n"),
    *(b"[" * DEEP, b'{"a":' * DEEP, b"[" * DEEP + b"]" * DEEP),
)


def mutated_value(random: Random, value: Any, chance: float) -> Any:
    """The value with some parts replaced, removed or renamed."""
    if random.random() < chance / 2:
        return random.choice(VALUES)
    if isinstance(value, dict):
        kept = {name: part for name, part in value.items() if random.random() > chance / 4}
        return {name: mutated_value(random, part, chance) for name, part in kept.items()}
    if isinstance(value, list):
        return [mutated_value(random, part, chance) for part in value for _ in range(random.choice((1, 1, 1, 1, 0, 2)))]
    return value


def _flip(random: Random, data: bytes, at: int) -> bytes:
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _cut(_: Random, data: bytes, at: int) -> bytes:
    return data[:at]


def _drop(random: Random, data: bytes, at: int) -> bytes:
    return data[:at] + data[at + random.randrange(1, 9) :]


def _insert(random: Random, data: bytes, at: int) -> bytes:
    return data[:at] + random.choice(PIECES) + data[at:]


def _repeat(random: Random, data: bytes, at: int) -> bytes:
    end = at + random.randrange(1, 40)
    return data[:end] + data[at:]


def _swap(random: Random, data: bytes, at: int) -> bytes:
    other = random.randrange(len(data) + 1)
    return data[at:] + data[:at] if random.random() < 0.1 else data[:at] + data[other : other + 20] + data[at:]


MUTATIONS: Sequence[Callable[[Random, bytes, int], bytes]] = (_flip, _cut, _drop, _insert, _insert, _repeat, _swap)


def mutated(random: Random, data: bytes) -> bytes:
    """The bytes after a few random mutations."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        data = random.choice(MUTATIONS)(random, data, random.randrange(len(data) + 1))
    return data

"""Split and format large JSON text with msgspec, which keeps the spelling of every value.

Importing msgspec takes as long as parsing half a megabyte, so the json module handles smaller texts.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from json import JSONDecodeError
from typing import TypeVar

from msgspec import DecodeError, Raw, Struct, defstruct
from msgspec import json as msgspec_json

from mcpi.core.jsontext.nesting import TOO_DEEP
from mcpi.core.jsontext.patterns import STRING

T = TypeVar("T")

_VALUE = msgspec_json.Decoder(Raw)
_OBJECT = msgspec_json.Decoder(dict[str, Raw])
_ABSENT = Raw()
_ARRAY = msgspec_json.Decoder(list[Raw])
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_SURROGATE = r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
# Consecutive escapes of surrogates; an escaped backslash does not start an escape.
_SURROGATES = re.compile(rf"(?<!\\)((?:\\\\)*+)((?:{_SURROGATE})++)")
_PAIR_OR_LONE = re.compile(rf"(?P<pair>{_PAIR})|{_SURROGATE}")
# A few thousand escapes, with the text before each.
_ESCAPES = re.compile(rf"(?:[^\\]*+(?:{_PAIR}|\\u[0-9a-fA-F]{{4}}|\\.)){{1,4000}}+|[^\\]++|\\", re.DOTALL)
# A few hundred brackets with the text before each, and runs of brackets that close or open arrays only.
_PART = re.compile(rf'(?:[^"\[\]{{}}]*+(?:{STRING}[^"\[\]{{}}]*+)*+[\[\]{{}}]){{1,300}}+', re.DOTALL)
_NOTHING = re.compile("")
_RUNS = {"[": re.compile(r"\[*+"), "]": re.compile(r"\]*+"), "{": _NOTHING, "}": _NOTHING}
_NO_BRACKET = bytes(set(range(256)) - set(b'"[]{}'))
_CLOSING = bytes.maketrans(b"[{", b"]}")
_REPLACEMENT = r"\ufffd"
_PLACE = re.compile(r"(?:JSON is malformed: )?(?P<problem>.*?)(?: \(byte (?P<byte>\d+)\))?", re.DOTALL)


def check_value(text: str) -> None:
    """Raise JSONDecodeError if the text is not one JSON value."""
    _decode(_VALUE, text)


def check_deep_value(text: str) -> None:
    """Raise JSONDecodeError if the text is not one JSON value, however deeply it is nested.

    Parts of a few hundred brackets are checked one by one, each with the brackets that are open around it added.
    """
    opened, at, last = bytearray(), 0, ""
    while part := _PART.match(text, at):
        if at and not opened:
            raise JSONDecodeError("more text after the value", text, at)
        marks = _unmatched_brackets(part[0])
        inner = marks.lstrip(b"]}")
        closed = len(marks) - len(inner)
        around = opened[-closed - 1 :]
        closing = (around[: max(len(around) - closed, 0)] + inner)[::-1].translate(_CLOSING).decode()
        try:
            check_value(_opening(around, last) + part[0] + closing)
        except JSONDecodeError as error:
            raise JSONDecodeError(error.msg, text, at) from None
        del opened[len(opened) - closed :]
        opened += inner
        at, last = part.end(), part[0][-1]
        # In a run of equal brackets, only their number can be wrong.
        run = _RUNS[last].match(text, at)
        more = len(run[0]) if run else 0
        if last == "[":
            opened += b"[" * more
        elif not opened.endswith(b"[" * more):
            raise JSONDecodeError("unmatched closing bracket", text, at)
        else:
            del opened[len(opened) - more :]
        at += more
    if opened or text[at:].strip(" \t\r\n"):
        raise JSONDecodeError("a closing bracket is missing" if opened else "more text after the value", text, at)


def _opening(around: bytearray, last: str) -> str:
    """Open the containers around a part again; the last character before it tells whether the innermost is empty."""
    if not around:
        return ""
    outer = around[:-1].replace(b"{", b'{"":').decode()
    filled = {"[": "[0", "{": '{"":0'}
    innermost = chr(around[-1])
    return outer + (innermost if last in "[{" else filled[innermost])


def _unmatched_brackets(text: str) -> bytes:
    chunk = text.encode(errors="replace").replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = b"".join(chunk.translate(None, _NO_BRACKET).split(b'"')[::2])
    while (shorter := marks.replace(b"[]", b"").replace(b"{}", b"")) != marks:
        marks = shorter
    return marks


def member_texts(text: str) -> dict[str, str] | None:
    """Return the text of each member of an object; None if msgspec cannot split it, though it is valid."""
    parts = _decode(_OBJECT, text)
    return None if parts is None else {name: _text(part) for name, part in parts.items()}


def utf8_member_texts(data: bytes, names: tuple[str, ...]) -> dict[str, str] | None:
    """Return the text of some members of an object in UTF-8; None if msgspec cannot split it."""
    try:
        found = _members_decoder(names).decode(data)
    except (DecodeError, RecursionError):
        return None
    parts = zip(names, (getattr(found, field) for field in found.__struct_fields__), strict=True)
    return {name: _text(part) for name, part in parts if part != _ABSENT}


@lru_cache(maxsize=64)
def _members_decoder(names: tuple[str, ...]) -> msgspec_json.Decoder[Struct]:
    """Return a decoder that skips all other members: a dictionary of many small ones needs far more memory."""
    fields = {f"member{place}": name for place, name in enumerate(names)}
    return msgspec_json.Decoder(defstruct("Members", [(field, Raw, _ABSENT) for field in fields], rename=fields))


def element_texts(text: str) -> Iterable[str] | None:
    """Return the text of each element of an array; None if msgspec cannot split it, though it is valid."""
    parts = _decode(_ARRAY, text)
    return None if parts is None else map(_text, parts)


def formatted(data: bytes, step: int) -> bytes | None:
    """Indent valid JSON by `step` spaces per level, or put it on one line if `step` is -1.

    Return None if msgspec cannot read it, though it is valid.
    """
    try:
        return msgspec_json.format(data, indent=step)
    except RecursionError:
        return data
    except DecodeError:
        return None


def _decode(decoder: msgspec_json.Decoder[T], text: str) -> T | None:
    """Decode the text; return None if only lone surrogates prevent it, and raise JSONDecodeError if it is invalid."""
    try:
        return decoder.decode(text)
    except RecursionError:
        raise JSONDecodeError(TOO_DEEP, text, 0) from None
    except DecodeError as error:
        # Replace all escapes of surrogates with escapes of other characters, which have the same syntax.
        replaced = text.replace("\\ud", "\\uf").replace("\\uD", "\\uF")
        if replaced == text:
            raise _syntax_error(error, text) from None
    try:
        decoder.decode(replaced)
    except DecodeError as error:
        raise _syntax_error(error, text) from None
    return None


def replace_surrogates(text: str) -> str:
    """Replace the escapes of lone surrogates in JSON, which strict parsers reject."""
    if _SURROGATES.search(text) is None:
        return text
    # In parts: the pieces of a large text that consists of escapes need far more memory than the text.
    return "".join([_SURROGATES.sub(_replace_lone, part[0]) for part in _ESCAPES.finditer(text)])


def _replace_lone(found: re.Match[str]) -> str:
    return found[1] + _PAIR_OR_LONE.sub(lambda one: one["pair"] or _REPLACEMENT, found[2])


def _syntax_error(error: DecodeError, text: str) -> JSONDecodeError:
    found = _PLACE.fullmatch(str(error))
    assert found is not None
    place = len(text) if found["byte"] is None else len(text.encode()[: int(found["byte"])].decode(errors="ignore"))
    return JSONDecodeError(found["problem"], text, place)


def _text(part: Raw) -> str:
    return str(memoryview(part), "utf-8")

"""Split and format large JSON text with msgspec, which keeps every value as it was spelled.

Importing msgspec takes as long as parsing a megabyte, so smaller texts are left to the json module.
"""

import re
from collections.abc import Iterable
from json import JSONDecodeError
from typing import TypeVar

from msgspec import DecodeError, Raw
from msgspec import json as msgspec_json

from mcpi.core.jsontext.nesting import TOO_DEEP

T = TypeVar("T")

_VALUE = msgspec_json.Decoder(Raw)
_OBJECT = msgspec_json.Decoder(dict[str, Raw])
_ARRAY = msgspec_json.Decoder(list[Raw])
# A surrogate pair, a lone surrogate, the replacement character, or any other escape.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2}|ufffd)|.)",
    re.DOTALL,
)
_REPLACEMENT = r"\ufffd"
_PLACE = re.compile(r"(?:JSON is malformed: )?(?P<problem>.*?)(?: \(byte (?P<byte>\d+)\))?", re.DOTALL)


def check_value(text: str) -> None:
    """Raise JSONDecodeError if the text is not one JSON value."""
    _decode(_VALUE, text)


def member_texts(text: str) -> dict[str, str] | None:
    """Return the text of each member of an object; None if msgspec cannot split it, though it is valid."""
    parts = _decode(_OBJECT, text)
    return None if parts is None else {name: _text(part) for name, part in parts.items()}


def element_texts(text: str) -> Iterable[str] | None:
    """Return the text of each element of an array; None if msgspec cannot split it, though it is valid."""
    parts = _decode(_ARRAY, text)
    return None if parts is None else map(_text, parts)


def formatted(text: str, step: int) -> str:
    """Indent valid JSON by so many spaces per level, or put it on one line if `step` is -1."""
    try:
        return msgspec_json.format(text, indent=step)
    except RecursionError:
        return text
    except DecodeError:
        spelled = iter([found[0] for found in _ESCAPE.finditer(text) if found[1]])
        written = msgspec_json.format(replace_surrogates(text), indent=step)
        return _ESCAPE.sub(lambda found: next(spelled) if found[1] else found[0], written)


def _decode(decoder: msgspec_json.Decoder[T], text: str) -> T | None:
    """Decode the text; return None if only lone surrogates prevent it, and raise JSONDecodeError if it is invalid."""
    try:
        return decoder.decode(text)
    except RecursionError:
        raise JSONDecodeError(TOO_DEEP, text, 0) from None
    except DecodeError as error:
        replaced = replace_surrogates(text)
        if replaced == text:
            raise _syntax_error(error, text) from None
    try:
        decoder.decode(replaced)
    except DecodeError as error:
        raise _syntax_error(error, text) from None
    return None


def replace_surrogates(text: str) -> str:
    """Replace the escapes of lone surrogates in JSON, which strict parsers refuse."""
    return _ESCAPE.sub(lambda found: _REPLACEMENT if found[1] else found[0], text)


def _syntax_error(error: DecodeError, text: str) -> JSONDecodeError:
    found = _PLACE.fullmatch(str(error))
    assert found is not None
    place = len(text) if found["byte"] is None else len(text.encode()[: int(found["byte"])].decode(errors="ignore"))
    return JSONDecodeError(found["problem"], text, place)


def _text(part: Raw) -> str:
    return str(memoryview(part), "utf-8")

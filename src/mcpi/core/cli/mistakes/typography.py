"""Find dashes and quotation marks that a text processor has replaced."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from mcpi.core.flags.declare import Flag
from mcpi.core.outcome.faults import Correction, Invalid, with_correction

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_QUOTES = "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f"


def typographic_problem(words: Iterable[str], known: Mapping[str, Flag]) -> Invalid | None:
    """Return the fault for a flag that begins with another dash, or a word that begins with another quotation mark."""
    rest = iter(words)
    for word in rest:
        plain = _plain(word, known)
        if plain != word:
            name = f"{unicodedata.name(word[0]).lower()} (U+{ord(word[0]):04X})"
            fault = Invalid("INVALID_ARGUMENT", "", f"{word!r} begins with the character {name}")
            return with_correction(fault, Correction.chain(Correction(word, (plain,)), *_closing(word, rest)))
    return None


def _closing(word: str, rest: Iterable[str]) -> Iterator[Correction]:
    """Yield the correction of the word with the closing quotation mark, if it is another word."""
    if word[0] in _QUOTES and word[-1] not in _QUOTES:
        closing = next((one for one in rest if one.endswith(tuple(_QUOTES))), None)
        yield from () if closing is None else (Correction(closing, (closing.strip(_QUOTES),)),)


def without_quotes(text: str) -> str:
    """Return the text without typographic quotation marks around it."""
    return text.strip(_QUOTES) if text[:1] in _QUOTES and text[-1:] in _QUOTES else text


def _plain(word: str, known: Mapping[str, Flag]) -> str:
    """Return the word with ASCII characters at its beginning and end."""
    if word.startswith(tuple(_DASHES)):
        name = word.lstrip(f"-{_DASHES}")
        flags = (f"{dashes}{name}" for dashes in ("--", "-"))
        return next((flag for flag in flags if flag.partition("=")[0] in known), word)
    return word.strip(_QUOTES) if word.startswith(tuple(_QUOTES)) else word

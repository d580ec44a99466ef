"""Find dashes and quotation marks that a text processor has replaced."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from mcpi.core.flags.declare import Flag
from mcpi.core.outcome.faults import Correction, Invalid, with_correction

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_QUOTES = "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f"


def typographic_problem(words: Iterable[str], known: Mapping[str, Flag], server: Sequence[str] = ()) -> Invalid | None:
    """Return the fault for a flag that begins with another dash, or a word that begins with another quotation mark.

    In the server's command, only its first word may be such a word.
    """
    for word in (*words, *(one for one in server[:1] if one.startswith(tuple(_QUOTES)))):
        plain = _plain(word, known)
        if plain != word:
            name = f"{unicodedata.name(word[0]).lower()} (U+{ord(word[0]):04X})"
            fault = Invalid("INVALID_ARGUMENT", "", f"{word!r} begins with the character {name}")
            rest = (Correction(one, (one.strip(_QUOTES),)) for one in server[1:] if one.strip(_QUOTES) != one)
            return with_correction(fault, Correction.chain(Correction(word, (plain,)), *rest))
    return None


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

"""Parse regular expressions of ECMA-262, as far as they are regular and about ASCII text on one line."""

import re
from typing import Literal, NamedTuple, TypeAlias

Characters: TypeAlias = frozenset[str]

ALPHABET: Characters = frozenset(map(chr, range(0x20, 0x7F)))
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD: Characters = frozenset(f"{_LETTERS}{_LETTERS.upper()}0123456789_")
_DIGIT: Characters = frozenset("0123456789")
_SPACE: Characters = frozenset(" ")
_CLASSES = {
    "d": _DIGIT,
    "w": _WORD,
    "s": _SPACE,
    "D": ALPHABET - _DIGIT,
    "W": ALPHABET - _WORD,
    "S": ALPHABET - _SPACE,
}
_CONTROLS = "tnrfv"
_COUNT = re.compile(r"\{(\d{1,3})(,(\d{0,3}))?\}")


class Expression(NamedTuple):
    """A regular expression: one character, a sequence, alternatives, or a repetition."""

    kind: Literal["one", "then", "or", "times"]
    characters: Characters = frozenset()
    parts: "tuple[Expression, ...]" = ()
    low: int = 0
    high: int | None = None


EMPTY = Expression("then")
NOTHING = Expression("or")
ANY = Expression("times", parts=(Expression("one", ALPHABET),))


class IrregularPatternError(Exception):
    """The pattern has something that is not regular, or more than ASCII."""


class _Parser:
    """A parser for the patterns of ECMA-262, as far as they are regular."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0

    def parse(self) -> Expression:
        """Parse the whole pattern; a match may start and end anywhere unless it is anchored."""
        found = [self._anchored()]
        while self._take("|"):
            found.append(self._anchored())
        if self._at < len(self._text):
            raise IrregularPatternError
        return either(found)

    def _anchored(self) -> Expression:
        starts = self._take("^")
        inner = self._sequence()
        ends = self._take("$")
        while self._take("$"):
            pass
        return join([*(() if starts else (ANY,)), inner, *(() if ends else (ANY,))])

    def _alternatives(self) -> Expression:
        found = [self._sequence()]
        while self._take("|"):
            found.append(self._sequence())
        return either(found)

    def _sequence(self) -> Expression:
        parts: list[Expression] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)$":
            parts.append(self._repeated(self._atom()))
        return join(parts)

    def _repeated(self, one: Expression) -> Expression:
        match = _COUNT.match(self._text, self._at)
        if match:
            self._at = match.end()
            high = match[1] if match[2] is None else match[3]
            counted = repeat(one, int(match[1]), int(high) if high else None)
        elif self._take("*"):
            counted = repeat(one, 0, None)
        elif self._take("+"):
            counted = repeat(one, 1, None)
        elif self._take("?"):
            counted = repeat(one, 0, 1)
        else:
            return one
        self._take("?")
        if self._text[self._at : self._at + 1] in ("*", "+", "{"):
            raise IrregularPatternError
        return counted

    def _atom(self) -> Expression:
        if self._take("("):
            if self._take("?") and not self._take(":"):
                raise IrregularPatternError
            inner = self._alternatives()
            self._expect(")")
            return inner
        if self._take("["):
            return Expression("one", self._class())
        if self._take("."):
            return Expression("one", ALPHABET)
        if self._take("\\"):
            return Expression("one", self._escape())
        return Expression("one", frozenset(self._literal("^*+?{")))

    def _class(self) -> Characters:
        negated = self._take("^")
        found: set[str] = set()
        while not self._take("]"):
            first = self._member()
            if self._text[self._at : self._at + 1] == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                last = self._member()
                if len(first) != 1 or len(last) != 1:
                    raise IrregularPatternError
                found |= set(map(chr, range(ord(min(first)), ord(min(last)) + 1)))
            else:
                found |= first
        return ALPHABET - found if negated else ALPHABET & found

    def _member(self) -> Characters:
        return self._escape() if self._take("\\") else frozenset(self._literal("["))

    def _escape(self) -> Characters:
        letter = self._next()
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _CONTROLS:
            return frozenset()
        if letter.isalnum():
            raise IrregularPatternError
        return frozenset(letter)

    def _literal(self, refused: str) -> str:
        letter = self._next()
        if letter in refused or letter not in ALPHABET:
            raise IrregularPatternError
        return letter

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise IrregularPatternError
        self._at += 1
        return self._text[self._at - 1]

    def _take(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise IrregularPatternError


def join(parts: list[Expression]) -> Expression:
    """Return the sequence of the parts."""
    flat: list[Expression] = []
    for one in parts:
        if one == NOTHING:
            return NOTHING
        flat += one.parts if one.kind == "then" else [one]
    return flat[0] if len(flat) == 1 else Expression("then", parts=tuple(flat))


def either(parts: list[Expression]) -> Expression:
    """Return the alternatives."""
    flat: dict[Expression, None] = {}
    for one in parts:
        flat |= dict.fromkeys(one.parts if one.kind == "or" else [one])
    if ANY in flat:
        return ANY
    return next(iter(flat)) if len(flat) == 1 else Expression("or", parts=tuple(flat))


def repeat(one: Expression, low: int, high: int | None) -> Expression:
    """Return the repetition; without `high` it has no end."""
    if high == 0 or (one == NOTHING and low == 0):
        return EMPTY
    if one.kind == "times" and (one.low, one.high, high) == (0, None, None):
        return one
    return one if (low, high) == (1, 1) else Expression("times", parts=(one,), low=low, high=high)


def parse_pattern(pattern: str) -> Expression:
    """Parse a pattern; raise IrregularPatternError if it is not regular."""
    return _Parser(pattern).parse()

"""Parse the regular expressions that can be matched in linear time, in the syntax of JSON Schema (ECMA-262)."""

import re
from typing import Literal, NoReturn, TypeAlias

from mcpi.core.frozen import frozen

Ranges: TypeAlias = tuple[tuple[int, int], ...]
AssertionKind: TypeAlias = Literal["^", "$", "line start", "line end", "b", "B"]


class UnsupportedPatternError(ValueError):
    """A pattern that is invalid, or that cannot be matched in linear time."""


@frozen
class CharacterSet:
    """One character out of some ranges, or out of none of them."""

    ranges: Ranges
    negated: bool = False
    ignore_case: bool = False

    def accepts(self, character: str) -> bool:
        """Tell whether the character is in the set."""
        spelled = {character, character.lower(), character.upper()} if self.ignore_case else {character}
        codes = [ord(one) for one in spelled if len(one) == 1]
        return any(low <= code <= high for code in codes for low, high in self.ranges) != self.negated


@frozen
class Sequence:
    """One expression after the other."""

    parts: "tuple[Expression, ...]"


@frozen
class Choice:
    """One of several expressions."""

    options: "tuple[Expression, ...]"


@frozen
class Repetition:
    """An expression so many times; without a maximum, any number of times."""

    inner: "Expression"
    minimum: int
    maximum: int | None


@frozen
class Position:
    """An assertion about the characters on both sides."""

    kind: AssertionKind


Expression: TypeAlias = CharacterSet | Sequence | Choice | Repetition | Position

MAX_NESTING = 50
"""Maximum nesting depth of groups."""
_LINE_ENDS: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
_SPACES: Ranges = ((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029))
_CLASSES: dict[str, Ranges] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": (*_SPACES, (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0, "a": 7}
_LAST = 0x10FFFF
_QUANTIFIER = re.compile(r"(?:(?P<mark>[*+?])|\{(?P<low>[0-9]+)(?P<comma>,(?P<high>[0-9]+)?)?\})\??")
_FLAGS = re.compile(r"\(\?(?P<flags>[ims]+)(?P<scope>[:)])")
_GROUP = re.compile(r"\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))")
_CODE = re.compile(r"x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|u\{(?P<braced>[0-9a-fA-F]{1,6})\}|c(?P<c>[A-Za-z])")
_POSITIONS: dict[str, AssertionKind] = {"b": "b", "B": "B", "A": "^", "Z": "$", "z": "$"}
_UNSUPPORTED = {"(?=": "lookahead", "(?!": "lookahead", "(?<": "lookbehind", "(?>": "an atomic group"}


def parse_pattern(pattern: str) -> Expression:
    """Parse the pattern; raise UnsupportedPatternError if it is invalid or beyond the supported syntax."""
    reader = _Reader(pattern)
    found = reader.choice(0)
    if reader.at < len(pattern):
        reader.fail("unbalanced parenthesis")
    return found


class _Reader:
    """The position in a pattern, and the flags that hold there."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags: frozenset[str] = frozenset()

    def fail(self, problem: str) -> NoReturn:
        raise UnsupportedPatternError(f"{problem} at position {self.at}")

    def looks_at(self, *texts: str) -> bool:
        return self.pattern.startswith(texts, self.at)

    def take(self, syntax: "re.Pattern[str]") -> "re.Match[str] | None":
        found = syntax.match(self.pattern, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def choice(self, nesting: int) -> Expression:
        if nesting > MAX_NESTING:
            self.fail(f"more than {MAX_NESTING} nested groups")
        options = [self.sequence(nesting)]
        while self.looks_at("|"):
            self.at += 1
            options.append(self.sequence(nesting))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self, nesting: int) -> Expression:
        parts: list[Expression] = []
        while self.at < len(self.pattern) and not self.looks_at("|", ")"):
            part = self.atom(nesting)
            found = self.take(_QUANTIFIER)
            if found is not None:
                part = self.repeated(part, found)
            parts.append(part)
        return Sequence(tuple(parts))

    def repeated(self, part: Expression, found: "re.Match[str]") -> Expression:
        if self.looks_at("*", "+", "?") or _QUANTIFIER.match(self.pattern, self.at):
            self.fail("a possessive or repeated quantifier is not supported")
        if found["mark"] is not None:
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[found["mark"]]
            return Repetition(part, low, high)
        low = _number(found["low"])
        high = low if found["comma"] is None else None if found["high"] is None else _number(found["high"])
        if high is not None and high < low:
            self.fail("a repetition whose maximum is below its minimum")
        return Repetition(part, low, high)

    def atom(self, nesting: int) -> Expression:
        character = self.pattern[self.at]
        if character == "(":
            return self.group(nesting)
        if character == "[":
            return self.character_class()
        if character in "*+?" or _QUANTIFIER.match(self.pattern, self.at):
            self.fail("nothing to repeat")
        self.at += 1
        match character:
            case "\\":
                return self.escape()
            case ".":
                return CharacterSet(() if "s" in self.flags else _LINE_ENDS, negated=True)
            case "^":
                return Position("line start" if "m" in self.flags else "^")
            case "$":
                return Position("line end" if "m" in self.flags else "$")
            case _:
                return self.literal(ord(character))

    def literal(self, code: int) -> CharacterSet:
        return CharacterSet(((code, code),), ignore_case="i" in self.flags)

    def group(self, nesting: int) -> Expression:
        around = self.flags
        flags = self.take(_FLAGS)
        if flags is not None:
            self.flags |= {*flags["flags"]}
            if flags["scope"] == ")":
                return Sequence(())
        elif self.take(_GROUP) is None:
            what = _UNSUPPORTED.get(self.pattern[self.at : self.at + 3], "this kind of group")
            self.fail(f"{what} is not supported")
        inner = self.choice(nesting + 1)
        if not self.looks_at(")"):
            self.fail("a closing parenthesis is missing")
        self.at += 1
        self.flags = around
        return inner

    def escape(self) -> Expression:
        letter = self.pattern[self.at : self.at + 1]
        if letter in _POSITIONS and letter:
            self.at += 1
            return Position(_POSITIONS[letter])
        ranges, negated = self.escaped()
        return CharacterSet(ranges, negated, ignore_case="i" in self.flags)

    def escaped(self) -> tuple[Ranges, bool]:
        """Read what follows a backslash, in and outside of classes."""
        letter = self.pattern[self.at : self.at + 1]
        if letter.lower() in _CLASSES and letter:
            self.at += 1
            return _CLASSES[letter.lower()], letter.isupper()
        code = self.code(letter)
        return ((code, code),), False

    def code(self, letter: str) -> int:
        found = self.take(_CODE)
        if found is not None:
            if found["c"] is not None:
                return ord(found["c"]) % 32
            return int(found["x"] or found["u"] or found["braced"], 16)
        if letter.isdigit() and letter != "0":
            self.fail("a back reference is not supported")
        if not letter or (letter.isalnum() and letter not in _CONTROLS):
            self.fail(f"the escape \\{letter} is not supported")
        self.at += 1
        return _CONTROLS.get(letter, ord(letter))

    def character_class(self) -> Expression:
        self.at += 1
        negated = self.looks_at("^")
        self.at += negated
        if self.looks_at("]"):
            self.fail("an empty class is not supported")
        ranges: list[tuple[int, int]] = []
        while not self.looks_at("]"):
            if self.at >= len(self.pattern):
                self.fail("a closing bracket is missing")
            ranges += self.class_part()
        self.at += 1
        return CharacterSet(tuple(ranges), negated, ignore_case="i" in self.flags)

    def class_part(self) -> Ranges:
        """Read a character, a range or an escape in a class."""
        first = self.class_character()
        if len(first) != 1 or first[0][0] != first[0][1] or not self.looks_at("-") or self.looks_at("-]"):
            return first
        self.at += 1
        last = self.class_character()
        if len(last) != 1 or last[0][0] != last[0][1] or last[0][0] < first[0][0]:
            self.fail("an invalid range")
        return ((first[0][0], last[0][0]),)

    def class_character(self) -> Ranges:
        character = self.pattern[self.at : self.at + 1]
        self.at += 1
        if character != "\\":
            return ((ord(character), ord(character)),) if character else self.fail("a closing bracket is missing")
        if self.looks_at("b"):
            self.at += 1
            return ((8, 8),)
        ranges, negated = self.escaped()
        return complement(ranges) if negated else ranges


def _number(digits: str) -> int:
    """Return a number of repetitions; the end of a huge one makes no difference."""
    return int(digits.lstrip("0")[:9] or 0)


def complement(ranges: Ranges) -> Ranges:
    """Return the ranges of all other characters; the given ones are in order."""
    starts = [0, *(high + 1 for _, high in ranges)]
    ends = [*(low - 1 for low, _ in ranges), _LAST]
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)

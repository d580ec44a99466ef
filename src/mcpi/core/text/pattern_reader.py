"""Read the characters of a regular expression: escapes and classes, and their problems."""

import re
from typing import NoReturn

from mcpi.core.text.pattern_tree import LAST_CODE_POINT, CharacterSet, Ranges, complement, merged
from mcpi.core.text.unicode_properties import is_property

_SPACES: Ranges = ((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029))
_CLASSES: dict[str, Ranges] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": (*_SPACES, (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
}
_CONTROLS = {"f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_SYNTAX_CHARACTERS = frozenset("^$\\.*+?()[]{}|/")
_PROPERTY = re.compile(r"\{(?:(?P<name>[A-Za-z_]+)=)?(?P<value>[A-Za-z0-9_]+)\}")
_CODE = re.compile(
    r"x(?P<x>[0-9a-fA-F]{2})|u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<u>[0-9a-fA-F]{4})|u\{(?P<braced>[0-9a-fA-F]+)\}|c(?P<c>[A-Za-z])|(?P<zero>0)(?![0-9])"
)


class StoppedError(Exception):
    """The rest of the pattern cannot be read; the message states the reason."""


class PatternReader:
    """The position in a pattern, the flags that apply there, and the first problem of each kind."""

    def __init__(self, pattern: str) -> None:
        """Start at the first character."""
        self.text: str = pattern
        self.at: int = 0
        self.flags: frozenset[str] = frozenset()
        self.problem: str = ""
        self.unsupported: str = ""

    def note(self, problem: str, place: int) -> None:
        """Note a problem that does not prevent reading the rest; the first one counts."""
        self.problem = self.problem or f"{problem} at position {place}"

    def fail(self, problem: str, place: int) -> NoReturn:
        """Note a problem after which the rest cannot be read."""
        self.note(problem, place)
        raise StoppedError(f"{problem} at position {place}")

    def refuse(self, construct: str, place: int) -> None:
        """Note a valid construct that the tree cannot represent."""
        self.unsupported = self.unsupported or f"{construct} is not supported at position {place}"

    def peek(self) -> str:
        """Return the next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def take(self, text: str) -> bool:
        """Skip the text if it is next."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def match(self, syntax: "re.Pattern[str]") -> "re.Match[str] | None":
        """Skip the text that matches here."""
        found = syntax.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def character_set(self, ranges: Ranges, *, negated: bool = False) -> CharacterSet:
        """Return a set that ignores case if the `i` flag is set."""
        return CharacterSet(ranges, negated, "i" in self.flags)

    def character_escape(self, place: int, *, in_class: bool) -> tuple[Ranges, bool]:
        """Parse the text after a backslash; return the characters, and True if all others are meant."""
        found = self.match(_CODE)
        if found is not None:
            code = _code_point(found)
            if code > LAST_CODE_POINT:
                self.fail("\\u{...} is not a code point", place)
            return ((code, code),), False
        char = self.peek()
        self.at += 1
        if char and char in "dwsDWS":
            return _CLASSES[char.lower()], char.isupper()
        if char in {"p", "P"}:
            return self._property(place)
        code = self._named_character(char, place, in_class=in_class)
        return ((code, code),), False

    def _named_character(self, char: str, place: int, *, in_class: bool) -> int:
        """Return the code point of a letter or punctuation character after a backslash."""
        if char in _CONTROLS:
            return _CONTROLS[char]
        if in_class and char == "b":
            return 8
        # Other engines support \a for the bell character.
        if not char or (char.isalnum() and char != "a"):
            self.fail(self._invalid_escape(char), place)
        if char not in _SYNTAX_CHARACTERS and not (in_class and char == "-"):
            self.note(self._invalid_escape(char), place)
        return 7 if char == "a" else ord(char)

    def _invalid_escape(self, char: str) -> str:
        if char in {"x", "u"}:
            return "invalid \\u{...} escape" if self.peek() == "{" else "invalid hexadecimal escape"
        return f"invalid escape \\{char}" if char else "\\ at the end of the pattern"

    def _property(self, place: int) -> tuple[Ranges, bool]:
        found = self.match(_PROPERTY)
        if found is None:
            self.fail("\\p requires a property such as \\p{Letter}", place)
        if not is_property(found["name"] or "", found["value"]):
            self.fail(f"\\p{found[0]} is not a Unicode property", place)
        self.refuse("a Unicode property", place)
        return (), False

    def character_class(self, place: int) -> CharacterSet:
        """Parse a class after its opening bracket."""
        negated = self.take("^")
        if self.peek() == "]":
            self.refuse("an empty class", place)
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            ranges += self._class_range(place)
        return self.character_set(merged(tuple(ranges)), negated=negated)

    def _class_range(self, place: int) -> Ranges:
        """Parse a character, an escape or a range."""
        at = self.at
        first = self._class_atom(place)
        if self.peek() != "-" or self.text.startswith("-]", self.at):
            return first
        if not _is_single(first):
            # Other engines read the hyphen as a character.
            self.note("a character class as the endpoint of a range", at)
            return first
        self.at += 1
        last = self._class_atom(place)
        if not _is_single(last):
            self.fail("a character class as the endpoint of a range", at)
        if last[0][0] < first[0][0]:
            self.fail("a range of characters is out of order", at)
        return ((first[0][0], last[0][0]),)

    def _class_atom(self, place: int) -> Ranges:
        char = self.peek()
        if not char:
            self.fail("unterminated character class", place)
        self.at += 1
        if char != "\\":
            return ((ord(char), ord(char)),)
        ranges, negated = self.character_escape(self.at - 1, in_class=True)
        return complement(ranges) if negated else ranges


def _is_single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _code_point(found: "re.Match[str]") -> int:
    if found["c"] is not None:
        return ord(found["c"]) % 32
    if found["high"] is not None:
        return 0x10000 + ((int(found["high"], 16) & 0x3FF) << 10) + (int(found["low"], 16) & 0x3FF)
    return int(found["x"] or found["u"] or found["braced"] or "0", 16)

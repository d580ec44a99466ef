"""Check the syntax of regular expressions as ECMA-262 defines it with the `u` flag, which JSON Schema recommends."""

import re
from collections.abc import Iterator
from typing import NoReturn

from mcpi.core.frozen import frozen
from mcpi.core.lint.syntax.unicode_properties import BINARY_PROPERTIES, CATEGORIES, SCRIPTS

MAX_DEPTH = 100
"""Maximum nesting of groups; a deeper pattern counts as valid, as no recursion limit of an engine is known."""
_SYNTAX_CHARACTERS = frozenset("^$\\.*+?()[]{}|/")
_CLASSES = frozenset("dDsSwW")
_CONTROLS = {"f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_HEX = re.compile(r"[0-9A-Fa-f]+")
_QUANTIFIER = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NUMBER = re.compile(r"[1-9][0-9]*")
_PROPERTY = re.compile(r"\{(?:([A-Za-z_]+)=)?([A-Za-z0-9_]+)\}")
_GROUP_NAME = re.compile(r"([^\W\d]|\$)(\w|[$\u200c\u200d])*")
_MODIFIERS = re.compile(r"\?([ims]*)(?:-([ims]*))?:")
_VALUES = {
    "General_Category": CATEGORIES,
    "gc": CATEGORIES,
    **dict.fromkeys(("Script", "sc", "Script_Extensions", "scx"), SCRIPTS),
}
_MAX_CODE_POINT = 0x10FFFF
_HIGH_SURROGATE = 0xD800 >> 10
_LOW_SURROGATE = re.compile(r"\\u([dD][c-fC-F][0-9A-Fa-f]{2})")


@frozen
class RegexVerdict:
    """The syntax problem of a pattern, and the constructs that some engines lack."""

    problem: str = ""
    """Empty if the pattern is valid."""
    lookbehind: bool = False


class _InvalidPatternError(Exception):
    """The pattern is invalid; the message states the problem and its position, or is empty if it is not known."""


def check_pattern(pattern: str) -> RegexVerdict:
    """Check one pattern."""
    parser = _Parser(pattern)
    problem = ""
    try:
        parser.parse()
    except _InvalidPatternError as error:
        problem = str(error)
    return RegexVerdict(problem, parser.lookbehind)


class _Parser:
    """A recursive descent parser; each method parses one production from the current position."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.depth = 0
        self.groups = 0
        self.names: set[str] = set()
        self.lookbehind = False
        self.references: list[tuple[int, int]] = []
        self.named_references: list[tuple[str, int]] = []

    def parse(self) -> None:
        self._disjunction()
        if self.at < len(self.text):
            self._fail("unmatched )", self.at)
        for number, place in self.references:
            if number > self.groups:
                self._fail(f"\\{number} refers to a group that does not exist", place)
        for name, place in self.named_references:
            if name not in self.names:
                self._fail(f"\\k<{name}> refers to a group that does not exist", place)

    def _fail(self, problem: str, place: int) -> NoReturn:
        raise _InvalidPatternError(f"{problem} at position {place}")

    def _peek(self, count: int = 1) -> str:
        return self.text[self.at : self.at + count]

    def _take(self, text: str) -> bool:
        """Skip the text if it is next."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def _disjunction(self) -> set[str]:
        """Parse alternatives; return the names of the groups in them."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _InvalidPatternError
        names = self._alternative()
        while self._take("|"):
            names |= self._alternative()
        self.depth -= 1
        return names

    def _alternative(self) -> set[str]:
        names: set[str] = set()
        while self.at < len(self.text) and self._peek() not in "|)":
            place = self.at
            found, repeatable = self._term()
            # ECMA-262: two groups may share a name only if they are in different alternatives.
            if names & found:
                self._fail(f"the group name {min(names & found)!r} is used twice", place)
            names |= found
            self._quantifier(repeatable=repeatable)
        return names

    def _term(self) -> tuple[set[str], bool]:
        """Parse a term without its quantifier; return its group names, and True if it may be repeated."""
        place = self.at
        char = self._peek()
        self.at += 1
        match char:
            case "^" | "$":
                return set(), False
            case "(":
                return self._group(place)
            case "[":
                self._character_class(place)
            case "\\":
                if self._peek() in {"b", "B"}:
                    self.at += 1
                    return set(), False
                self._atom_escape(place)
            case "*" | "+" | "?":
                self._fail(f"nothing to repeat before {char}", place)
            case "{" | "}" | "]":
                self._fail(f"{char} must be escaped as \\{char}", place)
            case _:
                pass
        return set(), True

    def _quantifier(self, *, repeatable: bool) -> None:
        place = self.at
        counted = _QUANTIFIER.match(self.text, self.at)
        if counted is not None:
            self.at = counted.end()
            if counted[3] and int(counted[3][:20]) < int(counted[1][:20]):
                self._fail(f"{counted[0]} has its numbers out of order", place)
        elif self._peek() in {"*", "+", "?"}:
            self.at += 1
        else:
            return
        if not repeatable:
            self._fail("an assertion cannot be repeated", place)
        self._take("?")

    def _group(self, place: int) -> tuple[set[str], bool]:
        names: set[str] = set()
        is_assertion = False
        if self._take("?=") or self._take("?!"):
            is_assertion = True
        elif self._take("?<=") or self._take("?<!"):
            is_assertion = self.lookbehind = True
        elif self._take("?<"):
            self.groups += 1
            names.add(self._group_name(place))
        elif self._peek() == "?":
            self._modifiers(place)
        else:
            self.groups += 1
        inner = self._disjunction()
        if names & inner:
            self._fail(f"the group name {min(names & inner)!r} is used twice", place)
        if not self._take(")"):
            self._fail("unterminated group", place)
        self.names |= names
        return names | inner, not is_assertion

    def _modifiers(self, place: int) -> None:
        """Parse `?:`, `?i:` or `?i-m:`."""
        found = _MODIFIERS.match(self.text, self.at)
        if found is None:
            self._fail(f"({self._peek(2)} is no ECMA-262 syntax", place)
        flags = found[1] + (found[2] or "")
        if len({*flags}) < len(flags) or (found[2] == "" and not flags):
            self._fail("invalid flags of a group", place)
        self.at = found.end()

    def _group_name(self, place: int) -> str:
        found = _GROUP_NAME.match(self.text, self.at)
        if found is None or self.text[found.end() : found.end() + 1] != ">":
            self._fail("invalid group name", place)
        self.at = found.end() + 1
        return found[0]

    def _atom_escape(self, place: int) -> None:
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            self.references.append((int(number[0][:20]), place))
        elif self._take("k"):
            if not self._take("<"):
                self._fail("\\k needs a group name", place)
            self.named_references.append((self._group_name(place), place))
        else:
            self._character_escape(place, in_class=False)

    def _character_escape(self, place: int, *, in_class: bool) -> int | None:
        """Parse the escape after a backslash; return its code point, or None if it stands for many."""
        char = self._peek()
        self.at += 1
        if char in _CLASSES:
            return None
        if char in {"p", "P"}:
            self._property(place)
            return None
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char in _SYNTAX_CHARACTERS:
            return ord(char)
        if in_class and char in {"-", "b"}:
            return ord(char)
        return self._numeric_escape(char, place)

    def _numeric_escape(self, char: str, place: int) -> int:
        following = self._peek()
        match char:
            case "c" if following.isascii() and following.isalpha():
                self.at += 1
                return ord(following) % 32
            case "0" if not (following.isascii() and following.isdigit()):
                return 0
            case "x":
                return self._hexadecimal(2, place)
            case "u" if self._take("{"):
                return self._braced_code_point(place)
            case "u":
                return self._code_unit(place)
            case _:
                problem = f"invalid escape \\{char}" if char else "\\ at the end of the pattern"
                raise _InvalidPatternError(f"{problem} at position {place}")

    def _code_unit(self, place: int) -> int:
        """Parse four digits; two escapes of a surrogate pair are one code point."""
        value = self._hexadecimal(4, place)
        low = _LOW_SURROGATE.match(self.text, self.at) if value >> 10 == _HIGH_SURROGATE else None
        if low is None:
            return value
        self.at = low.end()
        return 0x10000 + ((value & 0x3FF) << 10) + (int(low[1], 16) & 0x3FF)

    def _hexadecimal(self, count: int, place: int) -> int:
        digits = self._peek(count)
        if len(digits) < count or not _HEX.fullmatch(digits):
            self._fail("invalid hexadecimal escape", place)
        self.at += count
        return int(digits, 16)

    def _braced_code_point(self, place: int) -> int:
        found = _HEX.match(self.text, self.at)
        if found is None or self.text[found.end() : found.end() + 1] != "}":
            self._fail("invalid \\u{...} escape", place)
        self.at = found.end() + 1
        value = int(found[0], 16)
        if value > _MAX_CODE_POINT:
            self._fail("\\u{...} is no code point", place)
        return value

    def _property(self, place: int) -> None:
        found = _PROPERTY.match(self.text, self.at)
        if found is None:
            self._fail("\\p needs a property such as \\p{Letter}", place)
        self.at = found.end()
        known = (CATEGORIES | BINARY_PROPERTIES) if found[1] is None else _VALUES.get(found[1], frozenset())
        if found[2] not in known:
            self._fail(f"\\p{found[0]} is no Unicode property", place)

    def _character_class(self, place: int) -> None:
        self._take("^")
        for start, end, at in self._class_ranges(place):
            if start is None or end is None:
                self._fail("a range between classes of characters", at)
            if start > end:
                self._fail("a range of characters is out of order", at)

    def _class_ranges(self, place: int) -> Iterator[tuple[int | None, int | None, int]]:
        """Yield the ranges of a class, up to its closing bracket."""
        while not self._take("]"):
            at = self.at
            start = self._class_atom(place)
            if self._peek() == "-" and self._peek(2) not in {"-]", "-"}:
                self.at += 1
                yield start, self._class_atom(place), at

    def _class_atom(self, place: int) -> int | None:
        char = self._peek()
        if not char:
            self._fail("unterminated character class", place)
        self.at += 1
        return self._character_escape(self.at - 1, in_class=True) if char == "\\" else ord(char)

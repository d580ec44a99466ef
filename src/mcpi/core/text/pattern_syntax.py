"""Parse regular expressions in the syntax of ECMA-262 with the `u` flag, which JSON Schema recommends.

Many patterns are written for other engines. Syntax beyond ECMA-262 is reported as a problem, but keeps its meaning in
those engines.
"""

import re

from mcpi.core.frozen import frozen
from mcpi.core.text.pattern_reader import PatternReader, StoppedError
from mcpi.core.text.pattern_tree import (
    AssertionKind,
    CharacterSet,
    Choice,
    Expression,
    Position,
    Ranges,
    Repetition,
    Sequence,
)

MAX_NESTING = 50
"""Maximum nesting depth of groups."""
MAX_LENGTH = 50_000
"""Maximum number of characters of a pattern."""
_MAX_DIGITS = 9
_LINE_ENDS: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
_POSITIONS: dict[str, AssertionKind] = {"b": "b", "B": "B", "A": "^", "Z": "$", "z": "$"}
_QUANTIFIER = re.compile(r"(?:(?P<mark>[*+?])|\{(?P<low>[0-9]+)(?P<comma>,(?P<high>[0-9]+)?)?\})\??")
_LOOKAROUND = re.compile(r"\?(?P<behind><?)[=!]")
_NAMED_GROUP = re.compile(r"\?(?P<python>P?)<(?![=!])")
_MODIFIERS = re.compile(r"\?(?P<on>[ims]*)(?P<off>-[ims]*)?(?P<end>[:)])")
_GROUP_NAME = re.compile(r"(?P<name>([^\W\d]|\$)(\w|[$\u200c\u200d])*)>")
_NUMBER = re.compile(r"[1-9][0-9]*")


@frozen
class ParsedPattern:
    """A parsed pattern: its tree and its problems."""

    expression: Expression
    problem: str = ""
    """The reason why it is not ECMA-262 with the `u` flag; empty if it is."""
    unsupported: str = ""
    """The reason why the tree does not represent the whole pattern; empty if it does."""
    lookbehind: bool = False


def parse_pattern(pattern: str) -> ParsedPattern:
    """Parse the pattern; a pattern that is too large or nested too deep is unsupported, but not invalid."""
    parser = _Parser(pattern)
    found: Expression = Sequence(())
    try:
        found = parser.parse()
    except StoppedError as stopped:
        parser.unsupported = parser.unsupported or str(stopped)
    return ParsedPattern(found, parser.problem, parser.unsupported, parser.lookbehind)


class _Parser(PatternReader):
    """A recursive descent parser; each method parses one production from the current position."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.groups = 0
        self.names: set[str] = set()
        self.references: list[tuple[str, int]] = []
        self.lookbehind = False

    def parse(self) -> Expression:
        if len(self.text) > MAX_LENGTH:
            raise StoppedError("the pattern is too large")
        found, _ = self._disjunction(0)
        if self.at < len(self.text):
            self.fail("unmatched )", self.at)
        for reference, place in self.references:
            is_known = reference[1:] in self.names if reference.startswith("k") else _number(reference) <= self.groups
            if not is_known:
                shown = f"k<{reference[1:]}>" if reference.startswith("k") else reference
                self.note(f"\\{shown} refers to a group that does not exist", place)
        return found

    def _disjunction(self, nesting: int) -> tuple[Expression, set[str]]:
        """Parse alternatives; return them with the names of the groups in them."""
        if nesting > MAX_NESTING:
            raise StoppedError(f"more than {MAX_NESTING} nested groups at position {self.at}")
        first, names = self._alternative(nesting)
        options = [first]
        while self.take("|"):
            option, more = self._alternative(nesting)
            options.append(option)
            names |= more
        return (first if len(options) == 1 else Choice(tuple(options))), names

    def _alternative(self, nesting: int) -> tuple[Expression, set[str]]:
        parts: list[Expression] = []
        names: set[str] = set()
        while self.peek() not in {"", "|", ")"}:
            place = self.at
            part, found, repeatable = self._term(nesting)
            # ECMA-262: two groups may share a name only if they are in different alternatives.
            self._note_twice(names & found, place)
            names |= found
            parts.append(self._repeated(part, repeatable=repeatable))
        return Sequence(tuple(parts)), names

    def _note_twice(self, names: set[str], place: int) -> None:
        if names:
            self.note(f"the group name {min(names)!r} is used twice", place)

    def _term(self, nesting: int) -> tuple[Expression, set[str], bool]:
        """Parse a term without its quantifier; return its group names, and True if it may be repeated."""
        place, char = self.at, self.peek()
        if char == "(":
            return self._group(nesting)
        if self.match(_QUANTIFIER):
            self.fail(f"nothing to repeat before {char}", place)
        self.at += 1
        match char:
            case "^" | "$":
                kinds: dict[str, AssertionKind] = {"^": "line start", "$": "line end"}
                return Position(kinds[char] if "m" in self.flags else char), set(), False
            case ".":
                return CharacterSet(() if "s" in self.flags else _LINE_ENDS, negated=True), set(), True
            case "[":
                return self.character_class(place), set(), True
            case "\\":
                found = self._atom_escape(place)
                return found, set(), not isinstance(found, Position)
            case "{" | "}" | "]":
                self.note(f"{char} must be escaped as \\{char}", place)
            case _:
                pass
        return self.character_set(((ord(char), ord(char)),)), set(), True

    def _repeated(self, part: Expression, *, repeatable: bool) -> Expression:
        """Parse the quantifier of a term, if it has one."""
        place = self.at
        found = self.match(_QUANTIFIER)
        if found is None:
            return part
        if not repeatable:
            self.note("an assertion cannot be repeated", place)
        if found["mark"] is not None:
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[found["mark"]]
            return Repetition(part, low, high)
        low = _number(found["low"])
        high = low if found["comma"] is None else None if found["high"] is None else _number(found["high"])
        if high is not None and high < low:
            self.fail(f"the numbers in {found[0]} are out of order", place)
        return Repetition(part, low, high)

    def _group(self, nesting: int) -> tuple[Expression, set[str], bool]:
        place, around = self.at, self.flags
        self.at += 1
        names: set[str] = set()
        lookaround = self.match(_LOOKAROUND)
        if lookaround is not None:
            self.refuse("lookbehind" if lookaround["behind"] else "lookahead", place)
            self.lookbehind |= bool(lookaround["behind"])
        elif named := self.match(_NAMED_GROUP):
            if named["python"]:
                self.note("(?P is not ECMA-262 syntax", place)
            self.groups += 1
            names.add(self._group_name(place))
        elif self.peek() == "?":
            if self._modifiers(place):
                return Sequence(()), set(), False
        else:
            self.groups += 1
        self.names |= names
        inner, more = self._disjunction(nesting + 1)
        self._note_twice(names & more, place)
        if not self.take(")"):
            self.fail("unterminated group", place)
        self.flags = around
        return inner, names | more, lookaround is None

    def _modifiers(self, place: int) -> bool:
        """Parse `?:`, `?i:` or `?i-m:`; tell whether the group ends there, as `(?i)` does in other engines."""
        start = self.text[self.at : self.at + 2]
        found = self.match(_MODIFIERS)
        if found is None or (found["end"] == ")" and not found["on"]):
            self.fail(f"({start} is not ECMA-262 syntax", place)
        on, off = found["on"], (found["off"] or "").removeprefix("-")
        if found["end"] == ")":
            self.note(f"({start} is not ECMA-262 syntax", place)
        if len({*on, *off}) < len(on + off) or (found["off"] == "-" and not on):
            self.note("invalid group flags", place)
        self.flags = (self.flags | {*on}) - {*off}
        return bool(found["end"] == ")")

    def _group_name(self, place: int) -> str:
        found = self.match(_GROUP_NAME)
        if found is None:
            self.fail("invalid group name", place)
        return found["name"]

    def _atom_escape(self, place: int) -> Expression:
        number = self.match(_NUMBER)
        if number is not None:
            self.references.append((number[0], place))
            self.refuse("a back reference", place)
            return Sequence(())
        if self.take("k"):
            if not self.take("<"):
                self.fail("\\k requires a group name", place)
            self.references.append((f"k{self._group_name(place)}", place))
            self.refuse("a back reference", place)
            return Sequence(())
        char = self.peek()
        if char and char in _POSITIONS:
            self.at += 1
            if char not in {"b", "B"}:
                self.note(f"invalid escape \\{char}", place)
            return Position(_POSITIONS[char])
        ranges, negated = self.character_escape(place, in_class=False)
        return self.character_set(ranges, negated=negated)


def _number(digits: str) -> int:
    """Return a number; for a huge one, only the number of digits counts."""
    shown = digits.lstrip("0") or "0"
    return int(shown) if len(shown) <= _MAX_DIGITS else 10**_MAX_DIGITS + len(shown)

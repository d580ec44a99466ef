"""Search texts for regular expressions with bounded time and memory, whatever the pattern and the text.

Python's engine backtracks: a pattern of a few characters can take years. This engine converts a pattern to an automaton
(Thompson, 1968), whose states are built on demand. The work per character is bounded by the pattern's size, and the
total work by a budget.
"""

from functools import lru_cache
from typing import TypeAlias

from mcpi.core.text.pattern_syntax import parse_pattern
from mcpi.core.text.pattern_tree import CharacterSet, Choice, Expression, Position, Repetition, Sequence

MAX_SIZE = 5000
"""Maximum size of a pattern: the number of its characters and operators, with all repetitions written out."""
MAX_WORK = 200_000
"""Maximum number of automaton steps of one search, without those that are cached."""
MAX_TEXT = 10_000_000
"""Maximum number of characters of a text."""
_MAX_STATES = 1000

_Node: TypeAlias = "tuple[CharacterSet | Position | None, tuple[int, ...]]"
"""A character or an assertion, and the nodes that may follow; without either, the node only branches."""
_MATCH = 0


class UnsupportedPatternError(ValueError):
    """A pattern that is invalid, or that cannot be matched in linear time."""


class LinearPattern:
    """A pattern that is searched for in linear time."""

    def __init__(self, pattern: str) -> None:
        """Compile the pattern; raise UnsupportedPatternError if that is impossible."""
        self._nodes: list[_Node] = [(None, ())]
        self._calls = 0
        parsed = parse_pattern(pattern)
        if parsed.unsupported:
            raise UnsupportedPatternError(parsed.unsupported)
        self._start = self._compile(parsed.expression, _MATCH)
        self._states: dict[tuple[frozenset[int], str], _State] = {}
        self.work: int = 0
        self._found: _State = _State(self, frozenset(), "")
        self._first: _State = _State(self, frozenset({self._start}), "")

    def matches(self, text: str) -> bool | None:
        """Tell whether the pattern occurs in the text; None if that is too much work."""
        self.work = 0
        if len(text) > MAX_TEXT:
            return None
        state = self._first
        for character in text:
            state = state[character]
            if state is self._found:
                return True
            if self.work > MAX_WORK:
                return None
        return state[""] is self._found

    def _compile(self, expression: Expression, following: int) -> int:
        """Add the nodes of an expression before the following node, and return the first."""
        self._calls += 1
        if self._calls > MAX_SIZE:
            raise UnsupportedPatternError("the pattern is too large")
        match expression:
            case CharacterSet() | Position():
                return self._add(expression, following)
            case Sequence(parts):
                for part in reversed(parts):
                    following = self._compile(part, following)
                return following
            case Choice(options):
                return self._add(None, *[self._compile(option, following) for option in options])
            case Repetition():
                return self._compile_repetition(expression, following)

    def _compile_repetition(self, repetition: Repetition, following: int) -> int:
        if repetition.maximum is None:
            loop = self._add(None)
            self._nodes[loop] = (None, (self._compile(repetition.inner, loop), following))
            following = loop
        else:
            end = following
            for _ in range(repetition.maximum - repetition.minimum):
                following = self._add(None, self._compile(repetition.inner, following), end)
        for _ in range(repetition.minimum):
            following = self._compile(repetition.inner, following)
        return following

    def _add(self, what: CharacterSet | Position | None, *following: int) -> int:
        self._nodes.append((what, following))
        return len(self._nodes) - 1

    def step(self, nodes: frozenset[int], before: str, after: str) -> "_State":
        """Return the state after one more character, or at the end of the text."""
        reached: set[int] = set()
        open_, seen = [*nodes], {*nodes}
        while open_:
            what, following = self._nodes[open_.pop()]
            self.work += 1
            if isinstance(what, CharacterSet):
                if after and what.accepts(after):
                    reached.update(following)
            elif what is None or _holds(what, before, after):
                open_ += [one for one in following if one not in seen]
                seen.update(following)
        return self._found if _MATCH in seen else self._state(frozenset({*reached, self._start}), after)

    def _state(self, nodes: frozenset[int], before: str) -> "_State":
        before = _context(before)
        known = self._states.get((nodes, before))
        if known is None:
            if len(self._states) >= _MAX_STATES:
                for state in self._states.values():
                    state.clear()
                self._states.clear()
            known = self._states[nodes, before] = _State(self, nodes, before)
        return known


class _State(dict[str, "_State"]):
    """The nodes that may come next, and the states after the characters that occurred here."""

    def __init__(self, pattern: LinearPattern, nodes: frozenset[int], before: str) -> None:
        super().__init__()
        self._pattern, self._nodes, self._before = pattern, nodes, before

    def __missing__(self, character: str) -> "_State":
        found = self[character] = self._pattern.step(self._nodes, self._before, character)
        return found


def _context(character: str) -> str:
    """Return a character that assertions do not distinguish from the given one."""
    return character if character in {"", "\n"} else "a" if _is_word(character) else " "


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _holds(position: Position, before: str, after: str) -> bool:
    match position.kind:
        case "^":
            return not before
        case "$":
            return not after
        case "line start":
            return before in {"", "\n"}
        case "line end":
            return after in {"", "\n"}
        case "b":
            return _is_word(before) != _is_word(after)
        case "B":
            return _is_word(before) == _is_word(after)


@lru_cache(maxsize=20)
def compile_pattern(pattern: str) -> LinearPattern | str:
    """Compile the pattern, or return the reason why it cannot be matched in linear time."""
    try:
        return LinearPattern(pattern)
    except UnsupportedPatternError as error:
        return str(error)

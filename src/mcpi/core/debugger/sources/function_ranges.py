"""Find the functions of a JavaScript or TypeScript source, from its tokens.

V8 drops functions that are never used and reports no code for them, so their positions are found in the source.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeAlias

from mcpi.core.frozen import frozen

Position: TypeAlias = tuple[int, int]
"""Line and column, zero-based."""

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
    |(?P<word>[\w$#]+)
    |(?P<regex>/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/\w*)
    |(?P<mark>=>|.)""",
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE_PART = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?P<end>`|\$\{|\Z)", re.DOTALL)
_CONTROL = {"if", "for", "while", "switch", "catch", "with", "await", "case"}
_BEFORE_REGEX = {
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "await",
    "yield",
}
_ENDS_VALUE = re.compile(r"[\w$#)\]}\"'`]$")
_WORD = re.compile(r"[\w$#]+")
_MODIFIERS = {"async", "static", "get", "set", "function", "*", "public", "private", "protected", "override"}
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}


@frozen
class FunctionRange:
    """A function: its name, the position of its header, and that of its closing brace."""

    name: str
    start: Position
    end: Position


@frozen
class _Token:
    text: str
    offset: int


def find_functions(text: str) -> tuple[FunctionRange, ...]:
    """Return the functions with a body in braces, in the order of their ends."""
    tokens = _tokens(text)
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
    open_braces: list[tuple[str, int] | None] = []
    found: list[FunctionRange] = []
    for index, token in enumerate(tokens):
        if token.text in {"{", "${"}:
            open_braces.append(_header(tokens, index) if token.text == "{" else None)
        elif token.text == "}" and open_braces:
            header = open_braces.pop()
            if header is not None:
                start, end = (_position(line_starts, offset) for offset in (header[1], token.offset))
                found.append(FunctionRange(header[0], start, end))
    return tuple(found)


def innermost(functions: Sequence[FunctionRange], at: Position) -> FunctionRange | None:
    """Return the smallest function around the position."""
    around = (one for one in functions if one.start <= at <= one.end)
    return max(around, key=lambda one: one.start, default=None)


def function_of_line(functions: Sequence[FunctionRange], line: int, column: int) -> FunctionRange | None:
    """Return the function that starts on the line, or else the one around its first character."""
    starting = (one for one in functions if one.start[0] == line < one.end[0])
    return min(starting, key=lambda one: one.start, default=None) or innermost(functions, (line, column))


def _position(line_starts: Sequence[int], offset: int) -> Position:
    line = bisect_right(line_starts, offset) - 1
    return line, offset - line_starts[line]


def _tokens(text: str) -> list[_Token]:
    """Split the text; a template literal is its backtick and the tokens between ${ and }."""
    tokens: list[_Token] = []
    templates: list[int] = []
    depth = at = 0
    while at < len(text):
        if text[at] == "`" or (text[at] == "}" and templates and templates[-1] == depth):
            if text[at] == "}":
                tokens.append(_Token("}", at))
                templates.pop()
                depth -= 1
            part = _TEMPLATE_PART.match(text, at + 1)
            assert part is not None
            if part["end"] == "${":
                depth += 1
                templates.append(depth)
            tokens.append(_Token(part["end"] or "`", part.start("end")))
            at = part.end()
            continue
        match = _TOKEN.match(text, at)
        assert match is not None
        if match.lastgroup == "regex" and tokens and not _allows_regex(tokens[-1].text):
            match = re.compile(".", re.DOTALL).match(text, at)
            assert match is not None
        at = match.end()
        if match.lastgroup == "blank":
            continue
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        tokens.append(_Token(match[0], match.start()))
    return tokens


def _allows_regex(before: str) -> bool:
    return before in _BEFORE_REGEX or _ENDS_VALUE.search(before) is None


def _header(tokens: Sequence[_Token], brace: int) -> tuple[str, int] | None:
    """Return the name and the offset of the function whose body this brace opens; None for another block."""
    at = _before_return_type(tokens, brace)
    last = tokens[at - 1].text if at else ""
    if last == "static":
        return "static block", tokens[at - 1].offset
    if last == "=>":
        end = _before_return_type(tokens, at - 1)
        start = _matching(tokens, end - 1) if end and tokens[end - 1].text == ")" else end - 1
        return _assigned_name(tokens, max(start, 0))
    if last != ")":
        return None
    start = _matching(tokens, at - 1)
    name = start - 1
    if name >= 0 and tokens[name].text == ">":
        name = _matching(tokens, name) - 1
    if name < 0 or tokens[name].text in _CONTROL or (name and tokens[name - 1].text == "extends"):
        return None
    if tokens[name].text in {"function", "*"}:
        return _assigned_name(tokens, name)
    if tokens[name].text == "]":
        name = _matching(tokens, name)
    return tokens[start - 1].text if name == start - 1 else _name_at(tokens, name), tokens[
        _modified(tokens, name)
    ].offset


def _name_at(tokens: Sequence[_Token], index: int) -> str:
    return tokens[index].text if _WORD.fullmatch(tokens[index].text) else "anonymous"


def _assigned_name(tokens: Sequence[_Token], start: int) -> tuple[str, int]:
    """Return the name that an anonymous function gets from its variable or property, and where it starts."""
    first = _modified(tokens, start)
    assigned = first >= 2 and tokens[first - 1].text in {"=", ":"}  # noqa: PLR2004 - a name and an operator
    name = _name_at(tokens, first - 2) if assigned else "anonymous"
    return name, tokens[first].offset


def _modified(tokens: Sequence[_Token], index: int) -> int:
    """Return the index of the first modifier before a function's name."""
    while index and tokens[index - 1].text in _MODIFIERS:
        index -= 1
    return index


def _before_return_type(tokens: Sequence[_Token], index: int) -> int:
    """Return the index after the parameters, if the tokens before `index` are a return type."""
    at = index - 1
    while at > 0 and index - at < 60:  # noqa: PLR2004 - no type is longer
        text = tokens[at].text
        if text == ":" and tokens[at - 1].text == ")" and at < index - 1:
            return at
        if text in _OPENING and text != "}":
            at = _matching(tokens, at)
        elif text in {";", "{", "}", "=", "=>", ",", "("}:
            return index
        at -= 1
    return index


def _matching(tokens: Sequence[_Token], closing: int) -> int:
    """Return the index of the bracket that a closing one matches; 0 if there is none."""
    close = tokens[closing].text
    depth = 0
    for at in range(closing, -1, -1):
        text = tokens[at].text
        depth += (text == close) - (text == _OPENING[close])
        if depth == 0:
            return at
    return 0

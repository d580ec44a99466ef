"""JSON with comments and trailing commas, as editors allow in settings files; explanations of mistakes in JSON."""

import re
from collections import Counter
from json import JSONDecoder

from attrs import evolve

from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem
from mcpi.core.jsontext.patterns import STRING

_BLANK = r"(?:\s|//[^\n]*|/\*.*?\*/)"
_PARTS = re.compile(rf"{STRING}|//[^\n]*|/\*.*?\*/|,(?={_BLANK}*[}}\]])", re.DOTALL)
_TRAILING_COMMA = re.compile(r",\s*[}\]]")
_EXPECTED = ("a value is missing", "Expecting property name")
_FOREIGN = re.compile(r"[A-Za-z_][\w-]*|['`\u2018\u2019\u201c\u201d#]|//|/\*")
_COMMENT = re.compile(r"#|//|/\*")
_SPELLINGS = {
    **{name: f"{name} instead of {right}" for name, right in (("True", "true"), ("False", "false"), ("None", "null"))},
    **dict.fromkeys("'`", "single quotes instead of double quotes"),
    **dict.fromkeys("\u2018\u2019\u201c\u201d", "typographic quotes instead of double quotes"),
    **dict.fromkeys(("//", "/*", "#"), "a comment, which JSON does not allow"),
}
_VISIBLE = re.compile(r"[^\n]")
_NAMES = JSONDecoder(object_pairs_hook=lambda members: [name for name, _ in members], parse_int=float)
"""Decoder that returns the names of an object's members in place of the object."""


def without_comments(text: str) -> str:
    """Replace comments and trailing commas with spaces, so that line numbers stay the same."""
    return _PARTS.sub(lambda found: found[0] if found[0].startswith('"') else _VISIBLE.sub(" ", found[0]), text)


def explained(found: JsonSyntaxProblem, text: str) -> JsonSyntaxProblem:
    """Return the problem, or a more specific one for a trailing comma or the syntax of another language."""
    # Depending on its version, the parser stops at the comma or after it.
    at = found.position if text.startswith(",", found.position) else len(text[: found.position].rstrip()) - 1
    if at >= 0 and _TRAILING_COMMA.match(text, at) is not None:
        return evolve(found, problem="trailing comma", position=at)
    foreign = (_FOREIGN if found.problem.startswith(_EXPECTED) else _COMMENT).match(text, found.position)
    if foreign is None:
        return evolve(found, problem=found.problem.removesuffix(" at"))
    return evolve(found, problem=_SPELLINGS.get(foreign[0], f"{foreign[0]} is not in double quotes"))


def located(found: JsonSyntaxProblem, text: str) -> str:
    """Describe the problem with its line and column."""
    found = explained(found, text)
    line, start = text.count("\n", 0, found.position) + 1, text.rfind("\n", 0, found.position) + 1
    return f"invalid JSON: {found.problem} at line {line}, column {found.position - start + 1}"


def repeated_key(exact: Exact) -> str | None:
    """Describe the first key that an object has more than once, or return None; objects inside it are not searched."""
    try:
        names = _NAMES.decode(exact.text)
    except RecursionError:
        return None  # the calling program has a lower recursion limit
    return next((f"the key {name!r} is repeated" for name, count in Counter(names).items() if count > 1), None)

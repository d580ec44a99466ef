"""The YAML at the head of a SKILL.md, as far as skills use it: scalars, lists and mappings, block or flow."""

import re

from attrs import define

from mcpi.core.jsontext.exact import Unreadable, read
from mcpi.core.jsontext.values import Json, JsonObject

_HEAD = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_MEMBER = re.compile(
    r"""(?P<name>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'(?:[^']|'')*+'|[^\s:#'"\[\]{},-][^:#]*+)\s*+:(?:\s++(?P<value>.*))?"""
)
_BLOCK = re.compile(r"[|>][+-]?")
_WORDS: dict[str, Json] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER, _NUMBER = re.compile(r"[-+]?\d+"), re.compile(r"[-+]?\d+\.\d+")
LONGEST = 1 << 14
"""A head of more characters is not read: no skill has one, and its levels would go deeper than we can."""
_DIGITS = 4000
_STRANGE = frozenset("&*!%@`")


class UnclearError(ValueError):
    """YAML that is not read here."""


@define
class _Lines:
    """The lines that are left: how far each is indented, and what stands there."""

    left: list[tuple[int, str]]

    @property
    def indent(self) -> int:
        """How far the next line is indented; nothing is left at -1."""
        return self.left[0][0] if self.left else -1


def frontmatter(text: str) -> JsonObject | None:
    """The members of the head; nothing where there is none, or none that is understood."""
    head = _HEAD.match(text)
    if head is None or len(head[1]) > LONGEST:
        return None
    lines = [(line, line.lstrip(" ").rstrip()) for line in head[1].splitlines()]
    kept = [(len(line) - len(line.lstrip(" ")), rest) for line, rest in lines if rest and rest[0] != "#"]
    if not kept:
        return {}
    try:
        found = _Lines(kept)
        value = _node(found)
    except UnclearError:
        return None
    return value if isinstance(value, dict) and not found.left else None


def _node(lines: _Lines) -> Json:
    if lines.left and lines.left[0][1].startswith("- "):
        return _list(lines, lines.indent)
    return _mapping(lines, lines.indent)


def _mapping(lines: _Lines, indent: int) -> JsonObject:
    found: JsonObject = {}
    while lines.indent == indent:
        match = _MEMBER.fullmatch(lines.left.pop(0)[1])
        if match is None:
            raise UnclearError
        name, value = _scalar(match["name"].rstrip()), match["value"] or ""
        found[str(name)] = _value(lines, value, indent)
    if lines.indent > indent:
        raise UnclearError
    return found


def _value(lines: _Lines, text: str, indent: int) -> Json:
    if _BLOCK.fullmatch(text):
        # How its lines fold is a matter of its own; a skill's head has one-line texts.
        raise UnclearError
    if text and not text.startswith("#"):
        return _scalar(text)
    return _node(lines) if lines.indent > indent else None


def _list(lines: _Lines, indent: int) -> list[Json]:
    found: list[Json] = []
    while lines.indent == indent and lines.left[0][1].startswith("- "):
        found.append(_scalar(lines.left.pop(0)[1][2:].strip()))
    return found


def _scalar(text: str) -> Json:
    if text[:1] in {'"', "[", "{"}:
        return _flow(text)
    if text.startswith("'"):
        if len(text) == 1 or not text.endswith("'"):
            raise UnclearError
        return text[1:-1].replace("''", "'")
    plain = text.partition(" #")[0].rstrip()
    if plain[:1] in _STRANGE or _BLOCK.fullmatch(plain) or ": " in plain:
        raise UnclearError
    return _typed(plain)


def _flow(text: str) -> Json:
    found = read(text)
    if not isinstance(found, Unreadable):
        return found.value
    if text.startswith("[") and text.endswith("]") and not set(text[1:-1]) & set("[]{}\"'"):
        return [_scalar(one.strip()) for one in text[1:-1].split(",") if one.strip()]
    raise UnclearError


def _typed(text: str) -> Json:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text) and len(text) <= _DIGITS:
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text

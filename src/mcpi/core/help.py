"""The help, as text for a terminal of any width."""

import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

from mcpi.core.flags import ALIASES, Flag, flags_of
from mcpi.core.frozen import frozen
from mcpi.core.kinds import SWITCH
from mcpi.core.method import AnyMethod

_CLASS = re.compile(r"^class (\w+)[(:\[]", re.MULTILINE)
_FIELD = re.compile(r'^    (\w+): [^\n]+\n    """(.*?)"""', re.MULTILINE | re.DOTALL)
_INDENT, _COLUMN, _NARROWEST = 2, 30, 50


@frozen
class Group:
    """Flags that are shown together."""

    title: str
    flags: tuple[Flag, ...]
    texts: Mapping[str, str]


def field_texts(source: str) -> dict[str, dict[str, str]]:
    """What stands under each field of each class in a module's source."""
    heads = [*_CLASS.finditer(source)]
    ends = (*(head.start() for head in heads[1:]), len(source))
    return {
        head[1]: {field: " ".join(text.split()) for field, text in _FIELD.findall(source[head.end() : end])}
        for head, end in zip(heads, ends, strict=False)
    }


def group(title: str, owner: type, texts: Mapping[str, str]) -> Group:
    """The flags of a class under a title."""
    return Group(title, flags_of(owner), texts)


def render(intro: str, groups: Iterable[Group], methods: Sequence[AnyMethod], closing: str, width: int) -> str:
    """The whole help."""
    wide = max(width, _NARROWEST)
    parts = [intro.rstrip()]
    if methods:
        rows = [(method.name, method.summary) for method in methods]
        parts.append("\n".join(("Methods:", *_table(rows, wide))))
    parts += [_group(one, wide) for one in groups if one.flags]
    if closing:
        parts.append(closing.rstrip())
    return "\n\n".join(parts) + "\n"


def _group(one: Group, width: int) -> str:
    rows = [(spelled(flag), _told(flag, one.texts.get(flag.field, ""))) for flag in one.flags]
    return "\n".join((f"{one.title}:", *_table(rows, width)))


def spelled(flag: Flag) -> str:
    """The flag and what it wants, as it is written."""
    short = next((alias for alias, name in ALIASES.items() if name == flag.name and alias[1] != "-"), None)
    name = f"{short}, {flag.name}" if short else flag.name
    return name if flag.kind is SWITCH else f"{name} {flag.kind.name}"


def _told(flag: Flag, text: str) -> str:
    return f"{text} (required)" if flag.required else text


def _table(rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    lines: list[str] = []
    for left, right in rows:
        told = wrap(right, width - _COLUMN) or [""]
        first = f"{'':{_INDENT}}{left}"
        if len(first) >= _COLUMN - 1:
            lines.append(first)
            first = ""
        lines.append(f"{first:{_COLUMN}}{told[0]}".rstrip())
        lines += [f"{'':{_COLUMN}}{line}" for line in told[1:]]
    return lines

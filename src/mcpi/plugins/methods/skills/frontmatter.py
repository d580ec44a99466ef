"""YAML front matter of a SKILL.md file, read as the JSON object that it corresponds to."""

import re
from math import isfinite

from mcpi.plugins.api import Json, JsonObject, dump

_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
MAX_LENGTH = 1 << 14
"""Maximum length in characters; longer front matter is not parsed."""
MAX_DEPTH = 100
"""Maximum nesting depth; each open `[` or `{` costs PyYAML a pass over its 1024 characters of lookahead."""

# YAML 1.2.2, 10.3.2 "Tag Resolution" of the core schema. PyYAML resolves tags as YAML 1.1 does: `on` would be
# a boolean, `1:30` a number and `2026-01-31` a date.
_CONSTANTS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_DECIMAL, _PREFIXED = re.compile(r"[-+]?[0-9]+"), re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_STRING_TAGS = frozenset(("!", "tag:yaml.org,2002:str"))


class _NotJsonError(ValueError):
    """YAML that is invalid or has no JSON equivalent."""


def parse_frontmatter(text: str) -> JsonObject | None:
    """Parse the front matter; return None if it is absent, too long, invalid, or has no JSON equivalent."""
    found = _FRONT_MATTER.match(text)
    if found is None or len(found[1]) > MAX_LENGTH:
        return None
    try:
        documents = _documents(found[1])
    except (ValueError, OverflowError):
        # PyYAML raises both, for an escape like "\UFFFFFFFF"; int() raises ValueError for more than 4300 digits.
        return None
    match documents:
        case []:
            return {}
        case [dict() as members]:
            return members
        case _:
            return None


def _documents(text: str) -> list[Json]:
    """Build the documents from parser events, which come before PyYAML expands aliases or resolves tags."""
    import yaml  # noqa: PLC0415 - only needed to read a skill

    stack: list[list[Json]] = [[]]
    try:
        for event in yaml.parse(text, yaml.SafeLoader):
            match event:
                case yaml.ScalarEvent():
                    stack[-1].append(_scalar(event.value, event.tag, plain=event.style is None))
                case yaml.CollectionStartEvent(tag=None) if len(stack) <= MAX_DEPTH:
                    stack.append([])
                case yaml.SequenceEndEvent():
                    elements = stack.pop()
                    stack[-1].append(elements)
                case yaml.MappingEndEvent():
                    members = _mapping(stack.pop())
                    stack[-1].append(members)
                case yaml.NodeEvent():
                    # An alias (expansion can be exponential), an explicit tag (any type), or too deep a collection.
                    raise _NotJsonError
                case _:
                    pass
    except yaml.YAMLError as error:
        raise _NotJsonError from error
    return stack[0]


def _mapping(nodes: list[Json]) -> JsonObject:
    """Pair up alternating keys and values."""
    names = [_name(key) for key in nodes[::2]]
    members = dict(zip(names, nodes[1::2], strict=True))
    # YAML 1.2.2, 3.2.1.1: "The content of a mapping node is an unordered set of key/value node pairs, with the
    # restriction that each of the keys is unique." PyYAML does not check it.
    if len(members) < len(names):
        raise _NotJsonError
    return members


def _name(key: Json) -> str:
    """Return a scalar key as a string, as JSON encoders do."""
    if isinstance(key, list | dict):
        raise _NotJsonError
    return key if isinstance(key, str) else dump(key)


def _scalar(text: str, tag: str | None, *, plain: bool) -> Json:
    if tag in _STRING_TAGS or (tag is None and not plain):
        return _joined(text)
    if tag is not None or _NOT_FINITE.fullmatch(text):
        raise _NotJsonError
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _PREFIXED.fullmatch(text):
        return int(text, 0)
    return _float(text) if _FLOAT.fullmatch(text) else text


def _float(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise _NotJsonError
    return value


def _joined(text: str) -> str:
    """Combine escaped surrogate pairs into characters, as JSON does."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")

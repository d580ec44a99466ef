"""Resolve JSON pointers (RFC 6901) in parsed and exact values."""

from collections.abc import Iterator, Mapping, Sequence

from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.lazy_pattern import lazy_pattern

_BRACKETS = lazy_pattern(r"""\[["']?([^\[\]"']*)["']?\]""")
_INDEX = lazy_pattern(r"0|[1-9][0-9]{0,15}")


def resolve_pointer(value: Json, path: str) -> Json:
    """Resolve a JSON pointer (RFC 6901) in the value; raise KeyError if it is not found."""
    if path and not path.startswith("/"):
        raise KeyError(path)
    for token in path.split("/")[1:]:
        value = _child(value, unescape_token(token))
    return value


def unescape_token(token: str) -> str:
    """Decode one reference token of a JSON pointer."""
    return token.replace("~1", "/").replace("~0", "~")


def escape_token(name: str | int) -> str:
    """Encode one reference token of a JSON pointer."""
    return str(name).replace("~", "~0").replace("/", "~1")


def pointer_of_path(path: str) -> str:
    """Return the JSON pointer for a path such as $.content[0].text."""
    steps = _BRACKETS.sub(r"/\1", path.removeprefix("$")).replace(".", "/").split("/")
    return "".join(f"/{one}" for one in steps if one)


def meant_pointer(path: str) -> str:
    """Return a question to append to a message about a text that is not a JSON pointer."""
    pointer = pointer_of_path(path)
    return f" (did you mean {pointer}?)" if pointer and "*" not in pointer else ""


def _child(value: Json, name: str) -> Json:
    if isinstance(value, dict):
        return value[name]
    if isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
        return value[int(name)]
    raise KeyError(name)


def resolve_exact(result: Printable, resolve_pointer: str) -> Exact | None:
    """Resolve a JSON pointer in a result and keep the original spelling; return None if it is not found."""
    value = result
    for token in resolve_pointer.split("/")[1:]:
        name = unescape_token(token)
        members = value.members() if isinstance(value, Exact) else value
        if isinstance(value, Exact) and isinstance(value.value, list):
            members = dict(enumerate_text(value.elements()))
        elif isinstance(members, list):
            members = dict(enumerate_text(members))
        if not isinstance(members, Mapping) or name not in members:
            return None
        value = members[name]
    return value if isinstance(value, Exact) else Exact(dump(value), to_plain(value))


def enumerate_text(elements: Sequence[Printable]) -> Iterator[tuple[str, Printable]]:
    """Pair each element with its index as a string, as in a JSON pointer."""
    return ((str(place), element) for place, element in enumerate(elements))

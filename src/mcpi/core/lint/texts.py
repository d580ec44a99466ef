"""Find the names and texts of a definition."""

from collections.abc import Iterator

from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object
from mcpi.core.lint.definitions import escape_token
from mcpi.core.lint.families import hidden_text
from mcpi.core.lint.rule import RuleViolation

PROSE = ("title", "description")
"""The members whose text is meant for the model."""
_NAMES = frozenset({"name", "uri", "uriTemplate"})
_NAMING = frozenset({"properties", "$defs", "definitions"})
"""The keywords whose members are named by the author."""


def check_characters(value: JsonObject, whole: str) -> Iterator[RuleViolation]:
    """Check the characters of all names and texts of a definition; `whole` is all of it as JSON."""
    if whole.isascii() and not _may_have_controls(whole):
        return
    for pointer, text, is_name in _strings(value):
        yield from hidden_text.check_text(pointer, text)
        if is_name:
            yield from hidden_text.check_name(pointer, text)


def prose(value: JsonObject, pointer: str = "") -> list[tuple[str, str]]:
    """Return the title and the description of a definition or a schema, each with its pointer."""
    texts = [(f"{pointer}/{name}", value[name]) for name in PROSE if name in value]
    return [(place, text) for place, text in texts if isinstance(text, str)]


def argument_prose(value: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield the titles and descriptions of a prompt's arguments, each with its pointer."""
    for at, one in enumerate(as_list(value.get("arguments"))):
        yield from prose(as_object(one), f"/arguments/{at}")


def _may_have_controls(text: str) -> bool:
    """Tell whether JSON text may hold control characters, which JSON escapes."""
    return "\\u" in text or "\\b" in text or "\\f" in text or "\x7f" in text


def _strings(value: Json) -> Iterator[tuple[str, str, bool]]:
    """Yield each string with its pointer, and True if it is a name; names of members count too."""
    stack: list[tuple[str, str, Json]] = [("", "", value)]
    while stack:
        pointer, key, node = stack.pop()
        if isinstance(node, str):
            yield pointer, node, key in _NAMES
        elif isinstance(node, dict):
            inner: list[tuple[str, str, Json]] = []
            for name, member in node.items():
                place = f"{pointer}/{escape_token(name)}"
                if not (name.isascii() and name.isprintable()):
                    yield place, name, True
                inner.append((place, name if key not in _NAMING else "", member))
            stack += reversed(inner)
        elif isinstance(node, list):
            stack += reversed([(f"{pointer}/{at}", key, one) for at, one in enumerate(node)])

"""Paths, and the file: URLs that Node.js creates from them."""

import re
from urllib.parse import unquote, urlsplit

_LITERAL = re.compile(r"[A-Za-z0-9/_]")


def url_regex(path: str) -> str:
    """Return a JavaScript pattern for the file's URL, whichever characters Node.js percent-encodes in it."""
    # The percent-encoded characters differ from Python's, and between versions of Node.js.
    return f"^(?:file://)?{''.join(_literal_or_encoded(character) for character in path)}(?:[?#].*)?$"


def _literal_or_encoded(character: str) -> str:
    if _LITERAL.fullmatch(character):
        return character
    encoded = "".join(_percent(byte) for byte in character.encode(errors="surrogateescape"))
    return f"(?:{re.escape(character)}|{encoded})"


def _percent(byte: int) -> str:
    digits = (f"[{digit}{digit.lower()}]" if digit.isalpha() else digit for digit in f"{byte:02X}")
    return f"%{''.join(digits)}"


def path_of(url: str) -> str | None:
    """Return the path of a file: URL, or None for another URL; a sourceURL comment may have the path itself."""
    if not url.startswith("file://"):
        return url if url.startswith("/") else None
    # A % that does not start an escape is literal: unquote leaves it unchanged.
    return unquote(re.split(r"[?#]", url.removeprefix("file://"), maxsplit=1)[0], errors="surrogateescape")


def resolve(folder: str, path: str) -> str:
    """Resolve the path against a folder and remove dot segments."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def folder_of(path: str) -> str:
    """Return the folder that contains a file."""
    return path.rpartition("/")[0] or "/"


def resolve_reference(base: str, text: str) -> str | None:
    """Resolve a reference in a source map against the map's file; return None if it is not a file."""
    if text.startswith("file://"):
        return path_of(text)
    try:
        if urlsplit(text).scheme:
            return None
    except ValueError:
        return None
    return resolve(folder_of(base), unquote(text))

"""Paths and the file: URLs that Node.js makes of them."""

import re
from urllib.parse import unquote, urlsplit

_PLAIN = re.compile(r"[A-Za-z0-9/_]")


def url_regex(path: str) -> str:
    """A JavaScript pattern that matches the URL of a file, whatever the version of Node.js encodes in it."""
    # Which characters are percent-encoded differs from Python, and from one version to the next.
    return f"^file://{''.join(_either(mark) for mark in path)}(?:[?#].*)?$"


def _either(mark: str) -> str:
    if _PLAIN.fullmatch(mark):
        return mark
    coded = "".join(_percent(byte) for byte in mark.encode(errors="surrogateescape"))
    return f"(?:{re.escape(mark)}|{coded})"


def _percent(byte: int) -> str:
    digits = (f"[{digit}{digit.lower()}]" if digit.isalpha() else digit for digit in f"{byte:02X}")
    return f"%{''.join(digits)}"


def path_of(url: str) -> str | None:
    """The path of a file: URL."""
    if not url.startswith("file://"):
        return None
    # A % that begins no escape stands for itself: unquote leaves it.
    return unquote(re.split(r"[?#]", url.removeprefix("file://"), maxsplit=1)[0], errors="surrogateescape")


def resolve(folder: str, path: str) -> str:
    """The path without dots, seen from a folder."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def folder_of(path: str) -> str:
    """The folder that a file stands in."""
    return path.rpartition("/")[0] or "/"


def reference(base: str, text: str) -> str | None:
    """The path that a reference in a source map names, seen from the file it stands in; None where it names none."""
    if text.startswith("file://"):
        return path_of(text)
    try:
        if urlsplit(text).scheme:
            return None
    except ValueError:
        return None
    return resolve(folder_of(base), unquote(text))

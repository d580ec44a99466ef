"""Recognize an HTTP server that was started as a stdio server."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from attrs import evolve

from mcpi.core.outcome.faults import Exited, Fault, TimedOut

_WORD = r"(?i:listening|running|serving|started)\b.*?"
_URL = re.compile(rf"{_WORD}(https?://)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?![\w.-])([^\s'\"<>(),;]*)")
_PORT = re.compile(rf"{_WORD}\b(?i:port):? (\d{{2,5}})\b")
DEFAULT_PATH = "/mcp"
"""The usual path of the endpoint, for a URL that has none."""


def with_url_hint(fault: Fault, lines: Iterable[str]) -> Fault:
    """Replace the hints of a server that did not respond, if a line of its output announces an HTTP server."""
    if not isinstance(fault, TimedOut | Exited):
        return fault
    url = next(filter(None, map(_announced, lines)), "")
    hint = f"it looks like an HTTP server; start it separately, and connect to its URL: mcpi tools/list {url}"
    return evolve(fault, hints=(hint,)) if url else fault


def _announced(line: str) -> str:
    """Return the URL that the line announces, or an empty string."""
    port = _PORT.search(line)
    found = _URL.search(line)
    if found is None:
        return "" if port is None else f"http://localhost:{port[1]}{DEFAULT_PATH}"
    url = f"{found[1]}localhost{found[2].rstrip('.')}"
    return f"{url.rstrip('/')}{DEFAULT_PATH}" if urlsplit(url).path in {"", "/"} else url

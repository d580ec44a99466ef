"""URL helpers: transports, joining, and origins."""

from typing import Literal, TypeAlias
from urllib.parse import urljoin, urlsplit

Transport: TypeAlias = Literal["stdio", "sse", "http"]


def join_url(url: str, place: str) -> str:
    """Resolve a reference against a URL; return an empty string if it is invalid."""
    try:
        return urljoin(url, place)
    except ValueError:
        return ""


def origin(url: str) -> tuple[str, str, int]:
    """Return the scheme, host and port of a URL, to which credentials are bound; an invalid URL has none of them."""
    try:
        parts = urlsplit(url)
        return parts.scheme, (parts.hostname or "").lower(), parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return "", "", 0

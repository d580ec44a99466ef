"""URL helpers: transports, joining, and origins."""

from typing import Literal, TypeAlias
from urllib.parse import urljoin, urlsplit

Transport: TypeAlias = Literal["stdio", "sse", "http"]


def joined(url: str, place: str) -> str:
    """Where a place that the URL's answer names is; nothing where that is no address."""
    try:
        return urljoin(url, place)
    except ValueError:
        return ""


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of a URL: what credentials are bound to; what is no URL has none of them."""
    try:
        parts = urlsplit(url)
        return parts.scheme, (parts.hostname or "").lower(), parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return "", "", 0

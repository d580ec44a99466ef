"""The URLs of OAuth: which are safe, which belong together, and where metadata stands."""

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from mcpi.core.jsontext.values import has_bytes
from mcpi.core.wire.urls import origin

_LOOPBACK = re.compile(r"(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|::1")
PROTECTED, SERVER, OPENID = "oauth-protected-resource", "oauth-authorization-server", "openid-configuration"


def split(url: str) -> SplitResult | None:
    """The parts of a URL with a host, if it is one."""
    if not has_bytes(url):
        return None
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return parts if known else None


def is_loopback(url: str) -> bool:
    """Whether the URL leads to this machine."""
    parts = split(url)
    return parts is not None and _LOOPBACK.fullmatch(parts.hostname or "") is not None


def is_secure(url: str) -> bool:
    """Whether a secret may be sent there."""
    # MCP 2025-11-25, authorization: "All authorization server endpoints MUST be served over HTTPS".
    parts = split(url)
    return parts is not None and (parts.scheme == "https" or is_loopback(url))


def may_name(server: str, url: str) -> bool:
    """Whether a server may send us there: by https, to its own origin, and to this machine only from this machine."""
    if split(url) is None or is_loopback(url) > is_loopback(server):
        return False
    return is_secure(url) or origin(url) == origin(server)


def root(url: str) -> str:
    """Scheme and host of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def canonical(url: str) -> str:
    """The server as a resource (RFC 8707, section 2): without fragment and query, and without a slash at the end."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), "", ""))


def covers(resource: str, server: str) -> bool:
    """Whether a token for the resource is one for the server: the same origin, and a path at or above its own."""
    if split(resource) is None or origin(resource) != origin(server):
        return False
    above = urlsplit(resource).path.rstrip("/")
    return f"{urlsplit(server).path.rstrip('/')}/".startswith(f"{above}/")


def inserted(kind: str, url: str) -> str:
    """The well-known address with the path of the URL behind it (RFC 8414, section 3.1; RFC 9728, section 3.1)."""
    return f"{root(url)}/.well-known/{kind}{urlsplit(url).path.rstrip('/')}"


def resource_addresses(server: str) -> tuple[str, ...]:
    """Where a server may describe itself: below its path, then at the root."""
    return tuple(dict.fromkeys((inserted(PROTECTED, server), f"{root(server)}/.well-known/{PROTECTED}")))


def issuer_addresses(issuer: str) -> tuple[str, ...]:
    """Where an authorization server may describe itself, in the order of the MCP specification."""
    path = urlsplit(issuer).path.rstrip("/")
    appended = f"{root(issuer)}{path}/.well-known/{OPENID}"
    return tuple(dict.fromkeys((inserted(SERVER, issuer), inserted(OPENID, issuer), appended)))

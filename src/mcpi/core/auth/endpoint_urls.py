"""OAuth URLs: security checks, resource matching, and metadata URLs."""

from urllib.parse import SplitResult, urlsplit, urlunsplit

from mcpi.core.jsontext.values import is_utf8_encodable
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.wire.urls import origin

_LOOPBACK = lazy_pattern(r"(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|::1")
PROTECTED, SERVER, OPENID = "oauth-protected-resource", "oauth-authorization-server", "openid-configuration"


def split(url: str) -> SplitResult | None:
    """Split an http or https URL; return None if it is invalid."""
    if not is_utf8_encodable(url):
        return None
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return parts if known else None


def is_loopback(url: str) -> bool:
    """Tell whether the URL points to this machine."""
    parts = split(url)
    return parts is not None and _LOOPBACK.fullmatch(parts.hostname or "") is not None


def is_secure(url: str) -> bool:
    """Tell whether a secret may be sent to the URL."""
    # MCP 2025-11-25, authorization: "All authorization server endpoints MUST be served over HTTPS".
    parts = split(url)
    return parts is not None and (parts.scheme == "https" or is_loopback(url))


def may_refer_to(server: str, url: str) -> bool:
    """Tell whether a server may refer to the URL: https or its own origin; only a loopback server to loopback."""
    if split(url) is None or is_loopback(url) > is_loopback(server):
        return False
    return is_secure(url) or origin(url) == origin(server)


def root(url: str) -> str:
    """Return the scheme, host and port of a URL, without its path."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def canonical(url: str) -> str:
    """Return the server's resource identifier (RFC 8707, section 2): no fragment, query or trailing slash."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), "", ""))


def covers(resource: str, server: str) -> bool:
    """Tell whether a token for the resource is valid for the server: same origin, and the same or a parent path."""
    if split(resource) is None or origin(resource) != origin(server):
        return False
    above = urlsplit(resource).path.rstrip("/")
    return f"{urlsplit(server).path.rstrip('/')}/".startswith(f"{above}/")


def well_known_url(kind: str, url: str) -> str:
    """Return the well-known URL, followed by the path of `url` (RFC 8414, section 3.1; RFC 9728, section 3.1)."""
    return f"{root(url)}/.well-known/{kind}{urlsplit(url).path.rstrip('/')}"


def resource_metadata_urls(server: str) -> tuple[str, ...]:
    """List the URLs of a server's resource metadata: for its path, then for the root."""
    return tuple(dict.fromkeys((well_known_url(PROTECTED, server), f"{root(server)}/.well-known/{PROTECTED}")))


def issuer_metadata_urls(issuer: str) -> tuple[str, ...]:
    """List the URLs of an authorization server's metadata, in the order of the MCP specification."""
    path = urlsplit(issuer).path.rstrip("/")
    appended = f"{root(issuer)}{path}/.well-known/{OPENID}"
    return tuple(dict.fromkeys((well_known_url(SERVER, issuer), well_known_url(OPENID, issuer), appended)))

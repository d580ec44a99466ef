"""URLs that need no normalization: http://, an ASCII host, and only characters that are sent as they are."""

import re
import socket
from urllib.parse import urljoin

from mcpi.core.frozen import frozen

_TARGET = r"/(?:[A-Za-z0-9/._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*"
_QUERY = r"\?(?:[A-Za-z0-9/._~!$&'()*+,;=:@?-]|%[0-9A-Fa-f]{2})*"
_URL = re.compile(
    rf"http://(?P<host>[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::(?P<port>[1-9][0-9]{{0,4}}))?"
    rf"(?P<target>{_TARGET}(?:{_QUERY})?)?",
    re.ASCII,
)
_REFERENCE = re.compile(rf"{_TARGET}(?:{_QUERY})?", re.ASCII)
_DOTS = re.compile(r"/\.{1,2}(?:[/?]|$)")
_NUMERIC = re.compile(r"[0-9.]+")
_DEFAULT_PORT, _MAX_PORT = 80, 65535


@frozen
class PlainUrl:
    """The parts of a plain URL."""

    host: str
    """The name or address to connect to, without brackets."""
    port: int
    authority: bytes
    """The value of the Host header."""
    target: bytes

    @property
    def is_address(self) -> bool:
        """Tell whether the host is an IP address."""
        return ":" in self.host or _NUMERIC.fullmatch(self.host) is not None


def parse_plain(url: str) -> PlainUrl | None:
    """Return the parts of the URL, or None if it needs normalization."""
    match = _URL.fullmatch(url)
    if match is None:
        return None
    host, target = match["host"], match["target"] or "/"
    port = int(match["port"] or _DEFAULT_PORT)
    if not _is_plain_host(host) or _DOTS.search(target) or port > _MAX_PORT or match["port"] == str(_DEFAULT_PORT):
        return None
    authority = host if match["port"] is None else f"{host}:{port}"
    return PlainUrl(host.strip("[]"), port, authority.encode(), target.encode())


def join_plain(url: str, reference: str) -> str | None:
    """Resolve an absolute path against a plain URL; return None for anything that needs normalization."""
    if parse_plain(url) is None or not _REFERENCE.fullmatch(reference) or reference.startswith("//"):
        return None
    return None if _DOTS.search(reference) else urljoin(url, reference)


def _is_plain_host(host: str) -> bool:
    """Tell whether the host is an address in its usual form, or a name without an internationalized label."""
    try:
        if host.startswith("["):
            return socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, host[1:-1])) == host[1:-1]
        if _NUMERIC.fullmatch(host):
            return socket.inet_ntoa(socket.inet_aton(host)) == host
    except OSError:
        return False
    return "xn--" not in host and ".." not in host

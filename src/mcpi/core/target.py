"""What to connect to: a command, or a URL."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias
from urllib.parse import SplitResult, unquote_plus, urljoin, urlsplit

from attrs import field

from mcpi.core.faults import Invalid
from mcpi.core.frozen import frozen
from mcpi.core.outcome import Failure, Parsed, Success
from mcpi.core.pairs import Header

Transport: TypeAlias = Literal["stdio", "sse", "http"]

SECRET = re.compile("key|token|secret|passw|auth|credential", re.IGNORECASE)
"""What stands in the names of secrets."""
_TELLING = 8
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")


@frozen
class Stdio:
    """A command whose standard input and output speak the protocol."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(factory=dict)
    cwd: str | None = None


@frozen
class Http:
    """A URL that speaks streamable HTTP."""

    url: str
    headers: tuple[Header, ...] = ()


@frozen
class Sse:
    """A URL that speaks the older transport of two channels."""

    url: str
    headers: tuple[Header, ...] = ()


Target: TypeAlias = Stdio | Http | Sse


def transport_of(target: Target | None) -> Transport:
    """The transport's name; without a target it is of no consequence."""
    match target:
        case Stdio() | None:
            return "stdio"
        case Http():
            return "http"
        case Sse():
            return "sse"


def detect(first: str, transport: Transport | None) -> Parsed[Transport]:
    """How to talk to what the first word of the target names."""
    if transport == "stdio":
        return Success(transport)
    scheme = _SCHEME.match(first)
    if scheme is None:
        if transport is None:
            return Success("stdio")
        return _wrong(f"--transport {transport} needs a URL, not the command {first!r}")
    if scheme[0].lower() not in {"http", "https"}:
        return _wrong(f"{scheme[0]}:// is no scheme that MCP servers have", "write http:// or https://")
    return _of_url(first, transport)


def _of_url(url: str, transport: Transport | None) -> Parsed[Transport]:
    try:
        parts: SplitResult = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return _wrong(f"{url!r} is no URL: {error}")
    if not host:
        return _wrong(f"{url!r} names no host")
    return Success(transport or ("sse" if parts.path.rstrip("/").endswith("/sse") else "http"))


def _wrong(problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", "target", problem, hints))


def make(words: tuple[str, ...], transport: Transport | None) -> Parsed[Target]:
    """The target that the words name."""
    first, *rest = words
    match detect(first, transport):
        case Success("stdio"):
            return Success(Stdio(words))
        case Success(detected):
            if rest:
                return _wrong(f"{rest[0]!r} stands beside the URL {first}, where one target was expected")
            return Success(Http(first) if detected == "http" else Sse(first))
        case Failure() as failed:
            return failed


def secrets(target: Target) -> tuple[str, ...]:
    """What is secret in the target by its place or its name, spelled as it is and as it is meant."""
    if isinstance(target, Stdio):
        return tuple(_telling(target.env.items()))
    parts = urlsplit(target.url)
    userinfo = parts.netloc.rpartition("@")[0]
    pairs = (pair.partition("=") for pair in parts.query.split("&"))
    found = [userinfo.partition(":")[2] or userinfo, *_telling((name, value) for name, _, value in pairs)]
    return tuple(dict.fromkeys(spelling for one in found if one for spelling in (one, unquote_plus(one))))


def _telling(named: Iterable[tuple[str, str]]) -> list[str]:
    """The values whose names say that they are secrets; shorter ones are words, which would be hidden everywhere."""
    return [value for name, value in named if SECRET.search(name) and len(value) >= _TELLING]


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

"""What to connect to: a command, or a URL."""

import re
from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

from attrs import field

from mcpi.core.flags.pairs import Header
from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, ParseResult, Success
from mcpi.core.secrets.detection import of_pairs, of_url, of_words, shown_url, shown_word
from mcpi.core.wire.urls import Transport

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


def detect(first: str, transport: Transport | None, said: str = "") -> ParseResult[Transport]:
    """How to talk to what the first word of the target names; a mistake quotes what was said for it."""
    said = said or shown_word(first)
    if transport == "stdio":
        return Success(transport)
    scheme = _SCHEME.match(first)
    if scheme is None:
        if first.lower().startswith(("http:", "https:")):
            return _wrong(f"{said!r} is no URL", "write http:// or https://")
        if transport is None:
            return Success("stdio")
        return _wrong(f"--transport {transport} needs a URL, not the command {said!r}")
    if scheme[0].lower() not in {"http", "https"}:
        return _wrong(f"{scheme[0]}:// is no scheme that MCP servers have", "write http:// or https://")
    return _of_url(first, transport, said)


def _of_url(url: str, transport: Transport | None, said: str) -> ParseResult[Transport]:
    try:
        parts: SplitResult = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return _wrong(f"{said!r} is no URL: {_without_quotes(str(error))}")
    if not host:
        return _wrong(f"{said!r} names no host")
    return Success(transport or ("sse" if parts.path.rstrip("/").endswith("/sse") else "http"))


def _without_quotes(problem: str) -> str:
    """What Python says of a URL, which may quote a part of it that is a secret."""
    if "'" not in problem:
        return problem
    return "the port is no number" if problem.startswith("Port") else "the host is no name"


def _wrong(problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", "target", problem, hints))


def make(words: tuple[str, ...], transport: Transport | None, said: str = "") -> ParseResult[Target]:
    """The target that the words name; a mistake quotes what was said for the first of them."""
    if not words or not words[0]:
        return _wrong("it is empty, where a command or a URL was expected")
    first, *rest = words
    match detect(first, transport, said):
        case Success("stdio"):
            return Success(Stdio(words))
        case Success(detected):
            if rest:
                beside = shown_word(rest[0])
                return _wrong(f"{beside!r} stands beside the URL {shown_url(first)}, where one target was expected")
            return Success(Http(first) if detected == "http" else Sse(first))
        case Failure() as failed:
            return failed


def secrets(target: Target) -> tuple[str, ...]:
    """What is secret in the target by its place, its name or its looks."""
    match target:
        case Stdio(command, env):
            return (*of_pairs(env.items()), *of_words(command))
        case Http(url) | Sse(url):
            return tuple(of_url(url))

"""The target to connect to: a command or a URL."""

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypeVar
from urllib.parse import SplitResult, urlsplit

from attrs import evolve, field

from mcpi.core.flags.pairs import Header, is_header_name
from mcpi.core.frozen import frozen
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Correction, Invalid, Unreachable, with_correction, with_nearest
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success
from mcpi.core.secrets.detection import (
    mask_any_key,
    mask_url,
    mask_word,
    secrets_in_pairs,
    secrets_in_url,
    secrets_in_words,
)
from mcpi.core.text.suggestions import nearest
from mcpi.core.wire.urls import Transport

T = TypeVar("T")

CONFIG_PREFIX = "config:"
"""Prefix of a config file's server where a target is a single word."""
NEEDS_SERVER = "--server is required"
"""The beginning of the problem of a config file with several servers."""
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")

_MISSPELT = lazy_pattern(r"([A-Za-z]+)(?::/*|//)((?:\[[\da-fA-F:]+\]|[\w.-]+)(?::\d+)?(?:[/?].*)?)")
"""A scheme, with any number of slashes, and a host."""
_SCHEME_CUTOFF = 0.75
_HOST = lazy_pattern(r"(localhost|[\w-]+(\.[\w-]+)+)?(:\d{1,5})(/\S*)?|localhost(/\S*)?")
_DOMAIN = lazy_pattern(r"[\w-]+(\.[\w-]+)*\.(ai|app|cloud|com|dev|io|net|org)(/\S*)?")


@frozen
class Stdio:
    """A command that uses the protocol on its standard input and output."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(factory=dict)
    cwd: str | None = None
    origin: str = field(default="", eq=False, repr=False)
    """The server and the file, if the command is written in a config file."""
    expanded: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Secrets in the values of variables that a config file refers to."""
    remarks: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Warnings about the entry of a config file."""


@frozen
class Http:
    """A URL for Streamable HTTP."""

    url: str
    headers: tuple[Header, ...] = ()
    expanded: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Secrets in the values of variables that a config file refers to."""
    remarks: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Warnings about the entry of a config file."""


@frozen
class Sse:
    """A URL for the older HTTP+SSE transport."""

    url: str
    headers: tuple[Header, ...] = ()
    expanded: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Secrets in the values of variables that a config file refers to."""
    remarks: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Warnings about the entry of a config file."""


Target: TypeAlias = Stdio | Http | Sse


def transport_of(target: Target | None) -> Transport:
    """Return the name of the target's transport; without a target it is stdio."""
    match target:
        case Stdio() | None:
            return "stdio"
        case Http():
            return "http"
        case Sse():
            return "sse"


def detect_transport(first: str, transport: Transport | None, shown: str = "") -> ParseResult[Transport]:
    """Detect the transport from the first word of the target; errors quote `shown` instead of the word, if given."""
    correction = None if shown else _with_scheme(first)
    has_http = first.lower().startswith(("http:", "https:"))
    shown = shown or (mask_url(first) if has_http else mask_word(first))
    if transport == "stdio":
        return _not_stdio(first, shown) if has_http and "://" in first else Success(transport)
    scheme = _SCHEME.match(first)
    if scheme is None:
        if has_http:
            return _corrected(_wrong(f"{shown!r} is not a URL", "use http:// or https://"), correction)
        if transport is None:
            return Success("stdio")
        return _wrong(f"--transport {transport} requires a URL, got the command {shown!r}")
    if scheme[0].lower() not in {"http", "https"}:
        failed = _wrong(f"{scheme[0]}:// is not a supported URL scheme", "use http:// or https://")
        return _corrected(failed, correction)
    return _of_url(first, transport, shown)


def _not_stdio(url: str, shown: str) -> ParseResult[Transport]:
    """Return the failure for a URL with --transport stdio, with the transport of the URL."""
    match _of_url(url, None, shown):
        case Success(right):
            fault = Invalid("INVALID_ARGUMENT", "--transport", f"stdio does not apply to the URL {shown!r}")
            return Failure(with_nearest(fault, "stdio", right))
        case Failure() as failed:
            return failed


def _with_scheme(word: str) -> Correction | None:
    """Correct the scheme of a URL that holds no secrets, as corrections are shown as they are."""
    found = _MISSPELT.fullmatch(word)
    scheme = nearest(found[1], ("http", "https"), _SCHEME_CUTOFF) if found else None
    if found is None or scheme is None or mask_url(found[2]) != found[2]:
        return None
    return Correction(word, (f"{scheme}://{found[2]}",))


def as_url(word: str) -> str | None:
    """Return the URL for a word that begins with a host, or with a misspelled scheme, or None."""
    misspelt = _with_scheme(word)
    if misspelt is not None:
        return misspelt.right[0]
    host = word.removeprefix(":").removeprefix("//") if "//" in word[:3] else word
    if _HOST.fullmatch(host):
        return f"http://{'localhost' if host.startswith(':') else ''}{host}"
    return f"https://{host}" if _DOMAIN.fullmatch(host) else None


def _corrected(failed: Failure[Invalid], correction: Correction | None) -> Failure[Invalid]:
    if correction is None:
        return failed
    return Failure(with_correction(evolve(failed.failure(), hints=()), correction))


def _of_url(url: str, transport: Transport | None, shown: str) -> ParseResult[Transport]:
    try:
        parts: SplitResult = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return _wrong(f"{shown!r} is not a URL: {_without_quotes(str(error))}")
    if not host:
        return _wrong(f"{shown!r} has no host")
    return Success(transport or ("sse" if parts.path.rstrip("/").endswith("/sse") else "http"))


def _without_quotes(problem: str) -> str:
    """Replace Python's description of a URL error if it quotes part of the URL, which may be a secret."""
    if "'" not in problem:
        return problem
    return "the port is not a number" if problem.startswith("Port") else "the host is not a valid name"


def _wrong(problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", "target", problem, hints))


def parse_target(words: tuple[str, ...], transport: Transport | None, shown: str = "") -> ParseResult[Target]:
    """Build the target from its words; errors quote `shown` instead of the first word, if given."""
    if not words or not words[0]:
        return _wrong("expected a command or a URL, got an empty string")
    first, *rest = words
    match detect_transport(first, transport, shown):
        case Success("stdio"):
            return Success(Stdio(words))
        case Success(detected):
            if rest:
                return _unexpected(rest[0], first)
            return Success(Http(first) if detected == "http" else Sse(first))
        case Failure() as failed:
            return failed


def _unexpected(word: str, url: str) -> Failure[Invalid]:
    """Return the failure for a word after a URL, which may be a header as httpie writes it."""
    name, colon, value = word.partition(":")
    failed = _wrong(f"unexpected word {mask_any_key(word)!r} after the URL {mask_url(url)}")
    if not colon or not is_header_name(name) or value.startswith("//"):
        return failed
    if not value.strip() or mask_word(word) != word:
        return _wrong(failed.failure().problem, f"write a header as -H '{name}: VALUE'")
    header = Correction(word, ("-H", f"{name}: {value.strip()}"), "write a header with -H")
    return Failure(with_correction(failed.failure(), header))


INTERPRETERS: Mapping[str, tuple[str, ...]] = {
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
    ".ts": ("npx", "tsx"),
    ".py": ("python3",),
    ".rb": ("ruby",),
    ".php": ("php",),
    ".sh": ("sh",),
}
"""The programs that run scripts, by file extension."""


LAUNCHERS = (
    *("bash", "bun", "bunx", "cargo", "deno", "docker", "dotnet", "go", "java", "node", "npm", "npx", "php", "pipx"),
    *("pnpm", "podman", "python", "python3", "ruby", "sh", "tsx", "uv", "uvx", "yarn"),
)
"""Programs that start servers."""
_VERSION = lazy_pattern(r"[\d.]*(\.exe)?$", re.IGNORECASE)


def is_launcher(word: str) -> bool:
    """Tell whether the word is a program that starts servers, with any path and version: /usr/bin/python3.12."""
    return _VERSION.sub("", re.split(r"[/\\]", word)[-1], count=1) in LAUNCHERS


def with_interpreter(word: str) -> tuple[str, ...]:
    """Return the words that start a script, or nothing if the word is not a script's name."""
    ending = f".{word.rpartition('.')[2]}"
    return (*INTERPRETERS[ending], word) if ending in INTERPRETERS else ()


def with_quoted_scripts(found: Result[T], sides: Iterable[str | None]) -> Result[T]:
    """Correct scripts without an interpreter where a command is a single word, which must be quoted."""
    scripts = {one: with_interpreter(one) for one in sides if one is not None}
    match found:
        case Failure(Unreachable(correction=Correction(wrong=wrong)) as fault) if scripts.get(wrong):
            each = (Correction(one, (" ".join(words),)) for one, words in scripts.items() if words)
            return Failure(with_correction(evolve(fault, hints=(), correction=None), Correction.chain(*each)))
        case _:
            return found


def split_command(text: str) -> ParseResult[tuple[str, ...]]:
    """Split a command into words as a shell does; a URL is one word."""
    if _SCHEME.match(text):
        return Success((text,))
    try:
        return Success(tuple(shlex.split(text)))
    except ValueError as error:
        return Failure(Invalid("INVALID_ARGUMENT", "target", f"cannot split {mask_word(text)!r} into words: {error}"))


def secrets_in_target(target: Target) -> tuple[str, ...]:
    """Find the secrets in the target, by position, by name or by format."""
    match target:
        case Stdio(command, env):
            return (*secrets_in_pairs(env.items()), *secrets_in_words(command), *target.expanded)
        case Http(url) | Sse(url):
            return (*secrets_in_url(url), *target.expanded)

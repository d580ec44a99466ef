"""Steps outside the connection: HTTP requests, tokens, the clock, signing, a browser, files, programs, servers."""

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from attrs import field

from mcpi.core.debugger.program.probe import Program
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.result import Result

if TYPE_CHECKING:
    from mcpi.core.debugger.program.verdict import Verdict


@frozen
class Fetch:
    """One HTTP exchange outside the protocol; the reply is a Result with a Response."""

    url: str
    verb: str = "GET"
    headers: Mapping[str, str] = field(factory=dict)
    body: str = ""


@frozen
class Response:
    """An HTTP response."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: str


@frozen
class RandomToken:
    """Generate an unguessable token; the reply is 43 URL-safe characters."""


@frozen
class WallClock:
    """Read the wall clock; the reply is in whole seconds since 1970."""


@frozen
class Sign:
    """Sign a JWT; the reply is a Result with the token."""

    claims: Mapping[str, Printable]
    key: str = ""
    """Private key in PEM form; by default a key generated for this run, whose public key is put in the header."""
    algorithm: str = ""
    kind: str = "JWT"


@frozen
class ListenForRedirect:
    """Listen on loopback for a browser; the reply is a Result with the redirect URI."""

    redirect_uri: str = ""


@frozen
class OpenBrowser:
    """Open the URL for the user with a command; the reply is a Result with the URL of the final redirect."""

    url: str
    command: str


@frozen
class LoadStored:
    """Load the stored data; the reply is a Result with an object, which is empty if there is none."""


@frozen
class LockStored:
    """Keep other runs from changing the stored data until UnlockStored; the reply is a Result."""


@frozen
class UnlockStored:
    """Let other runs change the stored data."""


@frozen
class Store:
    """Store one member of a section, or delete it if the value is None; the reply is a Result."""

    section: str
    name: str
    value: Mapping[str, Printable] | None = field()


@frozen
class MarkSecret:
    """Mask these texts in all further output."""

    secrets: tuple[str, ...]


@frozen
class ReadFile:
    """Read a text file in the working directory; the reply is a Result with the text, or with None if it is missing."""

    name: str


@frozen
class ReadTextFile:
    """Read a text file that a flag names; the reply is a Result with the text."""

    flag: str
    path: str


@frozen
class RunOnServer:
    """Run a plan on a separate connection; the reply is a Result with the plan's result."""

    flag: str
    target: str | None
    """A URL, config:NAME, or a command as one word; None for the target of this connection."""
    plan: Callable[[], Generator[Any, Any, Any]]
    era: str | None = None
    version: str | None = None


@frozen
class Debug:
    """Run a program under its inspector until it ends; the reply is a Result with a Verdict."""

    program: Program


WorldStep: TypeAlias = (
    Fetch
    | RandomToken
    | WallClock
    | Sign
    | ListenForRedirect
    | OpenBrowser
    | LoadStored
    | LockStored
    | UnlockStored
    | Store
    | MarkSecret
    | ReadFile
    | ReadTextFile
    | RunOnServer
    | Debug
)


def debug(program: Program) -> Generator[Debug, Any, "Result[Verdict]"]:
    """Run a program under its inspector and return the outcome."""
    return cast("Result[Verdict]", (yield Debug(program)))

"""What a plan may ask of the world beside the protocol: chance, the wall clock, keys, a browser, a store."""

from collections.abc import Mapping
from typing import TypeAlias

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable


@frozen
class Fetch:
    """One HTTP exchange beside the protocol; the reply is an outcome with a Response."""

    url: str
    verb: str = "GET"
    headers: Mapping[str, str] = field(factory=dict)
    body: str = ""


@frozen
class Response:
    """What an HTTP exchange brought."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: str


@frozen
class RandomToken:
    """A text that nobody can guess; the reply is 43 characters that a URL may hold."""


@frozen
class WallClock:
    """The time of day; the reply is in whole seconds since 1970."""


@frozen
class Sign:
    """A JWT; the reply is an outcome with it."""

    claims: Mapping[str, Printable]
    key: str = ""
    """A private key as PEM; without one this run's own key signs, and its public half goes into the header."""
    algorithm: str = ""
    kind: str = "JWT"


@frozen
class Loopback:
    """Somebody listens on loopback for a browser; the reply is an outcome with the redirect URI."""

    wanted: str = ""


@frozen
class Browse:
    """A command shows the URL to a person; the reply is an outcome with where the browser was sent in the end."""

    url: str
    command: str


@frozen
class LoadStored:
    """What was kept; the reply is an outcome with an object, which is empty where nothing is kept."""


@frozen
class Store:
    """A member of one section of what is kept, or None to forget it; the reply is an outcome."""

    section: str
    name: str
    value: Mapping[str, Printable] | None = field()


@frozen
class MarkSecret:
    """From now on these texts are secrets."""

    secrets: tuple[str, ...]


WorldStep: TypeAlias = Fetch | RandomToken | WallClock | Sign | Loopback | Browse | LoadStored | Store | MarkSecret

"""HTTP requests and responses as --verbose and --dry-run show them."""

from collections.abc import Iterable
from typing import Literal

from mcpi.core.frozen import frozen
from mcpi.core.secrets.detection import HIDDEN

_SECRET = frozenset({"cookie", "set-cookie", "dpop", "x-api-key"})
_SCHEMED = frozenset({"authorization", "proxy-authorization"})


@frozen
class HttpMessage:
    """The start line and the headers of a request (`>`) or a response (`<`)."""

    mark: Literal[">", "<"]
    line: str
    headers: tuple[tuple[str, str], ...] = ()

    def lines(self) -> tuple[str, ...]:
        """Format the message like curl -v; secrets are masked."""
        shown = (f"{name}: {value}" for name, value in masked_headers(self.headers))
        return tuple(f"{self.mark} {line}" for line in (self.line, *shown))


def masked_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Mask the values of headers that carry credentials; the scheme of an Authorization header stays visible."""
    return [(name, _masked(name.lower(), value)) for name, value in headers]


def _masked(name: str, value: str) -> str:
    if name in _SCHEMED:
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {HIDDEN}" if space else HIDDEN
    return HIDDEN if name in _SECRET else value

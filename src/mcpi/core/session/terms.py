"""How we want to talk, and when the stages of a connection were reached."""

from collections.abc import Mapping

from attrs import define, evolve, field

from mcpi.core.flags.options import TOTAL
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.wire.server_info import ClientInfo


def total(most: float, patience: float) -> float:
    """The most that one answer may take; the default gives way to a longer patience, a given limit does not."""
    return max(most, patience) if most == TOTAL else most


@frozen
class Terms:
    """How we want to talk."""

    client: ClientInfo
    era: str = "auto"
    version: str | None = None
    patience: float = 30.0
    most: float = TOTAL
    """Seconds that one answer may take in all; see `total`."""
    connect: float = 30.0
    retries: int = 0
    meta: Mapping[str, Printable] = field(factory=dict)
    log_level: str | None = None
    transport: str = "stdio"
    discover: bool = True
    """Whether a modern server is asked for what it offers before anything else."""
    stream: bool = True
    """Whether to open the stream on which an HTTP server of the handshake era speaks unasked."""
    authorize: bool = False
    """Whether to get a token where a server wants one."""

    @property
    def total(self) -> float:
        """The most that one answer may take, given how patient we are."""
        return total(self.most, self.patience)

    def adopting(self, log_level: str | None, extension: str | None) -> "Terms":
        """The same, saying more with each further request of the modern era."""
        client = self.client if extension is None else self.client.with_extension(extension)
        return evolve(self, client=client, log_level=log_level or self.log_level)


@define
class StageTimes:
    """When the connection's stages were reached."""

    start: float | None = None
    opened: float | None = None
    met: float | None = None

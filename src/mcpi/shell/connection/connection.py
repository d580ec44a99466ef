"""One connection: the session that decides, the transport that carries, the driver between them."""

from typing import TYPE_CHECKING, TypeVar

from mcpi.core.debugger.probe import Program
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.session.effects import Effects, Inbound, SendMessage
from mcpi.core.session.session import Session
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.shell.connection.driver import Driver, Transport
from mcpi.shell.connection.ports import Performer, Ports
from mcpi.shell.transports.inbox import Inbox

if TYPE_CHECKING:
    from mcpi.core.debugger.verdict import Verdict

T = TypeVar("T")


class Connection:
    """A connection that acts can be performed on."""

    def __init__(self, target: Target | None, session: Session, wiring: Ports) -> None:
        """Nothing is open."""
        self.session = session
        self._inbox = Inbox(session, wiring.tap.received)
        self.transport: Transport = _transport(target, self._inbox, wiring)
        outside = wiring.outside or _default_performer
        self._wiring = wiring
        self._driver = Driver(self.transport, self._inbox, wiring, lambda: outside(wiring), self._debug)

    async def perform(self, acts: Effects[T]) -> T:
        """What the acts lead to."""
        return await self._driver.run(acts)

    async def _debug(self, program: Program) -> "Verdict":
        from mcpi.shell.debugger.run_program import debug  # noqa: PLC0415 - rarely wanted

        return await debug(program, self._wiring.hit)

    def interrupt(self, signal: str) -> None:
        """The work ends as if the connection were gone."""
        self._driver.interrupt(signal)

    def wake(self) -> None:
        """Who waits for something to happen waits no longer."""
        self._inbox.wake()

    def put(self, inbound: Inbound) -> None:
        """Something happened beside the protocol."""
        self._inbox.put(inbound)

    async def close(self, *, stay: bool = True) -> None:
        """Nothing is left of the connection."""
        await self.transport.close(stay=stay)
        await self._driver.close()

    def renew(self) -> None:
        """What is left of an earlier connection is nothing to the next one."""
        self.session.restart()
        self._inbox.items.clear()
        self._driver.interrupted = None


def _default_performer(wiring: Ports) -> Performer:
    """The world of those who authorize nothing."""
    from mcpi.shell.auth.performer import TokenRequest, WorldPerformer  # noqa: PLC0415 - it is rarely wanted

    return WorldPerformer(wiring.credentials, wiring.tap, TokenRequest())


class NoTransport:
    """What a method without a server talks to."""

    opening = ""

    async def open(self) -> Result[float]:
        """There is nothing to open."""
        return Failure(Invalid("MISSING_ARGUMENT", "target", "there is no server to connect to"))

    def send(self, outgoing: SendMessage) -> bool:
        """Never asked for."""
        raise AssertionError(outgoing)

    def listen(self) -> None:
        """Never asked for."""
        raise AssertionError

    def resume(self) -> None:
        """There is nothing to read."""

    def glance(self) -> None:
        """There is nothing to see."""

    def finish(self) -> None:
        """There is nothing to finish."""

    async def close(self, *, stay: bool) -> None:
        """There is nothing to close."""


def _transport(target: Target | None, inbox: Inbox, wiring: Ports) -> Transport:
    match target:
        case Stdio():
            from mcpi.shell.transports.stdio import StdioTransport  # noqa: PLC0415 - each only when it is used

            return StdioTransport(target, inbox, wiring.tap, wiring.limit, wiring.child)
        case Http():
            from mcpi.shell.transports.http import HttpTransport  # noqa: PLC0415 - see above

            return HttpTransport(target, inbox, wiring.tap, wiring.limit, wiring.credentials)
        case Sse():
            from mcpi.shell.transports.sse import SseTransport  # noqa: PLC0415 - see above

            return SseTransport(target, inbox, wiring.tap, wiring.limit, wiring.credentials)
        case None:
            return NoTransport()

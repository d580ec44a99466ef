"""One connection: a session, a transport, and the driver between them."""

from typing import TYPE_CHECKING, TypeVar

from mcpi.core.debugger.program.probe import Program
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.session.effects import Effects, Inbound, SendMessage
from mcpi.core.session.session import Session
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.shell.connection.driver import Driver, Transport
from mcpi.shell.connection.ports import Performer, Ports
from mcpi.shell.process.child import Child, start_server
from mcpi.shell.transports.inbox import Inbox

if TYPE_CHECKING:
    from mcpi.core.debugger.program.verdict import Verdict
    from mcpi.shell.transports.http_client import HttpSettings

T = TypeVar("T")


class Connection:
    """A connection to a server, on which effects are performed."""

    def __init__(self, target: Target | None, session: Session, ports: Ports) -> None:
        """Create the transport and the driver; open nothing yet."""
        self.session = session
        self._ports = ports
        self._inbox = Inbox(session, ports.tap.received, ports.context.clock)
        make = ports.context.transport or make_transport
        self.transport: Transport = make(target, self._inbox, ports)
        performer = ports.performer or default_performer
        self._driver = Driver(self.transport, self._inbox, ports, lambda: performer(ports), self._debug)

    async def perform(self, effects: Effects[T]) -> T:
        """Perform the effects and return their result."""
        return await self._driver.run(effects)

    async def _debug(self, program: Program) -> "Verdict":
        from mcpi.shell.debugger.run_program import debug_program  # noqa: PLC0415 - rarely needed

        return await debug_program(self._ports.context, program, self._ports.on_hit)

    def interrupt(self, signal: str) -> None:
        """End the running work as if the connection were lost."""
        self._driver.interrupt(signal)

    def wake(self) -> None:
        """Wake the task that waits for an event."""
        self._inbox.wake()

    def put(self, inbound: Inbound) -> None:
        """Queue an event that did not come from the server."""
        self._inbox.put(inbound)

    async def close(self, *, stay: bool = True) -> None:
        """Close the transport; without `stay`, another process may finish the shutdown."""
        await self.transport.close(stay=stay)
        await self._driver.close()

    def reset(self) -> None:
        """Reset the state of the previous connection."""
        self.session.restart()
        self._inbox.items.clear()
        self._driver.interrupted = None


def default_performer(ports: Ports) -> Performer:
    """Create a performer for connections without authorization."""
    from mcpi.shell.auth.performer import TokenRequest, WorldPerformer  # noqa: PLC0415 - rarely needed

    return WorldPerformer(ports.context, ports.credentials, ports.tap, TokenRequest())


class NoTransport:
    """The transport of methods that need no server."""

    opening = ""

    async def open(self) -> Result[float]:
        """Return a failure, as there is no server."""
        return Failure(Invalid("MISSING_ARGUMENT", "target", "there is no server to connect to"))

    def send(self, outgoing: SendMessage) -> bool:
        """Raise AssertionError; never called."""
        raise AssertionError(outgoing)

    def open_server_stream(self) -> None:
        """Raise AssertionError; never called."""
        raise AssertionError

    def resume(self) -> None:
        """Do nothing: there is nothing to read."""

    def poll(self) -> None:
        """Do nothing: there is nothing to read."""

    def flush_incomplete(self) -> None:
        """Do nothing: no message is incomplete."""

    async def close(self, *, stay: bool) -> None:
        """Do nothing: nothing is open."""


def make_transport(target: Target | None, inbox: Inbox, ports: Ports) -> Transport:
    """Create the transport for a target, without opening it."""
    match target:
        case Stdio():
            from mcpi.shell.transports.stdio import StdioTransport  # noqa: PLC0415 - import only the transport in use

            prestarted = [] if ports.child is None else [ports.child]

            def child() -> Result[Child]:
                return prestarted.pop() if prestarted else start_server(ports.context, target)

            return StdioTransport(target, inbox, ports.tap, ports.max_message_bytes, child)
        case Http():
            from mcpi.shell.transports.http import HttpTransport  # noqa: PLC0415 - see above

            return HttpTransport(target, inbox, _http_settings(ports))
        case Sse():
            from mcpi.shell.transports.sse import SseTransport  # noqa: PLC0415 - see above

            return SseTransport(target, inbox, _http_settings(ports))
        case None:
            return NoTransport()


def _http_settings(ports: Ports) -> "HttpSettings":
    from mcpi.shell.transports.http_client import HttpSettings  # noqa: PLC0415 - see above

    return HttpSettings(ports.tap, ports.max_message_bytes, ports.credentials, ports.context.environment)

"""One connection: a session, a transport, and the driver between them."""

from typing import TYPE_CHECKING, TypeVar

from attrs import evolve

from mcpi.core.debugger.program.probe import Program
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.world_steps import RunOnServer
from mcpi.core.session.effects import Effects, Inbound, SendMessage
from mcpi.core.session.run_plan import run_plan
from mcpi.core.session.session import Session
from mcpi.core.targets.target import (
    CONFIG_PREFIX,
    Http,
    Sse,
    Stdio,
    Target,
    parse_target,
    split_command,
    transport_of,
)
from mcpi.shell.connection.driver import Driver, Transport
from mcpi.shell.connection.ports import Performer, Ports
from mcpi.shell.process.child import Child, start_server
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.inbox import Inbox

if TYPE_CHECKING:
    from mcpi.core.debugger.program.verdict import Verdict
    from mcpi.shell.transports.http_client import HttpSettings

T = TypeVar("T")


class Connection:
    """A connection to a server, on which effects are performed."""

    def __init__(self, target: Target | None, session: Session, ports: Ports) -> None:
        """Create the transport and the driver, without opening them."""
        self.session = session
        ports = self._ports = evolve(ports, run_on_server=self._run_on_server)
        self._inbox = Inbox(session, ports.tap.received, ports.context.clock)
        make = ports.context.transport or make_transport
        self.transport: Transport = make(target, self._inbox, ports)
        performer = ports.performer or default_performer
        self.target: Target | None = target
        self._driver = Driver(self.transport, self._inbox, ports, lambda: performer(ports), self._debug)

    async def perform(self, effects: Effects[T]) -> T:
        """Perform the effects and return their result."""
        return await self._driver.run(effects)

    async def _debug(self, program: Program) -> "Verdict":
        from mcpi.shell.debugger.run_program import debug_program  # noqa: PLC0415 - rarely needed

        return await debug_program(self._ports.context, program, self._ports.on_hit)

    async def _run_on_server(self, step: RunOnServer) -> Result[Printable]:
        """Run a plan on a separate connection with the terms of this one; no token is obtained for it."""
        match self._other_target(step):
            case Success(target):
                pass
            case Failure() as failed:
                return failed
        terms = evolve(
            self.session.terms,
            era="handshake" if isinstance(target, Sse) else step.era or self.session.terms.era,
            version=step.version or (None if step.era else self.session.terms.version),
            transport=transport_of(target),
            authorize=False,
        )
        session = Session(terms, self.session.server_requests.handlers, self.session.record)
        ports = evolve(self._ports, child=None, owns_loop=False, performer=None, credentials=Credentials())
        other = Connection(target, session, ports)
        try:
            begun = begin(step.plan())
            ended = (
                begun
                if isinstance(begun, PlanResult)
                else await other.perform(run_plan(begun, session, lambda _: None))
            )
        finally:
            await other.close()
        return Success(ended.result) if ended.fault is None else Failure(ended.fault)

    def _other_target(self, step: RunOnServer) -> Result[Target]:
        if step.target is None and self.target is not None:
            return Success(self.target)
        if step.target is not None and self._ports.context.targets is not None:
            return self._ports.context.targets(step.target)
        if step.target is None or step.target.startswith(CONFIG_PREFIX):
            return Failure(Invalid("INVALID_ARGUMENT", step.flag, "give the server's URL or command"))
        words = split_command(step.target)
        return words if isinstance(words, Failure) else parse_target(words.unwrap(), None)

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

    not_open = ""

    async def open(self) -> Result[float]:
        """Return a failure, as there is no server."""
        return Failure(Invalid("MISSING_ARGUMENT", "target", "no server given"))

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

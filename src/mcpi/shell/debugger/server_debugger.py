"""Breakpoints in a server that runs under the Node.js inspector, set and removed while a client uses it."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from mcpi.core.debugger.program import node_launch
from mcpi.core.debugger.program.debug_session import DebugSession
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.debugger.program.verdict import SERVER_WITHOUT_INSPECTOR, Verdict, build_verdict
from mcpi.core.outcome.faults import Fault, Invalid, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.target import Stdio, Target
from mcpi.shell.context import Context
from mcpi.shell.debugger.run_program import find_sources

if TYPE_CHECKING:
    from mcpi.shell.debugger.cdp_sockets import InspectorSockets

FLUSH_TIMEOUT = 5.0
"""Seconds to wait until the inspectors have processed all commands."""


def listening(target: Target | None, context: Context) -> Result[Target]:
    """Return the target with an option that makes Node.js listen for a debugger; a URL is rejected."""
    if isinstance(target, Stdio):
        return Success(node_launch.with_inspector(target, context.environment, node_launch.LISTEN_OPTION))
    return Failure(_refused("debug", "applies only to a command, not to a URL"))


class ServerDebugger:
    """The debugger of one connection; it is attached while there are breakpoints."""

    def __init__(self, context: Context, target: Target | None) -> None:
        """Start without attaching."""
        self._context = context
        self._folder = context.directory / ((target.cwd if isinstance(target, Stdio) else None) or "")
        self._urls: list[str] = []
        self._sockets: InspectorSockets | None = None
        self._closing: asyncio.Task[None] | None = None

    def printed(self, line: str) -> None:
        """Handle a line of stderr, which may contain the address of an inspector."""
        url = node_launch.inspector_url(line)
        if url is not None:
            self._urls.append(url)
        if self._sockets is not None:
            self._sockets.process_line(line)

    def forget(self) -> None:
        """Forget the inspectors of a server that has ended."""
        self._urls.clear()

    async def open(self, probe: Probe) -> Result[DebugSession]:
        """Attach to the server and set breakpoints; return the session when they are in effect."""
        from mcpi.shell.debugger.cdp_sockets import InspectorSockets  # noqa: PLC0415 - rarely needed

        if self._sockets is not None:
            problem = "breakpoints are already set; give all breakpoints at once"
            return Failure(_refused("--breakpoint", problem))
        files = find_sources(self._context, probe, self._folder)
        if isinstance(files, Verdict):
            return Failure(_refused("--breakpoint", files.error, str(files.document["hint"])))
        debugging = DebugSession(probe, files)
        self._sockets = sockets = InspectorSockets(debugging)
        try:
            for inspector in filter(None, map(debugging.announced, self._urls)):
                sockets.connect(*inspector)
            fault = await self._settle(sockets)
        except BaseException:
            self.drop()
            raise
        if fault is not None:
            self.drop()
            return Failure(fault)
        return Success(debugging)

    async def _settle(self, sockets: "InspectorSockets") -> Fault | None:
        """Wait until the breakpoints are set; return the reason why they cannot be."""
        debugging = sockets.debugging
        try:
            async with asyncio.timeout(FLUSH_TIMEOUT):
                while debugging.connecting:
                    sockets.changed.clear()
                    await sockets.changed.wait()
        except TimeoutError:
            problem = "no response from the server's inspector"
            return TimedOut("REQUEST_TIMEOUT", FLUSH_TIMEOUT, "the inspector of the server", problem=problem)
        if not debugging.connections:
            return _refused("--breakpoint", SERVER_WITHOUT_INSPECTOR)
        # The scripts are known after the first flush, and have their breakpoints after the second.
        await sockets.flush(FLUSH_TIMEOUT)
        await sockets.flush(FLUSH_TIMEOUT)
        if debugging.expression_error is not None:
            verdict = build_verdict(debugging, 0.0, late=False)
            return _refused("--expression", verdict.error, str(verdict.document["hint"]))
        if not debugging.flushed:
            problem = "no response from the server's inspector"
            return TimedOut("REQUEST_TIMEOUT", FLUSH_TIMEOUT, "the inspector of the server", problem=problem)
        return None

    async def flush(self) -> None:
        """Wait until all earlier hits are known."""
        if self._sockets is not None:
            await self._sockets.flush(FLUSH_TIMEOUT)

    def drop(self) -> None:
        """Remove the breakpoints and detach from the server."""
        if self._sockets is not None:
            self._closing = asyncio.get_running_loop().create_task(self._sockets.detach())
            self._sockets = None

    async def detach(self) -> None:
        """Remove the breakpoints, and wait until they are no longer in effect."""
        self.drop()
        if self._closing is not None:
            with suppress(asyncio.CancelledError):
                await self._closing

    async def close(self) -> None:
        """Detach from the server, so that it can exit."""
        self.forget()
        await self.detach()


def _refused(where: str, problem: str, *hints: str) -> Invalid:
    return Invalid("INVALID_ARGUMENT", where, problem, hints)

"""A look into a server while it is called: the server runs under its inspector, and each hit is an event."""

import asyncio
import contextlib
from pathlib import Path

from attrs import evolve

from mcpi.core.cli.invocation import Invocation
from mcpi.core.debugger import verdict
from mcpi.core.debugger.debug_session import DebugSession
from mcpi.core.debugger.node_launch import is_debugger_message, with_inspector
from mcpi.core.debugger.probe import Probe
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import ConnectionLost, SendMessage, TransportEvent
from mcpi.core.targets.target import Stdio
from mcpi.core.wire.peer import Received
from mcpi.shell.cli.recorder import Recorder
from mcpi.shell.client.inspector import Inspector
from mcpi.shell.context import Context
from mcpi.shell.debugger.run_program import is_source, real

PATIENCE = 1.0
"""Seconds that a server has to let us know of the hits before its answer."""


def with_debugged_target(context: Context, invocation: Invocation) -> Result[Invocation]:
    """The same with a server that waits for us, unless there is nothing to look at."""
    probe, target = invocation.probe, invocation.target
    if probe is None or not isinstance(target, Stdio):
        return Success(invocation)
    folder = context.directory / (target.cwd or "")
    path = real(context, probe.place.file, folder)
    if not is_source(path, folder):
        refused = verdict.no_file(probe.place, path)
        return Failure(Invalid("INVALID_ARGUMENT", "--breakpoint", refused.error, (str(refused.document["hint"]),)))
    return Success(evolve(invocation, target=with_inspector(target, context.environment)))


class DebugFilter:
    """The tap of a connection, which leaves out what Node.js says of its debugger."""

    def __init__(self, seen: Recorder, live: "LiveDebug") -> None:
        """Everything else is seen as ever."""
        self._seen = seen
        self._live = live

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """A message went out."""
        self._seen.sent(outgoing, at)

    def received(self, received: Received, at: float) -> None:
        """A message came in."""
        self._seen.received(received, at)

    def stderr(self, line: str, at: float) -> None:
        """The server wrote a line on stderr: it may name an inspector."""
        self._live.printed(line)
        if not is_debugger_message(line):
            self._seen.stderr(line, at)

    def info(self, text: str, at: float) -> None:
        """The transport did something."""
        self._seen.info(text, at)


class LiveDebug:
    """The debugging of one connection."""

    def __init__(self, context: Context, probe: Probe, folder: Path, seen: Recorder) -> None:
        """The server may be starting already; it waits for us."""
        from mcpi.shell.debugger.cdp_sockets import Sockets  # noqa: PLC0415 - the server boots meanwhile

        self._debugging = DebugSession(probe, real(context, probe.place.file, folder))
        self._sockets = Sockets(self._debugging, folder, self._hit)
        self._now = context.clock.now
        self._seen = seen
        self._seen.transcript.debug = {}
        self._told = False
        self.tap: DebugFilter = DebugFilter(seen, self)

    def watch(self, inspector: Inspector) -> None:
        """Hits are events of that connection, and an expression that does not compile is its end."""
        self._inspector = inspector
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    def printed(self, line: str) -> None:
        """The server wrote a line on stderr."""
        self._sockets.printed(line)

    async def _hit(self, result: JsonObject) -> None:
        self._inspector.put(TransportEvent("debug", result, self._now()))

    async def _watch(self) -> None:
        while self._debugging.expression_error is None:
            self._sockets.news.clear()
            await self._sockets.news.wait()
        refused = verdict.build_verdict(self._debugging, 0.0, late=False)
        hints = (str(refused.document["hint"]),)
        self._inspector.put(
            ConnectionLost(Invalid("INVALID_ARGUMENT", "--expression", refused.error, hints), self._now())
        )

    async def settle(self) -> None:
        """What was hit before now has been told."""
        if self._debugging.expression_error is not None:
            return
        await self._sockets.settle(PATIENCE)
        about = verdict.document(self._debugging)
        del about["results"]
        if not self._debugging.results:
            about["hint"] = verdict.hint(self._debugging)
        self._seen.transcript.debug = about
        self._tell(about)

    def _tell(self, about: JsonObject) -> None:
        """What is odd about the results, for a person."""
        flags = self._seen.flags
        if about and not self._told and not (flags.quiet or flags.structured):
            self._told = True
            hint = about.get("hint") or verdict.hint(self._debugging)
            self._seen.output.write_lines([f"mcpi: debug: {hint}"])

    async def close(self) -> None:
        """Nobody is attached any more: the server can end."""
        self._watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._watching
        await self._sockets.close()

"""Debug a server while it is called: it runs under the Node.js inspector, and each breakpoint hit is an event."""

import asyncio
import contextlib
from pathlib import Path

from attrs import evolve

from mcpi.core.cli.invocation import Invocation
from mcpi.core.debugger.program import verdict
from mcpi.core.debugger.program.debug_session import DebugSession
from mcpi.core.debugger.program.node_launch import with_inspector
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Invalid, OperationFailed
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.session.effects import ConnectionLost, TransportEvent
from mcpi.core.targets.target import Stdio
from mcpi.shell.cli.recorder import Recorder
from mcpi.shell.connection.connection import Connection
from mcpi.shell.context import Context
from mcpi.shell.debugger.debug_filter import DebugFilter
from mcpi.shell.debugger.run_program import find_sources

HIT_TIMEOUT = 1.0
"""Seconds to wait for the hits before the response, and for the promises that an expression awaits."""


def with_debugged_target(context: Context, invocation: Invocation) -> Result[Invocation]:
    """Make the server wait for the debugger, if a breakpoint is given; fail if its file does not exist."""
    probe, target = invocation.probe, invocation.target
    if probe is None or not isinstance(target, Stdio):
        return Success(invocation)
    folder = context.directory / (target.cwd or "")
    found = find_sources(context, probe, folder)
    if isinstance(found, verdict.Verdict):
        return Failure(Invalid("INVALID_ARGUMENT", "--breakpoint", found.error, (str(found.document["hint"]),)))
    return Success(evolve(invocation, target=with_inspector(target, context.environment)))


class LiveDebug:
    """The debugger of one connection."""

    def __init__(self, context: Context, probe: Probe, folder: Path, seen: Recorder) -> None:
        """Prepare the debug session; a server that is starting already waits for the debugger."""
        from mcpi.shell.debugger.cdp_sockets import InspectorSockets  # noqa: PLC0415 - the server boots during this import

        found = find_sources(context, probe, folder)
        assert not isinstance(found, verdict.Verdict)  # with_debugged_target has checked it
        self._debugging = DebugSession(probe, found)
        self._sockets = InspectorSockets(self._debugging, self._report_hit)
        self._now = context.clock.now
        self._recorder = seen
        self._recorder.transcript.debug = {}
        self._hint_written = False
        self.tap: DebugFilter = DebugFilter(seen, self.printed)

    def watch(self, connection: Connection) -> None:
        """Report hits as events of the connection; an expression that does not compile ends it."""
        self._connection = connection
        self._watch_task = asyncio.get_running_loop().create_task(self._watch())

    def printed(self, line: str) -> None:
        """Handle a line of stderr, which may contain the address of an inspector."""
        self._sockets.process_line(line)

    async def _report_hit(self, result: JsonObject) -> None:
        self._connection.put(TransportEvent("debug", result, self._now()))

    async def _watch(self) -> None:
        while self._debugging.expression_error is None:
            self._sockets.changed.clear()
            await self._sockets.changed.wait()
        rejected = verdict.build_verdict(self._debugging, 0.0, late=False)
        hints = (str(rejected.document["hint"]),)
        self._connection.put(
            ConnectionLost(Invalid("INVALID_ARGUMENT", "--expression", rejected.error, hints), self._now())
        )

    async def settle(self) -> None:
        """Wait until all earlier hits are reported, and record the state of the debugger."""
        if self._debugging.expression_error is not None:
            return
        await self._sockets.flush(HIT_TIMEOUT)
        await self._sockets.settle(HIT_TIMEOUT)
        about = verdict.document(self._debugging)
        del about["results"]
        if not self._debugging.results:
            about["hint"] = verdict.hint(self._debugging)
        self._recorder.transcript.debug = about
        self._write_hint(about)

    def judge(self, ended: PlanResult) -> PlanResult:
        """Fail a run without a hit, if one is required."""
        if ended.fault is not None or self._debugging.results or not self._debugging.probe.required:
            return ended
        hints = () if self._hint_written else (verdict.hint(self._debugging),)
        return evolve(ended, fault=OperationFailed("BREAKPOINT_NOT_HIT", "the breakpoint was never hit", hints, {}))

    def _write_hint(self, about: JsonObject) -> None:
        """Write a hint about the results to stderr, once."""
        flags = self._recorder.flags
        if about and not self._hint_written and not (flags.quiet or flags.structured):
            self._hint_written = True
            hints = [about["hint"]] if "hint" in about else verdict.remarks(self._debugging)
            self._recorder.output.write_lines([f"mcpi: debug: {hint}" for hint in hints])

    async def close(self) -> None:
        """Detach the debugger, so that the server can exit."""
        self._watch_task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._watch_task
        await self._sockets.detach()

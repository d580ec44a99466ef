"""Execute an invocation: run the plan over a connection, write the result, and close the connection."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from attrs import evolve

from mcpi.core.cli.invocation import Invocation
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.jsontext.writing import dump
from mcpi.core.modes import one_shot
from mcpi.core.outcome.faults import Exited, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.plans.plan import PlanResult, StartedPlan
from mcpi.core.plans.reports import ScriptLog
from mcpi.core.plans.steps import Emit
from mcpi.core.session.effects import Effects
from mcpi.core.session.terms import Terms, total_timeout
from mcpi.core.targets.target import Http, Sse, Stdio
from mcpi.shell.cli.result_writer import ResultWriter
from mcpi.shell.connection.connection import Connection
from mcpi.shell.connection.ports import Performer, Ports, no_debugger
from mcpi.shell.context import Context
from mcpi.shell.io.files import check_writable
from mcpi.shell.io.output import Output, StdoutClosed
from mcpi.shell.io.stdout_stream import STDOUT_CLOSED, StdoutStream
from mcpi.shell.process.child import Child
from mcpi.shell.process.signals import on_interrupt

if TYPE_CHECKING:
    from mcpi.shell.cli.live_debug import LiveDebug


class Execution(ResultWriter):
    """The execution of one invocation."""

    def __init__(self, context: Context, output: Output, invocation: Invocation) -> None:
        """Create the session and the recorder; nothing is started."""
        super().__init__(context, output, invocation)
        self.terms: Terms = one_shot.terms(self.invocation)
        if self.invocation.protocol.validate:
            from mcpi.shell.connection.protocol_schema import SchemaChecker  # noqa: PLC0415 - the models are slow to import, and only needed here

            self.seen.checker = SchemaChecker(self.session)

    def carry_out(self, begun: StartedPlan | PlanResult | None, child: Result[Child] | None) -> int:
        """Run the plan, write the result and close the connection; return the exit code."""
        if isinstance(begun, PlanResult):
            ended = self._with_hints(begun)
            return self.write_reports_of(ended, self.conclude(ended))
        if self.invocation.output.dry_run and begun is not None:
            from mcpi.core.modes.dry_run import DryRun  # noqa: PLC0415 - rarely needed

            method = self.invocation.method
            name, era = one_shot.method_name(self.invocation), None if method is None else method.era
            args = self.invocation.args
            return self.conclude(DryRun(self.terms, self.invocation.target, name, era, args).run(begun))
        check_writable = self._check_files()
        if isinstance(check_writable, Failure):
            flags = evolve(self.invocation.output, output=None)
            self.invocation: Invocation = evolve(self.invocation, output=flags)
            return self.conclude(PlanResult(None, check_writable.failure()))
        log = ScriptLog(self.show_verdict, self.shows_violations, self.ledger)
        effects = one_shot.run_invocation(self.invocation, begun, self.session, self.seen.transcript, log)
        if self.invocation.mode.follow and self.output.stderr.isatty():
            from mcpi.core.modes.follow import announcing  # noqa: PLC0415 - only follow mode needs it

            effects = announcing(effects, self.session, self.write_note)
        try:
            return asyncio.run(self._run(effects, child))
        finally:
            self.seen.close()

    def _with_hints(self, ended: PlanResult) -> PlanResult:
        """Add the plugins' hints to the fault, and the corrected command line if a word of it was wrong."""
        ended = ended.with_hints(self.invocation.hints)
        if isinstance(ended.fault, TimedOut | Exited) and self.session.server is None:
            from mcpi.core.outcome.http_servers import with_url_hint  # noqa: PLC0415 - only mistakes need it

            ended = evolve(ended, fault=with_url_hint(ended.fault, self.seen.transcript.printed_lines()))
        if ended.fault is None or self.invocation.script is not None:
            return ended
        from mcpi.core.cli.corrections import with_line  # noqa: PLC0415 - only mistakes need it

        fault, target = ended.fault, self.invocation.target
        if isinstance(fault, Unreachable) and isinstance(target, Stdio):
            from mcpi.shell.discovery.known_configs import with_server_correction  # noqa: PLC0415 - see above

            fault = with_server_correction(self.context, fault, target, one_shot.method_name(self.invocation))
        return evolve(ended, fault=with_line(fault, self.context.argv))

    def _check_files(self) -> Result[None]:
        """Check before the first request that all output files can be written."""
        for flag, path in self.invocation.output.files:
            failed = check_writable(self.context, flag, path)
            if failed is not None:
                return failed
        return self.seen.open(self.pipe_timeout)

    async def _run(self, effects: Effects[PlanResult], child: Result[Child] | None) -> int:
        stream = StdoutStream(self.output)
        limit = self.invocation.output.max_message_bytes
        live = self._live_debug()

        def interrupt(name: str) -> None:
            connection.interrupt(name)
            stream.stop_waiting()

        tap, settle = (self.seen, no_debugger) if live is None else (live.tap, live.settle)
        hit = self._hit_writer(stream, lambda: connection.interrupt("--max-events"))
        alone = live is None and hit is None
        emit = self._line_writer(stream, interrupt)
        ports = Ports(
            self.context,
            tap,
            limit,
            emit,
            on_hit=hit,
            flush_debugger=settle,
            child=child,
            performer=self._performer,
            owns_loop=alone,
        )
        connection = Connection(self.invocation.target, self.session, ports)
        if live is not None:
            live.watch(connection)
        if self.invocation.mode.follow and self.invocation.time.timeout is not None:
            self.context.clock.call_later(self.invocation.time.timeout, stream.stop_waiting)

        prints = self.invocation.output.output is None
        with on_interrupt(interrupt), stream.watch_reader(connection.interrupt) if prints else nullcontext():
            try:
                ended = self._with_hints(await connection.perform(effects))
                if isinstance(ended.fault, TimedOut):
                    connection.transport.flush_incomplete()
                await settle()
                if live is not None:
                    ended = live.judge(ended)
                if not self.invocation.mode.follow:
                    # Process messages that arrived together with the result: the server sent them before the end.
                    await connection.perform(self.session.process_pending(0.0))
                code = self.conclude(ended)
            finally:
                await connection.close(stay=self._waits_for_exit())
                if live is not None:
                    await live.close()
        return self.write_reports_of(ended, code)

    def _live_debug(self) -> "LiveDebug | None":
        """Return the debugger of the server, if a breakpoint is given."""
        probe, target = self.invocation.probe, self.invocation.target
        if probe is None or not isinstance(target, Stdio):
            return None
        from mcpi.shell.cli.live_debug import LiveDebug  # noqa: PLC0415 - rarely needed

        self.session.debugged = True
        folder = self.context.directory / (target.cwd or "")
        return LiveDebug(self.context, probe, folder, self.seen)

    def _line_writer(self, stream: StdoutStream, interrupt: Callable[[str], None]) -> Callable[[Emit], Awaitable[None]]:
        """Return the function that writes emitted text; secrets are masked except in verbatim results."""

        async def emit(effect: Emit) -> None:
            try:
                await stream.write(effect.text if effect.verbatim else self.redact(effect.text))
            except StdoutClosed:
                if self.invocation.mode.follow:
                    raise
                # A script ends with a verdict and reports even if nothing can be printed.
                interrupt(STDOUT_CLOSED)

        return emit

    def _hit_writer(
        self, stream: StdoutStream, enough: Callable[[], None]
    ) -> Callable[[JsonObject], Awaitable[None]] | None:
        """Return the function that writes hits in follow mode, and calls `enough` after --max-events of them."""
        if not self.invocation.mode.follow:
            return None
        limit, shown = self.invocation.mode.max_events, 0

        async def write_hit(result: JsonObject) -> None:
            nonlocal shown
            shown += 1
            if limit is None or shown <= limit:
                head = {"event": "debug", "timestamp": self.seen.transcript.timestamp(self._now())}
                await stream.write(self.redact(f"{dump({**head, **result})}\n"))
            if shown == limit:
                enough()

        return write_hit

    def _waits_for_exit(self) -> bool:
        """Tell whether to wait until the server exits, because the output may include its exit status."""
        flags = self.invocation.output
        if self.invocation.mode.follow or self.invocation.script is not None:
            return True
        return flags.verbose or flags.wait or flags.trace is not None or bool(flags.reports)

    def _performer(self, ports: Ports) -> Performer:
        """Return the performer of effects other than messages to the server, such as authorization."""
        from mcpi.shell.auth.performer import TokenRequest, WorldPerformer  # noqa: PLC0415 - see above

        target, time = self.invocation.target, self.invocation.time
        server = target.url if isinstance(target, Http | Sse) else ""
        timeout = one_shot.response_timeout(time)
        limit = total_timeout(time.max_total_timeout, timeout)
        wanted = TokenRequest(server, self.invocation.auth, timeout, limit, self.write_note)
        return WorldPerformer(self.context, ports.credentials, ports.tap, wanted, self.redact)

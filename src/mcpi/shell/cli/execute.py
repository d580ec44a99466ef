"""Execute an invocation: run the plan over a connection, write the result, and close the connection."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from mcpi.core.cli.invocation import Invocation, secrets, target_secrets
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.modes import one_shot
from mcpi.core.outcome.faults import Fault, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.plan import PlanResult, StartedPlan
from mcpi.core.plans.reports import ReportedStep, ScriptLog, Verdict
from mcpi.core.plans.steps import Emit
from mcpi.core.record.envelope import RunInfo, connection_facts, envelope
from mcpi.core.record.result_text import RunOutput, format_result
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.session.effects import Effects
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms, total_timeout
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.shell.cli.recorder import Recorder
from mcpi.shell.cli.report_files import result_table, wants_reports, write_reports
from mcpi.shell.client.inspector import Inspector
from mcpi.shell.connection.connection import Connection
from mcpi.shell.connection.ports import Performer, Ports, no_debugger
from mcpi.shell.context import Context
from mcpi.shell.io.files import check_writable, write_output_file
from mcpi.shell.io.output import Output
from mcpi.shell.io.stdout_stream import StdoutStream
from mcpi.shell.process.child import Child
from mcpi.shell.process.signals import on_interrupt, raise_on_signal

if TYPE_CHECKING:
    from mcpi.shell.cli.live_debug import LiveDebug


VERDICT_STYLES: Mapping[Verdict, str] = {"passed": "", "failed": "error", "allowed": "warning", "skipped": "faint"}


class Execution:
    """The execution of one invocation."""

    def __init__(self, context: Context, output: Output, invocation: Invocation) -> None:
        """Create the session and the recorder; nothing is started."""
        find = context.targets
        self.context = context if find is None else context._replace(targets=lambda text: self._masked(find(text)))
        self.output = output
        self._now = context.clock.now
        output_flags, is_script = invocation.output, invocation.script is not None
        explicit = output_flags.structured or invocation.mode.ndjson or output_flags.output is not None
        self._lines_only = is_script and not explicit and output.stdout.isatty()
        self.invocation: Invocation = one_shot.with_mode_output(invocation)
        invocation = self.invocation
        self.redact: Redactor = Redactor(secrets(invocation))
        self.seen: Recorder = Recorder(
            context, output, invocation.output, self.redact, keep=one_shot.outputs_events(invocation)
        )
        self.seen.watched = not invocation.mode.follow
        self.seen.documents = invocation.output.structured or (is_script and not self._lines_only)
        self.seen.streams = invocation.mode.follow
        self.seen.hides_violations = is_script and output_flags.fail_on_violation
        self.terms: Terms = one_shot.terms(invocation)
        self.session: Session = Session(self.terms, invocation.handlers, self.seen.event)
        self.began: float = self._now()
        if invocation.protocol.validate:
            from mcpi.shell.connection.protocol_schema import SchemaChecker  # noqa: PLC0415 - the models are slow to import, and only needed here

            self.seen.law = SchemaChecker(self.session)
        self.ledger: list[ReportedStep] = []

    def carry_out(self, begun: StartedPlan | PlanResult | None, child: Result[Child] | None) -> int:
        """Run the plan, write the result and close the connection; return the exit code."""
        if isinstance(begun, PlanResult):
            ended = begun.with_hints(self.invocation.hints)
            return self._write_reports(ended, self.conclude(ended))
        if self.invocation.output.dry_run and begun is not None:
            from mcpi.core.modes.dry_run import DryRun  # noqa: PLC0415 - rarely needed

            method = self.invocation.method
            name, era = one_shot.method_name(self.invocation), None if method is None else method.era
            return self.conclude(DryRun(self.terms, self.invocation.target, name, era).run(begun))
        check_writable = self._check_files()
        if isinstance(check_writable, Failure):
            flags = evolve(self.invocation.output, output=None)
            self.invocation = evolve(self.invocation, output=flags)
            return self.conclude(PlanResult(None, check_writable.failure()))
        effects = one_shot.run_invocation(
            self.invocation, begun, self.session, self.seen.transcript, ScriptLog(self._show_verdict, self.ledger)
        )
        try:
            return asyncio.run(self._run(effects, child))
        finally:
            self.seen.close()

    def _check_files(self) -> Result[None]:
        """Check before the first request that all output files can be written."""
        for flag, path in self.invocation.output.files:
            failed = check_writable(self.context, flag, path)
            if failed is not None:
                return failed
        return self.seen.open(self._patience)

    async def _run(self, effects: Effects[PlanResult], child: Result[Child] | None) -> int:
        stream = StdoutStream(self.output)
        limit = self.invocation.output.max_message_bytes
        live = self._live_debug()
        tap, settle = (self.seen, no_debugger) if live is None else (live.tap, live.settle)
        hit = self._hit_writer(stream, lambda: inspector.interrupt("--max-events"))
        alone = live is None and hit is None
        emit = self._line_writer(stream)
        ports = Ports(
            self.context,
            tap,
            limit,
            emit,
            on_hit=hit,
            flush_debugger=settle,
            child=child,
            performer=self._performer,
            show=self._show_lines,
            owns_loop=alone,
        )
        connection = Connection(self.invocation.target, self.session, ports)
        inspector = Inspector(None, context=self.context, connection=connection)
        if live is not None:
            live.watch(inspector)
        if self.invocation.mode.follow and self.invocation.time.timeout is not None:
            self.context.clock.call_later(self.invocation.time.timeout, stream.stop_waiting)

        def interrupt(name: str) -> None:
            inspector.interrupt(name)
            stream.stop_waiting()

        with on_interrupt(interrupt), stream.watch_reader(inspector.interrupt):
            try:
                ended = (await inspector.perform(effects)).with_hints(self.invocation.hints)
                if isinstance(ended.fault, TimedOut):
                    connection.transport.flush_incomplete()
                await settle()
                if live is not None:
                    ended = live.judge(ended)
                if not self.invocation.mode.follow:
                    # Process messages that arrived together with the result: the server sent them before the end.
                    await inspector.perform(self.session.process_pending(0.0))
                code = self.conclude(ended)
            finally:
                await inspector.close(stay=self._waits_for_exit())
                if live is not None:
                    await live.close()
        return self._write_reports(ended, code)

    def _live_debug(self) -> "LiveDebug | None":
        """Return the debugger of the server, if a breakpoint is given."""
        probe, target = self.invocation.probe, self.invocation.target
        if probe is None or not isinstance(target, Stdio):
            return None
        from mcpi.shell.cli.live_debug import LiveDebug  # noqa: PLC0415 - rarely needed

        self.session.debugged = True
        folder = self.context.directory / (target.cwd or "")
        return LiveDebug(self.context, probe, folder, self.seen)

    def _line_writer(self, stream: StdoutStream) -> Callable[[Emit], Awaitable[None]]:
        """Return the function that writes emitted text; secrets are masked except in verbatim results."""

        async def emit(effect: Emit) -> None:
            await stream.write(effect.text if effect.verbatim else self.redact(effect.text))

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
                await stream.write(self.redact(f"{dump({'event': 'debug', **result})}\n"))
            if shown == limit:
                enough()

        return write_hit

    def _write_reports(self, ended: PlanResult, code: int) -> int:
        """Write the reports, after the connection is closed; return the exit code."""
        if not wants_reports(self.context, self.invocation):
            return code
        if self.invocation.script is None:
            messages = tuple(self.seen.transcript.messages)
            document = self._document(ended)
            self.ledger.append(
                ReportedStep(one_shot.method_name(self.invocation) or "follow", document, code != 0, messages=messages)
            )
        known, began = connection_facts(self.session, self._now()), self.seen.transcript.timestamp(self.began)
        report = one_shot.build_report(self.invocation, self.ledger, known, code, began)
        fault = write_reports(self, report)
        return code if fault is None else self.conclude_unwritten(fault)

    def _show_verdict(self, verdict: Verdict | None, lines: Sequence[str]) -> None:
        """Write the lines about a step of a script; --quiet leaves those about failures."""
        if verdict == "failed" or not self.invocation.output.quiet:
            style = "" if verdict is None else VERDICT_STYLES[verdict]
            self.output.write_lines([self.redact(line) for line in lines], style)

    def _waits_for_exit(self) -> bool:
        """Tell whether to wait until the server exits, because the output may show how."""
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
        wanted = TokenRequest(server, self.invocation.auth, timeout, limit, self._write_note)
        return WorldPerformer(self.context, ports.credentials, ports.tap, wanted, self.redact)

    def _masked(self, found: Result[Target]) -> Result[Target]:
        """Mask the secrets of a target that a plan names."""
        if isinstance(found, Success):
            self.redact.add(target_secrets(found.unwrap()))
        return found

    def _show_lines(self, lines: Sequence[str]) -> None:
        """Show lines to a person: on stderr, if it is a terminal."""
        if self.output.stderr.isatty() and not self.invocation.output.quiet:
            self.output.write_lines([self.redact(line) for line in lines])

    def _write_note(self, line: str) -> None:
        if not self.invocation.output.quiet:
            self.output.write_lines([self.redact(f"mcpi: {line}")])

    def conclude(self, ended: PlanResult) -> int:
        """Write the result, while the connection may still be open; return the exit code."""
        shown = format_result(ended, self._envelope(ended), self.invocation.output)
        table = [self.redact(line) for line in result_table(self.output, self.invocation, ended.result)]
        fault = None if self._lines_only or self._summary_only() or self._replaces_json(table) else self._write(shown)
        unwritten = 0 if fault is None else self.conclude_unwritten(fault)
        if self.invocation.output.summary:
            self._write_summary(ended)
        if ended.cause is not None and self.invocation.output.verbose:
            from traceback import format_exception  # noqa: PLC0415 - rarely needed

            self.output.write_lines(self.redact("".join(format_exception(ended.cause))).splitlines())
        self.output.write_raw_lines(table)
        if shown.stderr and not table:
            first, *rest = shown.stderr
            self.output.write_lines([self.redact(line) for line in (f"mcpi: {first}", *rest)], "error")
        return shown.exit_code or unwritten

    def _replaces_json(self, table: list[str]) -> bool:
        """Tell whether the table replaces the JSON, as it does on a terminal."""
        flags = self.invocation.output
        return bool(table) and flags.output is None and not flags.structured and self.output.stdout.isatty()

    def _summary_only(self) -> bool:
        """Tell whether the summary replaces the JSON, as it does on a terminal."""
        flags = self.invocation.output
        is_connected = self.session.server is not None
        return flags.summary and is_connected and flags.output is None and self.output.stdout.isatty()

    def _write_summary(self, ended: PlanResult) -> None:
        """Write the summary of the server, if the connection was established."""
        from mcpi.core.record.summary import summary_text_lines  # noqa: PLC0415 - rarely needed

        if self.session.server is None:
            return
        document = as_object(to_plain(self._document(ended)))
        lines = summary_text_lines(document, self.seen.transcript.messages, self.output.width, self.output.stderr_paint)
        self.output.write_raw_lines(self.redact(line) for line in lines)

    def conclude_unwritten(self, fault: Fault) -> int:
        """Report that the result cannot be written; return the exit code."""
        lines = format_result(PlanResult(None, fault), None, self.invocation.output).stderr
        self.output.write_lines([f"mcpi: {line}" for line in lines], "error")
        return 1

    def _write(self, shown: RunOutput) -> Fault | None:
        # A raw result is written as the server sent it; secrets are masked in all other output.
        ours = self.invocation.output.structured or self.invocation.script is not None
        text = self.redact(shown.stdout) if ours else shown.stdout
        path = self.invocation.output.output
        # Without a result, the file keeps its content.
        with raise_on_signal():
            saved = self.save("--output", path, text) if path is not None and text else None
            if text and (path is None or isinstance(saved, Failure)):
                self.output.write(self.output.format_for_terminal(text))
        return saved.failure() if isinstance(saved, Failure) else None

    def save(self, flag: str, path: str, text: str) -> Result[None]:
        """Write the file that a flag names."""
        return write_output_file(self.context, flag, path, text, self._patience)

    @property
    def _patience(self) -> float:
        """Seconds to wait for the reader of a pipe."""
        return one_shot.response_timeout(self.invocation.time)

    def _envelope(self, ended: PlanResult) -> Printable:
        return self._document(ended) if self.invocation.output.structured else None

    def _document(self, ended: PlanResult) -> dict[str, Printable]:
        name = one_shot.method_name(self.invocation)
        duration = self._now() - self.began
        known = connection_facts(self.session, self._now())
        return envelope(RunInfo(name or None, duration), ended, self.seen.transcript, known)

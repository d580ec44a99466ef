"""Write the result of a run: to stdout or a file, with a summary, a table, reports and messages."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress

from attrs import evolve

from mcpi.core.cli.invocation import Invocation, secrets, target_secrets
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.modes import one_shot
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.reports import ReportedStep, Verdict
from mcpi.core.record.envelope import RunInfo, connection_facts, envelope
from mcpi.core.record.result_text import RunOutput, format_result
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.session.session import Session
from mcpi.core.targets.target import Target
from mcpi.shell.cli.recorder import Recorder
from mcpi.shell.cli.report_files import formatting_method, result_table, result_totals, wants_reports, write_reports
from mcpi.shell.context import Context
from mcpi.shell.io.files import write_output_file
from mcpi.shell.io.output import Output, StdoutClosed
from mcpi.shell.process.signals import LARGE_WORK, end_at_once, raise_on_signal

VERDICT_STYLES: Mapping[Verdict, str] = {"passed": "", "failed": "error", "allowed": "warning", "skipped": "faint"}


class ResultWriter:
    """The outputs of one invocation, and the state that they show."""

    def __init__(self, context: Context, output: Output, invocation: Invocation) -> None:
        """Create the session and the recorder; nothing is written."""
        find = context.targets
        self.context: Context = (
            context if find is None else context._replace(targets=lambda text: self._masked(find(text)))
        )
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
        self.seen.watched = not invocation.mode.prints_events
        self.seen.documents = invocation.output.structured or (is_script and not self._lines_only)
        self.seen.streams = invocation.mode.prints_events
        self.seen.hides_violations = is_script
        self.shows_violations: bool = not output_flags.structured and not invocation.output.quiet
        self.session: Session = Session(one_shot.terms(invocation), invocation.handlers, self.seen.event)
        self.began: float = self._now()
        self.ledger: list[ReportedStep] = []

    def write_reports_of(self, ended: PlanResult, code: int) -> int:
        """Write the reports, after the connection is closed; return the exit code."""
        if not wants_reports(self.context, self.invocation):
            return code
        from mcpi.core.modes.run_report import build_report, call_step  # noqa: PLC0415 - only reports need it

        if self.invocation.script is None:
            step = call_step(self.invocation, self.document(ended), code)
            self.ledger.append(evolve(step, messages=tuple(self.seen.transcript.messages)))
        known, began = connection_facts(self.session, self._now()), self.seen.transcript.timestamp(self.began)
        report = build_report(self.invocation, self.ledger, known, code, began)
        fault = write_reports(self, report)
        return code if fault is None else self.conclude_unwritten(fault)

    def show_verdict(self, verdict: Verdict | None, lines: Callable[[], Sequence[str]]) -> None:
        """Write the lines about a step of a script; with --quiet, only those about failures."""
        if verdict == "failed" or not self.invocation.output.quiet:
            from mcpi.core.scripts.verdict_lines import INDENT  # noqa: PLC0415 - only scripts need it

            style, printed = "" if verdict is None else VERDICT_STYLES[verdict], self.seen.printed_stderr
            shown = [line for line in lines() if line.removeprefix(INDENT) not in printed]
            self.output.write_lines([self.redact(line) for line in shown], style)

    def _masked(self, found: Result[Target]) -> Result[Target]:
        """Mask the secrets of a target that a plan names."""
        if isinstance(found, Success):
            self.redact.add(target_secrets(found.unwrap()))
        return found

    def write_note(self, line: str) -> None:
        """Write a message for the user."""
        if not self.invocation.output.quiet:
            self.output.write_lines([self.redact(f"mcpi: {line}")])

    def conclude(self, ended: PlanResult) -> int:
        """Write the result, while the connection may still be open; return the exit code."""
        size = len(ended.result.text) if isinstance(ended.result, Exact) else 0
        with end_at_once(size):
            shown = format_result(ended, self._envelope(ended), self.invocation.output, self.seen.printed_stderr)
            shown = self._without_shown_error(shown, ended.fault)
            table = [self.redact(line) for line in result_table(self.output, self.invocation, ended.result)]
            hidden = self._lines_only or self._summary_only() or self._replaces_json(table)
            fault = None if hidden else self._write(shown, size)
        unwritten, formatted = 0 if fault is None else self.conclude_unwritten(fault), bool(table)
        if self.invocation.output.summary:
            formatted = self._write_readable(ended.result)
            has_error = not formatted and not shown.stderr and not self._shows_error(ended.fault)
            self._write_summary(ended, has_error=has_error)
        if ended.cause is not None and self.invocation.output.verbose:
            from traceback import format_exception  # noqa: PLC0415 - rarely needed

            self.output.write_lines(self.redact("".join(format_exception(ended.cause))).splitlines())
        self.output.write_raw_lines(table)
        totals = result_totals(self.output, self.invocation, ended.result) if ended.fault is None else ""
        if totals and not unwritten:
            self.write_note(totals)
        if shown.stderr and not formatted:
            style, (first, *rest) = "error" if shown.exit_code else "warning", shown.stderr
            self.output.write_lines([self.redact(line) for line in (f"mcpi: {first}", *rest)], style)
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

    def _shows_error(self, fault: Fault | None) -> bool:
        """Tell whether the readable result on the terminal contains the tool error."""
        is_tool_error = isinstance(fault, OperationFailed) and fault.code == "TOOL_ERROR"
        return is_tool_error and self._summary_only() and self.output.stderr.isatty()

    def _without_shown_error(self, shown: RunOutput, fault: Fault | None) -> RunOutput:
        """Leave only the hints of an error that the readable result contains."""
        return evolve(shown, stderr=fault.hints) if fault is not None and self._shows_error(fault) else shown

    def _write_readable(self, result: Printable) -> bool:
        """Write the human-readable result, on stderr if the JSON is printed; tell whether the method formats it."""
        from mcpi.core.record.readable_result import readable_lines  # noqa: PLC0415 - rarely needed

        method, alone = formatting_method(self.invocation), self._summary_only()
        paint = self.output.stdout_paint if alone else self.output.stderr_paint
        own = None if method is None or result is None else method.readable or method.summarize
        if own is not None:
            lines = own(result, self.output.width, paint)
        else:
            lines = readable_lines(result, paint) if alone else []
        if alone and lines:
            self.output.write("\n".join((*lines, "", "")))
        elif lines:
            self.output.write_raw_lines((*(self.redact(line) for line in lines), ""))
        return own is not None

    def _write_summary(self, ended: PlanResult, *, has_error: bool) -> None:
        """Write the summary of the server, if the connection was established; omit an error that is printed below.

        A mistake of the user is not about the server.
        """
        from mcpi.core.record.summary import summary_text_lines  # noqa: PLC0415 - rarely needed

        if self.session.server is None or (isinstance(ended.fault, Invalid) and ended.document is None):
            return
        document = as_object(to_plain(self.document(ended if has_error else evolve(ended, fault=None))))
        lines = summary_text_lines(document, self.seen.transcript.messages, self.output.width, self.output.stderr_paint)
        self.output.write_raw_lines(self.redact(line) for line in lines)

    def conclude_unwritten(self, fault: Fault) -> int:
        """Report that the result cannot be written; return the exit code."""
        lines = format_result(PlanResult(None, fault), None, self.invocation.output).stderr
        self.output.write_lines([f"mcpi: {line}" for line in lines], "error")
        return 1

    def _write(self, shown: RunOutput, size: int) -> Fault | None:
        # A raw result is written as the server sent it; secrets are masked in all other output.
        ours = self.invocation.output.structured or self.invocation.script is not None
        text = self.redact(str(shown.stdout)) if ours else shown.stdout
        path = self.invocation.output.output
        with raise_on_signal() if path is not None or size < LARGE_WORK else nullcontext():
            saved = self.save("--output", path, str(text)) if text and path is not None else None
            if text and (path is None or isinstance(saved, Failure)):
                # The exit code tells whether the run failed, even if the reader has closed the pipe.
                with suppress(StdoutClosed):
                    self.output.write(self.output.format_for_terminal(text))
        return saved.failure() if isinstance(saved, Failure) else None

    def save(self, flag: str, path: str, text: str) -> Result[None]:
        """Write the file that a flag names."""
        return write_output_file(self.context, flag, path, text, self.pipe_timeout)

    @property
    def pipe_timeout(self) -> float:
        """Seconds to wait for the reader of a pipe."""
        return one_shot.response_timeout(self.invocation.time)

    def _envelope(self, ended: PlanResult) -> Printable:
        return self.document(ended) if self.invocation.output.structured else None

    def document(self, ended: PlanResult) -> dict[str, Printable]:
        """Build the envelope of the run."""
        name = one_shot.method_name(self.invocation)
        duration = self._now() - self.began
        known = connection_facts(self.session, self._now())
        return envelope(RunInfo(name or None, duration), ended, self.seen.transcript, known)

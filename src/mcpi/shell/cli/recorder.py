"""Record the traffic of a connection: keep, print or trace it, depending on the flags."""

import os
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from mcpi.core.flags.options import OutputOptions
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import Event, ImplicitRequest, NotificationReceived, ServerRequestReceived, ViolationSeen
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.record.http_message import HttpMessage
from mcpi.core.record.trace import TraceBuilder
from mcpi.core.record.transcript import Transcript
from mcpi.core.record.warnings import is_documented, warning_line
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.session.effects import SendMessage
from mcpi.core.wire.peer import Received
from mcpi.shell.context import Context
from mcpi.shell.io.buffered_line_writer import BufferedLineWriter
from mcpi.shell.io.opening import open_for_writing, unwritten
from mcpi.shell.io.output import Output

if TYPE_CHECKING:
    from mcpi.core.auth.metadata import Attempt
    from mcpi.core.record.progress_bar import ProgressLine
    from mcpi.shell.connection.protocol_schema import SchemaChecker

TOLD = 10
"""Maximum number of warnings shown of one kind."""


class Recorder:
    """A traffic listener that writes the transcript, stderr under --verbose, and the trace file."""

    def __init__(self, context: Context, output: Output, flags: OutputOptions, redact: Redactor, *, keep: bool) -> None:
        """Start an empty transcript; messages are kept only for reports and the summary."""
        self._keeps_messages = bool(flags.reports) or flags.summary
        self.flags = flags
        self.redact = redact
        self._context = context
        self.output = output
        epoch = context.epoch()
        self.transcript: Transcript = Transcript(epoch, keep=keep)
        self._trace = TraceBuilder(epoch)
        self._file: BufferedLineWriter | None = None
        self._fd = -1
        self._shown: Counter[str] = Counter()
        self.checker: SchemaChecker | None = None
        self.documents = False
        """True if the output contains logs, violations and stderr, so that they are not written to stderr as well."""
        self.streams = False
        """True if the output contains events, which include logs and violations."""
        self.watched = False
        """True if a progress line may be shown."""
        self.hides_violations = False
        """True if violations are shown below the verdicts of a script."""
        self._progress: ProgressLine | None = None

    def open(self, timeout: float) -> Result[None]:
        """Open the trace file; a pipe must be opened for reading within the given number of seconds."""
        name = self.flags.trace
        if name is not None:
            try:
                path = self._context.path(name)
                self._fd = open_for_writing(path, self._context.clock.now, timeout, os.O_TRUNC)
                self._file = BufferedLineWriter(self._fd)
            except OSError as error:
                return Failure(unwritten("--trace", name, error, timeout))
        return Success(None)

    def close(self) -> None:
        """Close the trace file when its reader has read everything."""
        file, self._file = self._file, None
        if file is not None:
            file.finish()
            if file.dropped:
                lines = f"{file.dropped} lines were dropped because the reader was too slow"
                self._write_notice(f"warning: --trace: {lines}", "trace")
            with suppress(OSError):
                os.close(self._fd)

    def event(self, event: Event) -> None:
        """Record an event, and show a warning or the progress."""
        self.transcript.record(event)
        if isinstance(event, ImplicitRequest):
            self._tell_implicit(event)
        hidden = self.flags.quiet or (self.hides_violations and isinstance(event, ViolationSeen))
        hidden = hidden or ((self.documents or self.streams) and is_documented(event))
        line = None if hidden else warning_line(event)
        if line is not None:
            self._write_notice(line, _kind(event))
            if isinstance(event, ViolationSeen):
                self.output.write_lines([f"  {hint}" for hint in self.transcript.take_stdout_hint()])
        if self.watched:
            self._handle_progress(event)

    def _tell_implicit(self, event: ImplicitRequest) -> None:
        if self.flags.verbose:
            params = "" if event.params is None else f" {dump(event.params)}"
            self.output.write_lines([self.redact(f"* sent by mcpi itself: {event.method}{params} ({event.reason})")])

    def _handle_progress(self, event: Event) -> None:
        match event:
            case NotificationReceived("notifications/progress", params, at) if (
                params is not None and self._shows_progress()
            ):
                self._show_progress(as_object(params.value), at)
            case _:
                pass

    def _shows_progress(self) -> bool:
        quiet = self.flags.quiet or self.flags.verbose
        return not quiet and self.output.shows_progress

    def _show_progress(self, params: JsonObject, at: float) -> None:
        """Show the progress on the last line of the terminal."""
        if self._progress is None:
            from mcpi.core.record.progress_bar import ProgressLine  # noqa: PLC0415 - rarely needed

            self._progress = ProgressLine(self.output.width)
        line = self._progress.format(params, at)
        if line is not None:
            self.output.write_status(self.redact(line))

    def _write_notice(self, line: str, kind: str) -> None:
        if kind:
            self._shown[kind] += 1
            if self._shown[kind] > TOLD + 1:
                return
            if self._shown[kind] > TOLD:
                line = f"warning: more warnings of type {kind!r} are not shown"
        self.output.write_lines([self.redact(f"mcpi: {line}")], "warning" if line.startswith("warning") else "")

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """Record a message that was sent."""
        if self.flags.verbose:
            self.output.write_lines([self.redact(f"> {outgoing.data.decode()}")])
        if self._traces:
            self._add_entry(self._trace.sent(outgoing, at))
        if self.checker is not None:
            self.checker.sent(outgoing, at)

    def received(self, received: Received, at: float) -> None:
        """Record a message that was received."""
        if self.flags.verbose:
            self.output.write_lines([self.redact(f"< {received.raw.decode(errors='replace')}")])
        if self._traces:
            self._add_entry(self._trace.received(received, at))
        if self.checker is not None:
            self.checker.received(received, at)

    def stderr(self, line: str, at: float) -> None:
        """Record a line that the server wrote to stderr."""
        self.transcript.add_stderr_line(line)
        if self._prints_stderr:
            self.output.write_lines([self.redact(line)], "faint")
        self._add_note("stderr", line, at)

    @property
    def _prints_stderr(self) -> bool:
        return not self.flags.quiet and not self.documents

    @property
    def printed_stderr(self) -> Collection[str]:
        """The last lines of the server's stderr, if they were printed."""
        return self.transcript.stderr.items if self._prints_stderr else ()

    def http(self, message: HttpMessage, at: float) -> None:
        """Record an HTTP request or response, without its body."""
        if self.flags.verbose:
            self.output.write_lines([self.redact(line) for line in message.lines()])
        self._add_note("info", message.line, at)

    def attempted(self, attempt: "Attempt") -> None:
        """Record a request to an authorization server."""
        self.transcript.attempts.append(attempt.as_json())

    def info(self, text: str, at: float) -> None:
        """Record an action of the transport."""
        if self.flags.verbose:
            self.output.write_lines([self.redact(f"* {text}")])
        self._add_note("info", text, at)

    def _add_note(self, kind: str, text: str, at: float) -> None:
        if self._traces:
            self._add_entry(self._trace.note(kind, text, at))

    @property
    def _traces(self) -> bool:
        return self._file is not None or self._keeps_messages

    def _add_entry(self, entry: TraceEntry) -> None:
        if self._file is not None:
            try:
                self._file.write(self.redact(dump(entry) + "\n").encode(errors="backslashreplace"))
            except OSError as error:
                # The result is more important than the trace.
                self.close()
                self._write_notice(
                    f"warning: --trace stopped: cannot write {self.flags.trace}: {error.strerror}", "trace"
                )
        if self._keeps_messages:
            self.transcript.add_message(entry)


def _kind(event: Event) -> str:
    """Return the kind of a warning; warnings of one kind are limited in number. Logs have no kind, so all are shown."""
    match event:
        case ViolationSeen(violation):
            return violation.rule
        case ServerRequestReceived():
            return "server-request"
        case _:
            return ""

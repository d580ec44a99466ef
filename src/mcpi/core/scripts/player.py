"""Run the steps of a script in order on one connection."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from attrs import define, evolve, field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome import faults
from mcpi.core.outcome.explain import split_stderr
from mcpi.core.outcome.faults import Exited, Fault, Interrupted, TimedOut
from mcpi.core.plans.catalog import HintSource, no_hints
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.reports import ReportedStep, ScriptLog, Verdict
from mcpi.core.plans.steps import Emit
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, connection_facts, envelope
from mcpi.core.record.envelope_writer import EnvelopeWriter
from mcpi.core.record.output_checker import OutputChecker
from mcpi.core.record.transcript import Transcript
from mcpi.core.record.violation_fault import SETTLING, count_violations, fail_on_violations, violation_warnings
from mcpi.core.scripts.judge import is_expectation_failed
from mcpi.core.scripts.script import Script, next_index
from mcpi.core.scripts.step import ScriptStep
from mcpi.core.scripts.step_runner import StepRunner, check_duration
from mcpi.core.scripts.verdict_lines import closing_line, failed_lines, passed_lines, skipped_line
from mcpi.core.session.effects import Effects, FlushDebugger, Now
from mcpi.core.session.negotiate import pause_before_retry
from mcpi.core.session.retry import is_retryable_connect
from mcpi.core.session.run_plan import SupportCheck
from mcpi.core.session.session import Session

LOST_CODES = ("CONNECTION_LOST", "SERVER_EXITED")
"""Codes of a lost connection."""


@frozen
class ScriptOptions:
    """Options for running a script."""

    capability_check: Callable[[AnyMethod], SupportCheck]
    fail_on_violation: bool = False
    ndjson: bool = False
    """Print each envelope as a line when its step ends, instead of one array at the end."""
    writer: EnvelopeWriter | None = None
    """Writer for the envelopes; without it they are returned as values."""
    log: ScriptLog = field(factory=ScriptLog)
    reports: bool = False
    """Add all steps, also those that are skipped, to the log for the reports."""
    hints: HintSource = no_hints
    validate: bool = False
    """Validate the results of tools against the tools' output schemas."""


@define
class _FinishedStep:
    step: ScriptStep
    ended: PlanResult
    duration: float
    attempts: int
    at: float
    """The time at which the last attempt ended."""
    facts: ConnectionFacts
    verdict: Verdict = "passed"
    part: Transcript | None = None

    @property
    def info(self) -> RunInfo:
        """Method, duration, and the fields of the step."""
        step = self.step
        fields: dict[str, Printable] = {"index": step.index}
        if step.name is not None:
            fields["name"] = step.name
        if step.wait is not None:
            fields["wait"] = step.wait
        if step.retry is not None:
            fields["attempts"] = self.attempts
        return RunInfo(None if step.method is None else step.method.name, self.duration, fields)


class ScriptRunner:
    """One run of a script."""

    def __init__(self, script: Script, session: Session, seen: Transcript, manner: ScriptOptions) -> None:
        """Set up a run of the script on the session."""
        self.script = script
        self.session = session
        self.transcript = seen
        self.options = manner
        self.steps: StepRunner = StepRunner(
            script, session, manner.capability_check, OutputChecker() if manner.validate else None
        )
        self.envelopes: list[Printable] = []
        self.lines: EnvelopeWriter = EnvelopeWriter(compact=True)
        self.facts: ConnectionFacts | None = None
        self.facts_of: tuple[object, ...] = ()
        """The state of the session that the facts describe."""
        self.next_index: int = 0
        self.pending_step: _FinishedStep | None = None
        self.failure: Fault | None = None
        self.cause: BaseException | None = None
        self.verdicts: Counter[Verdict] = Counter()
        self.violations: int = 0

    def run(self) -> Effects[PlanResult]:
        """Run the steps; return all envelopes, and the first failure of a step that is not allowed to fail."""
        self.session.keep_events = True
        self.session.before_waiting = self._work_ahead
        started: float = yield Now()
        index = 0
        while index < len(self.script.steps):
            self.next_index = index + 1
            following = yield from self._run_step(self.script.steps[index])
            self._skip(index + 1, following)
            index = following
        self.session.before_waiting = None
        self._write_pending()
        now: float = yield Now()
        self.options.log.show(None, lambda: (closing_line(self.verdicts, now - started, self.violations),))
        if self.options.ndjson:
            return self._script_result(None, "")
        if self.options.writer is not None:
            return self._script_result(None, self.options.writer.text + "\n")
        return self._script_result(self.envelopes, None)

    def _run_step(self, step: ScriptStep) -> Effects[int]:
        """Run one step; return the index of the next one."""
        done = yield from self._run_attempts(step)
        is_lost, failed = self._is_lost(done.ended), self.steps.fails(step, done.ended)
        count = len(self.script.steps)
        following = count if is_lost else next_index(step, failed=failed, count=count)
        if self.options.fail_on_violation:
            violated = failed or count_violations(self.transcript) > 0
            if count in {following, next_index(step, failed=violated, count=count)}:
                yield from self.session.sleep(SETTLING)
            if not failed:
                done.ended = fail_on_violations(done.ended, self.transcript, step.title)
                failed = self.steps.fails(step, done.ended)
                following = next_index(step, failed=failed, count=count)
            done.at = yield Now()
            done.facts = self._connection_facts(done.at)
        if done.ended.fault is not None:
            fault = split_stderr(done.ended.fault, len(self.transcript.stderr))
            done.ended = self._with_url(evolve(done.ended, fault=fault).with_hints(self.options.hints))
        if failed:
            done.verdict = _failure_verdict(step, done.ended.fault, ends_script=is_lost and step.index + 1 < count)
        yield from self._finish(done)
        return following

    def _with_url(self, ended: PlanResult) -> PlanResult:
        """Add the URL of an HTTP server to the fault if the server that should use stdio announced one."""
        if self.session.server is not None or not isinstance(ended.fault, TimedOut | Exited):
            return ended
        from mcpi.core.outcome.http_servers import with_url_hint  # noqa: PLC0415 - only mistakes need it

        return evolve(ended, fault=with_url_hint(ended.fault, self.transcript.printed_lines()))

    def _run_attempts(self, step: ScriptStep) -> Effects[_FinishedStep]:
        """Run the step, and again while it fails and retry allows; return the last attempt."""
        attempts, violations = 1, list[Printable]()
        while True:
            started: float = yield Now()
            is_connected = self.session.server is not None
            ended = yield from self.steps.run(step)
            if self.session.debugged:
                yield FlushDebugger()
                yield from self.session.process_pending(0.0)
            self._write_pending()
            now: float = yield Now()
            if not is_connected and self.session.times.ready is not None:
                # The time of a step does not include connecting.
                started = max(started, self.session.times.ready)
            failed = self.steps.fails(step, ended)
            if step.max_duration is not None and (not failed or is_expectation_failed(ended.fault)):
                ended = check_duration(step, ended, now - started)
                failed = self.steps.fails(step, ended)
            if step.retry is None or not failed or not self._may_retry(ended) or attempts > step.retry.times:
                # A violation of an earlier attempt is still a violation during the step.
                if violations:
                    self.transcript.violations[:0] = violations
                return _FinishedStep(step, ended, now - started, attempts, now, self._connection_facts(now))
            part = self.transcript.take()
            violations += [] if part is None else part.violations
            attempts += 1
            if self.session.connection_fault is None:
                yield from self.session.sleep(step.retry.interval)
            else:
                yield from pause_before_retry(self.session, step.retry.interval)

    def _may_retry(self, ended: PlanResult) -> bool:
        """Tell whether another attempt may succeed: the server is connected, or may become reachable."""
        fault = self.session.connection_fault
        if fault is not None and self.session.server is None:
            return is_retryable_connect(self.session.terms, fault)
        return fault is None and not self._is_lost(ended)

    def _is_lost(self, ended: PlanResult) -> bool:
        """Tell whether the step failed because the connection is lost; over HTTP, only its request may report that."""
        fault = ended.fault
        return fault is not None and (fault == self.session.connection_fault or faults.code(fault) in LOST_CODES)

    def _finish(self, done: _FinishedStep) -> Effects[None]:
        """Record the verdict, show it, and write the envelope now or while the next step waits."""
        self.verdicts[done.verdict] += 1
        if done.verdict == "failed":
            self.failure, self.cause = self.failure or done.ended.fault, self.cause or done.ended.cause
        self.options.log.show(done.verdict, partial(self._verdict_lines, done))
        self.violations += count_violations(self.transcript)
        done.part = self.transcript.take()
        if self.options.ndjson:
            yield Emit(self._text(done, self.lines) + "\n")
        else:
            self.pending_step = done

    def _connection_facts(self, now: float) -> ConnectionFacts:
        """Return the facts, which are those of the last step unless the connection changed."""
        session, state = self.session, (self.session.server, self.session.terms, self.session.connection_fault)
        if self.facts is None or session.server is None or state != self.facts_of:
            self.facts, self.facts_of = connection_facts(session, now), state
        return self.facts

    def _verdict_lines(self, done: _FinishedStep) -> Sequence[str]:
        step, fault = done.step, done.ended.fault
        warnings = violation_warnings(self.transcript) if self.options.log.shows_violations else ()
        if done.verdict == "passed" or fault is None:
            return passed_lines(step, done.duration, warnings)
        return failed_lines(step, fault, warnings, allowed=done.verdict == "allowed", attempts=done.attempts)

    def _skip(self, start: int, end: int) -> None:
        """Record the steps that are not run."""
        for step in self.script.steps[start:end]:
            # The report has the steps in order.
            self._write_pending()
            self.verdicts["skipped"] += 1
            self.options.log.show("skipped", partial(_skipped_lines, step))
            if self.options.reports:
                method = step.method.name if step.method is not None else None
                self.options.log.steps.append(ReportedStep(step.label, {"method": method}, skipped=True))

    def _script_result(self, result: Printable, text: str | None) -> PlanResult:
        return PlanResult(result, self.failure, text, fault_shown=self.failure is not None, cause=self.cause)

    def _work_ahead(self) -> None:
        """Write the envelope of the previous step and prepare the next step, while the server works on this one."""
        self._write_pending()
        if self.next_index < len(self.script.steps):
            self.steps.prepare(self.script.steps[self.next_index])

    def _write_pending(self) -> None:
        """Write the pending envelope, if any."""
        if self.pending_step is None:
            return
        writer, done = self.options.writer, self.pending_step
        if writer is None:
            self.envelopes.append(self._document(done))
        else:
            writer.add(self._text(done, writer))
        self.pending_step = None

    def _text(self, done: _FinishedStep, writer: EnvelopeWriter) -> str:
        if self.options.reports:
            return writer.format(self._document(done))
        return writer.write(done.info, done.ended, done.part, done.facts, self._request_time(done))

    def _request_time(self, done: _FinishedStep) -> float | None:
        negotiated = self.session.times.negotiated
        return None if negotiated is None else done.at - negotiated

    def _document(self, done: _FinishedStep) -> dict[str, Printable]:
        document = envelope(done.info, done.ended, done.part, evolve(done.facts, request=self._request_time(done)))
        if self.options.reports:
            self.options.log.steps.append(
                ReportedStep(
                    done.step.label,
                    document,
                    failed=done.verdict in {"failed", "allowed"},
                    failure_allowed=done.verdict == "allowed",
                    messages=() if done.part is None else tuple(done.part.messages),
                )
            )
        return document


def _failure_verdict(step: ScriptStep, fault: Fault | None, *, ends_script: bool) -> Verdict:
    # allowFailure covers neither an interruption nor a loss of the connection that ends the script early.
    return "failed" if not step.allow_failure or ends_script or isinstance(fault, Interrupted) else "allowed"


def _skipped_lines(step: ScriptStep) -> Sequence[str]:
    return (skipped_line(step),)

"""Run the steps of a script in order on one connection."""

from collections.abc import Callable
from typing import cast

from attrs import evolve, field

from mcpi.core.flags.pairs import Expectation
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.pointers import resolve_exact
from mcpi.core.jsontext.variables import substitute_text
from mcpi.core.jsontext.writing import ArrayWriter, dump
from mcpi.core.outcome import faults
from mcpi.core.outcome.faults import Fault, Interrupted, OperationFailed, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.catalog import HintSource, no_hints
from mcpi.core.plans.events import Event, NotificationReceived, params_size
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.reports import ReportedStep
from mcpi.core.plans.steps import Emit
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, connection_facts, envelope
from mcpi.core.record.result_text import fault_lines
from mcpi.core.record.transcript import Transcript
from mcpi.core.scripts.judge import check_expectations, unmet_expectations
from mcpi.core.scripts.script import Script, next_index
from mcpi.core.scripts.step import ScriptStep, fill_step, step_plan
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.core.session.effects import AwaitMessage, Effects, FlushDebugger, Now
from mcpi.core.session.negotiate import open_session
from mcpi.core.session.run_plan import SupportCheck, run_plan
from mcpi.core.session.session import MAX_EVENTS, Session
from mcpi.core.wire.server_info import EMPTY
from mcpi.core.wire.violations import quote

MAX_SHOWN_FAILURES = 20
"""Maximum number of failures shown on stderr; the envelopes contain all of them."""


@frozen
class ScriptOptions:
    """Options for running a script."""

    capability_check: Callable[[AnyMethod], SupportCheck]
    fail_on_error: bool = False
    ndjson: bool = False
    """Print each envelope as a line when its step ends, instead of one array at the end."""
    array: ArrayWriter | None = None
    """Writer for the envelopes; without it they are returned as values."""
    reported_steps: list[ReportedStep] = field(factory=list)
    """Receives the finished steps if `reports` is set."""
    reports: bool = False
    hints: HintSource = no_hints


@frozen
class _FinishedStep:
    step: ScriptStep
    ended: PlanResult
    failed: bool
    duration: float
    part: Transcript
    facts: ConnectionFacts


class ScriptRunner:
    """One run of a script."""

    def __init__(self, script: Script, session: Session, seen: Transcript, manner: ScriptOptions) -> None:
        """Set up a run of the script on the session."""
        self.script = script
        self.session = session
        self.transcript = seen
        self.options = manner
        self.variables: dict[str, Exact] = dict(script.variables)
        self.envelopes: list[Printable] = []
        self.pending_step: _FinishedStep | None = None
        self.failure: Fault | None = None
        self.cause: BaseException | None = None
        self.stderr_lines: tuple[str, ...] = ()
        self.failures_left: int = MAX_SHOWN_FAILURES
        self.loss_shown: bool = False
        self.skipped_events: BoundedQueue[Event] = BoundedQueue(MAX_EVENTS, params_size)

    def run(self) -> Effects[PlanResult]:
        """Run the steps; return all envelopes, and the first failure of a step that is not allowed to fail."""
        self.session.keep_events = True
        index = 0
        while index < len(self.script.steps):
            step = self.script.steps[index]
            failed = yield from self._run_step(step)
            lost = self.session.connection_fault is not None
            index = step.index + 1 if lost else next_index(step, failed=failed, count=len(self.script.steps))
            if isinstance(self.session.connection_fault, Interrupted):
                # allowFailure does not cover an interruption of the whole script.
                self.failure = self.failure or self.session.connection_fault
                break
        self._write_pending()
        if self.options.ndjson:
            return self._script_result(None, "")
        if self.options.array is not None:
            return self._script_result(None, self.options.array.text + "\n")
        return self._script_result(self.envelopes, None)

    def _run_step(self, step: ScriptStep) -> Effects[bool]:
        """Run one step; return True if it failed."""
        started: float = yield Now()
        ended = yield from self._run_checked(step)
        if self.session.debugged:
            yield FlushDebugger()
            yield from self.session.process_pending(0.0)
        ended = self._captured(step, ended).with_hints(self.options.hints)
        now: float = yield Now()
        failed = (
            ended.fault is not None and faults.exit_code(ended.fault, fail_on_error=self.options.fail_on_error) != 0
        )
        if ended.fault is not None and failed and not step.allow_failure:
            self._fail(step, ended, ended.fault)
        self._write_pending()
        done = _FinishedStep(
            step, ended, failed, now - started, self.transcript.take(), connection_facts(self.session, now)
        )
        if self.options.ndjson:
            yield Emit(dump(self._document(done)) + "\n")
        else:
            self.pending_step = done
        return failed

    def _fail(self, step: ScriptStep, ended: PlanResult, fault: Fault) -> None:
        """Record a failure: the first one is the script's result, and a lost connection is shown only once."""
        self.failure = self.failure or fault
        self.cause = self.cause or ended.cause
        if self.loss_shown:
            return
        self.stderr_lines += fault_lines(fault, step.title) if self.failures_left > 0 else ()
        self.failures_left -= 1
        self.loss_shown = self.session.connection_fault is not None

    def _script_result(self, result: Printable, text: str | None) -> PlanResult:
        more = (f"and {-self.failures_left} more steps failed",) if self.failures_left < 0 else ()
        return PlanResult(result, self.failure, text, (*self.stderr_lines, *more), self.cause)

    def _write_pending(self) -> None:
        """Write the pending envelope, if any."""
        if self.pending_step is None:
            return
        keep = self.envelopes.append if self.options.array is None else self.options.array.add
        keep(self._document(self.pending_step))
        self.pending_step = None

    def _document(self, done: _FinishedStep) -> dict[str, Printable]:
        step = done.step
        method = step.method.name if step.method is not None else None
        about: dict[str, Printable] = {"index": step.index}
        about |= {"name": step.name} if step.name is not None else {}
        about |= {"wait": step.wait} if step.wait is not None else {}
        document = envelope(RunInfo(method, done.duration, about), done.ended, done.part, done.facts)
        if self.options.reports:
            messages = tuple(done.part.messages)
            self.options.reported_steps.append(
                ReportedStep(step.title, document, done.failed, step.allow_failure, messages)
            )
        return document

    def _write_while_waiting(self, effects: Effects[PlanResult]) -> Effects[PlanResult]:
        """Forward the effects; write the previous step's envelope while waiting for the response."""
        reply: object = None
        while True:
            try:
                effect = effects.send(reply)
            except StopIteration as done:
                return cast("PlanResult", done.value)
            if self.pending_step is not None and type(effect) is AwaitMessage:
                self._write_pending()
            reply = yield effect

    def _run_checked(self, step: ScriptStep) -> Effects[PlanResult]:
        """Run the step and check its expectations."""
        if self.session.connection_fault is not None:
            return PlanResult(None, self.session.connection_fault)
        match fill_step(step, self.variables):
            case Success(ready):
                ended = yield from self._run_with_timeout(ready)
                return (
                    ended if step.wait is not None else (yield from check_expectations(step.title, ready.expect, ended))
                )
            case Failure(fault):
                return PlanResult(None, fault)

    def _run_with_timeout(self, step: ScriptStep) -> Effects[PlanResult]:
        running = self._await_notification(step, step.wait) if step.wait is not None else self._run_method(step)
        if step.timeout is None:
            return (yield from running)
        previous = self.session.terms
        self.session.terms = evolve(previous, timeout=step.timeout)
        try:
            return (yield from running)
        finally:
            self.session.terms = evolve(self.session.terms, timeout=previous.timeout)

    def _run_method(self, step: ScriptStep) -> Effects[PlanResult]:
        assert step.method is not None
        self.session.events.clear()
        self.skipped_events.clear()
        match step_plan(step, step.method):
            case Success(made):
                begun = begin(made)
            case Failure(fault):
                return PlanResult(None, fault)
        if isinstance(begun, PlanResult):
            return begun
        return (
            yield from self._write_while_waiting(
                run_plan(begun, self.session, self.options.capability_check(step.method))
            )
        )

    def _await_notification(self, step: ScriptStep, awaited: str) -> Effects[PlanResult]:
        """Wait for the notification and return its params; it may have arrived during the previous step."""
        opened = yield from open_session(self.session)
        if isinstance(opened, Failure):
            return PlanResult(None, opened.failure())
        started: float = yield Now()
        until = started + self.session.terms.timeout
        self.session.events.prepend(self.skipped_events)
        while True:
            found = yield from self._next_match(awaited, step.expect)
            if found is not None:
                return PlanResult(found)
            if self.session.connection_fault is not None:
                return PlanResult(None, self.session.connection_fault)
            now: float = yield Now()
            if now >= until:
                return PlanResult(None, self._timeout_fault(awaited, round(now - started, 3)))
            yield from self.session.process_pending(until)

    def _timeout_fault(self, awaited: str, waited: float) -> TimedOut:
        """Build the timeout fault; it quotes the last notification that did not match, or else the last message."""
        others = [
            one.params or EMPTY
            for one in self.skipped_events.items
            if isinstance(one, NotificationReceived) and one.method == awaited
        ]
        hints = (f"{len(others)} of the kind came and did not fit",) if others else ()
        seen = quote(others[-1].text) if others else self.session.last_message
        return TimedOut("REQUEST_TIMEOUT", waited, awaited, seen, hints, f"{awaited} did not come")

    def _next_match(self, awaited: str, expected: tuple[Expectation, ...]) -> Effects[Exact | None]:
        """Return the params of the first match; skipped notifications are kept for the next waiting step."""
        events = self.session.events
        while events:
            event = events.popleft()
            if not isinstance(event, NotificationReceived):
                continue
            params = event.params or EMPTY
            if event.method == awaited and not (yield from unmet_expectations(expected, params.value)):
                return params
            self.skipped_events.append(event)
        return None

    def _captured(self, step: ScriptStep, ended: PlanResult) -> PlanResult:
        if ended.result is None:
            return ended
        for name, place in step.capture.items():
            pointer = substitute_text(place, self.variables)
            found: Exact | None = resolve_exact(ended.result, pointer)
            if found is not None:
                self.variables[name] = found
            elif ended.fault is None:
                problem = f"{step.title}: there is nothing at {pointer} to capture as {name}"
                ended = PlanResult(ended.result, OperationFailed("EXPECTATION_FAILED", problem))
        return ended

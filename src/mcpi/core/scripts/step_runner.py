"""Run one step of a script: fill in its variables, send the request or wait, check and capture the result."""

from collections.abc import Callable

from attrs import evolve

from mcpi.core.flags.pairs import Expectation
from mcpi.core.flags.tool_arguments import unknown_arguments
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.pointers import resolve_exact
from mcpi.core.jsontext.values import Json, as_list, as_object, as_text
from mcpi.core.jsontext.variables import substitute_text
from mcpi.core.outcome import faults
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import Event, NotificationReceived, TransportNote, params_size
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.steps import Call
from mcpi.core.plans.world_steps import MarkSecret
from mcpi.core.record.output_checker import OutputChecker
from mcpi.core.scripts.judge import check_expectations, expectation_failed, tool_error_hint, unmet_expectations
from mcpi.core.scripts.pointer_hints import capture_hint
from mcpi.core.scripts.script import Script
from mcpi.core.scripts.step import ScriptStep, fill_step, step_plan, with_step_keys
from mcpi.core.scripts.text_variables import string_hints
from mcpi.core.secrets.detection import secrets_in_pairs
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.core.session.effects import Effects, Now
from mcpi.core.session.negotiate import open_session
from mcpi.core.session.run_plan import SupportCheck, run_plan
from mcpi.core.session.session import MAX_EVENTS, Session
from mcpi.core.text.timestamps import milliseconds
from mcpi.core.wire.server_info import EMPTY, NegotiatedServer
from mcpi.core.wire.violations import quote

LISTING_METHODS = ("tools/list", "discover")
"""Methods whose result has the tools."""


class StepRunner:
    """Runs single steps, and keeps the variables and the unread notifications between them."""

    def __init__(
        self,
        script: Script,
        session: Session,
        capability_check: Callable[[AnyMethod], SupportCheck],
        outputs: OutputChecker | None = None,
    ) -> None:
        """Start with the script's variables."""
        self._outputs = outputs
        self.script = script
        self.session = session
        self.capability_check = capability_check
        self.variables: dict[str, Exact] = dict(script.variables)
        self.skipped_events: BoundedQueue[Event] = BoundedQueue(MAX_EVENTS, params_size)
        self._supported: dict[str, NegotiatedServer] = {}
        self._listed: Printable = None
        """The result of the last step that listed the tools."""
        self._schemas: dict[str, Json] = {}
        """The input schemas of these tools by name, once they are needed."""
        self._prepared: tuple[ScriptStep, StartedPlan] | None = None

    def run(self, step: ScriptStep) -> Effects[PlanResult]:
        """Run the step once, check its expectations and capture values."""
        ended = yield from self._run_checked(step)
        if step.capture:
            ended = self._captured(step, ended)
            secrets = self._captured_secrets(step)
            if secrets:
                yield MarkSecret(secrets)
        return ended

    def _captured_secrets(self, step: ScriptStep) -> tuple[str, ...]:
        """Return the captured values whose variable or place is named like a secret."""
        texts = [
            (name, place, as_text(self.variables[name].value))
            for name, place in step.capture.items()
            if name in self.variables
        ]
        return tuple(secrets_in_pairs((key, text) for name, place, text in texts for key in (name, place)))

    def _run_checked(self, step: ScriptStep) -> Effects[PlanResult]:
        """Run the step and check its expectations."""
        if self.session.connection_fault is not None:
            return PlanResult(None, self.session.connection_fault)
        ended = yield from self._run_filled(step)
        return ended if ended.fault is None else (yield from self._with_script_hints(step, ended, ended.fault))

    def _run_filled(self, step: ScriptStep) -> Effects[PlanResult]:
        """Fill in the step's variables, run it and check its expectations."""
        if step.variables:
            match fill_step(step, self.variables):
                case Success(ready):
                    step = ready
                case Failure(fault):
                    return PlanResult(None, fault)
        if step.wait is not None:
            return (yield from self._with_timeout(step, self._await_notification(step, step.wait)))
        ended = yield from self._with_timeout(step, self._run_method(step))
        ended = ended if step.method is None else ended.with_tool_error(step.method.name, step.tool)
        checked = (yield from check_expectations(step.title, step.expect, ended)) if step.expect else ended
        if checked.fault is None and isinstance(ended.fault, Invalid):
            # The expected error may have another cause, such as a misspelled tool.
            self.session.record_event(TransportNote("warning", {"reason": ended.fault.problem}, (yield Now())))
        if checked.fault is not ended.fault or not self.fails(step, checked):
            # The fault of a tool error has hints on the arguments.
            yield from self._warn_of_unknown(step, ended)
        return checked

    def fails(self, step: ScriptStep, ended: PlanResult) -> bool:
        """Tell whether the step fails; isError need not be a failure."""
        if ended.fault is None:
            return False
        fail_on_error = self.script.fail_on_error if step.fail_on_error is None else step.fail_on_error
        return faults.exit_code(ended.fault, fail_on_error=fail_on_error) != 0

    def _with_script_hints(self, step: ScriptStep, ended: PlanResult, fault: Fault) -> Effects[PlanResult]:
        """Add hints about strings instead of numbers, and about durations without a unit."""
        if isinstance(fault, TimedOut) and step.timeout is not None:
            hints = tuple(one.replace("--timeout", "timeout") for one in fault.hints)
            return evolve(ended, fault=evolve(fault, hints=(*hints, *step.unit_hints("timeout"))))
        hints = yield from string_hints(step.expect, ended, self.variables, self.script.typed_texts)
        return ended.with_hints(lambda _: (*hints, *tool_error_hint(step.expect, ended)))

    def _with_timeout(self, step: ScriptStep, running: Effects[PlanResult]) -> Effects[PlanResult]:
        """Run with the step's own timeout, if it has one."""
        return running if step.timeout is None else self._run_with_timeout(step.timeout, running)

    def _run_with_timeout(self, timeout: float, running: Effects[PlanResult]) -> Effects[PlanResult]:
        previous = self.session.terms
        self.session.terms = evolve(previous, timeout=timeout)
        try:
            return (yield from running)
        finally:
            self.session.terms = evolve(self.session.terms, timeout=previous.timeout)

    def _run_method(self, step: ScriptStep) -> Effects[PlanResult]:
        assert step.method is not None
        self.session.events.clear()
        self.skipped_events.clear()
        prepared = self._take_prepared(step)
        begun = prepared or self._started(step, step.method)
        if isinstance(begun, PlanResult):
            ended = begun
        else:
            check = self.capability_check(step.method) if prepared is None else None
            ended = yield from run_plan(begun, self.session, check)
        return ended if ended.fault is None else evolve(ended, fault=with_step_keys(ended.fault, step.method))

    def _warn_of_unknown(self, step: ScriptStep, ended: PlanResult) -> Effects[None]:
        """Warn of arguments that the tool does not have, if an earlier step listed the tools; remember such a list."""
        if step.method is not None and step.method.name in LISTING_METHODS and ended.fault is None:
            self._listed, self._schemas = ended.result, {}
        elif step.tool and "toolArgs" in step.flags and self._listed is not None:
            if not self._schemas:
                tools = map(as_object, as_list(as_object(to_plain(self._listed)).get("tools")))
                self._schemas = {as_text(one.get("name")): one.get("inputSchema") for one in tools}
            schema = self._schemas.get(step.tool)
            for sentence in unknown_arguments(as_object(step.flags["toolArgs"].value), schema, step.tool):
                self.session.record_event(TransportNote("warning", {"reason": sentence}, (yield Now())))

    def prepare(self, step: ScriptStep) -> None:
        """Run the step's plan up to its first request and compose it, while the server works on another step."""
        server = self.session.server
        if self._prepared is not None or step.method is None or step.variables or server is None:
            return
        if not self._supports(step.method, server):
            return
        begun = self._started(step, step.method)
        ready = begun.connected(server) if isinstance(begun, StartedPlan) else begun
        self._prepared = (step, ready) if isinstance(ready, StartedPlan) else None
        if isinstance(ready, StartedPlan) and type(ready.step) is Call:
            self.session.compose(ready.step)

    def _started(self, step: ScriptStep, method: AnyMethod) -> StartedPlan | PlanResult:
        match step_plan(step, method):
            case Success(plan):
                begun = begin(plan)
            case Failure(fault):
                return PlanResult(None, fault)
        return begun if self._outputs is None or isinstance(begun, PlanResult) else self._outputs.checked(begun)

    def _supports(self, method: AnyMethod, server: NegotiatedServer) -> bool:
        """Tell whether the server supports the method without a violation; a positive answer is cached."""
        if self._supported.get(method.name) is server:
            return True
        if self.capability_check(method)(server) is not None:
            return False
        self._supported[method.name] = server
        return True

    def _take_prepared(self, step: ScriptStep) -> StartedPlan | None:
        """Return the plan that was prepared for the step; the plan of a skipped step is closed."""
        prepared, self._prepared = self._prepared, None
        if prepared is None or prepared[0] is step:
            return None if prepared is None else prepared[1]
        prepared[1].plan.close()
        return None

    def _await_notification(self, step: ScriptStep, awaited: str) -> Effects[PlanResult]:
        """Wait for the notification and return its params; it may have arrived during the previous step."""
        opened = yield from open_session(self.session)
        if isinstance(opened, Failure):
            return PlanResult(None, opened.failure())
        until = (yield Now()) + self.session.terms.timeout
        self.session.events.prepend(self.skipped_events)
        while True:
            found = yield from self._next_match(awaited, step.expect)
            if found is not None:
                return PlanResult(found)
            if self.session.connection_fault is not None:
                return PlanResult(None, self.session.connection_fault)
            now: float = yield Now()
            if now >= until:
                return (yield from self._not_found(step, awaited))
            yield from self.session.process_pending(until)

    def _not_found(self, step: ScriptStep, awaited: str) -> Effects[PlanResult]:
        """Build the result of an unsuccessful wait: the last notification that did not match, or a timeout."""
        others = [
            one.params or EMPTY
            for one in self.skipped_events.items
            if isinstance(one, NotificationReceived) and one.method == awaited
        ]
        if not others:
            limit, problem = self.session.terms.timeout, f"{awaited} did not arrive"
            seen = str(self.session.last_received)
            return PlanResult(None, TimedOut("REQUEST_TIMEOUT", limit, awaited, seen, (), problem, connected=True))
        last = others[-1]
        broken = yield from unmet_expectations(step.expect, last.value)
        problem = f"{step.title}: {len(broken)} of {len(step.expect)} expectations failed"
        many = f"none of the {len(others)} notifications that arrived matched; the last one was"
        which = many if len(others) > 1 else "the notification that arrived did not match"
        fault = expectation_failed(problem, (f"{which}: {quote(last.text)}", *broken))
        return PlanResult(last, evolve(fault, hints=(*_params_hint(step, last), *step.unit_hints("timeout"))))

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
                hint = capture_hint(pointer, to_plain(ended.result))
                failure = f"{pointer}: not found, so it cannot be captured as {name}{hint}"
                problem = f"{step.title}: cannot capture {name}: the result has no {pointer}"
                ended = evolve(ended, fault=expectation_failed(problem, (failure,)))
        return ended


def _params_hint(step: ScriptStep, params: Exact) -> tuple[str, ...]:
    """Return a hint if the pointers of a wait step start at the notification instead of its params."""
    outside = [one.pointer for one in step.expect if one.pointer.startswith("/params/")]
    if not outside or "params" in params.members():
        return ()
    return (f"the pointers of a wait step start inside params: write {outside[0].removeprefix('/params')}",)


def check_duration(step: ScriptStep, ended: PlanResult, duration: float) -> PlanResult:
    """Fail a step that took longer than its maxDuration, in addition to failed expectations."""
    if step.max_duration is None or duration <= step.max_duration:
        return ended
    limit, took = (f"{milliseconds(seconds):g} ms" for seconds in (step.max_duration, duration))
    failure = f"duration: expected at most {limit}, got {took}"
    hints = step.unit_hints("maxDuration")
    fault = expectation_failed(f"{step.title}: took longer than maxDuration", (failure,))
    if isinstance(ended.fault, OperationFailed) and ended.fault.code == "EXPECTATION_FAILED":
        fault = expectation_failed(ended.fault.problem, (*ended.fault.evidence, failure))
        hints = (*ended.fault.hints, *hints)
    return evolve(ended, fault=evolve(fault, hints=hints))

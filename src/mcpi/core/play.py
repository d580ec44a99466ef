"""A script carried out, step after step, on one connection."""

from collections.abc import Callable, Mapping
from typing import cast

from attrs import evolve, field

from mcpi.core import faults
from mcpi.core.acts import Acts, Await, Now, Settle
from mcpi.core.backlog import Backlog
from mcpi.core.catalog import Hinting, silent
from mcpi.core.ended import Ended, begin
from mcpi.core.events import Event, Notified, weight
from mcpi.core.exact import Exact, Printable, plain
from mcpi.core.expect import judge, settled
from mcpi.core.explain import sentence
from mcpi.core.faults import Failed, Fault, Interrupted, Invalid, TimedOut
from mcpi.core.frozen import frozen
from mcpi.core.interpret import Admit, interpret
from mcpi.core.json_flags import bind
from mcpi.core.method import AnyMethod
from mcpi.core.negotiate import open_session
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.outputs import Reported
from mcpi.core.pairs import Expectation
from mcpi.core.render import Array, dump
from mcpi.core.report import Facts, Work, envelope, facts
from mcpi.core.script import Script, next_index
from mcpi.core.script_step import ScriptStep
from mcpi.core.server import EMPTY
from mcpi.core.session import KEPT, Session
from mcpi.core.steps import Emit, Plan, request
from mcpi.core.transcript import Transcript
from mcpi.core.variables import captured, fill_in, fill_in_text


@frozen
class Manner:
    """How a script is played."""

    admit: Callable[[AnyMethod], Admit]
    fail_on_error: bool = False
    lines: bool = False
    """Each envelope is a line at once, rather than an element at the end."""
    array: Array | None = None
    """What the envelopes are written into, if they are not wanted as values."""
    ledger: list[Reported] = field(factory=list)
    """Where the reports find the steps, if there are to be reports."""
    reports: bool = False
    hints: Hinting = silent


@frozen
class _Done:
    step: ScriptStep
    ended: Ended
    failed: bool
    duration: float
    part: Transcript
    facts: Facts


class Player:
    """One run of a script."""

    def __init__(self, script: Script, session: Session, seen: Transcript, manner: Manner) -> None:
        """Nothing has been done."""
        self.script = script
        self.session = session
        self.seen = seen
        self.manner = manner
        self.variables: dict[str, Exact] = dict(script.variables)
        self.envelopes: list[Printable] = []
        self.unwritten: _Done | None = None
        self.failure: Fault | None = None
        self.passed: Backlog[Event] = Backlog(KEPT, weight)

    def play(self) -> Acts[Ended]:
        """All envelopes, and the first failure that counts."""
        self.session.keep = True
        index = 0
        while index < len(self.script.steps):
            step = self.script.steps[index]
            failed = yield from self._one(step)
            lost = self.session.lost is not None
            index = step.index + 1 if lost else next_index(step, failed=failed, count=len(self.script.steps))
            if isinstance(self.session.lost, Interrupted):
                # A step may be allowed to fail; the script was not allowed to be cut short.
                self.failure = self.failure or self.session.lost
                break
        self._finish()
        if self.manner.lines:
            return Ended(None, self.failure, "")
        if self.manner.array is not None:
            return Ended(None, self.failure, self.manner.array.text + "\n")
        return Ended(self.envelopes, self.failure)

    def _one(self, step: ScriptStep) -> Acts[bool]:
        """Whether the step failed."""
        started: float = yield Now()
        ended = yield from self._measured(step)
        if self.session.debugged:
            yield Settle()
            yield from self.session.gather(0.0)
        ended = self._captured(step, ended).hinted(self.manner.hints)
        now: float = yield Now()
        failed = ended.fault is not None and faults.exit_code(ended.fault, fail_on_error=self.manner.fail_on_error) != 0
        if failed and not step.allow_failure and self.failure is None:
            self.failure = ended.fault
        self._finish()
        done = _Done(step, ended, failed, now - started, self.seen.cut(), facts(self.session, now))
        if self.manner.lines:
            yield Emit(dump(self._document(done)) + "\n")
        else:
            self.unwritten = done
        return failed

    def _finish(self) -> None:
        """The envelope of the last step finds its place."""
        if self.unwritten is None:
            return
        keep = self.envelopes.append if self.manner.array is None else self.manner.array.add
        keep(self._document(self.unwritten))
        self.unwritten = None

    def _document(self, done: _Done) -> dict[str, Printable]:
        step = done.step
        method = step.method.name if step.method is not None else None
        about: dict[str, Printable] = {"index": step.index}
        about |= {"name": step.name} if step.name is not None else {}
        about |= {"wait": step.wait} if step.wait is not None else {}
        document = envelope(Work(method, done.duration, about), done.ended, done.part, done.facts)
        if self.manner.reports:
            messages = tuple(done.part.messages)
            self.manner.ledger.append(Reported(step.title, document, done.failed, step.allow_failure, messages))
        return document

    def _meanwhile(self, acts: Acts[Ended]) -> Acts[Ended]:
        """The same acts; while the server thinks about its answer, the envelope of the step before is written."""
        reply: object = None
        while True:
            try:
                act = acts.send(reply)
            except StopIteration as done:
                return cast("Ended", done.value)
            if self.unwritten is not None and type(act) is Await:
                self._finish()
            reply = yield act

    def _measured(self, step: ScriptStep) -> Acts[Ended]:
        """How the step ended, measured by what it expects."""
        if self.session.lost is not None:
            return Ended(None, self.session.lost)
        match filled(step, self.variables):
            case Success(ready):
                ended = yield from self._carry_out(ready)
                return ended if step.wait is not None else (yield from judged(step.title, ready.expect, ended))
            case Failure(fault):
                return Ended(None, fault)

    def _carry_out(self, step: ScriptStep) -> Acts[Ended]:
        carried = self._wait(step, step.wait) if step.wait is not None else self._method(step)
        if step.timeout is None:
            return (yield from carried)
        usual = self.session.terms
        self.session.terms = evolve(usual, patience=step.timeout, total=max(usual.total, step.timeout))
        ended = yield from carried
        self.session.terms = evolve(self.session.terms, patience=usual.patience, total=usual.total)
        return ended

    def _method(self, step: ScriptStep) -> Acts[Ended]:
        assert step.method is not None
        self.session.events.clear()
        self.passed.clear()
        match plan(step, step.method):
            case Success(made):
                begun = begin(made)
            case Failure(fault):
                return Ended(None, fault)
        if isinstance(begun, Ended):
            return begun
        return (yield from self._meanwhile(interpret(begun, self.session, self.manner.admit(step.method))))

    def _wait(self, step: ScriptStep, awaited: str) -> Acts[Ended]:
        """The params of the notification, which may have come while the step before it was carried out."""
        opened = yield from open_session(self.session)
        if isinstance(opened, Failure):
            return Ended(None, opened.failure())
        started: float = yield Now()
        until = started + self.session.terms.patience
        self.session.events.take_back(self.passed)
        while True:
            found = yield from self._found(awaited, step.expect)
            if found is not None:
                return Ended(found)
            if self.session.lost is not None:
                return Ended(None, self.session.lost)
            now: float = yield Now()
            if now >= until:
                waited = round(now - started, 3)
                return Ended(None, TimedOut("REQUEST_TIMEOUT", waited, awaited, self.session.last_seen))
            yield from self.session.gather(until)

    def _found(self, awaited: str, expected: tuple[Expectation, ...]) -> Acts[Exact | None]:
        """The params of the first such notification; those that it passes are for the next step that waits."""
        events = self.session.events
        while events:
            event = events.popleft()
            if not isinstance(event, Notified):
                continue
            params = event.params or EMPTY
            if event.method == awaited and not (yield from judge(expected, params.value)):
                return params
            self.passed.append(event)
        return None

    def _captured(self, step: ScriptStep, ended: Ended) -> Ended:
        if ended.result is None:
            return ended
        for name, place in step.capture.items():
            pointer = fill_in_text(place, self.variables)
            found: Exact | None = captured(ended.result, pointer)
            if found is not None:
                self.variables[name] = found
            elif ended.fault is None:
                problem = f"{step.title}: there is nothing at {pointer or '/'} to capture as {name}"
                ended = Ended(ended.result, Failed("EXPECTATION_FAILED", problem))
        return ended


def filled(step: ScriptStep, variables: Mapping[str, Exact]) -> Outcome[ScriptStep]:
    """The step with its variables filled in."""
    wants = step.wants
    if not wants:
        return Success(step)
    missing = [name for name in wants if name not in variables]
    if missing:
        problem = f"the variable ${{{missing[0]}}} has no value: the step that captures it did not succeed"
        return Failure(Invalid("INVALID_ARGUMENT", step.title, problem))
    flags = {key: fill_in(value, variables) for key, value in step.flags.items()}
    params = None if step.params is None else fill_in(step.params, variables)
    match settled(step.expect, variables):
        case Success(expect):
            return Success(evolve(step, flags=flags, params=params, expect=expect))
        case Failure(fault):
            return Failure(Invalid("INVALID_ARGUMENT", step.title, sentence(fault)))


def plan(step: ScriptStep, method: AnyMethod) -> Outcome[Plan]:
    """What a step does whose variables are filled in."""
    if step.params is not None:
        return Success(request(method.name, step.params))
    if step.bound is not None:
        return Success(method.plan(step.bound))
    match bind(method, step.flags):
        case Success(args):
            return Success(method.plan(args))
        case Failure() as failed:
            return failed


def judged(what: str, expected: tuple[Expectation, ...], ended: Ended) -> Acts[Ended]:
    """The end, or the failure that what was expected does not hold; a tool's own error may be expected."""
    if not expected or ended.result is None:
        return ended
    broken = yield from judge(expected, plain(ended.result))
    if not broken:
        return ended
    problem = f"{what}: {len(broken)} of {len(expected)} expectations did not hold"
    return Ended(ended.result, Failed("EXPECTATION_FAILED", problem, broken, {"failures": list(broken)}))

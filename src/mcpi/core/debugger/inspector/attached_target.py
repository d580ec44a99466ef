"""One inspector of a Node.js process or worker thread: set it up, run the program, and process its events."""

import re

from attrs import evolve

from mcpi.core.debugger.inspector import call_frames, cdp_commands, recorder_js
from mcpi.core.debugger.inspector.cdp_commands import parse_message
from mcpi.core.debugger.inspector.cdp_requests import PendingCommands
from mcpi.core.debugger.inspector.debug_effects import (
    EvaluationStarted,
    ExpressionInvalid,
    LimitReached,
    LoadSourceMap,
    SendCommands,
    TargetEffects,
    TargetEffectsOf,
    TargetFinished,
    TargetFlushed,
    TargetOutputs,
    TargetReports,
    ValueFound,
    WriteMessage,
)
from mcpi.core.debugger.inspector.loader_stops import LoaderStops
from mcpi.core.debugger.inspector.recorder_js import Form, Hit
from mcpi.core.debugger.inspector.script_breakpoints import ScriptBreakpoints, forget
from mcpi.core.debugger.sources.locations import RequestedBreakpoint
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text

_AWAIT = re.compile(r"\bawait\b")
_START_REASONS = {"Break on start", "ambiguous"}
"""Reasons for the pause at the first line of the program; `ambiguous` if that line also has a breakpoint."""


@frozen
class BreakpointPlan:
    """The breakpoints that all inspectors of one run share."""

    aims: tuple[RequestedBreakpoint, ...]
    expressions: tuple[str, ...]
    limits: RecordingLimits = RecordingLimits()
    frames: bool = False
    """Each hit has the call stack and the names in scope."""
    condition: str = ""
    """JavaScript that must be true for a hit to count; empty for every hit."""


class AttachedTarget:
    """The state of one inspector: its breakpoints, source maps, and workers."""

    def __init__(self, plan: BreakpointPlan, forms: tuple[Form, ...] = (), *, is_worker: bool = False) -> None:
        """Start without breakpoints; the expressions are checked first, unless their forms are already known."""
        self.plan = plan
        self.is_worker = is_worker
        self.released: bool = False
        self.started: bool = False
        self.breakpoints: ScriptBreakpoints = ScriptBreakpoints(plan.aims, plan.limits, pauses=plan.frames)
        self.breakpoints.forms = forms
        self._pending = PendingCommands()
        self._stops = LoaderStops(plan.aims)
        self._urls: dict[str, str] = {}
        self._workers: dict[str, AttachedTarget] = {}

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms in which the expressions compile; empty if they are not known."""
        return self.breakpoints.forms

    def open(self) -> TargetOutputs:
        """Set up the inspector and run the program."""
        return self._pending.begin(self._set_up())

    def receive(self, message: JsonObject) -> TargetOutputs:
        """Process a message from the inspector."""
        if "id" in message:
            yield from self._pending.receive_response(message)
            return
        params = as_object(message.get("params"))
        match message.get("method"):
            case "Runtime.bindingCalled" if params.get("name") == recorder_js.BINDING:
                yield from _report_hit(as_text(params.get("payload")))
            case "Debugger.paused":
                self.started = self.started or params.get("reason") in _START_REASONS
                self.breakpoints.paused(params)
                yield from self._pending.begin(self._handle_pause(params))
            case "Debugger.scriptParsed":
                self._urls[as_text(params.get("scriptId"))] = as_text(params.get("url"))
                yield from self._pending.begin(self.breakpoints.prepare(params))
            case "NodeRuntime.waitingForDisconnect":
                yield TargetFinished()
            case _:
                yield from self._worker_event(message.get("method"), params)

    @property
    def inspectors(self) -> int:
        """Number of TargetFlushed reports to expect: one for the process and one for each of its workers."""
        return 1 + sum(worker.inspectors for worker in self._workers.values())

    def flush(self) -> TargetOutputs:
        """Flush the events up to now; TargetFlushed follows when they have arrived."""
        yield from self._pending.begin(_flush())
        for session, worker in self._workers.items():
            yield from self._relay(session, worker.flush())

    def stop(self) -> TargetOutputs:
        """Remove all breakpoints, so that the program continues at full speed."""
        for command in forget((*self.breakpoints.names(), *self._stops.names())):
            yield self._pending.send(command)
        for session, worker in self._workers.items():
            yield from self._relay(session, worker.stop())

    def _set_up(self) -> TargetEffects:
        if not self.forms:
            self.breakpoints.forms = yield from _compiled_forms(self.plan)
            if not self.forms:
                return
        if not self.is_worker:
            yield cdp_commands.WAIT_FOR_DISCONNECT
        yield from cdp_commands.setup_commands(self.plan.limits)
        yield from self._stops.set_up()
        self.released = True
        yield cdp_commands.RUN_IF_WAITING

    def resend_run(self) -> TargetOutputs:
        """Send the run command again, unless the program has stopped at its first line since or is not set up yet."""
        # Node.js listens before it begins to wait, and ignores a run command that arrives in between.
        if self.released and not self.started:
            yield self._pending.send(cdp_commands.RUN_IF_WAITING)

    def _handle_pause(self, params: JsonObject) -> TargetEffects:
        """Handle a pause according to the breakpoints that were hit; the pause reason is not reliable."""
        hit = {as_text(name) for name in as_list(params.get("hitBreakpoints"))}
        yield from self._stops.paused(params, hit)
        frames = as_list(params.get("callFrames"))
        # V8 has already checked the condition of the breakpoints that were hit.
        numbers = [(one, "") for one in self.breakpoints.numbers_of(hit)]
        numbers += [(one, self.forms[one].condition) for one in self.breakpoints.resumed()]
        for number, condition in numbers if frames else ():
            yield from self._evaluate(number, condition, frames)
        yield cdp_commands.RESUME

    def _evaluate(self, number: int, condition: str, frames: list[Json]) -> TargetEffects:
        yield EvaluationStarted()
        expression = recorder_js.on_pause(number, self.forms[number], self.plan.limits, condition)
        answer = yield cdp_commands.evaluate(as_text(as_object(frames[0]).get("callFrameId")), expression)
        payload = as_text(as_object(as_object(answer.get("result")).get("result")).get("value"))
        if condition and not payload:
            return
        details = (yield from call_frames.details(frames, self._urls)) if self.plan.frames else None
        hit = recorder_js.parse_hit(payload) or Hit(number, "", "")
        yield ValueFound(number, hit.value, hit.promise, details)

    def _worker_event(self, method: Json, params: JsonObject) -> TargetOutputs:
        session = as_text(params.get("sessionId"))
        worker = self._workers.get(session)
        match method:
            case "NodeWorker.attachedToWorker":
                worker = self._workers[session] = AttachedTarget(self.plan, self.forms, is_worker=True)
                yield from self._relay(session, worker.open())
            case "NodeWorker.receivedMessageFromWorker" if worker is not None:
                message = parse_message(as_text(params.get("message")))
                if message is not None:
                    yield from self._relay(session, worker.receive(message))
            case "NodeWorker.detachedFromWorker":
                self._workers.pop(session, None)
            case _:
                pass

    def _relay(self, session: str, outputs: TargetOutputs) -> TargetOutputs:
        """Send the commands for a worker's inspector through that of its process."""
        reply: str | None = None
        while True:
            try:
                output = outputs.send(reply)
            except StopIteration:
                return
            reply = None
            match output:
                case WriteMessage(text):
                    yield self._pending.send(cdp_commands.to_worker(session, text))
                case LoadSourceMap():
                    reply = yield output
                case _:
                    yield output


def _report_hit(payload: str) -> TargetReports:
    hit = recorder_js.parse_hit(payload)
    if payload == recorder_js.FULL:
        yield LimitReached()
    elif payload == recorder_js.STARTED:
        yield EvaluationStarted()
    elif hit is not None:
        yield ValueFound(hit.number, hit.value, hit.promise)


def _compiled_forms(plan: BreakpointPlan) -> TargetEffectsOf[tuple[Form, ...]]:
    """Return the form in which each expression compiles; empty if one does not, or the condition does not."""
    found: list[Form] = []
    for source in plan.expressions:
        form = yield from _compiled_form(source)
        if form is None:
            return ()
        found.append(form)
    if not plan.condition:
        return tuple(found)
    text = recorder_js.as_expression(plan.condition).text
    commands = (cdp_commands.COMPILER_ON, cdp_commands.compile_script(text), cdp_commands.COMPILER_OFF)
    answers = yield SendCommands(commands)
    error = recorder_js.compile_error(answers[1])
    if error is not None and not recorder_js.is_valid_in_frame(error):
        yield ExpressionInvalid(f"condition: {error}")
        return ()
    condition = plan.condition if error is None else recorder_js.in_eval(text)
    return tuple(evolve(form, condition=condition) for form in found)


def _compiled_form(source: str) -> TargetEffectsOf[Form | None]:
    forms = (recorder_js.as_expression(source), recorder_js.as_async(source), recorder_js.as_statements(source))
    texts = (forms[0].text, forms[1].text, source)
    compiled = (cdp_commands.compile_script(text) for text in texts)
    answers = yield SendCommands((cdp_commands.COMPILER_ON, *compiled, cdp_commands.COMPILER_OFF))
    errors = [recorder_js.compile_error(answer) for answer in answers[1:4]]
    compiled_forms = [
        form if error is None else evolve(form, text=recorder_js.in_eval(text))
        for form, text, error in zip(forms, texts, errors, strict=True)
        if error is None or recorder_js.is_valid_in_frame(error)
    ]
    # Outside async functions, `await` is also a valid name: `await -x` is a subtraction there.
    preferred = [form for form in compiled_forms if form.is_async] if _AWAIT.search(source) else []
    for form in (*preferred, *compiled_forms):
        return form
    yield ExpressionInvalid(errors[0] or "")
    return None


def _flush() -> TargetEffects:
    yield cdp_commands.FLUSH
    yield TargetFlushed()

"""One inspector of a Node.js process or worker thread: set it up, run the program, and process its events."""

from mcpi.core.debugger.inspector import cdp_commands, file_urls, recorder_js, source_maps
from mcpi.core.debugger.inspector.cdp_commands import parse_message
from mcpi.core.debugger.inspector.cdp_requests import PendingCommands
from mcpi.core.debugger.inspector.debug_effects import (
    BreakpointResolved,
    ExpressionInvalid,
    GeneratedFile,
    LimitReached,
    LoadSourceMap,
    SendAndForget,
    SendCommand,
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
from mcpi.core.debugger.inspector.recorder_js import DIRECT, FULL, MAPPED
from mcpi.core.debugger.inspector.source_maps import SourceMap
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text

_COMPILED_SUFFIXES = (".ts", ".mts", ".cts", ".tsx", ".jsx")


@frozen
class BreakpointAim:
    """The breakpoint for all inspectors of one run: the real path, the zero-based line, and the expression."""

    path: str
    line: int
    source: str
    most: int
    predicted: tuple[GeneratedFile, ...] = ()


@frozen
class OwnBreakpoint:
    """A breakpoint of ours: the tag of its hits, the line it was set at, and the source line of that line."""

    tag: str
    line: int
    source_line: int


class AttachedTarget:
    """The state of one inspector: its breakpoints, source maps, and workers."""

    def __init__(self, aim: BreakpointAim, form: str | None = None, *, is_worker: bool = False) -> None:
        """Start without breakpoints; the expression is checked first, unless its form is already known."""
        self.aim = aim
        self.is_worker = is_worker
        self.compiled_form: str = form or ""
        self.released: bool = False
        self.started: bool = False
        self._pending = PendingCommands()
        self._breakpoints: dict[str, OwnBreakpoint] = {}
        self._entry_breakpoints: set[str] = set()
        self._mapped_positions: set[tuple[str, int, int]] = set()
        self._transformed = False
        self._maps: dict[str, SourceMap] = {}
        self._workers: dict[str, AttachedTarget] = {}

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
                yield from self._report_hit(as_text(params.get("payload")))
            case "Debugger.paused":
                self.started = True
                yield from self._pending.begin(self._handle_pause(params))
            case "Debugger.scriptParsed":
                yield from self._pending.begin(self._script_parsed(params))
            case "Debugger.breakpointResolved":
                yield from self._report_line(as_text(params.get("breakpointId")), as_object(params.get("location")))
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
        names, self._breakpoints = (*self._breakpoints, *self._entry_breakpoints), {}
        self._entry_breakpoints.clear()
        for name in names:
            yield from self._pending.begin(_once(cdp_commands.remove_breakpoint(name)))
        for session, worker in self._workers.items():
            yield from self._relay(session, worker.stop())

    def _set_up(self) -> TargetEffects:
        if not self.compiled_form:
            self.compiled_form = yield from self._compiling_form()
            if not self.compiled_form:
                return
        if not self.is_worker:
            yield cdp_commands.WAIT_FOR_DISCONNECT
        yield from cdp_commands.setup_commands(self.aim.most)
        yield from self._set_breakpoints()
        self.released = True
        yield cdp_commands.RUN_IF_WAITING

    def resend_run(self) -> TargetOutputs:
        """Send the run command again, unless the program has stopped at its first line since or is not set up yet."""
        # Node.js listens before it begins to wait, and ignores a run command that arrives in between.
        if self.released and not self.started:
            yield from self._pending.begin(_once(cdp_commands.RUN_IF_WAITING))

    def _compiling_form(self) -> TargetEffectsOf[str]:
        """Return the form in which the expression compiles; empty if it does not."""
        yield cdp_commands.COMPILER_ON
        forms = (recorder_js.as_expression(self.aim.source), self.aim.source)
        compiled = (cdp_commands.compile_script(form) for form in forms)
        answers = yield SendCommands((*compiled, cdp_commands.COMPILER_OFF))
        errors = [recorder_js.compile_error(answer) for answer in answers[:2]]
        if errors[0] is None:
            return forms[0]
        if errors[1] is None:
            return recorder_js.as_statements(self.aim.source)
        yield ExpressionInvalid(errors[0])
        return ""

    def _set_breakpoints(self) -> TargetEffects:
        aim, pattern = self.aim, file_urls.url_regex(self.aim.path)
        commands: list[tuple[SendCommand, OwnBreakpoint | None]] = [
            (self._by_url(pattern, aim.line, 0, DIRECT), OwnBreakpoint(DIRECT, aim.line, aim.line))
        ]
        for one in aim.predicted:
            found = one.mapping.generated(aim.line)
            if found is not None:
                by_url = self._by_url(file_urls.url_regex(one.path), found.line, found.column, MAPPED)
                commands.append((by_url, OwnBreakpoint(MAPPED, found.line, found.source_line)))
                self._mapped_positions.add((one.path, found.line, found.column))
        if aim.path.endswith(_COMPILED_SUFFIXES):
            # Such a file may be compiled while it is loaded: it pauses once at its start, to be inspected.
            commands.append((cdp_commands.stop_by_url(pattern, 0, 0), None))
        answers = yield SendCommands(tuple(command for command, _ in commands))
        for (_, own), answer in zip(commands, answers, strict=True):
            yield from self._register(answer, own)

    def _by_url(self, pattern: str, line: int, column: int, tag: str) -> SendCommand:
        return cdp_commands.stop_by_url(pattern, line, column, recorder_js.condition(tag, self.compiled_form))

    def _register(self, answer: JsonObject, own: OwnBreakpoint | None) -> TargetReports:
        """Register the breakpoint that a response names as ours."""
        result = as_object(answer.get("result"))
        name = as_text(result.get("breakpointId"))
        if not name:
            return
        if own is None:
            self._entry_breakpoints.add(name)
            return
        self._breakpoints[name] = own
        for location in (*as_list(result.get("locations")), result.get("actualLocation")):
            if location is not None:
                yield from self._report_line(name, as_object(location))

    def _report_line(self, name: str, location: JsonObject) -> TargetReports:
        """Report the source line that V8 moved the breakpoint to."""
        own, line = self._breakpoints.get(name), _number(location.get("lineNumber"))
        if own is None or (own.tag == DIRECT and self._transformed):
            return
        mapping = self._maps.get(as_text(location.get("scriptId")))
        if line == own.line:
            # One line of generated code may hold many source lines: the column that V8 chose is ambiguous.
            yield BreakpointResolved(own.source_line)
        elif own.tag == DIRECT:
            yield BreakpointResolved(line)
        else:
            original = mapping.original(line, _number(location.get("columnNumber"))) if mapping else None
            yield from () if original is None else (BreakpointResolved(original),)

    def _report_hit(self, payload: str) -> TargetReports:
        tag, text = payload[:1], payload[1:]
        if tag == FULL:
            yield LimitReached()
        elif tag == MAPPED or not self._transformed:
            # A direct hit in a transformed file does not count: its line is not the requested source line.
            yield ValueFound(text)

    def _script_parsed(self, params: JsonObject) -> TargetEffects:
        """Set the breakpoint in a loaded script that was generated from our file."""
        path = file_urls.path_of(as_text(params.get("url")))
        reference, script = as_text(params.get("sourceMapURL")), as_text(params.get("scriptId"))
        if path is None or not reference:
            return
        text = yield from _map_text(path, reference)
        if text is None or not source_maps.may_include(text, self.aim.path):
            return
        base = path if reference.startswith("data:") else file_urls.resolve_reference(path, reference)
        mapping = source_maps.parse_source_map(text, base or path, self.aim.path)
        found = mapping.generated(self.aim.line) if mapping else None
        if mapping is None or found is None:
            return
        self._maps[script] = mapping
        self._transformed = self._transformed or path == self.aim.path
        if (path, found.line, found.column) not in self._mapped_positions:
            text = recorder_js.condition(MAPPED, self.compiled_form)
            answer = yield cdp_commands.stop_in_script(script, found.line, found.column, text)
            yield from self._register(answer, OwnBreakpoint(MAPPED, found.line, found.source_line))

    def _handle_pause(self, params: JsonObject) -> TargetEffects:
        """Handle a pause according to the breakpoints that were hit; the pause reason is not reliable."""
        hit = {as_text(name) for name in as_list(params.get("hitBreakpoints"))}
        for name in sorted(hit & self._entry_breakpoints):
            self._entry_breakpoints.discard(name)
            yield cdp_commands.remove_breakpoint(name)
        frames = as_list(params.get("callFrames"))
        for name in sorted(hit & self._breakpoints.keys()) if frames else ():
            tag = self._breakpoints[name].tag
            frame = as_text(as_object(frames[0]).get("callFrameId"))
            answer = yield cdp_commands.evaluate(frame, recorder_js.on_pause(self.compiled_form))
            value = as_object(as_object(answer.get("result")).get("result")).get("value")
            yield from self._report_hit(f"{tag}{as_text(value)}")
        yield cdp_commands.RESUME

    def _worker_event(self, method: Json, params: JsonObject) -> TargetOutputs:
        session = as_text(params.get("sessionId"))
        worker = self._workers.get(session)
        match method:
            case "NodeWorker.attachedToWorker":
                worker = self._workers[session] = AttachedTarget(self.aim, self.compiled_form, is_worker=True)
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
                    yield from self._pending.begin(_once(cdp_commands.to_worker(session, text)))
                case LoadSourceMap():
                    reply = yield output
                case _:
                    yield output


def _once(command: SendAndForget) -> TargetEffects:
    yield command


def _flush() -> TargetEffects:
    yield cdp_commands.FLUSH
    yield TargetFlushed()


def _map_text(path: str, reference: str) -> TargetEffectsOf[str | None]:
    """Load the text of a script's source map."""
    if reference.startswith("data:"):
        return source_maps.decode_data_url(reference)
    place = file_urls.resolve_reference(path, reference)
    return None if place is None else (yield LoadSourceMap(place))


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0

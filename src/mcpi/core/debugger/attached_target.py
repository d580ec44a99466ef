"""One inspector: a Node.js process, or a worker thread in it. It is set up, let go, and listened to."""

from mcpi.core.debugger import cdp_commands, file_urls, recorder_js, source_maps
from mcpi.core.debugger.cdp_commands import parse_message
from mcpi.core.debugger.cdp_requests import PendingCommands
from mcpi.core.debugger.debug_effects import (
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
from mcpi.core.debugger.recorder_js import DIRECT, FULL, MAPPED
from mcpi.core.debugger.source_maps import SourceMap
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text

_TRANSFORMED = (".ts", ".mts", ".cts", ".tsx", ".jsx")


@frozen
class BreakpointAim:
    """Where to look, in all inspectors of one run: the real path, the line from 0, the expression."""

    path: str
    line: int
    source: str
    most: int
    predicted: tuple[GeneratedFile, ...] = ()


@frozen
class OwnBreakpoint:
    """A breakpoint of ours: how its hits begin, the line it was set at, and the line of the source that is."""

    tag: str
    line: int
    source_line: int


class AttachedTarget:
    """What one inspector was told, and what it told."""

    def __init__(self, aim: BreakpointAim, form: str | None = None, *, is_worker: bool = False) -> None:
        """Nothing was said; the expression is checked first, unless its form is known already."""
        self.aim = aim
        self.is_worker = is_worker
        self.form: str = form or ""
        self.released: bool = False
        self.started: bool = False
        self._talks = PendingCommands()
        self._own: dict[str, OwnBreakpoint] = {}
        self._entries: set[str] = set()
        self._mapped: set[tuple[str, int, int]] = set()
        self._transformed = False
        self._maps: dict[str, SourceMap] = {}
        self._workers: dict[str, AttachedTarget] = {}

    def open(self) -> TargetOutputs:
        """The set-up, up to the program's start."""
        return self._talks.begin(self._set_up())

    def receive(self, message: JsonObject) -> TargetOutputs:
        """What follows from a message of the inspector."""
        if "id" in message:
            yield from self._talks.answered(message)
            return
        params = as_object(message.get("params"))
        match message.get("method"):
            case "Runtime.bindingCalled" if params.get("name") == recorder_js.BINDING:
                yield from self._recorded(as_text(params.get("payload")))
            case "Debugger.paused":
                self.started = True
                yield from self._talks.begin(self._paused(params))
            case "Debugger.scriptParsed":
                yield from self._talks.begin(self._parsed(params))
            case "Debugger.breakpointResolved":
                yield from self._resolved(as_text(params.get("breakpointId")), as_object(params.get("location")))
            case "NodeRuntime.waitingForDisconnect":
                yield TargetFinished()
            case _:
                yield from self._from_workers(message.get("method"), params)

    @property
    def inspectors(self) -> int:
        """How many times Settled comes: once for the process and for each of its workers."""
        return 1 + sum(worker.inspectors for worker in self._workers.values())

    def settle(self) -> TargetOutputs:
        """What had happened up to now has arrived when Settled comes."""
        yield from self._talks.begin(_settling())
        for session, worker in self._workers.items():
            yield from self._wrapped(session, worker.settle())

    def stop(self) -> TargetOutputs:
        """Nothing more is wanted: the program goes on at full speed."""
        own, self._own = (*self._own, *self._entries), {}
        self._entries.clear()
        for name in own:
            yield from self._talks.begin(_once(cdp_commands.remove(name)))
        for session, worker in self._workers.items():
            yield from self._wrapped(session, worker.stop())

    def _set_up(self) -> TargetEffects:
        if not self.form:
            self.form = yield from self._checked()
            if not self.form:
                return
        if not self.is_worker:
            yield cdp_commands.STAY_FOR_US
        yield from cdp_commands.preparation(self.aim.most)
        yield from self._aim()
        self.released = True
        yield cdp_commands.RUN

    def nudge(self) -> TargetOutputs:
        """The program is let go once more, unless it has stopped at its first line since, or is not to run yet."""
        # Node.js listens before it begins to wait, and forgets then that it was let go already.
        if self.released and not self.started:
            yield from self._talks.begin(_once(cdp_commands.RUN))

    def _checked(self) -> TargetEffectsOf[str]:
        """The form in which the source compiles."""
        yield cdp_commands.COMPILER_ON
        forms = (recorder_js.as_expression(self.aim.source), self.aim.source)
        compiled = (cdp_commands.compiled(form) for form in forms)
        answers = yield SendCommands((*compiled, cdp_commands.COMPILER_OFF))
        complaints = [recorder_js.complaint(answer) for answer in answers[:2]]
        if complaints[0] is None:
            return forms[0]
        if complaints[1] is None:
            return recorder_js.as_statements(self.aim.source)
        yield ExpressionInvalid(complaints[0])
        return ""

    def _aim(self) -> TargetEffects:
        aim, pattern = self.aim, file_urls.url_regex(self.aim.path)
        asks: list[tuple[SendCommand, OwnBreakpoint | None]] = [
            (self._by_url(pattern, aim.line, 0, DIRECT), OwnBreakpoint(DIRECT, aim.line, aim.line))
        ]
        for one in aim.predicted:
            found = one.mapping.generated(aim.line)
            if found is not None:
                by_url = self._by_url(file_urls.url_regex(one.path), found.line, found.column, MAPPED)
                asks.append((by_url, OwnBreakpoint(MAPPED, found.line, found.source_line)))
                self._mapped.add((one.path, found.line, found.column))
        if aim.path.endswith(_TRANSFORMED):
            # Such a file may be compiled on its way to the VM: it stops once where it starts, to be looked at.
            asks.append((cdp_commands.stop_by_url(pattern, 0, 0), None))
        answers = yield SendCommands(tuple(ask for ask, _ in asks))
        for (_, own), answer in zip(asks, answers, strict=True):
            yield from self._known(answer, own)

    def _by_url(self, pattern: str, line: int, column: int, tag: str) -> SendCommand:
        return cdp_commands.stop_by_url(pattern, line, column, recorder_js.condition(tag, self.form))

    def _known(self, answer: JsonObject, own: OwnBreakpoint | None) -> TargetReports:
        """The breakpoint that an answer names is ours."""
        result = as_object(answer.get("result"))
        name = as_text(result.get("breakpointId"))
        if not name:
            return
        if own is None:
            self._entries.add(name)
            return
        self._own[name] = own
        for location in (*as_list(result.get("locations")), result.get("actualLocation")):
            if location is not None:
                yield from self._resolved(name, as_object(location))

    def _resolved(self, name: str, location: JsonObject) -> TargetReports:
        """The line of the source that V8 moved the breakpoint to."""
        own, line = self._own.get(name), _number(location.get("lineNumber"))
        if own is None or (own.tag == DIRECT and self._transformed):
            return
        mapping = self._maps.get(as_text(location.get("scriptId")))
        if line == own.line:
            # One line of generated code may hold many of the source: where V8 stands in it tells nothing.
            yield BreakpointResolved(own.source_line)
        elif own.tag == DIRECT:
            yield BreakpointResolved(line)
        else:
            original = mapping.original(line, _number(location.get("columnNumber"))) if mapping else None
            yield from () if original is None else (BreakpointResolved(original),)

    def _recorded(self, payload: str) -> TargetReports:
        tag, text = payload[:1], payload[1:]
        if tag == FULL:
            yield LimitReached()
        elif tag == MAPPED or not self._transformed:
            # A line of a file that was transformed is not the line that was meant.
            yield ValueFound(text)

    def _parsed(self, params: JsonObject) -> TargetEffects:
        """A script was loaded: if it was generated from our file, the breakpoint goes to its place there."""
        path = file_urls.path_of(as_text(params.get("url")))
        reference, script = as_text(params.get("sourceMapURL")), as_text(params.get("scriptId"))
        if path is None or not reference:
            return
        text = yield from _map_text(path, reference)
        if text is None or not source_maps.may_mention(text, self.aim.path):
            return
        base = path if reference.startswith("data:") else file_urls.reference(path, reference)
        mapping = source_maps.mapping(text, base or path, self.aim.path)
        found = mapping.generated(self.aim.line) if mapping else None
        if mapping is None or found is None:
            return
        self._maps[script] = mapping
        self._transformed = self._transformed or path == self.aim.path
        if (path, found.line, found.column) not in self._mapped:
            text = recorder_js.condition(MAPPED, self.form)
            answer = yield cdp_commands.stop_in_script(script, found.line, found.column, text)
            yield from self._known(answer, OwnBreakpoint(MAPPED, found.line, found.source_line))

    def _paused(self, params: JsonObject) -> TargetEffects:
        """What to do is told by the breakpoints that were hit; the reason of a pause tells nothing reliable."""
        hit = {as_text(name) for name in as_list(params.get("hitBreakpoints"))}
        for name in sorted(hit & self._entries):
            self._entries.discard(name)
            yield cdp_commands.remove(name)
        frames = as_list(params.get("callFrames"))
        for name in sorted(hit & self._own.keys()) if frames else ():
            tag = self._own[name].tag
            frame = as_text(as_object(frames[0]).get("callFrameId"))
            answer = yield cdp_commands.evaluate(frame, recorder_js.on_pause(self.form))
            value = as_object(as_object(answer.get("result")).get("result")).get("value")
            yield from self._recorded(f"{tag}{as_text(value)}")
        yield cdp_commands.RESUME

    def _from_workers(self, method: Json, params: JsonObject) -> TargetOutputs:
        session = as_text(params.get("sessionId"))
        worker = self._workers.get(session)
        match method:
            case "NodeWorker.attachedToWorker":
                worker = self._workers[session] = AttachedTarget(self.aim, self.form, is_worker=True)
                yield from self._wrapped(session, worker.open())
            case "NodeWorker.receivedMessageFromWorker" if worker is not None:
                message = parse_message(as_text(params.get("message")))
                if message is not None:
                    yield from self._wrapped(session, worker.receive(message))
            case "NodeWorker.detachedFromWorker":
                self._workers.pop(session, None)
            case _:
                pass

    def _wrapped(self, session: str, outputs: TargetOutputs) -> TargetOutputs:
        """What a worker's inspector is told goes through that of its process."""
        reply: str | None = None
        while True:
            try:
                output = outputs.send(reply)
            except StopIteration:
                return
            reply = None
            match output:
                case WriteMessage(text):
                    yield from self._talks.begin(_once(cdp_commands.to_worker(session, text)))
                case LoadSourceMap():
                    reply = yield output
                case _:
                    yield output


def _once(wish: SendAndForget) -> TargetEffects:
    yield wish


def _settling() -> TargetEffects:
    yield cdp_commands.ANYTHING
    yield TargetFlushed()


def _map_text(path: str, reference: str) -> TargetEffectsOf[str | None]:
    """The text of a script's source map."""
    if reference.startswith("data:"):
        return source_maps.inline(reference)
    place = file_urls.reference(path, reference)
    return None if place is None else (yield LoadSourceMap(place))


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0

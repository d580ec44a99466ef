"""The breakpoints of one inspector: find the position of each requested breakpoint in the loaded scripts."""

from collections.abc import Sequence

from attrs import define, field

from mcpi.core.debugger.inspector import cdp_commands, recorder_js
from mcpi.core.debugger.inspector.debug_effects import (
    BreakpointResolved,
    LoadSourceMap,
    NoCodeFound,
    SendAndForget,
    TargetEffects,
    TargetEffectsOf,
)
from mcpi.core.debugger.inspector.recorder_js import Form
from mcpi.core.debugger.sources import file_urls, source_maps
from mcpi.core.debugger.sources.function_ranges import Position, innermost
from mcpi.core.debugger.sources.locations import (
    BreakLocation,
    RequestedBreakpoint,
    after_line,
    break_locations,
    is_module_return,
    line_functions,
    on_line,
    positions,
)
from mcpi.core.debugger.sources.source_maps import SourceMap
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.jsontext.values import JsonObject, as_list, as_object, as_text

_END = 1 << 30
"""A line number beyond the end of any file."""


@define
class _SetBreakpoint:
    """A breakpoint at one position of a script, and the requested breakpoints that it serves."""

    name: str = ""
    numbers: list[int] = field(factory=list)


class ScriptBreakpoints:
    """Finds the requested positions in loaded scripts and sets breakpoints there."""

    def __init__(self, aims: Sequence[RequestedBreakpoint], limits: RecordingLimits, *, pauses: bool) -> None:
        """Start without scripts; with `pauses` every hit stops the program, so that its frames can be read."""
        self.aims = aims
        self.forms: tuple[Form, ...] = ()
        self._limits = limits
        self._pauses = pauses
        self._set: dict[tuple[str, Position], _SetBreakpoint] = {}
        self._prepared: set[tuple[str, int]] = set()
        self._realms: set[int] = set()
        self._paused_at: tuple[str, Position] | None = None
        self._missed: list[int] = []

    def paused(self, params: JsonObject) -> None:
        """Record the position at which the program has stopped."""
        # After the stop before a script, V8 reaches the script's first statement again.
        frame = as_object(next(iter(as_list(params.get("callFrames"))), None))
        location = as_object(frame.get("location"))
        before_script = params.get("reason") == "instrumentation"
        at = positions([location])[0]
        self._paused_at = None if before_script else (as_text(location.get("scriptId")), at)

    def resumed(self) -> list[int]:
        """Return the requested breakpoints that were set during the pause, at the paused position."""
        missed, self._missed, self._paused_at = self._missed, [], None
        return missed

    def numbers_of(self, names: set[str]) -> list[int]:
        """Return the requested breakpoints that the hit breakpoints serve."""
        return [number for one in self._set.values() if one.name in names for number in one.numbers]

    def names(self) -> list[str]:
        """Return the names of all breakpoints."""
        return [one.name for one in self._set.values()]

    def prepare(self, params: JsonObject) -> TargetEffects:
        """Set the breakpoints of a loaded script before it runs."""
        script, reference = as_text(params.get("scriptId")), as_text(params.get("sourceMapURL"))
        path = file_urls.path_of(as_text(params.get("url")))
        if path is None and not reference.startswith("data:"):
            return
        text = (yield from load_map(path or "/", reference)) if reference else None
        for aim in self.aims:
            mapping = find_mapping(text, path or "/", reference, aim.path)
            if mapping is None and path != aim.path:
                continue
            yield from self._install_recorder(params)
            if (script, aim.number) not in self._prepared:
                self._prepared.add((script, aim.number))
                yield from self._aim_at(script, aim, mapping)

    def _install_recorder(self, params: JsonObject) -> TargetEffects:
        """Install the recorder in another realm, such as a vm context."""
        context = params.get("executionContextId")
        if as_object(params.get("executionContextAuxData")).get("isDefault", True) or not isinstance(context, int):
            return
        if context not in self._realms:
            self._realms.add(context)
            yield from cdp_commands.recorder_in_context(context, self._limits)

    def _aim_at(self, script: str, aim: RequestedBreakpoint, mapping: SourceMap | None) -> TargetEffects:
        found = yield from _locations(script, mapping, aim, aim.line, aim.line)
        chosen, entered = on_line(found, aim), ""
        if chosen is None or (mapping is None and is_module_return(chosen.source, aim.text)):
            chosen, entered = yield from _in_function(script, mapping, aim, chosen)
        if chosen is not None:
            yield BreakpointResolved(aim.number, chosen.source[0], entered)
            yield from self._set_breakpoint(script, chosen.script, aim)

    def _set_breakpoint(self, script: str, at: Position, aim: RequestedBreakpoint) -> TargetEffects:
        """Set a breakpoint, or replace the existing one with one that serves all requests."""
        own = self._set.setdefault((script, at), _SetBreakpoint())
        if own.name:
            yield cdp_commands.remove_breakpoint(own.name)
        own.numbers.append(aim.number)
        recorded = [(number, self.forms[number]) for number in own.numbers]
        pauses = self._pauses
        text = recorder_js.pause_condition(recorded[0][1]) if pauses else recorder_js.condition(recorded)
        answer = yield cdp_commands.stop_in_script(script, at, text)
        own.name = as_text(as_object(answer.get("result")).get("breakpointId"))
        if self._paused_at == (script, at):
            self._missed.append(aim.number)


def _locations(
    script: str, mapping: SourceMap | None, aim: RequestedBreakpoint, first: int, last: int
) -> TargetEffectsOf[list[BreakLocation]]:
    """List where V8 can break for these source lines."""
    span = ((first, 0), (last + 1, 0)) if mapping is None else mapping.generated(first, last)
    if span is None:
        return []
    answer = yield cdp_commands.possible_breakpoints(script, *span)
    found = as_list(as_object(answer.get("result")).get("locations"))
    return break_locations(found, mapping, aim.text or (mapping.text if mapping else ""))


def _in_function(
    script: str, mapping: SourceMap | None, aim: RequestedBreakpoint, end: BreakLocation | None
) -> TargetEffectsOf[tuple[BreakLocation | None, str]]:
    """Find a location in the function around a line without code, or after the line if there is no function around it.

    `end` is the end of the module, if it is on the line. Return also the name of the function that is entered.
    """
    functions = line_functions(aim.text or (mapping.text if mapping else ""), aim.line)
    around = functions.around
    first, last = (aim.line, _END) if around is None else (around.start[0], around.end[0])
    found = yield from _locations(script, mapping, aim, first, last)
    inside = [one for one in found if around is None or around.start < one.source <= around.end]
    own = inside if mapping else [one for one in inside if not is_module_return(one.source, aim.text)]
    dropped = around is not None and not own
    chosen = None if dropped else end if end in inside else after_line(inside, aim, functions)
    if chosen is None:
        yield NoCodeFound(aim.number, around.name if around else "", dropped=dropped)
        return None, ""
    entered = innermost(functions.functions, chosen.source) if around is None else None
    return chosen, entered.name if entered else ""


def load_map(path: str, reference: str) -> TargetEffectsOf[str | None]:
    """Load the text of a script's source map."""
    if reference.startswith("data:"):
        return source_maps.decode_data_url(reference)
    place = file_urls.resolve_reference(path, reference)
    return None if place is None else (yield LoadSourceMap(place))


def find_mapping(text: str | None, path: str, reference: str, source: str) -> SourceMap | None:
    """Return the mapping of a script to a source, if its map has one."""
    if text is None or not source_maps.may_include(text, source):
        return None
    base = path if reference.startswith("data:") else file_urls.resolve_reference(path, reference)
    return source_maps.parse_source_map(text, base or path, source)


def forget(names: Sequence[str]) -> tuple[SendAndForget, ...]:
    """Build the commands that remove breakpoints."""
    return tuple(cdp_commands.remove_breakpoint(name) for name in names if name)

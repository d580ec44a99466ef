"""The stops of one inspector before scripts run: at the loader's functions, and at each script's first statement."""

from collections.abc import Sequence

from mcpi.core.debugger.inspector import cdp_commands, entry_stops, script_breakpoints
from mcpi.core.debugger.inspector.debug_effects import SendCommands, TargetEffects, TargetEffectsOf
from mcpi.core.debugger.inspector.entry_stops import LOADER_FUNCTIONS, LoadedText, LoaderFunction
from mcpi.core.debugger.sources import file_urls, source_maps
from mcpi.core.debugger.sources.function_ranges import Position
from mcpi.core.debugger.sources.locations import RequestedBreakpoint, positions
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text

MAX_IDLE_STOPS = 5_000
"""Maximum number of stops before scripts, as some programs evaluate text continuously."""
_WITH_MAP, _ALL = "beforeScriptWithSourceMapExecution", "beforeScriptExecution"


class LoaderStops:
    """Stops the program before it runs a script that may contain a breakpoint."""

    def __init__(self, aims: Sequence[RequestedBreakpoint]) -> None:
        """Start without stops."""
        self._aims = aims
        self._paths = sorted({aim.path for aim in aims})
        self._loaders: dict[str, LoaderFunction] = {}
        self._before_scripts: list[str] = []
        self._entries: dict[str, tuple[str, Position]] = {}
        self._entered: set[str] = set()
        self._idle_stops = 0

    def names(self) -> list[str]:
        """Return the names of all stops."""
        return [*self._loaders, *self._before_scripts, *self._entries]

    def set_up(self) -> TargetEffects:
        """Set the stops that need no script yet."""
        found = yield SendCommands(tuple(cdp_commands.find_function(one.function) for one in LOADER_FUNCTIONS))
        functions = [_object_id(answer) for answer in found]
        loaders = [(one, name) for one, name in zip(LOADER_FUNCTIONS, functions, strict=True) if name]
        instrumentations = (_WITH_MAP, _ALL) if any(map(_is_module, self._aims)) else (_WITH_MAP,)
        commands = [
            *(cdp_commands.stop_before_scripts(one) for one in instrumentations),
            *(cdp_commands.stop_on_call(name, entry_stops.stops_for(one, self._paths)) for one, name in loaders),
        ]
        names = [_breakpoint_id(answer) for answer in (yield SendCommands(tuple(commands)))]
        self._before_scripts = names[: len(instrumentations)]
        self._loaders = {
            name: one for name, (one, _) in zip(names[len(instrumentations) :], loaders, strict=True) if name
        }
        for path in self._paths:
            yield from self._stop_at(path, (0, 0))

    def paused(self, params: JsonObject, hit: set[str]) -> TargetEffects:
        """Handle a pause that may be a stop before a script."""
        frame = as_object(next(iter(as_list(params.get("callFrames"))), None))
        script = as_text(as_object(frame.get("location")).get("scriptId"))
        for name in sorted(hit & self._loaders.keys()):
            yield from self._loading(self._loaders[name], as_text(frame.get("callFrameId")))
        entries = hit & self._entries.keys()
        if entries and script in self._entered:
            # The stop is not at the start of the script, but in a function that is called repeatedly.
            for name in sorted(entries):
                del self._entries[name]
                yield cdp_commands.remove_breakpoint(name)
        elif entries:
            self._entered.add(script)
        if params.get("reason") == "instrumentation":
            yield from self._count_idle()

    def _count_idle(self) -> TargetEffects:
        self._idle_stops += 1
        if self._idle_stops == MAX_IDLE_STOPS:
            for name in self._before_scripts:
                yield cdp_commands.remove_breakpoint(name)

    def _loading(self, loader: LoaderFunction, frame: str) -> TargetEffects:
        """Stop at the first statement of a text that is about to be compiled, if it may contain a breakpoint."""
        answer = yield cdp_commands.evaluate(frame, entry_stops.describe_text(loader))
        loaded = entry_stops.parse_text(answer)
        if loaded is None or not (yield from self._may_have_aim(loaded)):
            return
        answers = yield SendCommands(
            (
                cdp_commands.COMPILER_ON,
                cdp_commands.compile_script(entry_stops.probe_source(loader, loaded.text), keep=True),
                cdp_commands.COMPILER_OFF,
            )
        )
        script = as_text(as_object(answers[1].get("result")).get("scriptId"))
        if not script:
            return
        found = yield cdp_commands.possible_breakpoints(script, entry_stops.probe_start(loader))
        places = positions(as_list(as_object(found.get("result")).get("locations")))
        if places:
            yield from self._stop_at(loaded.path, entry_stops.entry_position(loader, loaded.offset, min(places)))

    def _may_have_aim(self, loaded: LoadedText) -> TargetEffectsOf[bool]:
        if loaded.path in self._paths:
            return True
        reference = source_maps.reference_in(loaded.text)
        if not reference:
            return False
        text = yield from script_breakpoints.load_map(loaded.path, reference)
        return text is not None and any(source_maps.may_include(text, path) for path in self._paths)

    def _stop_at(self, path: str, at: Position) -> TargetEffects:
        if (path, at) not in self._entries.values():
            answer = yield cdp_commands.stop_by_url(file_urls.url_regex(path), at)
            name = _breakpoint_id(answer)
            if name:
                self._entries[name] = (path, at)


def _is_module(aim: RequestedBreakpoint) -> bool:
    """Tell whether the file may be an ECMAScript module; all other files are compiled by a loader's function."""
    return aim.path.endswith((".mjs", ".mts")) or entry_stops.MODULE_SYNTAX.search(aim.text) is not None


def _object_id(answer: JsonObject) -> str:
    found = as_object(as_object(answer.get("result")).get("result"))
    return as_text(found.get("objectId")) if found.get("type") == "function" else ""


def _breakpoint_id(answer: JsonObject) -> str:
    name: Json = as_object(answer.get("result")).get("breakpointId")
    return as_text(name)

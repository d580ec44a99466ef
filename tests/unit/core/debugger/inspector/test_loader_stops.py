"""Stops before scripts run; without Node.js."""

from typing import Any

from mcpi.core.debugger.inspector.cdp_requests import PendingCommands
from mcpi.core.debugger.inspector.debug_effects import TargetEffects
from mcpi.core.debugger.inspector.loader_stops import MAX_IDLE_STOPS, LoaderStops
from mcpi.core.debugger.sources.file_urls import url_regex
from mcpi.core.debugger.sources.locations import RequestedBreakpoint
from mcpi.core.jsontext.values import Json, JsonObject
from support.inspector import CannedResponse, FakeInspector

JS = "/p/a.js"
MAP = '{"sources": ["/p/a.js"], "mappings": "AAAA"}'


class StoppedLoader:
    """Loader stops, and a VM that hits them."""

    def __init__(
        self,
        aim: RequestedBreakpoint,
        answers: dict[str, CannedResponse] | None = None,
        files: dict[str, str] | None = None,
    ) -> None:
        self.stops = LoaderStops([aim])
        self.node = FakeInspector(answers, files)
        self._pending = PendingCommands()
        self.run(self.stops.set_up())

    def run(self, routine: TargetEffects) -> None:
        """Run a routine to its end."""
        self.node.exchange(self._pending.receive_response, self._pending.begin(routine))

    def pause(self, *hit: str, script: str = "9", reason: str = "other") -> None:
        """Pause in a script."""
        frame: JsonObject = {"callFrameId": "f", "location": {"scriptId": script}}
        self.run(self.stops.paused({"reason": reason, "callFrames": [frame]}, set(hit)))

    @property
    def entries(self) -> list[tuple[str, int, int]]:
        """Return the breakpoints set at the starts of scripts."""
        found = self.node.params("Debugger.setBreakpointByUrl")
        return [(one["urlRegex"], one["lineNumber"], one["columnNumber"]) for one in found]


def test_stops_are_set_at_the_loaders_and_the_start_of_the_file() -> None:
    one = StoppedLoader(RequestedBreakpoint(0, JS, 4))

    assert [params["instrumentation"] for params in one.node.params("Debugger.setInstrumentationBreakpoint")] == [
        "beforeScriptWithSourceMapExecution"
    ]
    assert len(one.node.params("Debugger.setBreakpointOnFunctionCall")) == 3
    assert one.entries == [(url_regex(JS), 0, 0)]
    assert sorted(one.stops.names()) == ["bp1", "bp2", "bp3", "bp4", "bp5"]


def test_possible_module_stops_before_every_script() -> None:
    for aim in (RequestedBreakpoint(0, "/p/a.mjs", 4), RequestedBreakpoint(0, JS, 4, text="import x from 'y'")):
        one = StoppedLoader(aim)

        assert len(one.node.params("Debugger.setInstrumentationBreakpoint")) == 2


def test_node_without_the_loaders_stops_at_the_start_of_the_file() -> None:
    one = StoppedLoader(RequestedBreakpoint(0, JS, 4), {"Runtime.evaluate": {"result": {"type": "undefined"}}})

    assert one.node.params("Debugger.setBreakpointOnFunctionCall") == []
    assert len(one.stops.names()) == 2


def test_stop_without_a_breakpoint_id_is_omitted() -> None:
    refused: dict[str, CannedResponse] = {"Debugger.setBreakpointByUrl": {"breakpointId": ""}}

    assert len(StoppedLoader(RequestedBreakpoint(0, JS, 4), refused).stops.names()) == 4


def loading(file: str, text: str = "x") -> dict[str, CannedResponse]:
    value: Any = {"text": text, "file": file, "offset": [0, 0]}
    return {
        "Debugger.evaluateOnCallFrame": {"result": {"value": value}},
        "Runtime.compileScript": {"scriptId": "77"},
        "Debugger.getPossibleBreakpoints": {"locations": [{"lineNumber": 3, "columnNumber": 4}]},
    }


def test_loaded_text_stops_at_its_first_statement() -> None:
    one = StoppedLoader(RequestedBreakpoint(0, JS, 4), loading(JS))
    one.pause("bp2")
    one.pause("bp2")

    assert one.entries[1:] == [(url_regex(JS), 3, 4)]
    start: JsonObject = {"scriptId": "77", "lineNumber": 0, "columnNumber": 11}
    assert one.node.params("Debugger.getPossibleBreakpoints")[0] == {"start": start, "restrictToFunction": True}


def test_loaded_text_with_a_source_map_to_the_file_stops() -> None:
    text = "x\n//# sourceMappingURL=b.js.map"
    one = StoppedLoader(RequestedBreakpoint(0, JS, 4), loading("/p/b.js", text), {"/p/b.js.map": MAP})
    one.pause("bp2")

    assert one.entries[1:] == [(url_regex("/p/b.js"), 3, 4)]


def test_other_texts_get_no_stop() -> None:
    named = "x\n//# sourceMappingURL=b.js.map"
    for file, text, map_text in (
        ("/p/b.js", "x", MAP),
        ("/p/b.js", named, MAP.replace("a.js", "c.js")),
        ("/p/c.js", named, ""),
        ("vm.js", "x", ""),
    ):
        one = StoppedLoader(RequestedBreakpoint(0, JS, 4), loading(file, text), {"/p/b.js.map": map_text})
        one.pause("bp2")

        assert len(one.entries) == 1


def test_text_that_is_empty_or_does_not_compile_gets_no_stop() -> None:
    nowhere: tuple[tuple[str, CannedResponse], ...] = (
        ("Runtime.compileScript", {}),
        ("Debugger.getPossibleBreakpoints", {"locations": []}),
    )
    for method, answer in nowhere:
        one = StoppedLoader(RequestedBreakpoint(0, JS, 4), {**loading(JS), method: answer})
        one.pause("bp2")

        assert len(one.entries) == 1


def removed(one: StoppedLoader) -> list[Json]:
    return [params["breakpointId"] for params in one.node.params("Debugger.removeBreakpoint")]


def test_stop_hit_repeatedly_in_one_script_is_removed() -> None:
    one = StoppedLoader(RequestedBreakpoint(0, JS, 4))
    one.pause("bp5")
    one.pause("bp5", script="10")
    assert removed(one) == []

    one.pause("bp5", script="10")
    assert removed(one) == ["bp5"]


def test_instrumentation_stop_is_removed_after_many_idle_stops() -> None:
    one = StoppedLoader(RequestedBreakpoint(0, JS, 4))
    for _ in range(MAX_IDLE_STOPS + 5):
        one.pause(reason="instrumentation")

    assert removed(one) == ["bp1"]

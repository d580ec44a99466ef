"""Breakpoints in loaded scripts; without Node.js."""

import json
from base64 import b64encode
from typing import Any

import pytest

from mcpi.core.debugger.inspector.cdp_requests import PendingCommands
from mcpi.core.debugger.inspector.debug_effects import BreakpointResolved, NoCodeFound
from mcpi.core.debugger.inspector.recorder_js import BINDING, as_expression, condition, pause_condition
from mcpi.core.debugger.inspector.script_breakpoints import ScriptBreakpoints, forget
from mcpi.core.debugger.sources.locations import RequestedBreakpoint
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.jsontext.values import Json, JsonObject
from support.inspector import CannedResponse, FakeInspector

JS, TS, DIST = "/p/a.js", "/p/src/a.ts", "/p/dist/a.js"
FORM = as_expression("x")
# Line 4 of the source is mapped to line 1, column 2; line 6 to line 2.
MAP = json.dumps({"version": 3, "sources": ["../src/a.ts"], "mappings": ";EAIA;AAEA"})


def possible(*places: tuple[int, int]) -> CannedResponse:
    """Respond with the locations in the requested range."""

    def answer(command: Any) -> JsonObject:
        start, end = (
            (command["params"][name]["lineNumber"], command["params"][name]["columnNumber"])
            for name in ("start", "end")
        )
        found: list[Json] = [
            {"lineNumber": line, "columnNumber": column} for line, column in places if start <= (line, column) < end
        ]
        return {"locations": found}

    return answer


class LoadedScripts:
    """Script breakpoints, and a VM that loads scripts."""

    def __init__(
        self,
        *aims: RequestedBreakpoint,
        answer: CannedResponse,
        files: dict[str, str] | None = None,
        pauses: bool = False,
    ) -> None:
        self.breakpoints = ScriptBreakpoints(aims, RecordingLimits(), pauses=pauses)
        self.breakpoints.forms = (FORM,) * len(aims)
        self.node = FakeInspector({"Debugger.getPossibleBreakpoints": answer}, files)
        self._pending = PendingCommands()

    def load(self, url: str, map_url: str = "", script: str = "9", **more: Json) -> None:
        """Load a script."""
        params: JsonObject = {"scriptId": script, "url": url, "sourceMapURL": map_url, **more}
        self.node.exchange(self._pending.receive_response, self._pending.begin(self.breakpoints.prepare(params)))

    @property
    def places(self) -> list[tuple[str, int, int]]:
        """Return the script, line and column of each breakpoint."""
        found = [params["location"] for params in self.node.params("Debugger.setBreakpoint")]
        return [(one["scriptId"], one["lineNumber"], one["columnNumber"]) for one in found]


def test_recording_breakpoint_is_set_in_a_loaded_script() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 4), answer=possible((3, 0), (4, 2), (4, 9)))
    one.load(f"file://{JS}")

    assert one.places == [("9", 4, 2)]
    assert one.node.params("Debugger.setBreakpoint")[0]["condition"] == condition([(0, FORM)])
    assert one.node.reports == [BreakpointResolved(0, 4)]
    assert one.breakpoints.names() == ["bp1"]
    assert one.breakpoints.numbers_of({"bp1", "stranger"}) == [0]


def test_each_realm_gets_a_recorder_but_the_script_one_breakpoint() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 4), answer=possible((4, 2)))
    for context in (1, 2, 2):
        one.load(f"file://{JS}", executionContextId=context, executionContextAuxData={"isDefault": context == 1})

    assert len(one.places) == 1
    assert one.node.params("Runtime.addBinding") == [{"name": BINDING, "executionContextId": 2}]


@pytest.mark.parametrize("url", ["evalmachine.<anonymous>", "file:///p/b.js"])
def test_other_scripts_are_ignored(url: str) -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 4), answer=possible((4, 2)))
    one.load(url)

    assert one.node.sent_commands == []


def test_breakpoint_moves_to_the_next_code_line_of_its_function() -> None:
    text = "function f() {\n  one();\n  // comment\n  two();\n}\n"
    one = LoadedScripts(RequestedBreakpoint(0, JS, 2, text=text), answer=possible((1, 2), (3, 2)))
    one.load(f"file://{JS}")

    assert (one.places, one.node.reports) == ([("9", 3, 2)], [BreakpointResolved(0, 3)])


def test_breakpoint_that_moves_into_a_function_names_it() -> None:
    text = "g();\n\n// comment\nfunction f() {\n  two();\n}\n"
    one = LoadedScripts(RequestedBreakpoint(0, JS, 2, text=text), answer=possible((0, 0), (4, 2), (5, 0)))
    one.load(f"file://{JS}")

    assert (one.places, one.node.reports) == ([("9", 4, 2)], [BreakpointResolved(0, 4, "f")])


@pytest.mark.parametrize(
    ("text", "places", "missing"),
    [
        ("function f() {\n  return;\n  // after\n}\nf();\n", ((1, 2), (4, 0)), NoCodeFound(0, "f", dropped=False)),
        ("function f() {\n  return;\n  // after\n}\ng();\n", ((4, 0),), NoCodeFound(0, "f", dropped=True)),
        ("g();\nfunction f() {\n  g(); }\n", ((0, 0), (2, 8)), NoCodeFound(0, "f", dropped=True)),
        ("g();\nfunction f() {\n  g(); }", ((0, 0), (2, 7)), NoCodeFound(0, "f", dropped=True)),
        ("one();\n\n// end\n", ((0, 0),), NoCodeFound(0, "", dropped=False)),
        ("", (), NoCodeFound(0, "", dropped=False)),
    ],
)
def test_breakpoint_does_not_leave_its_function(
    text: str, places: tuple[tuple[int, int], ...], missing: NoCodeFound
) -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 2, text=text), answer=possible(*places))
    one.load(f"file://{JS}")

    assert (one.places, one.node.reports) == ([], [missing])


@pytest.mark.parametrize(
    ("text", "at"),
    [("function f() {\n  g();\n}", (2, 0)), ("g({\n  a,\n});\n", (2, 3)), ("f();\nfunction f() {\n}\n", (2, 0))],
)
def test_last_line_has_code_if_its_function_is_known_to_be_called(text: str, at: tuple[int, int]) -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 2, text=text), answer=possible((1, 2), at))
    one.load(f"file://{JS}")

    assert one.node.reports == [BreakpointResolved(0, 2)]


def test_two_aims_at_one_location_share_a_breakpoint() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 4), RequestedBreakpoint(1, JS, 4), answer=possible((4, 2)))
    one.load(f"file://{JS}")

    assert one.node.params("Debugger.removeBreakpoint") == [{"breakpointId": "bp1"}]
    assert one.node.params("Debugger.setBreakpoint")[1]["condition"] == condition([(0, FORM), (1, FORM)])
    assert one.breakpoints.numbers_of({"bp2"}) == [0, 1]


def test_breakpoint_with_frames_pauses_up_to_the_limit() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 4), answer=possible((4, 2)), pauses=True)
    one.load(f"file://{JS}")

    assert one.node.params("Debugger.setBreakpoint")[0]["condition"] == pause_condition(FORM)


def pause(script: str, line: int, reason: str = "other") -> JsonObject:
    location: JsonObject = {"scriptId": script, "lineNumber": line, "columnNumber": 2}
    return {"reason": reason, "callFrames": [{"location": location}]}


@pytest.mark.parametrize(
    ("paused", "missed"),
    [(pause("9", 4), [0]), (pause("9", 4, "instrumentation"), []), (pause("8", 4), []), (pause("9", 5), []), ({}, [])],
)
def test_breakpoint_set_at_the_paused_location_is_missed(paused: JsonObject, missed: list[int]) -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 4), answer=possible((4, 2)))
    one.breakpoints.paused(paused)
    one.load(f"file://{JS}")

    assert one.breakpoints.resumed() == missed
    assert one.breakpoints.resumed() == []


def test_source_is_found_by_its_source_map() -> None:
    one = LoadedScripts(
        RequestedBreakpoint(0, TS, 4),
        answer=lambda _: {"locations": [{"lineNumber": 1, "columnNumber": at} for at in (0, 2)]},
        files={f"{DIST}.map": MAP},
    )
    one.load(f"file://{DIST}", "a.js.map")

    assert (one.places, one.node.reports) == ([("9", 1, 2)], [BreakpointResolved(0, 4)])


def test_line_without_generated_code_moves_to_the_next_source_line() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, TS, 5), answer=possible((1, 2), (2, 0)), files={f"{DIST}.map": MAP})
    one.load(f"file://{DIST}", "a.js.map")

    assert (one.places, one.node.reports) == ([("9", 2, 0)], [BreakpointResolved(0, 6)])


def test_line_missing_in_the_source_map_has_no_code() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, TS, 9), answer=possible((1, 2)), files={f"{DIST}.map": MAP})
    one.load(f"file://{DIST}", "a.js.map")

    assert one.node.reports == [NoCodeFound(0, "", dropped=False)]


def inline(sources: str) -> str:
    text = MAP.replace("../src/a.ts", sources)
    return f"data:application/json;base64,{b64encode(text.encode()).decode()}"


def test_file_transformed_by_a_loader_uses_its_inline_source_map() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, TS, 4), answer=possible((1, 2), (4, 0)))
    one.load(f"file://{TS}", inline("a.ts"))

    assert one.places == [("9", 1, 2)]


def test_evaluated_text_may_have_a_source_map() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, TS, 4), answer=possible((1, 2)))
    one.load("webpack-internal:///./src/a.ts", inline("webpack://app/./src/a.ts?1a2b"))

    assert one.places == [("9", 1, 2)]


@pytest.mark.parametrize("map_url", ["https://example.org/a.js.map", "missing.map", "other.map", "elsewhere.map"])
def test_source_map_without_the_source_is_ignored(map_url: str) -> None:
    files = {"/p/dist/other.map": MAP.replace("a.ts", "b.ts"), "/p/dist/elsewhere.map": MAP.replace("src/", "lib/")}
    one = LoadedScripts(RequestedBreakpoint(0, TS, 4), answer=possible((1, 2)), files=files)
    one.load(f"file://{DIST}", map_url)

    assert one.places == []


def test_script_is_its_own_source_if_its_map_names_another_one() -> None:
    one = LoadedScripts(RequestedBreakpoint(0, JS, 4), answer=possible((4, 0)))
    one.load(f"file://{JS}", inline("b.ts"))

    assert one.places == [("9", 4, 0)]


def test_empty_breakpoint_name_is_not_removed() -> None:
    assert [command.params for command in forget(["bp1", ""])] == [{"breakpointId": "bp1"}]

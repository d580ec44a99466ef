"""One inspector: set up, let go, listened to; without Node.js."""

import json
from base64 import b64encode
from typing import Any

import pytest

from mcpi.core.debugger.inspector.attached_target import AttachedTarget, BreakpointAim
from mcpi.core.debugger.inspector.debug_effects import (
    BreakpointResolved,
    ExpressionInvalid,
    GeneratedFile,
    LimitReached,
    TargetFinished,
    TargetFlushed,
    ValueFound,
)
from mcpi.core.debugger.inspector.file_urls import url_regex
from mcpi.core.debugger.inspector.recorder_js import BINDING, as_expression, as_statements, condition, on_pause
from mcpi.core.debugger.inspector.source_maps import Segment, SourceMap
from mcpi.core.jsontext.values import Json, JsonObject, as_object, as_text
from support.inspector import Answer, Vm

JS, TS, DIST = "/p/a.js", "/p/src/a.ts", "/p/dist/a.js"
FORM = as_expression("x")
# The source's line 4 (5 for people) went to line 1, column 2; its line 6 to line 2.
MAP = json.dumps({"version": 3, "sources": ["../src/a.ts"], "mappings": ";EAIA;AAEA"})


def opened(
    aim: BreakpointAim,
    answers: dict[str, Answer] | None = None,
    files: dict[str, str] | None = None,
    form: str | None = None,
) -> tuple[AttachedTarget, Vm]:
    target, vm = AttachedTarget(aim, form), Vm(answers, files)
    vm.converse(target.receive, target.open())
    return target, vm


def aim(path: str = JS, line: int = 4, source: str = "x", *predicted: GeneratedFile) -> BreakpointAim:
    return BreakpointAim(path, line, source, 10, predicted)


def happen(target: AttachedTarget, vm: Vm, method: str, **params: Json) -> None:
    vm.converse(target.receive, target.receive({"method": method, "params": params}))


def script(target: AttachedTarget, vm: Vm, url: str, map_url: str = "", script_id: str = "9") -> None:
    happen(target, vm, "Debugger.scriptParsed", scriptId=script_id, url=url, sourceMapURL=map_url)


def record(target: AttachedTarget, vm: Vm, payload: str) -> None:
    happen(target, vm, "Runtime.bindingCalled", name=BINDING, payload=payload)


def pause(target: AttachedTarget, vm: Vm, *hit: str, frames: bool = True) -> None:
    happen(target, vm, "Debugger.paused", hitBreakpoints=[*hit], callFrames=[{"callFrameId": "f"}] if frames else [])


def thrown(sentence: str) -> dict[str, object]:
    return {"exceptionDetails": {"text": "", "exception": {"description": sentence}}}


def test_the_program_runs_only_when_all_is_set_up() -> None:
    _, vm = opened(aim())

    assert vm.methods() == [
        "Runtime.enable",
        "Runtime.compileScript",
        "Runtime.compileScript",
        "Runtime.disable",
        "NodeRuntime.notifyWhenWaitingForDisconnect",
        "Runtime.addBinding",
        "Runtime.evaluate",
        "Debugger.enable",
        "NodeWorker.enable",
        "Debugger.setInstrumentationBreakpoint",
        "Debugger.setBreakpointByUrl",
        "Runtime.runIfWaitingForDebugger",
    ]


def test_the_breakpoint_is_set_by_url_and_records() -> None:
    _, vm = opened(aim())

    assert vm.params("Debugger.setBreakpointByUrl") == [
        {"urlRegex": url_regex(JS), "lineNumber": 4, "columnNumber": 0, "condition": condition("d", FORM)}
    ]


def test_statements_are_evaluated_as_what_they_are() -> None:
    source = "if (x) 1; else 2"

    def compiled(command: JsonObject) -> dict[str, object]:
        return thrown("SyntaxError: x") if as_object(command["params"])["expression"] == as_expression(source) else {}

    target, _ = opened(aim(source=source), {"Runtime.compileScript": compiled})

    assert target.compiled_form == as_statements(source)


def test_what_does_not_compile_is_told_and_nothing_is_run() -> None:
    _, vm = opened(aim(), {"Runtime.compileScript": thrown("SyntaxError: no")})

    assert vm.reports == [ExpressionInvalid("SyntaxError: no")]
    assert "Runtime.runIfWaitingForDebugger" not in vm.methods()


def test_a_form_that_is_known_is_not_checked_again() -> None:
    _, vm = opened(aim(), form=FORM)

    assert "Runtime.compileScript" not in vm.methods()


def test_what_was_recorded_is_found() -> None:
    target, vm = opened(aim())
    record(target, vm, 'd{"type":"number","value":1}')
    record(target, vm, "f")
    happen(target, vm, "Runtime.bindingCalled", name="another", payload="d1")

    assert vm.reports == [ValueFound('{"type":"number","value":1}'), LimitReached()]


def test_a_program_at_its_end_is_left() -> None:
    target, vm = opened(aim())
    happen(target, vm, "NodeRuntime.waitingForDisconnect")

    assert vm.reports == [TargetFinished()]


def nudged(target: AttachedTarget, vm: Vm) -> list[str]:
    """What a nudge says."""
    before = len(vm.methods())
    vm.converse(target.receive, target.resend_run())
    return vm.methods()[before:]


def test_a_program_that_did_not_hear_that_it_may_run_is_told_again() -> None:
    target, vm = opened(aim())

    assert nudged(target, vm) == ["Runtime.runIfWaitingForDebugger"]
    assert nudged(target, vm) == ["Runtime.runIfWaitingForDebugger"]


def test_a_program_that_has_stopped_once_runs() -> None:
    target, vm = opened(aim())
    pause(target, vm)

    assert nudged(target, vm) == []


def test_a_program_is_not_let_go_before_all_is_set_up() -> None:
    target, vm = AttachedTarget(aim()), Vm()

    assert nudged(target, vm) == []


def test_a_pause_that_is_none_of_ours_is_gone_on_from() -> None:
    target, vm = opened(aim())
    pause(target, vm)
    pause(target, vm, "stranger")

    assert vm.methods()[-2:] == ["Debugger.resume", "Debugger.resume"]
    assert vm.reports == []


def test_where_the_recorder_is_missing_the_frame_is_asked() -> None:
    target, vm = opened(aim(), {"Debugger.evaluateOnCallFrame": {"result": {"value": "1"}}})
    pause(target, vm, "bp1")

    assert vm.params("Debugger.evaluateOnCallFrame") == [
        {"callFrameId": "f", "expression": on_pause(FORM), "returnByValue": True, "silent": True}
    ]
    assert (vm.reports, vm.methods()[-1]) == ([ValueFound("1")], "Debugger.resume")


def test_a_pause_without_a_frame_is_gone_on_from() -> None:
    target, vm = opened(aim())
    pause(target, vm, "bp1", frames=False)

    assert (vm.reports, vm.methods()[-1]) == ([], "Debugger.resume")


def test_the_line_that_the_breakpoint_went_to_is_told() -> None:
    target, vm = opened(aim(), {"Debugger.setBreakpointByUrl": {"locations": [{"scriptId": "1", "lineNumber": 4}]}})
    happen(target, vm, "Debugger.breakpointResolved", breakpointId="bp1", location={"lineNumber": 6})
    happen(target, vm, "Debugger.breakpointResolved", breakpointId="stranger", location={"lineNumber": 7})

    assert vm.reports == [BreakpointResolved(4), BreakpointResolved(6)]


def test_a_breakpoint_that_was_refused_is_not_ours() -> None:
    _, vm = opened(aim(), {"Debugger.setBreakpointByUrl": {"breakpointId": ""}})

    assert vm.reports == []


# What was generated from the file.


def test_a_script_with_a_map_gets_the_breakpoint_where_the_line_went() -> None:
    target, vm = opened(
        aim(TS),
        {"Debugger.setBreakpoint": {"actualLocation": {"scriptId": "9", "lineNumber": 1}}},
        {f"{DIST}.map": MAP},
    )
    script(target, vm, f"file://{DIST}", "a.js.map")

    assert vm.params("Debugger.setBreakpoint") == [
        {"location": {"scriptId": "9", "lineNumber": 1, "columnNumber": 2}, "condition": condition("m", FORM)}
    ]
    assert vm.reports == [BreakpointResolved(4)]


def test_v8s_own_move_is_told_as_a_line_of_the_source() -> None:
    moved = {"scriptId": "9", "lineNumber": 2, "columnNumber": 5}
    target, vm = opened(aim(TS), {"Debugger.setBreakpoint": {"actualLocation": moved}}, {f"{DIST}.map": MAP})
    script(target, vm, f"file://{DIST}", "a.js.map")
    happen(target, vm, "Debugger.breakpointResolved", breakpointId="bp3", location={"scriptId": "0", "lineNumber": 3})

    assert vm.reports == [BreakpointResolved(6)]


@pytest.mark.parametrize(
    ("url", "map_url"),
    [
        ("evalmachine.<anonymous>", "a.js.map"),
        (f"file://{DIST}", ""),
        (f"file://{DIST}", "https://example.org/a.js.map"),
        (f"file://{DIST}", "missing.map"),
        (f"file://{DIST}", "other.map"),
        (f"file://{DIST}", "elsewhere.map"),
        (f"file://{DIST}", "short.map"),
    ],
)
def test_a_script_without_a_map_that_tells_of_the_file_is_let_be(url: str, map_url: str) -> None:
    files = {
        "/p/dist/other.map": MAP.replace("a.ts", "b.ts"),
        "/p/dist/elsewhere.map": MAP.replace("src/", "lib/"),
        "/p/dist/short.map": MAP.replace(";EAIA;AAEA", "AAAA"),
    }
    target, vm = opened(aim(TS), files=files)
    script(target, vm, url, map_url)

    assert "Debugger.setBreakpoint" not in vm.methods()


def test_what_was_predicted_is_set_before_anything_runs_and_not_twice() -> None:
    predicted = GeneratedFile(DIST, SourceMap((Segment(1, 2, 4), Segment(2, 2, 6))))
    target, vm = opened(aim(TS, 4, "x", predicted), files={f"{DIST}.map": MAP})
    script(target, vm, f"file://{DIST}", "a.js.map")

    assert vm.params("Debugger.setBreakpointByUrl")[1] == {
        "urlRegex": url_regex(DIST),
        "lineNumber": 1,
        "columnNumber": 2,
        "condition": condition("m", FORM),
    }
    assert "Debugger.setBreakpoint" not in vm.methods()


def test_a_prediction_without_the_line_is_none() -> None:
    _, vm = opened(aim(JS, 9, "x", GeneratedFile(DIST, SourceMap((Segment(1, 2, 4),)))))

    assert len(vm.params("Debugger.setBreakpointByUrl")) == 1


def inline(sources: str) -> str:
    text = MAP.replace("../src/a.ts", sources)
    return f"data:application/json;base64,{b64encode(text.encode()).decode()}"


def test_a_file_that_is_compiled_on_its_way_stops_once_and_counts_only_mapped_hits() -> None:
    target, vm = opened(aim(TS))
    assert vm.params("Debugger.setBreakpointByUrl")[1] == {
        "urlRegex": url_regex(TS),
        "lineNumber": 0,
        "columnNumber": 0,
    }

    script(target, vm, f"file://{TS}", inline("a.ts"))
    happen(target, vm, "Debugger.breakpointResolved", breakpointId="bp1", location={"scriptId": "9", "lineNumber": 4})
    pause(target, vm, "bp2")
    pause(target, vm, "bp2")
    record(target, vm, "d1")
    record(target, vm, "m2")

    assert vm.params("Debugger.removeBreakpoint") == [{"breakpointId": "bp2"}]
    assert vm.reports == [ValueFound("2")]


def test_a_script_that_has_a_map_of_another_source_is_its_own_source() -> None:
    target, vm = opened(aim(JS))
    script(target, vm, f"file://{JS}", inline("a.ts"))
    record(target, vm, "d1")

    assert vm.reports == [ValueFound("1")]


# Workers.


def attach(target: AttachedTarget, vm: Vm) -> list[Any]:
    happen(target, vm, "NodeWorker.attachedToWorker", sessionId="1")
    return [json.loads(params["message"]) for params in vm.params("NodeWorker.sendMessageToWorker")]


def from_worker(target: AttachedTarget, vm: Vm, message: Json, session: str = "1") -> None:
    text = json.dumps(message, separators=(",", ":"))
    happen(target, vm, "NodeWorker.receivedMessageFromWorker", sessionId=session, message=text)


def test_a_worker_gets_the_same_set_up_but_does_not_wait_for_us() -> None:
    target, vm = opened(aim())
    told = [message["method"] for message in attach(target, vm)]

    assert told == [
        "Runtime.addBinding",
        "Runtime.evaluate",
        "Debugger.enable",
        "NodeWorker.enable",
        "Debugger.setInstrumentationBreakpoint",
        "Debugger.setBreakpointByUrl",
    ]


def test_a_workers_hits_count_and_its_maps_are_loaded() -> None:
    target, vm = opened(aim(TS), files={f"{DIST}.map": MAP})
    attach(target, vm)
    parsed: JsonObject = {"scriptId": "9", "url": f"file://{DIST}", "sourceMapURL": "a.js.map"}
    from_worker(target, vm, {"method": "Debugger.scriptParsed", "params": parsed})
    from_worker(target, vm, {"method": "Debugger.scriptParsed", "params": {"scriptId": "1", "url": ""}})
    from_worker(target, vm, {"method": "Runtime.bindingCalled", "params": {"name": BINDING, "payload": "d1"}})

    assert (vm.reports, vm.loaded) == ([ValueFound("1")], [f"{DIST}.map"])


def test_a_worker_that_has_gone_is_forgotten() -> None:
    target, vm = opened(aim())
    attach(target, vm)
    happen(target, vm, "NodeWorker.detachedFromWorker", sessionId="1")
    from_worker(target, vm, {"method": "Runtime.bindingCalled", "params": {"name": BINDING, "payload": "d1"}})
    happen(target, vm, "Debugger.resumed")

    assert vm.reports == []


def test_when_no_more_is_wanted_all_breakpoints_go() -> None:
    target, vm = opened(aim(TS))
    for message in attach(target, vm):
        if message["method"] == "Debugger.setBreakpointByUrl":
            from_worker(target, vm, {"id": message["id"], "result": {"breakpointId": f"w{message['id']}"}})
    before = len(vm.told)
    vm.converse(target.receive, target.stop())

    own, theirs = vm.told[before : before + 2], vm.told[before + 2 :]
    assert [command["params"] for command in own] == [{"breakpointId": "bp1"}, {"breakpointId": "bp2"}]
    inner = [json.loads(as_text(as_object(command["params"])["message"])) for command in theirs]
    assert [message["params"] for message in inner] == [{"breakpointId": "w6"}, {"breakpointId": "w7"}]


def test_all_is_settled_when_the_process_and_its_workers_have_answered() -> None:
    target, vm = opened(aim())
    attach(target, vm)
    assert target.inspectors == 2
    vm.converse(target.receive, target.flush())
    assert vm.reports == [TargetFlushed()]

    asked = json.loads(vm.params("NodeWorker.sendMessageToWorker")[-1]["message"])
    from_worker(target, vm, {"id": asked["id"], "result": {}})
    assert vm.reports == [TargetFlushed(), TargetFlushed()]

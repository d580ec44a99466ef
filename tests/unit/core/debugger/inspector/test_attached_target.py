"""One attached inspector: setup, resuming, events and workers; without Node.js."""

import json
from typing import Any

import pytest

from mcpi.core.debugger.inspector.attached_target import AttachedTarget, BreakpointPlan
from mcpi.core.debugger.inspector.debug_effects import (
    EvaluationStarted,
    ExpressionInvalid,
    LimitReached,
    TargetFinished,
    TargetFlushed,
    ValueFound,
)
from mcpi.core.debugger.inspector.recorder_js import (
    BINDING,
    Form,
    as_async,
    as_expression,
    as_statements,
    on_pause,
)
from mcpi.core.debugger.sources.locations import RequestedBreakpoint
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from support.inspector import CannedResponse, FakeInspector

JS, TS, DIST = "/p/a.js", "/p/src/a.ts", "/p/dist/a.js"
FORM = as_expression("x")
MAP = json.dumps({"version": 3, "sources": ["../src/a.ts"], "mappings": ";EAIA;AAEA"})
LOCATIONS: CannedResponse = {"locations": [{"lineNumber": 4, "columnNumber": 2}]}


def plan(path: str = JS, source: str = "x", *, frames: bool = False) -> BreakpointPlan:
    return BreakpointPlan((RequestedBreakpoint(0, path, 4),), (source,), frames=frames)


def open_target(
    looked_for: BreakpointPlan,
    answers: dict[str, CannedResponse] | None = None,
    files: dict[str, str] | None = None,
    forms: tuple[Form, ...] = (),
) -> tuple[AttachedTarget, FakeInspector]:
    target, node = (
        AttachedTarget(looked_for, forms),
        FakeInspector({"Debugger.getPossibleBreakpoints": LOCATIONS, **(answers or {})}, files),
    )
    node.exchange(target.receive, target.open())
    return target, node


def send_event(target: AttachedTarget, node: FakeInspector, method: str, **params: Json) -> None:
    node.exchange(target.receive, target.receive({"method": method, "params": params}))


def script(target: AttachedTarget, node: FakeInspector, url: str, map_url: str = "", script_id: str = "9") -> None:
    send_event(target, node, "Debugger.scriptParsed", scriptId=script_id, url=url, sourceMapURL=map_url)


def record(target: AttachedTarget, node: FakeInspector, payload: str) -> None:
    send_event(target, node, "Runtime.bindingCalled", name=BINDING, payload=payload)


def pause(target: AttachedTarget, node: FakeInspector, *hit: str, frames: bool = True) -> None:
    send_event(
        target, node, "Debugger.paused", hitBreakpoints=[*hit], callFrames=[{"callFrameId": "f"}] if frames else []
    )


def exception_details(sentence: str) -> dict[str, object]:
    return {"exceptionDetails": {"text": "", "exception": {"description": sentence}}}


def test_program_runs_only_after_setup() -> None:
    _, node = open_target(plan())

    assert node.methods() == [
        "Runtime.enable",
        "Runtime.compileScript",
        "Runtime.compileScript",
        "Runtime.compileScript",
        "Runtime.disable",
        "NodeRuntime.notifyWhenWaitingForDisconnect",
        "Runtime.addBinding",
        "Runtime.evaluate",
        "Debugger.enable",
        "NodeWorker.enable",
        "Runtime.evaluate",
        "Runtime.evaluate",
        "Runtime.evaluate",
        "Debugger.setInstrumentationBreakpoint",
        "Debugger.setBreakpointOnFunctionCall",
        "Debugger.setBreakpointOnFunctionCall",
        "Debugger.setBreakpointOnFunctionCall",
        "Debugger.setBreakpointByUrl",
        "Runtime.runIfWaitingForDebugger",
    ]


def compile_responses(*valid: str) -> dict[str, CannedResponse]:
    def compiled(command: JsonObject) -> dict[str, object]:
        return {} if as_object(command["params"])["expression"] in valid else exception_details("SyntaxError: no")

    return {"Runtime.compileScript": compiled}


def test_statements_and_await_select_the_form_of_evaluation() -> None:
    statements, awaited = "if (x) 1; else 2", "await x"

    assert open_target(plan(source=statements), compile_responses(statements))[0].forms == (as_statements(statements),)
    assert open_target(plan(source=awaited), compile_responses(as_async(awaited).text))[0].forms == (as_async(awaited),)
    assert open_target(plan(source="await -x"))[0].forms == (as_async("await -x"),)


def test_expression_that_does_not_compile_is_reported_before_the_run() -> None:
    _, node = open_target(plan(), compile_responses())

    assert node.reports == [ExpressionInvalid("SyntaxError: no")]
    assert "Runtime.runIfWaitingForDebugger" not in node.methods()


PRIVATE = "SyntaxError: Private field '#x' must be declared in an enclosing class"


@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("this.#x", Form('eval("(this.#x\\n)")')),
        ("await this.#x", Form('eval("(async()=>(await this.#x\\n))()")', is_async=True)),
    ],
)
def test_expression_that_may_be_valid_in_the_frame_is_compiled_there(source: str, form: Form) -> None:
    assert open_target(plan(source=source), {"Runtime.compileScript": exception_details(PRIVATE)})[0].forms == (form,)


def test_known_form_is_not_compiled_again() -> None:
    _, node = open_target(plan(), forms=(FORM,))

    assert "Runtime.compileScript" not in node.methods()


def test_recorded_values_are_reported() -> None:
    target, node = open_target(plan())
    for payload in ("started", '0 {"type":"number","value":1}', "0?a", "full", "nonsense"):
        record(target, node, payload)
    send_event(target, node, "Runtime.bindingCalled", name="another", payload="0 1")

    value = ValueFound(0, '{"type":"number","value":1}')
    assert node.reports == [EvaluationStarted(), value, ValueFound(0, None, "a"), LimitReached()]


def test_program_waiting_for_disconnect_is_finished() -> None:
    target, node = open_target(plan())
    send_event(target, node, "NodeRuntime.waitingForDisconnect")

    assert node.reports == [TargetFinished()]


def resent_methods(target: AttachedTarget, node: FakeInspector) -> list[str]:
    """Resend the run command and return the methods sent."""
    before = len(node.methods())
    node.exchange(target.receive, target.resend_run())
    return node.methods()[before:]


def test_run_command_is_resent_until_the_program_starts() -> None:
    target, node = open_target(plan())

    assert resent_methods(target, node) == ["Runtime.runIfWaitingForDebugger"]
    assert resent_methods(target, node) == ["Runtime.runIfWaitingForDebugger"]


def test_run_command_is_not_resent_after_break_on_start() -> None:
    target, node = open_target(plan())
    send_event(target, node, "Debugger.paused", reason="other")
    assert resent_methods(target, node) == ["Runtime.runIfWaitingForDebugger"]

    send_event(target, node, "Debugger.paused", reason="Break on start")
    assert resent_methods(target, node) == []


def test_run_command_is_not_sent_before_setup_is_complete() -> None:
    target, node = AttachedTarget(plan()), FakeInspector()

    assert resent_methods(target, node) == []


def test_pause_at_a_foreign_breakpoint_is_resumed() -> None:
    target, node = open_target(plan())
    pause(target, node)
    pause(target, node, "stranger")

    assert node.methods()[-2:] == ["Debugger.resume", "Debugger.resume"]
    assert node.reports == []


def hit_script(target: AttachedTarget, node: FakeInspector, path: str = JS) -> str:
    """Load the script, and return the name of its breakpoint."""
    script(target, node, f"file://{path}")
    return target.breakpoints.names()[0]


def test_missing_recorder_falls_back_to_evaluation_in_the_frame() -> None:
    target, node = open_target(plan(), {"Debugger.evaluateOnCallFrame": {"result": {"value": "0 1"}}})
    pause(target, node, hit_script(target, node))

    assert node.params("Debugger.evaluateOnCallFrame") == [
        {"callFrameId": "f", "expression": on_pause(0, FORM, RecordingLimits()), "returnByValue": True, "silent": True}
    ]
    assert node.reports[-2:] == [EvaluationStarted(), ValueFound(0, "1")]
    assert node.methods()[-1] == "Debugger.resume"


def test_hit_includes_the_stack_if_frames_are_enabled() -> None:
    target, node = open_target(plan(frames=True), {"Debugger.evaluateOnCallFrame": {"result": {"value": "0 1"}}})
    pause(target, node, hit_script(target, node))

    stack: JsonObject = {"stack": [], "scopes": {}}
    assert node.reports[-1] == ValueFound(0, "1", "", stack)


def test_promise_of_a_paused_hit_is_awaited() -> None:
    answers: dict[str, CannedResponse] = {"Debugger.evaluateOnCallFrame": {"result": {"value": "0?a1"}}}
    target, node = open_target(plan(frames=True), answers)
    pause(target, node, hit_script(target, node))

    assert node.reports[-1] == ValueFound(0, None, "a1", {"stack": [], "scopes": {}})


def test_paused_hit_without_a_value_is_reported() -> None:
    target, node = open_target(plan(), {"Debugger.evaluateOnCallFrame": {}})
    pause(target, node, hit_script(target, node))

    assert node.reports[-1] == ValueFound(0, "")


def test_pause_without_a_frame_is_resumed() -> None:
    target, node = open_target(plan())
    name = hit_script(target, node)
    before = len(node.reports)
    pause(target, node, name, frames=False)

    assert (node.reports[before:], node.methods()[-1]) == ([], "Debugger.resume")


def test_breakpoint_is_set_before_a_later_pause_is_resumed() -> None:
    target, node = open_target(plan())
    params: JsonObject = {"scriptId": "9", "url": f"file://{JS}", "sourceMapURL": ""}
    commands = node.receive_outputs(target.receive({"method": "Debugger.scriptParsed", "params": params}))
    commands += node.receive_outputs(target.receive({"method": "Debugger.paused", "params": {"hitBreakpoints": []}}))
    while commands:
        commands = [more for one in commands for more in node.receive_outputs(target.receive(node.answer(one)))]

    assert node.methods()[-3:] == ["Debugger.getPossibleBreakpoints", "Debugger.setBreakpoint", "Debugger.resume"]


def conditional_plan(condition: str = "n > 1") -> BreakpointPlan:
    return BreakpointPlan((RequestedBreakpoint(0, JS, 4),), ("x",), condition=condition)


def test_condition_applies_to_each_form_and_must_compile() -> None:
    answers = compile_responses(FORM.text, "(n > 1\n)")

    assert open_target(conditional_plan(), answers)[0].forms == (Form(FORM.text, condition="n > 1"),)
    target, node = open_target(conditional_plan("n >"), answers)
    assert (target.forms, node.reports) == ((), [ExpressionInvalid("condition: SyntaxError: no")])


def test_condition_that_may_be_valid_in_the_frame_is_compiled_there() -> None:
    def compiled(command: JsonObject) -> dict[str, object]:
        return exception_details(PRIVATE) if as_object(command["params"])["expression"] == "(this.#x\n)" else {}

    answers: dict[str, CannedResponse] = {"Runtime.compileScript": compiled}
    assert open_target(conditional_plan("this.#x"), answers)[0].forms[0].condition == 'eval("(this.#x\\n)")'


@pytest.mark.parametrize(("answer", "hits"), [("0 1", 1), ("", 0)])
def test_condition_is_evaluated_for_a_hit_missed_during_a_pause(answer: str, hits: int) -> None:
    target, node = open_target(conditional_plan(), {"Debugger.evaluateOnCallFrame": {"result": {"value": answer}}})
    params: JsonObject = {"scriptId": "9", "url": f"file://{JS}", "sourceMapURL": ""}
    frame: JsonObject = {
        "callFrameId": "f",
        "location": {"scriptId": "9", "lineNumber": 4, "columnNumber": 2},
    }
    commands = node.receive_outputs(target.receive({"method": "Debugger.scriptParsed", "params": params}))
    commands += node.receive_outputs(target.receive({"method": "Debugger.paused", "params": {"callFrames": [frame]}}))
    while commands:
        commands = [more for one in commands for more in node.receive_outputs(target.receive(node.answer(one)))]

    assert len([one for one in node.reports if isinstance(one, ValueFound)]) == hits
    (request,) = node.params("Debugger.evaluateOnCallFrame")
    assert request["expression"] == on_pause(0, target.forms[0], RecordingLimits(), "n > 1")
    assert node.methods()[-1] == "Debugger.resume"


# Workers.


def attach(target: AttachedTarget, node: FakeInspector) -> list[Any]:
    send_event(target, node, "NodeWorker.attachedToWorker", sessionId="1")
    return [json.loads(params["message"]) for params in node.params("NodeWorker.sendMessageToWorker")]


def from_worker(target: AttachedTarget, node: FakeInspector, message: Json, session: str = "1") -> None:
    text = json.dumps(message, separators=(",", ":"))
    send_event(target, node, "NodeWorker.receivedMessageFromWorker", sessionId=session, message=text)


def test_worker_gets_the_same_setup_without_waiting() -> None:
    target, node = open_target(plan())
    found = [message["method"] for message in attach(target, node)]

    assert found[:4] == ["Runtime.addBinding", "Runtime.evaluate", "Debugger.enable", "NodeWorker.enable"]


def set_up_worker(target: AttachedTarget, node: FakeInspector) -> None:
    """Attach a worker and answer its commands."""
    waiting = attach(target, node)
    while waiting:
        before = len(node.params("NodeWorker.sendMessageToWorker"))
        for message in waiting:
            from_worker(target, node, node.answer(message))
        found = node.params("NodeWorker.sendMessageToWorker")[before:]
        waiting = [json.loads(params["message"]) for params in found]


def test_hits_and_source_maps_of_workers_are_handled() -> None:
    target, node = open_target(plan(TS), files={f"{DIST}.map": MAP})
    set_up_worker(target, node)
    parsed: JsonObject = {"scriptId": "9", "url": f"file://{DIST}", "sourceMapURL": "a.js.map"}
    from_worker(target, node, {"method": "Debugger.scriptParsed", "params": parsed})
    from_worker(target, node, {"method": "Debugger.scriptParsed", "params": {"scriptId": "1", "url": ""}})
    from_worker(target, node, {"method": "Runtime.bindingCalled", "params": {"name": BINDING, "payload": "0 1"}})

    assert (node.reports, node.loaded_files) == ([ValueFound(0, "1")], [f"{DIST}.map"])


def test_messages_of_a_detached_worker_are_ignored() -> None:
    target, node = open_target(plan())
    attach(target, node)
    send_event(target, node, "NodeWorker.detachedFromWorker", sessionId="1")
    from_worker(target, node, {"method": "Runtime.bindingCalled", "params": {"name": BINDING, "payload": "0 1"}})
    send_event(target, node, "Debugger.resumed")

    assert node.reports == []


def test_stop_removes_all_breakpoints() -> None:
    target, node = open_target(plan())
    set_up_worker(target, node)
    hit_script(target, node)
    before = len(node.sent_commands)
    node.exchange(target.receive, target.stop())

    found = [str(command["method"]) for command in node.sent_commands[before:]]
    assert found == ["Debugger.removeBreakpoint"] * 6 + ["NodeWorker.sendMessageToWorker"] * 5


def test_flush_completes_after_responses_of_process_and_workers() -> None:
    target, node = open_target(plan())
    set_up_worker(target, node)
    assert target.inspectors == 2
    node.exchange(target.receive, target.flush())
    assert node.reports == [TargetFlushed()]

    request = json.loads(node.params("NodeWorker.sendMessageToWorker")[-1]["message"])
    from_worker(target, node, {"id": request["id"], "result": {}})
    assert node.reports == [TargetFlushed(), TargetFlushed()]

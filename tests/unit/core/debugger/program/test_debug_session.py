"""A whole debug session without a process: lines and messages in, effects out."""

import json
from typing import Any

from mcpi.core.debugger.inspector.debug_effects import LoadSourceMap, NoCodeFound
from mcpi.core.debugger.inspector.recorder_js import BINDING
from mcpi.core.debugger.program.debug_session import (
    STDERR_LINES,
    CloseTarget,
    DebugEffect,
    DebugEffects,
    DebugSession,
    HitSeen,
    SendToTarget,
    SourceFile,
)
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.flags.places import RecordingLimits, SourceLine
from mcpi.core.jsontext.values import JsonObject
from support.drive import drive

LISTENING = "Debugger listening on ws://127.0.0.1:{0}/uid{0}"
ONE: JsonObject = {"type": "number", "value": 1}


def debugging(most: int = 10, total: int = 1000, stop_after: int | None = None) -> DebugSession:
    probe = Probe((SourceLine("a.ts", 5),), ("x",), RecordingLimits(most, total_bytes=total), stop_after)
    return DebugSession(probe, [SourceFile("/p/a.ts")])


def done(actions: DebugEffects, text: str | None = None) -> list[DebugEffect]:
    """Collect the effects; a loaded file has the given text."""
    found: list[DebugEffect] = []

    def answer(action: DebugEffect) -> str | None:
        found.append(action)
        return text if isinstance(action, LoadSourceMap) else None

    drive(actions, answer)
    return found


def receive(one: DebugSession, number: int, message: Any, text: str | None = None) -> list[DebugEffect]:
    return done(one.receive(number, json.dumps(message, separators=(",", ":"))), text)


def attached(one: DebugSession, number: int = 1) -> None:
    """Complete the setup of the inspector with this number."""
    assert one.stderr_line(LISTENING.format(number)) == (number, f"ws://127.0.0.1:{number}/uid{number}")
    waiting = done(one.connected(number))
    while waiting:
        action, *waiting = waiting
        assert isinstance(action, SendToTarget)
        command = json.loads(action.text)
        result = {"breakpointId": f"bp{command['id']}"} if "Debugger.set" in command["method"] else {}
        waiting += receive(one, number, {"id": command["id"], "result": result})


def hit(one: DebugSession, number: int = 1, payload: str = '0 {"type":"number","value":1}') -> list[DebugEffect]:
    params = {"name": BINDING, "payload": payload}
    return receive(one, number, {"method": "Runtime.bindingCalled", "params": params})


def test_hit_is_added_to_the_results() -> None:
    one = debugging()
    attached(one)

    assert hit(one) == [HitSeen(ONE)]
    assert one.results == [ONE]


def test_run_command_is_resent_to_an_attached_program() -> None:
    one = debugging()
    attached(one)

    (command,) = done(one.resend_run(1))
    assert isinstance(command, SendToTarget)
    assert (command.number, json.loads(command.text)["method"]) == (1, "Runtime.runIfWaitingForDebugger")
    assert done(one.resend_run(2)) == []


def test_last_stderr_lines_are_kept_without_debugger_messages() -> None:
    one = debugging()
    one.stderr_line(LISTENING.format(1))
    for number in range(STDERR_LINES + 5):
        assert one.stderr_line(f"line {number}") is None

    assert list(one.stderr) == [f"line {number}" for number in range(5, STDERR_LINES + 5)]


def test_long_stderr_line_is_shortened() -> None:
    one = debugging()
    one.stderr_line("x" * 1000)

    assert list(one.stderr) == ["x" * 300 + "… (1000 characters)"]


def test_session_finishes_after_exit_and_last_disconnect() -> None:
    one = debugging()
    attached(one)
    one.exited(3, None)
    assert not one.finished

    one.closed(1)
    assert (one.finished, one.exit_code, one.signal) == (True, 3, None)


def test_program_waiting_for_disconnect_is_closed() -> None:
    one = debugging()
    attached(one)

    assert receive(one, 1, {"method": "NodeRuntime.waitingForDisconnect"}) == [CloseTarget(1)]


def test_forked_process_is_attached() -> None:
    one = debugging()
    attached(one)
    attached(one, 2)
    hit(one, 2)

    assert (one.attached, one.results) == (2, [ONE])


def test_announced_inspector_is_attached_once_it_is_connected() -> None:
    one = debugging()
    one.stderr_line(LISTENING.format(1))
    one.closed(1)
    assert one.attached == 0

    attached(one, 2)
    assert one.attached == 1


def test_port_in_use_ends_the_session_before_the_first_attach() -> None:
    one = debugging()
    one.stderr_line("Starting inspector on 127.0.0.1:9229 failed: address already in use")

    assert (one.finished, one.address_in_use) == (True, "127.0.0.1:9229")


def test_port_in_use_in_a_forked_process_is_only_noted() -> None:
    one = debugging()
    attached(one)
    one.stderr_line("Starting inspector on 127.0.0.1:9229 failed: address already in use")

    assert (one.finished, one.address_in_use, one.undebugged_address) == (False, None, "127.0.0.1:9229")


def test_expression_that_does_not_compile_ends_the_session() -> None:
    one = debugging()
    one.stderr_line(LISTENING.format(1))
    done(one.connected(1))
    wrong = {"exceptionDetails": {"exception": {"description": "SyntaxError: no"}}}
    for number in (1, 2, 3, 4, 5):
        receive(one, 1, {"id": number, "result": wrong})

    assert (one.finished, one.expression_error) == (True, "SyntaxError: no")


def test_result_limit_applies_to_all_processes_together() -> None:
    one = debugging(most=1)
    attached(one)
    attached(one, 2)
    one.stderr_line(LISTENING.format(3))
    hit(one)
    found = hit(one, 2)
    hit(one, 2)

    assert (one.results, one.truncated) == ([ONE], True)
    removed = [
        action.number for action in found if isinstance(action, SendToTarget) and "removeBreakpoint" in action.text
    ]
    assert set(removed) == {1, 2}


def test_full_recorder_ends_the_recording() -> None:
    one = debugging()
    attached(one)

    assert all("removeBreakpoint" in str(action) for action in hit(one, payload="full"))
    assert one.truncated
    assert hit(one) == []


def test_total_size_of_values_is_limited() -> None:
    one = debugging(total=2)
    attached(one)
    for _ in range(4):
        hit(one)

    assert (one.results, one.truncated) == ([ONE, ONE], True)


def test_stop_after_stops_the_program() -> None:
    one = debugging(stop_after=2)
    attached(one)
    for _ in range(3):
        hit(one)

    assert (one.results, one.stopped, one.finished, one.truncated) == ([ONE, ONE], True, True, False)


def test_pending_promises_are_omitted_after_stop_after() -> None:
    one = debugging(stop_after=1)
    attached(one)
    hit(one, payload="0?a1")
    hit(one)

    assert (one.results, one.stopped) == ([ONE], True)


def test_awaited_value_replaces_its_pending_result() -> None:
    one = debugging()
    attached(one)
    assert hit(one, payload="0?a1") == []
    hit(one)
    pending = one.results[0]
    assert pending["value"] == {"$promise": "pending"}

    two: JsonObject = {"type": "number", "value": 2}
    assert hit(one, payload='0!a1 {"type":"number","value":2}') == [HitSeen(two)]
    assert one.results == [two, ONE]


def test_pending_promise_is_reported_once() -> None:
    one = debugging()
    attached(one)
    hit(one, payload="0?a1")
    assert one.awaiting

    (seen,) = done(one.stop_awaiting())
    assert seen == HitSeen({"type": "object", "subtype": "promise", "value": {"$promise": "pending"}})
    assert (one.awaiting, hit(one, payload='0!a1 {"type":"number","value":2}'), len(one.results)) == (False, [], 1)


def test_results_of_several_breakpoints_name_their_breakpoint() -> None:
    places = (SourceLine("a.ts", 5), SourceLine("b.ts", 6, 2))
    one = DebugSession(Probe(places, ("x", "y")), [SourceFile("/p/a.ts"), SourceFile("/p/b.ts")])
    attached(one)
    hit(one, payload='1 {"type":"number","value":1}')

    assert one.results == [{**ONE, "breakpoint": "b.ts:6:2"}]


def test_resolved_breakpoint_lines_are_kept() -> None:
    one = debugging()
    attached(one)
    hit(one, payload="started")
    script = {"scriptId": "9", "url": "file:///p/a.ts", "sourceMapURL": ""}
    (request,) = receive(one, 1, {"method": "Debugger.scriptParsed", "params": script})
    assert isinstance(request, SendToTarget)
    locations = [{"scriptId": "9", "lineNumber": 4, "columnNumber": 2}]
    receive(one, 1, {"id": json.loads(request.text)["id"], "result": {"locations": locations}})

    assert (one.evaluating, one.resolved_lines, one.entered, one.no_code) == (True, {0: 5}, {0: ""}, {})


def test_script_without_code_at_the_line_is_noted() -> None:
    one = debugging()
    attached(one)
    script = {"scriptId": "9", "url": "file:///p/a.ts", "sourceMapURL": ""}
    waiting = receive(one, 1, {"method": "Debugger.scriptParsed", "params": script})
    while waiting:
        request = waiting.pop()
        assert isinstance(request, SendToTarget)
        waiting += receive(one, 1, {"id": json.loads(request.text)["id"], "result": {}})

    assert one.no_code == {0: NoCodeFound(0, "", dropped=False)}


def test_inspector_is_connected_only_once() -> None:
    one = debugging()

    assert one.announced("ws://127.0.0.1:9229/uid") == (1, "ws://127.0.0.1:9229/uid")
    assert one.announced("ws://localhost:9229/uid") is None
    assert one.announced("ws:///other") == (2, "ws:///other")
    assert one.ports == {9229}


def test_source_map_of_a_script_is_loaded() -> None:
    one = debugging()
    attached(one)
    params = {"scriptId": "9", "url": "file:///p/dist/a.js", "sourceMapURL": "a.js.map"}
    text = json.dumps({"sources": ["../a.ts"], "mappings": "AAIA"})
    actions = receive(one, 1, {"method": "Debugger.scriptParsed", "params": params}, text)

    assert actions[0] == LoadSourceMap("/p/dist/a.js.map")
    assert isinstance(actions[1], SendToTarget)


def test_message_after_disconnect_is_ignored() -> None:
    one = debugging()
    attached(one)
    one.closed(1)

    assert hit(one) == []


def test_irrelevant_message_is_ignored() -> None:
    one = debugging()
    attached(one)

    assert receive(one, 1, {"method": "Debugger.scriptParsed", "params": {"url": ""}}) == []


def test_flush_completes_after_all_processes_have_responded() -> None:
    one = debugging()
    attached(one)
    attached(one, 2)
    one.stderr_line(LISTENING.format(3))
    request = [
        (action.number, json.loads(action.text)["id"])
        for action in done(one.flush())
        if isinstance(action, SendToTarget)
    ]
    assert not one.flushed
    for number, identity in request:
        receive(one, number, {"id": identity, "result": {}})

    assert one.flushed


def test_flush_does_not_wait_for_a_disconnected_process() -> None:
    one = debugging()
    attached(one)
    done(one.flush())
    one.closed(1)

    assert one.flushed


def from_worker(one: DebugSession, number: int) -> list[DebugEffect]:
    """Deliver the response of the worker to a command."""
    params = {"sessionId": "1", "message": json.dumps({"id": number, "result": {}})}
    return receive(one, 1, {"method": "NodeWorker.receivedMessageFromWorker", "params": params})


def test_flush_waits_for_the_response_of_a_worker() -> None:
    one = debugging()
    attached(one)
    waiting = receive(one, 1, {"method": "NodeWorker.attachedToWorker", "params": {"sessionId": "1"}})
    while waiting:
        action = waiting.pop(0)
        assert isinstance(action, SendToTarget)
        waiting += from_worker(one, json.loads(json.loads(action.text)["params"]["message"])["id"])
    actions = [json.loads(action.text) for action in done(one.flush()) if isinstance(action, SendToTarget)]
    receive(one, 1, {"id": actions[0]["id"], "result": {}})
    assert not one.flushed

    from_worker(one, json.loads(actions[1]["params"]["message"])["id"])
    assert one.flushed


def test_inspector_is_counted_after_it_has_connected() -> None:
    one = debugging()
    assert (one.connecting, one.connections) == (False, 0)

    attached(one)
    one.announced("ws://127.0.0.1:2/uid2")
    assert (one.connecting, one.connections) == (True, 1)

    one.closed(2)
    assert (one.connecting, one.connections) == (False, 1)

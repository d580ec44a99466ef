"""A whole debugging, without a process: lines and messages in, deeds out."""

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


def done(deeds: DebugEffects, text: str | None = None) -> list[DebugEffect]:
    """What is to be done; a file that is loaded has that text."""
    found: list[DebugEffect] = []

    def answer(deed: DebugEffect) -> str | None:
        found.append(deed)
        return text if isinstance(deed, LoadSourceMap) else None

    drive(deeds, answer)
    return found


def heard(one: DebugSession, number: int, message: Any, text: str | None = None) -> list[DebugEffect]:
    return done(one.receive(number, json.dumps(message, separators=(",", ":"))), text)


def attached(one: DebugSession, number: int = 1) -> None:
    """The inspector of that number is set up."""
    assert one.stderr_line(LISTENING.format(number)) == (number, f"ws://127.0.0.1:{number}/uid{number}")
    waiting = done(one.connected(number))
    while waiting:
        deed, *waiting = waiting
        assert isinstance(deed, SendToTarget)
        command = json.loads(deed.text)
        result = {"breakpointId": f"bp{command['id']}"} if "Debugger.set" in command["method"] else {}
        waiting += heard(one, number, {"id": command["id"], "result": result})


def hit(one: DebugSession, number: int = 1, payload: str = '0 {"type":"number","value":1}') -> list[DebugEffect]:
    params = {"name": BINDING, "payload": payload}
    return heard(one, number, {"method": "Runtime.bindingCalled", "params": params})


def test_a_hit_is_a_result() -> None:
    one = debugging()
    attached(one)

    assert hit(one) == [HitSeen(ONE)]
    assert one.results == [ONE]


def test_what_does_not_run_is_let_go_again() -> None:
    one = debugging()
    attached(one)

    (said,) = done(one.resend_run(1))
    assert isinstance(said, SendToTarget)
    assert (said.number, json.loads(said.text)["method"]) == (1, "Runtime.runIfWaitingForDebugger")
    assert done(one.resend_run(2)) == []


def test_a_line_of_the_program_is_kept_and_nodes_own_is_not() -> None:
    one = debugging()
    one.stderr_line(LISTENING.format(1))
    for number in range(STDERR_LINES + 5):
        assert one.stderr_line(f"line {number}") is None

    assert list(one.stderr) == [f"line {number}" for number in range(5, STDERR_LINES + 5)]


def test_it_is_over_when_the_command_has_ended_and_nobody_is_attached() -> None:
    one = debugging()
    attached(one)
    one.exited(3, None)
    assert not one.finished

    one.closed(1)
    assert (one.finished, one.exit_code, one.signal) == (True, 3, None)


def test_a_program_at_its_end_is_let_go() -> None:
    one = debugging()
    attached(one)

    assert heard(one, 1, {"method": "NodeRuntime.waitingForDisconnect"}) == [CloseTarget(1)]


def test_a_process_that_is_forked_is_attached_to_too() -> None:
    one = debugging()
    attached(one)
    attached(one, 2)
    hit(one, 2)

    assert (one.attached, one.results) == (2, [ONE])


def test_a_taken_port_is_the_end_before_anything_runs() -> None:
    one = debugging()
    one.stderr_line("Starting inspector on 127.0.0.1:9229 failed: address already in use")

    assert (one.finished, one.address_in_use) == (True, "127.0.0.1:9229")


def test_a_fork_that_finds_its_port_taken_is_told_of_and_not_the_end() -> None:
    one = debugging()
    attached(one)
    one.stderr_line("Starting inspector on 127.0.0.1:9229 failed: address already in use")

    assert (one.finished, one.address_in_use, one.undebugged_address) == (False, None, "127.0.0.1:9229")


def test_an_expression_that_does_not_compile_is_the_end() -> None:
    one = debugging()
    one.stderr_line(LISTENING.format(1))
    done(one.connected(1))
    wrong = {"exceptionDetails": {"exception": {"description": "SyntaxError: no"}}}
    for number in (1, 2, 3, 4, 5):
        heard(one, 1, {"id": number, "result": wrong})

    assert (one.finished, one.expression_error) == (True, "SyntaxError: no")


def test_the_limit_holds_for_all_processes_together() -> None:
    one = debugging(most=1)
    attached(one)
    attached(one, 2)
    one.stderr_line(LISTENING.format(3))
    hit(one)
    told = hit(one, 2)
    hit(one, 2)

    assert (one.results, one.truncated) == ([ONE], True)
    removed = [deed.number for deed in told if isinstance(deed, SendToTarget) and "removeBreakpoint" in deed.text]
    assert set(removed) == {1, 2}


def test_a_full_recorder_ends_the_recording() -> None:
    one = debugging()
    attached(one)

    assert all("removeBreakpoint" in str(deed) for deed in hit(one, payload="full"))
    assert one.truncated
    assert hit(one) == []


def test_all_values_together_have_a_limit() -> None:
    one = debugging(total=2)
    attached(one)
    for _ in range(4):
        hit(one)

    assert (one.results, one.truncated) == ([ONE, ONE], True)


def test_the_program_is_stopped_after_a_number_of_values() -> None:
    one = debugging(stop_after=2)
    attached(one)
    for _ in range(3):
        hit(one)

    assert (one.results, one.stopped, one.finished, one.truncated) == ([ONE, ONE], True, True, False)


def test_a_stopped_program_leaves_out_what_is_still_awaited() -> None:
    one = debugging(stop_after=1)
    attached(one)
    hit(one, payload="0?a1")
    hit(one)

    assert (one.results, one.stopped) == ([ONE], True)


def test_an_awaited_value_takes_the_place_of_its_hit() -> None:
    one = debugging()
    attached(one)
    assert hit(one, payload="0?a1") == []
    hit(one)
    pending = one.results[0]
    assert pending["value"] == {"$promise": "pending"}

    two: JsonObject = {"type": "number", "value": 2}
    assert hit(one, payload='0!a1 {"type":"number","value":2}') == [HitSeen(two)]
    assert one.results == [two, ONE]


def test_with_several_breakpoints_each_result_names_its_own() -> None:
    places = (SourceLine("a.ts", 5), SourceLine("b.ts", 6, 2))
    one = DebugSession(Probe(places, ("x", "y")), [SourceFile("/p/a.ts"), SourceFile("/p/b.ts")])
    attached(one)
    hit(one, payload='1 {"type":"number","value":1}')

    assert one.results == [{**ONE, "breakpoint": "b.ts:6:2"}]


def test_reports_about_breakpoints_are_kept() -> None:
    one = debugging()
    attached(one)
    hit(one, payload="started")
    script = {"scriptId": "9", "url": "file:///p/a.ts", "sourceMapURL": ""}
    (asked,) = heard(one, 1, {"method": "Debugger.scriptParsed", "params": script})
    assert isinstance(asked, SendToTarget)
    locations = [{"scriptId": "9", "lineNumber": 4, "columnNumber": 2}]
    heard(one, 1, {"id": json.loads(asked.text)["id"], "result": {"locations": locations}})

    assert (one.evaluating, one.resolved_lines, one.no_code) == (True, {0: 5}, {})


def test_a_script_without_code_for_the_line_is_noted() -> None:
    one = debugging()
    attached(one)
    script = {"scriptId": "9", "url": "file:///p/a.ts", "sourceMapURL": ""}
    waiting = heard(one, 1, {"method": "Debugger.scriptParsed", "params": script})
    while waiting:
        asked = waiting.pop()
        assert isinstance(asked, SendToTarget)
        waiting += heard(one, 1, {"id": json.loads(asked.text)["id"], "result": {}})

    assert one.no_code == {0: NoCodeFound(0, "", dropped=False)}


def test_an_inspector_is_connected_to_once() -> None:
    one = debugging()

    assert one.announced("ws://127.0.0.1:9229/uid") == (1, "ws://127.0.0.1:9229/uid")
    assert one.announced("ws://localhost:9229/uid") is None
    assert one.announced("ws:///other") == (2, "ws:///other")
    assert one.ports == {9229}


def test_a_map_is_loaded_on_the_way() -> None:
    one = debugging()
    attached(one)
    params = {"scriptId": "9", "url": "file:///p/dist/a.js", "sourceMapURL": "a.js.map"}
    text = json.dumps({"sources": ["../a.ts"], "mappings": "AAIA"})
    deeds = heard(one, 1, {"method": "Debugger.scriptParsed", "params": params}, text)

    assert deeds[0] == LoadSourceMap("/p/dist/a.js.map")
    assert isinstance(deeds[1], SendToTarget)


def test_what_comes_after_the_end_of_a_connection_is_nothing() -> None:
    one = debugging()
    attached(one)
    one.closed(1)

    assert hit(one) == []


def test_a_message_that_says_nothing_is_nothing() -> None:
    one = debugging()
    attached(one)

    assert heard(one, 1, {"method": "Debugger.scriptParsed", "params": {"url": ""}}) == []


def test_all_is_settled_when_each_process_has_answered() -> None:
    one = debugging()
    attached(one)
    attached(one, 2)
    one.stderr_line(LISTENING.format(3))
    asked = [(deed.number, json.loads(deed.text)["id"]) for deed in done(one.flush()) if isinstance(deed, SendToTarget)]
    assert not one.flushed
    for number, identity in asked:
        heard(one, number, {"id": identity, "result": {}})

    assert one.flushed


def test_a_process_that_has_gone_need_not_answer() -> None:
    one = debugging()
    attached(one)
    done(one.flush())
    one.closed(1)

    assert one.flushed


def from_worker(one: DebugSession, number: int) -> list[DebugEffect]:
    """The worker answers a command."""
    params = {"sessionId": "1", "message": json.dumps({"id": number, "result": {}})}
    return heard(one, 1, {"method": "NodeWorker.receivedMessageFromWorker", "params": params})


def test_a_worker_answers_for_itself() -> None:
    one = debugging()
    attached(one)
    waiting = heard(one, 1, {"method": "NodeWorker.attachedToWorker", "params": {"sessionId": "1"}})
    while waiting:
        deed = waiting.pop(0)
        assert isinstance(deed, SendToTarget)
        waiting += from_worker(one, json.loads(json.loads(deed.text)["params"]["message"])["id"])
    deeds = [json.loads(deed.text) for deed in done(one.flush()) if isinstance(deed, SendToTarget)]
    heard(one, 1, {"id": deeds[0]["id"], "result": {}})
    assert not one.flushed

    from_worker(one, json.loads(deeds[1]["params"]["message"])["id"])
    assert one.flushed


def test_an_inspector_counts_as_connected_when_it_is() -> None:
    one = debugging()
    assert (one.connecting, one.connections) == (False, 0)

    attached(one)
    one.announced("ws://127.0.0.1:2/uid2")
    assert (one.connecting, one.connections) == (True, 1)

    one.closed(2)
    assert (one.connecting, one.connections) == (False, 1)

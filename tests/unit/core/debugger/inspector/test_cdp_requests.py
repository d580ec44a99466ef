"""Pending commands: each routine waits for its own response."""

from mcpi.core.debugger.inspector.cdp_requests import PendingCommands
from mcpi.core.debugger.inspector.debug_effects import (
    LoadSourceMap,
    SendAndForget,
    SendCommand,
    SendCommands,
    TargetEffects,
    ValueFound,
    WriteMessage,
)
from support.inspector import FakeInspector


def two_requests() -> TargetEffects:
    first = yield SendCommand("a")
    second = yield SendCommand("b", {"x": first["result"]})
    yield ValueFound(0, str(second["result"]))


def test_routine_starts_after_the_previous_one_has_ended() -> None:
    talks, node = PendingCommands(), FakeInspector()
    node.receive_outputs(talks.begin(two_requests()))
    node.receive_outputs(talks.begin(two_requests()))
    for number in (1, 2, 3, 4):
        node.receive_outputs(talks.receive_response({"id": number, "result": f"answer {number}"}))

    assert node.sent_commands == [
        {"id": 1, "method": "a", "params": {}},
        {"id": 2, "method": "b", "params": {"x": "answer 1"}},
        {"id": 3, "method": "a", "params": {}},
        {"id": 4, "method": "b", "params": {"x": "answer 3"}},
    ]
    assert node.reports == [ValueFound(0, "answer 2"), ValueFound(0, "answer 4")]


def test_command_sent_directly_is_not_queued() -> None:
    talks, node = PendingCommands(), FakeInspector()
    node.receive_outputs(talks.begin(two_requests()))

    assert talks.send(SendAndForget("now")) == WriteMessage('{"id":2,"method":"now","params":{}}')


def test_batch_of_commands_returns_all_responses_in_order() -> None:
    seen: list[object] = []

    def exchange() -> TargetEffects:
        seen.extend((yield SendCommands((SendCommand("a"), SendCommand("b")))))

    talks, node = PendingCommands(), FakeInspector()
    node.receive_outputs(talks.begin(exchange()))
    node.receive_outputs(talks.receive_response({"id": 1, "result": 1}))
    assert seen == []
    node.receive_outputs(talks.receive_response({"id": 2, "error": {}}))

    assert seen == [{"id": 1, "result": 1}, {"id": 2, "error": {}}]


def test_routine_sends_without_waiting_and_loads_a_source_map() -> None:
    def exchange() -> TargetEffects:
        yield SendAndForget("a")
        text = yield LoadSourceMap("/x.map")
        yield ValueFound(0, text)

    talks, node = PendingCommands(), FakeInspector(files={"/x.map": "the map"})
    node.receive_outputs(talks.begin(exchange()))

    assert (node.methods(), node.reports) == (["a"], [ValueFound(0, "the map")])


def test_unexpected_response_is_ignored() -> None:
    talks, node = PendingCommands(), FakeInspector()
    node.receive_outputs(talks.receive_response({"id": 9}))
    node.receive_outputs(talks.receive_response({"id": "x"}))

    assert (node.sent_commands, node.reports) == ([], [])

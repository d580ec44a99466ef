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
from support.inspector import Vm


def two_questions() -> TargetEffects:
    first = yield SendCommand("a")
    second = yield SendCommand("b", {"x": first["result"]})
    yield ValueFound(0, str(second["result"]))


def test_routine_starts_after_the_previous_one_has_ended() -> None:
    talks, vm = PendingCommands(), Vm()
    vm.take(talks.begin(two_questions()))
    vm.take(talks.begin(two_questions()))
    for number in (1, 2, 3, 4):
        vm.take(talks.receive_response({"id": number, "result": f"answer {number}"}))

    assert vm.told == [
        {"id": 1, "method": "a", "params": {}},
        {"id": 2, "method": "b", "params": {"x": "answer 1"}},
        {"id": 3, "method": "a", "params": {}},
        {"id": 4, "method": "b", "params": {"x": "answer 3"}},
    ]
    assert vm.reports == [ValueFound(0, "answer 2"), ValueFound(0, "answer 4")]


def test_command_sent_directly_is_not_queued() -> None:
    talks, vm = PendingCommands(), Vm()
    vm.take(talks.begin(two_questions()))

    assert talks.send(SendAndForget("now")) == WriteMessage('{"id":2,"method":"now","params":{}}')


def test_batch_of_commands_returns_all_responses_in_order() -> None:
    seen: list[object] = []

    def talk() -> TargetEffects:
        seen.extend((yield SendCommands((SendCommand("a"), SendCommand("b")))))

    talks, vm = PendingCommands(), Vm()
    vm.take(talks.begin(talk()))
    vm.take(talks.receive_response({"id": 1, "result": 1}))
    assert seen == []
    vm.take(talks.receive_response({"id": 2, "error": {}}))

    assert seen == [{"id": 1, "result": 1}, {"id": 2, "error": {}}]


def test_routine_sends_without_waiting_and_loads_a_source_map() -> None:
    def talk() -> TargetEffects:
        yield SendAndForget("a")
        text = yield LoadSourceMap("/x.map")
        yield ValueFound(0, text)

    talks, vm = PendingCommands(), Vm(files={"/x.map": "the map"})
    vm.take(talks.begin(talk()))

    assert (vm.methods(), vm.reports) == (["a"], [ValueFound(0, "the map")])


def test_unexpected_response_is_ignored() -> None:
    talks, vm = PendingCommands(), Vm()
    vm.take(talks.receive_response({"id": 9}))
    vm.take(talks.receive_response({"id": "x"}))

    assert (vm.told, vm.reports) == ([], [])

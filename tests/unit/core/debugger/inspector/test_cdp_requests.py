"""Talks: each waits for its own answer."""

from mcpi.core.debugger.inspector.cdp_requests import PendingCommands
from mcpi.core.debugger.inspector.debug_effects import (
    LoadSourceMap,
    SendAndForget,
    SendCommand,
    SendCommands,
    TargetEffects,
    ValueFound,
)
from support.inspector import Vm


def two_questions() -> TargetEffects:
    first = yield SendCommand("a")
    second = yield SendCommand("b", {"x": first["result"]})
    yield ValueFound(str(second["result"]))


def test_a_talk_goes_on_with_its_own_answer() -> None:
    talks, vm = PendingCommands(), Vm()
    vm.take(talks.begin(two_questions()))
    vm.take(talks.begin(two_questions()))
    vm.take(talks.receive_response({"id": 2, "result": "second"}))
    vm.take(talks.receive_response({"id": 3, "result": "end"}))

    assert vm.told == [
        {"id": 1, "method": "a", "params": {}},
        {"id": 2, "method": "a", "params": {}},
        {"id": 3, "method": "b", "params": {"x": "second"}},
    ]
    assert vm.reports == [ValueFound("end")]


def test_commands_sent_together_are_answered_together_in_their_order() -> None:
    seen: list[object] = []

    def talk() -> TargetEffects:
        seen.extend((yield SendCommands((SendCommand("a"), SendCommand("b")))))

    talks, vm = PendingCommands(), Vm()
    vm.take(talks.begin(talk()))
    vm.take(talks.receive_response({"id": 1, "result": 1}))
    assert seen == []
    vm.take(talks.receive_response({"id": 2, "error": {}}))

    assert seen == [{"id": 1, "result": 1}, {"id": 2, "error": {}}]


def test_a_command_that_is_told_is_not_waited_for_and_a_file_is_loaded_on_the_way() -> None:
    def talk() -> TargetEffects:
        yield SendAndForget("a")
        text = yield LoadSourceMap("/x.map")
        yield ValueFound(text)

    talks, vm = PendingCommands(), Vm(files={"/x.map": "the map"})
    vm.take(talks.begin(talk()))

    assert (vm.methods(), vm.reports) == (["a"], [ValueFound("the map")])


def test_the_answer_to_what_nobody_waits_for_is_nothing() -> None:
    talks, vm = PendingCommands(), Vm()
    vm.take(talks.receive_response({"id": 9}))
    vm.take(talks.receive_response({"id": "x"}))

    assert (vm.told, vm.reports) == ([], [])

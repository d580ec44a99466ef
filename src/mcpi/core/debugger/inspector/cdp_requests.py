"""Pending commands of one inspector: routines run one after another, each waiting for its own responses."""

import json
from collections import deque
from typing import Any

from attrs import define, field

from mcpi.core.debugger.inspector.debug_effects import (
    LoadSourceMap,
    SendAndForget,
    SendCommand,
    SendCommands,
    TargetEffects,
    TargetOutputs,
    WriteMessage,
)
from mcpi.core.jsontext.values import JsonObject


@define
class _PendingCommand:
    """A routine, the number of responses it waits for, and those received."""

    routine: TargetEffects
    expected: int
    single: bool
    answers: list[JsonObject] = field(factory=list)


class PendingCommands:
    """Number the commands, and pass each response to the routine that waits for it."""

    def __init__(self) -> None:
        """Start without pending commands."""
        self._number = 0
        self._waiting: dict[int, _PendingCommand] = {}
        self._queue: deque[TargetEffects] = deque()
        self._running = False

    def begin(self, routine: TargetEffects) -> TargetOutputs:
        """Run the routine as soon as the earlier ones have ended."""
        # A script's breakpoints must be set before a later pause lets the program continue.
        self._queue.append(routine)
        yield from self._run_queue()

    def send(self, command: SendAndForget) -> WriteMessage:
        """Build a command to send at once."""
        return self._command(command.method, command.params)

    def receive_response(self, message: JsonObject) -> TargetOutputs:
        """Process a response; its routine continues once all of its responses have arrived."""
        number = message.get("id")
        waiting = self._waiting.pop(number, None) if isinstance(number, int) else None
        if waiting is None:
            return
        waiting.answers.append(message)
        if len(waiting.answers) == waiting.expected:
            self._running = True
            yield from self._run(waiting.routine, waiting.answers[0] if waiting.single else waiting.answers)
            self._running = False
            yield from self._run_queue()

    def _run_queue(self) -> TargetOutputs:
        # The caller may begin another routine between two outputs of this one.
        while self._queue and not self._waiting and not self._running:
            self._running = True
            yield from self._run(self._queue.popleft(), None)
            self._running = False

    def _run(self, routine: TargetEffects, reply: Any) -> TargetOutputs:  # noqa: ANN401 - depends on the effect
        """Run the routine until it has to wait for a response or ends."""
        while True:
            try:
                effect = routine.send(reply)
            except StopIteration:
                return
            reply = None
            match effect:
                case SendCommand():
                    yield from self._send((effect,), _PendingCommand(routine, 1, single=True))
                    return
                case SendCommands(commands):
                    yield from self._send(commands, _PendingCommand(routine, len(commands), single=False))
                    return
                case SendAndForget():
                    yield self.send(effect)
                case LoadSourceMap():
                    reply = yield effect
                case _:
                    yield effect

    def _send(self, commands: tuple[SendCommand, ...], waiting: _PendingCommand) -> TargetOutputs:
        for one in commands:
            command = self._command(one.method, one.params)
            self._waiting[self._number] = waiting
            yield command

    def _command(self, method: str, params: JsonObject) -> WriteMessage:
        self._number += 1
        return WriteMessage(json.dumps({"id": self._number, "method": method, "params": params}, separators=(",", ":")))

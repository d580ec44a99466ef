"""Talks with one inspector: each waits for its own answer, and none for another's."""

import json
from typing import Any

from attrs import define, field

from mcpi.core.debugger.debug_effects import (
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
    """A talk, how many answers it still wants, and those that it has."""

    talk: TargetEffects
    missing: int
    single: bool
    answers: list[JsonObject] = field(factory=list)


class PendingCommands:
    """Numbers the commands, and hands each answer to the talk that waits for it."""

    def __init__(self) -> None:
        """Nobody talks."""
        self._number = 0
        self._waiting: dict[int, _PendingCommand] = {}

    def begin(self, talk: TargetEffects, reply: Any = None) -> TargetOutputs:  # noqa: ANN401 - each wish has its own
        """What the talk wants, up to where it has to wait."""
        while True:
            try:
                wish = talk.send(reply)
            except StopIteration:
                return
            reply = None
            match wish:
                case SendCommand():
                    yield from self._ask((wish,), _PendingCommand(talk, 1, single=True))
                    return
                case SendCommands(asks):
                    yield from self._ask(asks, _PendingCommand(talk, len(asks), single=False))
                    return
                case SendAndForget(method, params):
                    yield self._command(method, params)
                case LoadSourceMap():
                    reply = yield wish
                case _:
                    yield wish

    def answered(self, message: JsonObject) -> TargetOutputs:
        """An answer came: its talk goes on when it was the last that it wanted."""
        number = message.get("id")
        waiting = self._waiting.pop(number, None) if isinstance(number, int) else None
        if waiting is None:
            return
        waiting.answers.append(message)
        if len(waiting.answers) == waiting.missing:
            yield from self.begin(waiting.talk, waiting.answers[0] if waiting.single else waiting.answers)

    def _ask(self, asks: tuple[SendCommand, ...], waiting: _PendingCommand) -> TargetOutputs:
        for one in asks:
            command = self._command(one.method, one.params)
            self._waiting[self._number] = waiting
            yield command

    def _command(self, method: str, params: JsonObject) -> WriteMessage:
        self._number += 1
        return WriteMessage(json.dumps({"id": self._number, "method": method, "params": params}, separators=(",", ":")))

"""Talks with one inspector: each waits for its own answer, and none for another's."""

import json
from typing import Any

from attrs import define, field

from mcpi.core.debugger.debug_effects import Ask, AskAll, Load, Outputs, Talk, Tell, Write
from mcpi.core.jsontext.values import JsonObject


@define
class _Waiting:
    """A talk, how many answers it still wants, and those that it has."""

    talk: Talk
    missing: int
    single: bool
    answers: list[JsonObject] = field(factory=list)


class Talks:
    """Numbers the commands, and hands each answer to the talk that waits for it."""

    def __init__(self) -> None:
        """Nobody talks."""
        self._number = 0
        self._waiting: dict[int, _Waiting] = {}

    def begin(self, talk: Talk, reply: Any = None) -> Outputs:  # noqa: ANN401 - each wish has its own
        """What the talk wants, up to where it has to wait."""
        while True:
            try:
                wish = talk.send(reply)
            except StopIteration:
                return
            reply = None
            match wish:
                case Ask():
                    yield from self._ask((wish,), _Waiting(talk, 1, single=True))
                    return
                case AskAll(asks):
                    yield from self._ask(asks, _Waiting(talk, len(asks), single=False))
                    return
                case Tell(method, params):
                    yield self._command(method, params)
                case Load():
                    reply = yield wish
                case _:
                    yield wish

    def answered(self, message: JsonObject) -> Outputs:
        """An answer came: its talk goes on when it was the last that it wanted."""
        number = message.get("id")
        waiting = self._waiting.pop(number, None) if isinstance(number, int) else None
        if waiting is None:
            return
        waiting.answers.append(message)
        if len(waiting.answers) == waiting.missing:
            yield from self.begin(waiting.talk, waiting.answers[0] if waiting.single else waiting.answers)

    def _ask(self, asks: tuple[Ask, ...], waiting: _Waiting) -> Outputs:
        for one in asks:
            command = self._command(one.method, one.params)
            self._waiting[self._number] = waiting
            yield command

    def _command(self, method: str, params: JsonObject) -> Write:
        self._number += 1
        return Write(json.dumps({"id": self._number, "method": method, "params": params}, separators=(",", ":")))

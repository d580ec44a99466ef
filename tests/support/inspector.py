"""A Node.js inspector that responds from a table, without Node.js or a socket."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcpi.core.debugger.inspector.debug_effects import LoadSourceMap, TargetOutput, TargetOutputs, WriteMessage
from mcpi.core.jsontext.values import JsonObject

CannedResponse = Mapping[str, Any] | Callable[[JsonObject], Mapping[str, Any]]


FUNCTION: Mapping[str, Any] = {"result": {"type": "function", "objectId": "o"}}


class FakeInspector:
    """Takes the outputs of a debugger session, records the commands, and responds to each of them."""

    def __init__(
        self, answers: Mapping[str, CannedResponse] | None = None, files: Mapping[str, str] | None = None
    ) -> None:
        self.answers = dict(answers or {})
        self.files = files or {}
        self.sent_commands: list[JsonObject] = []
        self.reports: list[TargetOutput] = []
        self.loaded_files: list[str] = []
        self._breakpoints = 0

    def receive_outputs(self, outputs: TargetOutputs) -> list[JsonObject]:
        """Return the commands; all other outputs become reports."""
        commands: list[JsonObject] = []
        reply: str | None = None
        while True:
            try:
                output = outputs.send(reply)
            except StopIteration:
                self.sent_commands += commands
                return commands
            reply = None
            match output:
                case WriteMessage(text):
                    commands.append(json.loads(text))
                case LoadSourceMap(path):
                    self.loaded_files.append(path)
                    reply = self.files.get(path)
                case _:
                    self.reports.append(output)

    def exchange(self, receive: Callable[[JsonObject], TargetOutputs], outputs: TargetOutputs) -> None:
        """Exchange messages until no command is left."""
        commands = self.receive_outputs(outputs)
        while commands:
            more: list[JsonObject] = []
            for command in commands:
                more += self.receive_outputs(receive(self.answer(command)))
            commands = more

    def answer(self, command: JsonObject) -> JsonObject:
        """Respond from the table; breakpoints are named bp1, bp2, and functions of Node.js are found."""
        method = str(command["method"])
        answer = self.answers.get(method, FUNCTION if method == "Runtime.evaluate" else {})
        result = dict(answer(command) if callable(answer) else answer)
        if method.startswith("Debugger.set") and "Breakpoint" in method:
            self._breakpoints += 1
            result = {"breakpointId": f"bp{self._breakpoints}", **result}
        return {"id": command["id"], "result": result}

    def methods(self) -> list[str]:
        """The names of the commands, in order."""
        return [str(command["method"]) for command in self.sent_commands]

    def params(self, method: str) -> list[Any]:
        """The parameters of each command with this name."""
        return [command["params"] for command in self.sent_commands if command["method"] == method]

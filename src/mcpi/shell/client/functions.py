"""The user's functions that answer what a server asks."""

import asyncio
import json
from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import TypeAlias

from mcpi.core.client.function_responders import function_handler, params_of
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.plans.responders import Accept, Handlers, Refuse, Reply
from mcpi.core.plans.steps import AskFunction

Answer: TypeAlias = Callable[[JsonObject], object]
"""From the parameters of a question to its result, which is JSON, or to what can be awaited for it."""


class FunctionAnswers:
    """Functions by the methods they answer, such as sampling/createMessage."""

    def __init__(self, functions: Mapping[str, Answer]) -> None:
        """Each of them is declared."""
        self._functions = dict(functions)
        self.handlers: Handlers = {method: function_handler(method) for method in functions}

    async def consult(self, question: AskFunction) -> Reply:
        """What the function says."""
        try:
            result = self._functions[question.method](as_object(params_of(question).value))
            answer = await result if isawaitable(result) else result
            return Accept(json.loads(json.dumps(answer)))
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # It was something of the function's own that was cancelled.
            return Refuse(-32603, type(error).__name__)
        except Exception as error:  # noqa: BLE001 - the function is the user's, and so is its failure
            return Refuse(-32603, f"{type(error).__name__}: {error}")

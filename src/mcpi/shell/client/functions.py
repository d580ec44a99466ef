"""User functions that answer requests from the server."""

import asyncio
import json
from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import TypeAlias

from mcpi.core.client.function_responders import function_handler, params_of
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.plans.responders import Accept, Handlers, Refuse, Reply
from mcpi.core.plans.steps import AskFunction

AnswerFunction: TypeAlias = Callable[[JsonObject], object]
"""Function that maps the params of a request to its JSON result, or to an awaitable of it."""


class FunctionAnswers:
    """User functions by the method that they answer, such as sampling/createMessage."""

    def __init__(self, functions: Mapping[str, AnswerFunction]) -> None:
        """Create a handler for each function."""
        self._functions = dict(functions)
        self.handlers: Handlers = {method: function_handler(method) for method in functions}

    async def call_function(self, question: AskFunction) -> Reply:
        """Call the function, and return its result or an error."""
        try:
            result = self._functions[question.method](as_object(params_of(question).value))
            answer = await result if isawaitable(result) else result
            return Accept(json.loads(json.dumps(answer)))
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # The function itself raised it: this task was not cancelled.
            return Refuse(-32603, type(error).__name__)
        except Exception as error:  # noqa: BLE001 - user code may raise anything
            return Refuse(-32603, f"{type(error).__name__}: {error}")

"""Requests of the server that user functions answer, or that the program resolves later."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Literal, TypeAlias

from attrs import define

from mcpi.core.client.argument_types import check_argument, check_fields
from mcpi.core.client.entries import PendingRequest
from mcpi.core.client.function_responders import CAPABILITIES, function_handler, params_of
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.plans.responders import Accept, Handler, Refuse, Reply
from mcpi.core.plans.steps import AskFunction
from mcpi.core.text.timestamps import iso
from mcpi.shell.client.errors import McpiError
from mcpi.shell.client.event_loops import Caller
from mcpi.shell.context import Clock, Timer

RequestHandler: TypeAlias = Callable[[JsonObject], object]
"""A function or coroutine function that takes the params of a request and returns its result."""

INTERNAL_ERROR, REJECTED = -32603, -1


def leave_pending(_: JsonObject) -> object:
    """Placeholder for a handler: the request stays pending until the program calls `resolve` or `reject`."""
    raise AssertionError


@frozen(kw_only=True)
class HandlerOptions:
    """Options of the handlers that answer the server's requests."""

    request_timeout: float = 300.0
    """Seconds to wait for the handler to return, or for `resolve` or `reject`."""
    auto_reject_on_timeout: bool = True
    """Reject the request after the timeout; if false, wait without limit."""
    timeout_message: str = "Request timed out waiting for user response"
    """Message of the JSON-RPC error that is sent after the timeout."""

    def __attrs_post_init__(self) -> None:
        """Check the types."""
        check_fields(self)


@define
class _Pending:
    """A pending request, its timer, and the task that calls its handler."""

    entry: PendingRequest
    timer: Timer | None = None
    task: "asyncio.Task[None] | None" = None
    open: bool = True


_ANSWERING: ContextVar[_Pending | None] = ContextVar("mcpi_answering", default=None)
"""The request that the running user function answers."""


def is_answering() -> bool:
    """Tell whether a user function runs whose answer the server waits for."""
    pending = _ANSWERING.get()
    return pending is not None and pending.open


class PendingRequests:
    """All handlers, and the requests that wait for an answer."""

    def __init__(
        self,
        clock: Clock,
        options: HandlerOptions,
        deliver: Callable[[int, Reply], None],
        changed: Callable[[], None],
    ) -> None:
        """Start without handlers; `deliver` takes the answers, `changed` is called when requests come or go."""
        self.handlers: dict[str, Handler] = {}
        self.caller: Caller | None = None
        self._clock = clock
        self._options = options
        self._deliver = deliver
        self._changed = changed
        self._functions: dict[str, RequestHandler] = {}
        self._pending: dict[int, _Pending] = {}
        self._last = 0

    def set_handlers(self, functions: Mapping[str, RequestHandler]) -> None:
        """Set the functions that answer some methods."""
        check_argument("handlers", functions, Mapping[str, Any])
        for method, function in functions.items():
            self.set_handler(method, function)

    def set_handler(self, method: str, function: RequestHandler | None) -> None:
        """Set or remove the function that answers a method."""
        check_argument("method", method, str)
        check_argument("handler", function, Callable | None)
        if function is None:
            self._functions.pop(method, None)
            self.handlers.pop(method, None)
        else:
            self._functions[method] = function
            self.handlers[method] = function_handler(method)

    def ask(self, question: AskFunction) -> int:
        """Start to answer a request; return the number under which the reply is delivered."""
        self._last += 1
        number, method = self._last, question.method
        entry = PendingRequest(
            id=str(number),
            kind=_KINDS.get(method, "request"),
            method=method,
            params=as_object(params_of(question).value),
            created_at=iso(self._clock.wall()),
        )
        pending = self._pending[number] = _Pending(entry)
        if self._options.auto_reject_on_timeout:
            pending.timer = self._clock.call_later(
                self._options.request_timeout,
                self._answer,
                number,
                Refuse(REJECTED, self._options.timeout_message),
            )
        function = self._functions.get(method, leave_pending)
        if function is not leave_pending:
            pending.task = asyncio.get_running_loop().create_task(self._call(number, function, pending))
        self._changed()
        return number

    async def _call(self, number: int, function: RequestHandler, pending: _Pending) -> None:
        """Call the function, and deliver its result or an error."""
        _ANSWERING.set(pending)
        assert self.caller is not None
        try:
            answer = await self.caller.ask(function, pending.entry.params)
            reply: Reply = Accept(json.loads(json.dumps(answer)))
            if answer is None:
                reply = Refuse(INTERNAL_ERROR, f"the handler for {pending.entry.method} returned None")
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # The function itself raised it: this task was not cancelled.
            reply = Refuse(INTERNAL_ERROR, type(error).__name__)
        except Exception as error:  # noqa: BLE001 - user code may raise anything
            reply = Refuse(INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        self._answer(number, reply)

    def _answer(self, number: int, reply: Reply) -> None:
        if self._remove(number):
            self._deliver(number, reply)
            self._changed()

    def withdraw(self, number: int) -> None:
        """Forget a request that no longer needs an answer, and cancel its handler."""
        if self._remove(number):
            self._changed()

    def _remove(self, number: int) -> bool:
        pending = self._pending.pop(number, None)
        if pending is None:
            return False
        pending.open = False
        if pending.timer is not None:
            pending.timer.cancel()
        # A handler may itself end the connection that waits for it.
        if pending.task is not None and pending is not _ANSWERING.get():
            pending.task.cancel()
        return True

    @property
    def entries(self) -> list[PendingRequest]:
        """The pending requests, oldest first."""
        return [pending.entry for pending in tuple(self._pending.values())]

    def resolve(self, name: str, result: Printable) -> None:
        """Answer a pending request."""
        self._answer(self._number(name), Accept(json.loads(dump(to_plain(result)))))

    def reject(self, name: str, reason: str) -> None:
        """Refuse a pending request."""
        self._answer(self._number(name), Refuse(REJECTED, reason))

    def _number(self, name: str) -> int:
        check_argument("id", name, str)
        number = int(name) if name.isdecimal() else 0
        if number not in self._pending:
            known = ", ".join(map(str, self._pending)) or "none"
            raise McpiError(Invalid("INVALID_ARGUMENT", "id", f"no pending request {name!r} (pending: {known})"))
        return number


_KINDS: dict[str, Literal["sampling", "elicitation", "roots", "request"]] = {
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
    "roots/list": "roots",
}
assert _KINDS.keys() == CAPABILITIES.keys()

"""Where the server's requests are answered."""

from collections.abc import Container
from typing import cast

from mcpi.core.jsontext.exact import Exact
from mcpi.core.plans.responders import UNKNOWN, Handlers, Refuse, Reply, ServerRequest
from mcpi.core.plans.steps import AskFunction, Steps, Stop, Validate
from mcpi.core.session.effects import Effects


class ServerRequests:
    """Our handlers, and the count of what they were asked."""

    def __init__(self, handlers: Handlers, declared: Container[str]) -> None:
        """Nothing has been asked; only what was declared is answered."""
        self.handlers = handlers
        self._declared = declared
        self._asked: dict[str, int] = {}

    @property
    def all_given(self) -> frozenset[str]:
        """The methods that the user said how to answer."""
        return frozenset(method for method in self.handlers if self.given(method))

    def given(self, method: str) -> bool:
        """Whether the user said how to answer it."""
        handler = self.handlers.get(method)
        return handler is not None and handler.given

    def asked(self, method: str) -> bool:
        """Whether the server has asked for it."""
        return method in self._asked

    def open_to(self, method: str) -> bool:
        """Whether we declared that it may be asked."""
        handler = self.handlers.get(method)
        if handler is None:
            return False
        needs = handler.responder.capability
        return not needs or needs in self._declared

    def reply(self, method: str, params: Exact | None) -> Effects[Reply]:
        """What our handlers say to one request."""
        before = self._asked.get(method, 0)
        self._asked[method] = before + 1
        handler = self.handlers.get(method)
        if handler is None or not self.open_to(method):
            return UNKNOWN
        return (yield from _perform(handler.answer(ServerRequest(method, params, before))))


def _perform(steps: Steps[Reply]) -> Effects[Reply]:
    """A responder's steps; it may measure values by a schema and ask a function, and no more."""
    answer: object = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as done:
            return cast("Reply", done.value)
        except Exception as error:  # noqa: BLE001 - it is a plugin's, and the server waits for some answer
            return Refuse(-32603, f"{type(error).__name__}: {error}")
        match step:
            case Validate() | AskFunction():
                answer = yield step
            case Stop():
                return Refuse(-32603, "no answer could be made")
            case _:
                raise AssertionError(step)

"""Server requests that user functions answer later, while the connection is read."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import define

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import as_object
from mcpi.core.plans.responders import Refuse, Reply
from mcpi.core.plans.steps import Steps
from mcpi.core.session.effects import AwaitMessage, Effects, FunctionAnswered, Inbound
from mcpi.core.session.server_requests import DeferredReply, perform, record_reply, send_reply
from mcpi.core.wire.jsonrpc import Request

if TYPE_CHECKING:
    from mcpi.core.session.session import Session


@define
class PendingServerRequest:
    """A request whose answer is pending; an input of a modern result has no separate message."""

    steps: Steps[Reply]
    asked: float
    message: Request | None
    answer: Reply | None = None


class PendingServerRequests:
    """All pending requests by their numbers; the time that they are open does not count towards timeouts."""

    def __init__(self) -> None:
        """Start without requests; `withdraw` is called with the number of a request that no longer needs an answer."""
        self._open: dict[int, PendingServerRequest] = {}
        self._since = 0.0
        self.withdraw: Callable[[int], None] = _ignore

    @property
    def waiting(self) -> bool:
        """True if the server waits for an answer."""
        return bool(self._open)

    def add(self, deferred: DeferredReply, asked: float, message: Request | None) -> PendingServerRequest:
        """Add a pending request."""
        if not self._open:
            self._since = asked
        question = self._open[deferred.number] = PendingServerRequest(deferred.steps, asked, message)
        return question

    def get(self, number: int) -> PendingServerRequest | None:
        """Return the pending request with that number."""
        return self._open.get(number)

    def remove(self, number: int, at: float) -> float:
        """Remove a request; return the seconds that do not count, if it was the last one."""
        removed = self._open.pop(number, None)
        return at - self._since if removed is not None and not self._open else 0.0

    def cancel(self, params: Exact | None, at: float) -> float:
        """Withdraw the request that the server cancels; return the seconds that do not count."""
        number = None if params is None else as_object(params.value).get("requestId")
        for key, question in self._open.items():
            if question.message is not None and question.message.id.value == number:
                self.withdraw(key)
                return self.remove(key, at)
        return 0.0

    def clear(self) -> None:
        """Withdraw all requests."""
        numbers = tuple(self._open)
        self._open.clear()
        for number in numbers:
            self.withdraw(number)


def _ignore(_: int) -> None:
    """Ignore the withdrawal: no function was called."""


def resume_answer(session: "Session", answered: FunctionAnswered) -> Effects[None]:
    """Send the answer to the server, or hand it to the request that waits for it."""
    question = session.questions.get(answered.number)
    if question is None:
        return  # It has been withdrawn.
    if question.message is None:
        question.answer = answered.reply
        return
    session.exclude(session.questions.remove(answered.number, answered.at))
    reply = yield from perform(question.steps, answered.reply)
    if isinstance(reply, DeferredReply):
        session.questions.add(reply, answered.at, question.message)
    else:
        yield from send_reply(session, question.message, reply, question.asked)


def answer_input(session: "Session", method: str, params: Exact | None, at: float) -> Effects[Reply]:
    """Return the reply to one input of a modern result; process other messages until it is available."""
    reply = yield from session.server_requests.reply(method, params)
    now = at
    while isinstance(reply, DeferredReply):
        question = session.questions.add(reply, now, None)
        try:
            while question.answer is None and session.connection_fault is None:
                inbound: Inbound = yield AwaitMessage(None)
                now = inbound.at
                yield from session.absorb(inbound)
        finally:
            session.exclude(session.questions.remove(reply.number, now))
            if question.answer is None:
                session.questions.withdraw(reply.number)
        if question.answer is None:
            return Refuse(-32603, "the connection was lost")
        reply = yield from perform(reply.steps, question.answer)
    record_reply(session, method, params, reply, at)
    return reply

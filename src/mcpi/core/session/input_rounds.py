"""A request and its answer, after as many rounds of input as a modern server wants."""

from collections.abc import Mapping
from typing import Protocol, cast

from attrs import evolve

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.faults import Fault, InvalidResponse, Rejected, RpcError
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import Event, ViolationSeen
from mcpi.core.plans.responders import Accept, Refuse, Reply, advice
from mcpi.core.plans.steps import Call
from mcpi.core.session.effects import Effects, Now
from mcpi.core.session.server_requests import ServerRequests
from mcpi.core.wire import modern
from mcpi.core.wire.jsonrpc import Answer, Id
from mcpi.core.wire.violations import Violation, quote

ROUNDS = 10
"""How often a modern server may ask for more input before it answers."""
PAUSE, LONGEST = 0.05, 0.25
"""Seconds before a request that only comes again goes out; each pause is twice as long, up to the longest."""


class Talk(Protocol):
    """What a session can do for a request."""

    desk: ServerRequests
    lost: Fault | None

    @property
    def modern(self) -> bool:
        """Whether the era without a handshake is spoken."""
        ...

    def send(self, step: Call) -> Effects[tuple[Id, float]]:
        """The request goes out."""
        ...

    def outcome(self, number: Id, sent: float) -> Effects[Result[Exact]]:
        """The answer to it."""
        ...

    def reply(self, method: str, params: Exact | None, at: float) -> Effects[Reply]:
        """What our handlers say to the server's request."""
        ...

    def sleep(self, seconds: float) -> Effects[None]:
        """Time passes."""
        ...

    def note(self, event: Event) -> None:
        """The event is recorded."""
        ...


def call(session: Talk, step: Call) -> Effects[Result[Exact]]:
    """The outcome of a plan's request."""
    rounds = 0
    while True:
        if session.lost is not None:
            return Failure(session.lost)
        number, at = yield from session.send(step)
        outcome = yield from examined(session, step.method, (yield from session.outcome(number, at)))
        required = _required(session, outcome)
        if required is None:
            return outcome
        problem = _unclear(step.method, required, rounds)
        if problem is not None:
            return Failure(InvalidResponse("INVALID_RESPONSE", problem, (quote(required.text),)))
        if not modern.input_requests(required):
            # Nothing is asked but to come again, which a server that is busy need not hear at once.
            yield from session.sleep(min(PAUSE * 2**rounds, LONGEST))
        responses = yield from inputs(session, required)
        if isinstance(responses, Failure):
            return responses
        step = evolve(step, params=modern.retry(step.params, required, responses.unwrap()))
        rounds += 1


def _unclear(method: str, required: Exact, rounds: int) -> str | None:
    if rounds == ROUNDS:
        return f"{method} asked for input more than {ROUNDS} times"
    problem = modern.unclear(required)
    return None if problem is None else f"{method} asked for input, but {problem}"


def examined(session: Talk, method: str, outcome: Result[Exact]) -> Effects[Result[Exact]]:
    """The same outcome; what a modern result lacks is recorded."""
    if session.modern and not isinstance(outcome, Failure):
        at: float = yield Now()
        for violation in modern.examine(method, outcome.unwrap()):
            session.note(ViolationSeen(violation, at))
    return outcome


def _required(session: Talk, outcome: Result[Exact]) -> Exact | None:
    if not session.modern or isinstance(outcome, Failure):
        return None
    answer = outcome.unwrap()
    return answer if modern.result_type(answer) == modern.INPUT_REQUIRED else None


def inputs(session: Talk, required: Exact) -> Effects[Result[Mapping[str, Printable]]]:
    """What our handlers say to each of a result's inputRequests, by name."""
    responses: dict[str, Printable] = {}
    at: float = yield Now()
    for name, wanted in modern.input_requests(required).items():
        method, params = modern.asked_method(wanted)
        if not session.desk.open_to(method):
            # MCP 2026-07-28, MRTR: "Servers MUST NOT send an inputRequests that the client has not declared".
            problem = f"the server asked for {method}, which the client did not declare"
            session.note(ViolationSeen(Violation("undeclared-capability", problem, quote(wanted.text)), at))
        match (yield from session.reply(method, params, at)):
            case Accept(result):
                responses[name] = result
            case Refuse(_, message):
                # MCP 2026-07-28, MRTR: there is no error for one input; a refusal means no further round.
                problem = f"the server's {method} was refused: {message}"
                how = () if session.desk.given(method) else advice([method])
                return Failure(Rejected("INPUT_REJECTED", problem, (quote(wanted.text),), hints=how))
    return Success(responses)


def outcome_of(answer: Answer, method: str) -> Result[Exact]:
    """The result of a request, or the error that the server gave it."""
    if answer.result is not None:
        return Success(answer.result)
    error = cast("Exact", answer.error)
    members = as_object(error.value)
    code, text = members.get("code"), members.get("message")
    number = code if isinstance(code, int) else 0
    words = text if isinstance(text, str) else error.text
    return Failure(RpcError(number, words, error, method))

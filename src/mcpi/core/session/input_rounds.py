"""Send a request and wait for its response, with as many rounds of input as a modern server requires."""

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, cast

from attrs import evolve

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.faults import InvalidResponse, OperationFailed, RpcError, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import ViolationSeen
from mcpi.core.plans.responders import Accept, Refuse, handler_hints
from mcpi.core.plans.steps import Call
from mcpi.core.session.effects import AwaitMessage, ConnectionLost, Effects, Inbound, Now
from mcpi.core.session.pending_server_requests import answer_input
from mcpi.core.session.retry import limit_hint
from mcpi.core.wire import modern
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, RpcResponse
from mcpi.core.wire.violations import Violation, quote

if TYPE_CHECKING:
    from mcpi.core.session.session import Session

MAX_INPUT_ROUNDS = 10
"""Maximum number of input rounds for one request."""
RETRY_PAUSE, MAX_RETRY_PAUSE = 0.05, 0.25
"""Seconds before a retry without input; the pause doubles with each round, up to the maximum."""


def call(session: "Session", step: Call) -> Effects[Result[Exact]]:
    """Send a plan's request and return its outcome."""
    rounds = 0
    while True:
        if session.connection_fault is not None:
            return Failure(session.connection_fault)
        number, at = yield from session.send(step)
        outcome = yield from wait_for_response(session, number, at)
        if not session.modern:
            return outcome
        required = _required_input((yield from examined(session, step.method, outcome)))
        if required is None:
            return outcome
        problem = _input_problem(step.method, required, rounds)
        if problem is not None:
            return Failure(InvalidResponse("INVALID_RESPONSE", problem, (quote(required.text),)))
        if not modern.input_requests(required):
            # The server only requests a retry; an immediate one would add load if it is busy.
            yield from session.sleep(min(RETRY_PAUSE * 2**rounds, MAX_RETRY_PAUSE))
        responses = yield from input_responses(session, required)
        if isinstance(responses, Failure):
            return responses
        step = evolve(step, params=modern.next_round_params(step.params, required, responses.unwrap()))
        rounds += 1


def _input_problem(method: str, required: Exact, rounds: int) -> str | None:
    if rounds == MAX_INPUT_ROUNDS:
        return f"the server requested input for {method} more than {MAX_INPUT_ROUNDS} times"
    problem = modern.input_required_problem(required)
    return None if problem is None else f"the server requested input for {method}, but {problem}"


def examined(session: "Session", method: str, outcome: Result[Exact]) -> Effects[Result[Exact]]:
    """Record the violations of a modern result, and return the outcome unchanged."""
    if session.modern and not isinstance(outcome, Failure):
        at: float = yield Now()
        for violation in modern.check_result(method, outcome.unwrap()):
            session.record_event(ViolationSeen(violation, at))
    return outcome


def _required_input(outcome: Result[Exact]) -> Exact | None:
    if isinstance(outcome, Failure):
        return None
    answer = outcome.unwrap()
    return answer if modern.result_type(answer) == modern.INPUT_REQUIRED else None


def input_responses(session: "Session", required: Exact) -> Effects[Result[Mapping[str, Printable]]]:
    """Return the handlers' responses to a result's inputRequests, by name."""
    responses: dict[str, Printable] = {}
    at: float = yield Now()
    for name, wanted in modern.input_requests(required).items():
        method, params = modern.input_request_method(wanted)
        if not session.server_requests.is_declared(method):
            # MCP 2026-07-28, MRTR: "Servers MUST NOT send an inputRequests that the client has not declared".
            problem = f"the server requested {method}, but the client did not declare the capability"
            session.record_event(ViolationSeen(Violation("undeclared-capability", problem, quote(wanted.text)), at))
        reply = yield from answer_input(session, method, params, at)
        if session.connection_fault is not None:
            return Failure(session.connection_fault)
        match reply:
            case Accept(result):
                responses[name] = result
            case Refuse(_, message):
                # MCP 2026-07-28, MRTR: there is no error for one input; a refusal means no further round.
                problem = f"the server's {method} request was rejected: {message}"
                hints = () if session.server_requests.is_configured(method) else handler_hints([method])
                return Failure(OperationFailed("INPUT_REJECTED", problem, (quote(wanted.text),), hints=hints))
    return Success(responses)


def outcome_of(answer: RpcResponse | InvalidMessage, method: str) -> Result[Exact]:
    """Return the result of a request, or a fault for an error or an invalid response."""
    if isinstance(answer, InvalidMessage):
        problem = f"invalid response to {method} (request {answer.id}): {answer.problem}"
        return Failure(InvalidResponse("INVALID_RESPONSE", problem, (answer.quoted,)))
    if answer.result is not None:
        return Success(answer.result)
    error = cast("Exact", answer.error)
    members = as_object(error.value)
    code, text = members.get("code"), members.get("message")
    number = code if isinstance(code, int) else 0
    message = text if isinstance(text, str) else error.text
    return Failure(RpcError(number, message, error, method))


def wait_for_response(session: "Session", number: Id, sent: float) -> Effects[Result[Exact]]:
    """Wait for the response to a request; fail on a timeout or a lost connection."""
    session.awaited.add(number)
    cap = sent + session.terms.total_timeout - session.excluded_seconds
    until = _deadline(session, number, cap)
    wait, is_asked = _awaiting(until), session.questions.waiting
    if session.before_waiting is not None:
        session.before_waiting()
    while number not in session.outcomes:
        if session.connection_fault is not None:
            return Failure(session.connection_fault)
        inbound: Inbound = yield wait
        if not session.process_simple(inbound):
            yield from session.absorb(inbound)
        # A flood of other messages must not delay the timeout: each of them carries the current time.
        if inbound.at >= until or is_asked is not session.questions.waiting:
            until, is_asked = _deadline(session, number, cap), session.questions.waiting
            wait = _awaiting(until)
            if inbound.at >= until and not isinstance(inbound, ConnectionLost) and number not in session.outcomes:
                return (yield from _time_out(session, number, *_expired(session, number, until)))
    outcome = session.outcomes[number]
    session.forget(number)
    return outcome


def _awaiting(until: float) -> AwaitMessage:
    return AwaitMessage(None if until == inf else until)


def _deadline(session: "Session", number: Id, cap: float) -> float:
    if session.questions.waiting:
        # The time that a user takes to answer the server does not count.
        return inf
    until = min(session.last_activity[number] + session.terms.timeout, cap + session.excluded_seconds)
    return until if session.deadline is None else min(until, session.deadline)


def _expired(session: "Session", number: Id, until: float) -> tuple[float, str]:
    """Return the limit that expired, and a hint; with a deadline, --timeout limits the whole run."""
    if until == session.deadline:
        return session.terms.timeout, limit_hint(session, "--follow")
    if until == session.last_activity[number] + session.terms.timeout:
        return session.terms.timeout, limit_hint(session, "--timeout")
    return session.terms.total_timeout, limit_hint(session, "--max-total-timeout")


def _time_out(session: "Session", number: Id, limit: float, hint: str) -> Effects[Result[Exact]]:
    yield from session.cancel(number, limit)
    what = f"{session.methods[number]} (request {number})"
    seen, connected = str(session.last_received), session.server is not None
    session.forget(number)
    return Failure(TimedOut("REQUEST_TIMEOUT", limit, what, seen, (hint,), connected=connected))

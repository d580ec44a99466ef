"""Steps that a plan can yield; the reply to each step is sent back into the generator."""

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar, cast

from attrs import evolve, field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Params, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Fetch, ReadFile, Response, WorldStep
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation

if TYPE_CHECKING:
    from mcpi.core.plans.events import Event
    from mcpi.core.wire.jsonrpc import Id

T = TypeVar("T")


@frozen
class Call:
    """One request; the reply is its result, or a Result if `allow_failure` is true."""

    method: str
    params: Params | None = None
    allow_failure: bool = False
    with_progress: bool = False
    """Request progress notifications; each one resets the response timeout."""
    headers: Mapping[str, str] = field(factory=dict)
    """Additional HTTP headers."""
    reason: str = ""
    """Reason for the request, if the user did not ask for it."""


@frozen
class CallAll:
    """Requests sent without waiting for each other; the reply is a Result for each."""

    calls: tuple[Call, ...]


@frozen
class Send:
    """One request whose response arrives as an event; the reply is the request id."""

    method: str
    params: Params | None = None


@frozen
class Notify:
    """One notification to send."""

    method: str
    params: Params | None = None


@frozen
class Connect:
    """Connect, unless already connected; the reply is the NegotiatedServer."""


@frozen
class ReadClock:
    """Read the clock and the session's settings; the reply is a ClockReading."""


@frozen
class ClockReading:
    """The time, the response timeout, and the server methods that the user specified replies for."""

    now: float
    timeout: float
    handled_methods: frozenset[str]


@frozen
class ExtendTerms:
    """Add a log level or a client extension to all further requests of the modern era."""

    log_level: str | None = None
    extension: str | None = None


@frozen
class ProvideInput:
    """Answer the inputRequests of a result; the reply is a Result with the responses by name."""

    result: Exact


@frozen
class Sleep:
    """Wait some seconds; messages that arrive meanwhile are processed."""

    seconds: float


@frozen
class Emit:
    """Text to write to the output stream immediately."""

    text: str
    verbatim: bool = False
    """True for a server's result, which is written unchanged, including secrets."""


@frozen
class NextEvent:
    """Wait for the next event; the reply is DeadlineReached after that many seconds."""

    timeout: float | None = None


@frozen
class Validate:
    """Validate a value against a JSON schema; the reply is the problems as (pointer, sentence) pairs.

    The pointer is None if a limit ended the validation.
    """

    value: Json
    schema: Json


@frozen
class AskFunction:
    """Pass a server's request to a function of the user; the reply is the responder's Reply."""

    method: str
    params: Exact | None


@frozen
class ReportViolation:
    """A protocol violation that the plan found."""

    violation: Violation


@frozen
class Warn:
    """A warning for the user, as a sentence."""

    sentence: str


@frozen
class Stop:
    """End the plan with a fault; a partial result is still shown."""

    fault: Fault
    result: Printable = None


Step: TypeAlias = (
    Call
    | CallAll
    | Send
    | Notify
    | Connect
    | ReadClock
    | ExtendTerms
    | ProvideInput
    | Sleep
    | Emit
    | NextEvent
    | Validate
    | AskFunction
    | ReportViolation
    | Warn
    | Stop
    | WorldStep
)
Steps: TypeAlias = Generator[Step, Any, T]
Plan: TypeAlias = Steps[Printable]


def request(method: str, params: Params | None = None, reason: str = "") -> Steps[Exact]:
    """Send a request and return its result; an error response ends the plan."""
    return cast("Exact", (yield Call(method, params, reason=reason)))


def attempt(
    method: str, params: Params | None = None, headers: Mapping[str, str] | None = None, *, track: bool = False
) -> Steps[Result[Exact]]:
    """Send a request and return its outcome, which may be a failure."""
    return cast(
        "Result[Exact]", (yield Call(method, params, allow_failure=True, with_progress=track, headers=headers or {}))
    )


def attempt_all(calls: Sequence[Call]) -> Steps[tuple[Result[Exact], ...]]:
    """Send several requests together and return their outcomes in order."""
    return cast("tuple[Result[Exact], ...]", (yield CallAll(tuple(calls))))


def connect() -> Steps[NegotiatedServer]:
    """Return the server, and connect to it first if necessary."""
    return cast("NegotiatedServer", (yield Connect()))


def read_clock() -> Steps[ClockReading]:
    """Return the time and the session's settings."""
    return cast("ClockReading", (yield ReadClock()))


def send(method: str, params: Params | None = None) -> Steps["Id"]:
    """Send a request whose response arrives as an event, and return its id."""
    return cast("Id", (yield Send(method, params)))


def extend_terms(*, log_level: str | None = None, extension: str | None = None) -> Steps[None]:
    """Add a log level or a client extension to all further requests of the modern era."""
    yield ExtendTerms(log_level, extension)


def provide_input(required: Exact) -> Steps[Result[Mapping[str, Printable]]]:
    """Return the responses to a result's inputRequests, by name."""
    return cast("Result[Mapping[str, Printable]]", (yield ProvideInput(required)))


def next_event(within: float | None = None) -> Steps["Event"]:
    """Return the next event, or DeadlineReached after that many seconds."""
    return cast("Event", (yield NextEvent(within)))


def pause(seconds: float) -> Steps[None]:
    """Wait some seconds."""
    yield Sleep(seconds)


def emit(line: str) -> Steps[None]:
    """Write one line to the output stream."""
    yield Emit(f"{line}\n")


def fetch(wanted: Fetch) -> Steps[Result[Response]]:
    """Perform an HTTP exchange and return its outcome."""
    return cast("Result[Response]", (yield wanted))


def read_file(name: str) -> Steps[Result[str | None]]:
    """Return the text of a file in the working directory; None if there is no such file."""
    return cast("Result[str | None]", (yield ReadFile(name)))


def check(value: Json, schema: Json) -> Steps[tuple[tuple[str | None, str], ...]]:
    """Validate the value against the schema and return the problems."""
    return cast("tuple[tuple[str | None, str], ...]", (yield Validate(value, schema)))


def report_violation(violation: Violation) -> Steps[None]:
    """Record the violation."""
    yield ReportViolation(violation)


def warn(sentence: str) -> Steps[None]:
    """Warn the user."""
    yield Warn(sentence)


def must(outcome: Result[T]) -> Steps[T]:
    """Return the value of a success; a failure ends the plan."""
    match outcome:
        case Success(value):
            return value
        case Failure(fault):
            return (yield from stop(fault))


def stop(fault: Fault, result: Printable = None) -> Steps[NoReturn]:
    """End the plan with a fault; it is never resumed after this step."""
    yield Stop(fault, result)
    raise AssertionError("a stopped plan was resumed")


def catch_failure(steps: Steps[T]) -> Steps[Result[T]]:
    """Run the steps, and return a failure instead of ending the plan when they stop or a call fails."""
    reply: Any = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as done:
            return Success(done.value)
        if isinstance(step, Stop):
            steps.close()
            return Failure(step.fault)
        if not isinstance(step, Call) or step.allow_failure:
            reply = yield step
            continue
        outcome: Result[Exact] = yield evolve(step, allow_failure=True)
        if isinstance(outcome, Failure):
            steps.close()
            return outcome
        reply = outcome.unwrap()

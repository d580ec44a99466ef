"""What a method may ask for while it runs: each step is a value, and the reply comes back into the generator."""

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar, cast

from attrs import evolve, field

from mcpi.core.debugger.probe import Program
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Params, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Fetch, Response, WorldStep
from mcpi.core.wire.server_info import Server
from mcpi.core.wire.violations import Violation

if TYPE_CHECKING:
    from mcpi.core.debugger.verdict import Verdict
    from mcpi.core.plans.events import Event
    from mcpi.core.wire.jsonrpc import Id

T = TypeVar("T")


@frozen
class Call:
    """One request and its answer; a tolerant one gets the failure as a value."""

    method: str
    params: Params | None = None
    tolerant: bool = False
    track: bool = False
    """Ask the server to tell its progress; each report starts our patience anew."""
    headers: Mapping[str, str] = field(factory=dict)
    """What an HTTP server wants to see beside the message."""


@frozen
class CallAll:
    """Requests that do not wait for each other; the reply is an outcome for each."""

    calls: tuple[Call, ...]


@frozen
class Send:
    """One request whose answer comes as an event; the reply is its id."""

    method: str
    params: Params | None = None


@frozen
class Notify:
    """One notification."""

    method: str
    params: Params | None = None


@frozen
class Connect:
    """The server as it introduced itself; the reply is a Server."""


@frozen
class ReadClock:
    """How things stand; the reply is a Standing."""


@frozen
class ClockReading:
    """What time it is, how long to be patient, and what the user said how to answer."""

    now: float
    patience: float
    handled: frozenset[str]


@frozen
class ExtendTerms:
    """From now on, in the modern era: a log level for each request, an extension that we know."""

    log_level: str | None = None
    extension: str | None = None


@frozen
class ProvideInput:
    """The answers to what a result asks for in its inputRequests; the reply is an outcome with them, by name."""

    required: Exact


@frozen
class Sleep:
    """Some seconds without an answer; what arrives meanwhile is kept."""

    seconds: float


@frozen
class Emit:
    """Text of the stream, shown at once."""

    text: str
    verbatim: bool = False
    """Whether it is a result that the server gave, which is shown as it is, secrets and all."""


@frozen
class Next:
    """The next event, or Elapsed after that many seconds."""

    within: float | None = None


@frozen
class Validate:
    """A value measured by a JSON schema; the reply is what is wrong, as (pointer, sentence) pairs."""

    value: Json
    schema: Json


@frozen
class AskFunction:
    """A question of the server's for a function of the user's; the reply is what the responder answers."""

    method: str
    params: Exact | None


@frozen
class Debug:
    """A program run under its inspector, from start to end; the reply is an outcome with a Verdict."""

    program: Program


@frozen
class ReportViolation:
    """Something the plan found the server to do that the protocol does not allow."""

    violation: Violation


@frozen
class Stop:
    """The end of the plan by a fault; what there is of a result is shown all the same."""

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
    | Next
    | Validate
    | AskFunction
    | Debug
    | ReportViolation
    | Stop
    | WorldStep
)
Steps: TypeAlias = Generator[Step, Any, T]
Plan: TypeAlias = Steps[Printable]


def request(method: str, params: Params | None = None) -> Steps[Exact]:
    """The result of one request; an error answer ends the plan."""
    return cast("Exact", (yield Call(method, params)))


def attempt(
    method: str, params: Params | None = None, headers: Mapping[str, str] | None = None, *, track: bool = False
) -> Steps[Result[Exact]]:
    """The outcome of one request, also when it failed."""
    return cast("Result[Exact]", (yield Call(method, params, tolerant=True, track=track, headers=headers or {})))


def attempt_all(calls: Sequence[Call]) -> Steps[tuple[Result[Exact], ...]]:
    """The outcomes of several requests sent together, in their order."""
    return cast("tuple[Result[Exact], ...]", (yield CallAll(tuple(calls))))


def connect() -> Steps[Server]:
    """The server as it introduced itself."""
    return cast("Server", (yield Connect()))


def read_clock() -> Steps[ClockReading]:
    """How things stand."""
    return cast("ClockReading", (yield ReadClock()))


def send(method: str, params: Params | None = None) -> Steps["Id"]:
    """The id of a request whose answer will come as an event."""
    return cast("Id", (yield Send(method, params)))


def extend_terms(*, log_level: str | None = None, extension: str | None = None) -> Steps[None]:
    """Each further request says so, in the modern era."""
    yield ExtendTerms(log_level, extension)


def provide_input(required: Exact) -> Steps[Result[Mapping[str, Printable]]]:
    """The answers to what a result asks for."""
    return cast("Result[Mapping[str, Printable]]", (yield ProvideInput(required)))


def next_event(within: float | None = None) -> Steps["Event"]:
    """The next thing that happens."""
    return cast("Event", (yield Next(within)))


def pause(seconds: float) -> Steps[None]:
    """Some time passes."""
    yield Sleep(seconds)


def emit(line: str) -> Steps[None]:
    """One line of the stream."""
    yield Emit(f"{line}\n")


def fetch(wanted: Fetch) -> Steps[Result[Response]]:
    """What an HTTP exchange brought."""
    return cast("Result[Response]", (yield wanted))


def check(value: Json, schema: Json) -> Steps[tuple[tuple[str, str], ...]]:
    """What is wrong with the value by the schema."""
    return cast("tuple[tuple[str, str], ...]", (yield Validate(value, schema)))


def debug(program: Program) -> Steps["Result[Verdict]"]:
    """What came of a program that was looked at while it ran."""
    return cast("Result[Verdict]", (yield Debug(program)))


def report_violation(violation: Violation) -> Steps[None]:
    """The violation is recorded."""
    yield ReportViolation(violation)


def must(outcome: Result[T]) -> Steps[T]:
    """The value; a failure ends the plan."""
    match outcome:
        case Success(value):
            return value
        case Failure(fault):
            return (yield from stop(fault))


def stop(fault: Fault, result: Printable = None) -> Steps[NoReturn]:
    """The end of the plan: whoever drives it does not come back."""
    yield Stop(fault, result)
    raise AssertionError("a stopped plan was driven on")


def caught(steps: Steps[T]) -> Steps[Result[T]]:
    """The same steps, with the fault as a value where they stop, or where a call fails that must not."""
    reply: Any = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as done:
            return Success(done.value)
        if isinstance(step, Stop):
            steps.close()
            return Failure(step.fault)
        if not isinstance(step, Call) or step.tolerant:
            reply = yield step
            continue
        outcome: Result[Exact] = yield evolve(step, tolerant=True)
        if isinstance(outcome, Failure):
            steps.close()
            return outcome
        reply = outcome.unwrap()

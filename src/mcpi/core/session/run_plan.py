"""A method's steps become what the shell can do."""

from collections.abc import Callable
from typing import Any, TypeAlias

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Outcome
from mcpi.core.plans.events import Irregular
from mcpi.core.plans.plan import Begun, Ended, onward
from mcpi.core.plans.steps import (
    Adopt,
    Call,
    CallAll,
    Debug,
    Emit,
    Look,
    Meet,
    Next,
    Notify,
    Provide,
    Remark,
    Send,
    Sleep,
    Standing,
    Step,
    Validate,
)
from mcpi.core.plans.world_steps import Aside
from mcpi.core.session.effects import Acts, Now
from mcpi.core.session.input_rounds import examined, inputs
from mcpi.core.session.negotiate import open_session
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.server_info import Server
from mcpi.core.wire.violations import Violation

Admit: TypeAlias = Callable[[Server], Fault | Violation | None]


def interpret(begun: Begun, session: Session, admit: Admit) -> Acts[Ended]:
    """The plan carried out on the session, which opens with the first step that needs it."""
    plan, step = begun.plan, begun.step
    admitted = False
    while True:
        if not admitted and isinstance(step, Call | CallAll | Send | Notify | Meet | Next):
            admitted = True
            fault = yield from _enter(session, admit)
            if fault is not None:
                plan.close()
                return Ended(None, fault)
        match step:
            case Call(tolerant=False):
                outcome = yield from session.call(step)
                if isinstance(outcome, Failure):
                    plan.close()
                    return Ended(None, outcome.failure())
                reply: Any = outcome.unwrap()
            case _:
                reply = yield from _reply(step, session)
        onwards = onward(plan, reply)
        if isinstance(onwards, Ended):
            return onwards
        step = onwards


def give_up(session: Session) -> Acts[None]:
    """What was asked for somebody who waits no more is withdrawn."""
    now: float = yield Now()
    waited, session.waited = session.waited, set()
    # MCP 2025-11-25, cancellation: notifications "MUST only reference requests that [...] are believed to still be
    # in-progress".
    for number in sorted(waited & session.peer.outstanding.keys(), key=str):
        yield from session.withdraw(number, now - session.heard.pop(number), "nobody waits any more, after")


def _enter(session: Session, admit: Admit) -> Acts[Fault | None]:
    """The session is open, and the server offers what the method needs; else the fault."""
    opened = yield from open_session(session)
    if isinstance(opened, Failure):
        return opened.failure()
    verdict = admit(opened.unwrap())
    if isinstance(verdict, Violation):
        session.note(Irregular(verdict, (yield Now())))
        return None
    return verdict


def _reply(step: Step, session: Session) -> Acts[Any]:
    match step:
        case Next(within):
            session.keep = True
            return (yield from session.next(within))
        case Call():
            return (yield from session.call(step))
        case _ if isinstance(step, Emit | Validate | Debug | Aside):
            return (yield step)
        case _:
            return (yield from _rarer(step, session))


def _rarer(step: Step, session: Session) -> Acts[Any]:
    match step:
        case Meet():
            return session.server
        case CallAll(calls):
            return (yield from _together(calls, session))
        case Look():
            return Standing((yield Now()), session.terms.patience, session.desk.all_given)
        case Adopt(log_level, extension):
            session.adopt(log_level, extension)
        case Provide(required):
            return (yield from inputs(session, required))
        case _:
            return (yield from _lasting(step, session))
    return None


def _lasting(step: Step, session: Session) -> Acts[Any]:
    match step:
        case Send(method, params):
            session.keep = True
            number, _ = yield from session.send(Call(method, params))
            return number
        case Notify(method, params):
            yield from session.notify(method, params)
        case Sleep(seconds):
            yield from session.sleep(seconds)
        case Remark(violation):
            session.note(Irregular(violation, (yield Now())))
        case _:
            raise AssertionError(step)
    return None


def _together(calls: tuple[Call, ...], session: Session) -> Acts[tuple[Outcome[Exact], ...]]:
    sent: list[tuple[Id, float]] = []
    for one in calls:
        sent += ((yield from session.send(one)),)
    session.waited |= {number for number, _ in sent}
    outcomes: list[Outcome[Exact]] = []
    for one, (number, at) in zip(calls, sent, strict=True):
        outcome = yield from session.outcome(number, at)
        outcomes += ((yield from examined(session, one.method, outcome)),)
    return tuple(outcomes)

"""Run a plan on a session: turn its steps into effects."""

from collections.abc import Callable
from typing import Any, TypeAlias

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.plans.events import TransportNote, ViolationSeen
from mcpi.core.plans.plan import PlanResult, StartedPlan, resume
from mcpi.core.plans.steps import (
    Call,
    CallAll,
    ClockReading,
    Connect,
    Emit,
    ExtendTerms,
    NextEvent,
    Notify,
    ProvideInput,
    ReadClock,
    ReportViolation,
    Send,
    Sleep,
    Step,
    Validate,
    Warn,
)
from mcpi.core.plans.world_steps import WorldStep
from mcpi.core.session.effects import Effects, Now
from mcpi.core.session.input_rounds import examined, input_responses, wait_for_response
from mcpi.core.session.negotiate import open_session
from mcpi.core.session.server_requests import era_hints
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation

SupportCheck: TypeAlias = Callable[[NegotiatedServer], Fault | Violation | None]
_CONNECTED_STEPS = (Call, CallAll, Send, Notify, Connect, NextEvent)


def run_plan(begun: StartedPlan, session: Session, admit: SupportCheck | None) -> Effects[PlanResult]:
    """Run the plan on the session, which opens at the first step that needs it; `admit` checks the support."""
    ended = yield from _run(begun, session, admit)
    return ended.with_hints(lambda fault: era_hints(session, fault))


def _run(begun: StartedPlan, session: Session, admit: SupportCheck | None) -> Effects[PlanResult]:
    plan, step = begun.plan, begun.step
    while True:
        if admit is not None and isinstance(step, _CONNECTED_STEPS):
            fault = yield from _open_and_admit(session, admit)
            admit = None
            if fault is not None:
                plan.close()
                return PlanResult(None, fault)
        if type(step) is Call:
            outcome = yield from session.call(step)
            if isinstance(outcome, Failure) and not step.allow_failure:
                plan.close()
                return PlanResult(None, outcome.failure())
            reply: Any = outcome if step.allow_failure else outcome.unwrap()
        elif type(step) is Connect:
            reply = session.server
        else:
            reply = yield from _reply(step, session)
        following = resume(plan, reply)
        if isinstance(following, PlanResult):
            return following
        step = following


def _open_and_admit(session: Session, admit: SupportCheck) -> Effects[Fault | None]:
    """Open the session and check that the server supports the method; return the fault if not."""
    server = session.server if session.connection_fault is None else None
    if server is None:
        opened = yield from open_session(session)
        if isinstance(opened, Failure):
            return opened.failure()
        server = opened.unwrap()
    verdict = admit(server)
    if isinstance(verdict, Violation):
        session.record_event(ViolationSeen(verdict, (yield Now())))
        return None
    return verdict


def _reply(step: Step, session: Session) -> Effects[Any]:
    match step:
        case NextEvent(within):
            session.keep_events = True
            return (yield from session.next(within))
        case _ if isinstance(step, Emit | Validate | WorldStep):
            return (yield step)
        case _:
            return (yield from _session_reply(step, session))


def _session_reply(step: Step, session: Session) -> Effects[Any]:
    match step:
        case CallAll(calls):
            return (yield from _call_all(calls, session))
        case ReadClock():
            return ClockReading((yield Now()), session.terms.timeout, session.server_requests.configured_methods)
        case ExtendTerms(log_level, extension):
            session.extend_terms(log_level, extension)
        case ProvideInput(required):
            return (yield from input_responses(session, required))
        case _:
            return (yield from _session_action(step, session))
    return None


def _session_action(step: Step, session: Session) -> Effects[Any]:
    match step:
        case Send(method, params):
            session.keep_events = True
            number, _ = yield from session.send(Call(method, params))
            return number
        case Notify(method, params):
            yield from session.notify(method, params)
        case Sleep(seconds):
            yield from session.sleep(seconds)
        case ReportViolation(violation):
            session.record_event(ViolationSeen(violation, (yield Now())))
        case Warn(sentence):
            session.record_event(TransportNote("warning", {"reason": sentence}, (yield Now())))
        case _:
            raise AssertionError(step)
    return None


def _call_all(calls: tuple[Call, ...], session: Session) -> Effects[tuple[Result[Exact], ...]]:
    sent: list[tuple[Id, float]] = []
    for one in calls:
        sent += ((yield from session.send(one)),)
    session.awaited |= {number for number, _ in sent}
    outcomes: list[Result[Exact]] = []
    for one, (number, at) in zip(calls, sent, strict=True):
        outcome = yield from wait_for_response(session, number, at)
        outcomes += ((yield from examined(session, one.method, outcome)),)
    return tuple(outcomes)

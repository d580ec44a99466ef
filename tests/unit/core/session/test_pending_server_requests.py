"""Server requests with deferred responses."""

from typing import cast

from mcpi.core.plans.responders import Accept, Reply
from mcpi.core.plans.steps import AskFunction, Steps
from mcpi.core.session.effects import FunctionAnswered
from mcpi.core.session.pending_server_requests import PendingServerRequests, resume_answer
from mcpi.core.session.server_requests import DeferredReply, perform
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms
from mcpi.core.wire.jsonrpc import Request
from mcpi.core.wire.server_info import ClientInfo
from support.drive import drive
from support.replay import exact


def no_plan() -> Steps[Reply]:
    raise NotImplementedError
    yield


def pending_requests(*times: float) -> tuple[PendingServerRequests, list[int]]:
    """Pending requests received at these times, and the list of withdrawn ones."""
    questions, withdrawn = PendingServerRequests(), list[int]()
    for number, at in enumerate(times):
        message = Request(exact(f"q{number}"), "x", None, "") if number else None
        questions.add(DeferredReply(number, no_plan()), at, message)
    questions.withdraw = withdrawn.append
    return questions, withdrawn


def test_waiting_time_spans_from_the_first_request_to_the_last_response() -> None:
    questions, _ = pending_requests(1.0, 2.0)

    assert [questions.remove(0, 3.0), questions.waiting, questions.remove(1, 5.0), questions.waiting] == [
        0.0,
        True,
        4.0,
        False,
    ]
    assert questions.remove(1, 9.0) == 0.0


def test_cancelled_request_is_withdrawn() -> None:
    questions, withdrawn = pending_requests(1.0, 2.0)
    seconds = [
        questions.cancel(params, 4.0) for params in (None, exact({"requestId": "z"}), exact({"requestId": "q1"}))
    ]

    assert (seconds, withdrawn, questions.get(1)) == ([0.0, 0.0, 0.0], [1], None)


def test_clear_withdraws_all_requests() -> None:
    questions, withdrawn = pending_requests(1.0, 2.0)
    questions.clear()

    assert (withdrawn, questions.waiting) == ([0, 1], False)


def test_clear_works_without_a_withdraw_callback() -> None:
    questions = PendingServerRequests()
    questions.add(DeferredReply(0, no_plan()), 1.0, None)
    questions.clear()

    assert not questions.waiting


def answered_twice() -> Steps[Reply]:
    yield AskFunction("x", None)
    return cast("Reply", (yield AskFunction("x", None)))


def test_handler_may_defer_a_second_time() -> None:
    session = Session(Terms(ClientInfo({})), {}, lambda _: None)
    numbers = iter((1, 2))
    first = drive(perform(answered_twice()), lambda _: next(numbers))
    assert isinstance(first, DeferredReply)
    session.questions.add(first, 1.0, Request(exact("q"), "x", None, ""))
    drive(resume_answer(session, FunctionAnswered(1, Accept({}), 2.0)), lambda _: next(numbers))

    assert (session.questions.get(1), session.questions.get(2) is None) == (None, False)


def test_response_to_an_unknown_request_is_ignored() -> None:
    session = Session(Terms(ClientInfo({})), {}, lambda _: None)

    assert list(resume_answer(session, FunctionAnswered(9, Accept({}), 2.0))) == []

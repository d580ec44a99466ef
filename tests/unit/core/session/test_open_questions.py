"""Requests of a server whose answers arrive later."""

from typing import cast

from mcpi.core.plans.responders import Accept, Reply
from mcpi.core.plans.steps import AskFunction, Steps
from mcpi.core.session.effects import FunctionAnswered
from mcpi.core.session.open_questions import OpenQuestions, resume_answer
from mcpi.core.session.server_requests import DeferredReply, perform
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms
from mcpi.core.wire.jsonrpc import Request
from mcpi.core.wire.server_info import ClientInfo
from support.drive import drive
from support.replay import exact


def no_steps() -> Steps[Reply]:
    raise NotImplementedError
    yield


def opened(*asked: float) -> tuple[OpenQuestions, list[int]]:
    """Requests that were asked at these times, and the list of those that are withdrawn."""
    questions, withdrawn = OpenQuestions(), list[int]()
    for number, at in enumerate(asked):
        message = Request(exact(f"q{number}"), "x", None, "") if number else None
        questions.add(DeferredReply(number, no_steps()), at, message)
    questions.withdraw = withdrawn.append
    return questions, withdrawn


def test_the_time_is_counted_from_the_first_to_the_last() -> None:
    questions, _ = opened(1.0, 2.0)

    assert [questions.remove(0, 3.0), questions.waiting, questions.remove(1, 5.0), questions.waiting] == [
        0.0,
        True,
        4.0,
        False,
    ]
    assert questions.remove(1, 9.0) == 0.0


def test_a_cancelled_request_is_withdrawn() -> None:
    questions, withdrawn = opened(1.0, 2.0)
    seconds = [
        questions.cancel(params, 4.0) for params in (None, exact({"requestId": "z"}), exact({"requestId": "q1"}))
    ]

    assert (seconds, withdrawn, questions.get(1)) == ([0.0, 0.0, 0.0], [1], None)


def test_all_are_withdrawn_at_once() -> None:
    questions, withdrawn = opened(1.0, 2.0)
    questions.clear()

    assert (withdrawn, questions.waiting) == ([0, 1], False)


def test_without_functions_nothing_is_withdrawn() -> None:
    questions = OpenQuestions()
    questions.add(DeferredReply(0, no_steps()), 1.0, None)
    questions.clear()

    assert not questions.waiting


def twice() -> Steps[Reply]:
    yield AskFunction("x", None)
    return cast("Reply", (yield AskFunction("x", None)))


def test_a_handler_may_ask_again() -> None:
    session = Session(Terms(ClientInfo({})), {}, lambda _: None)
    numbers = iter((1, 2))
    first = drive(perform(twice()), lambda _: next(numbers))
    assert isinstance(first, DeferredReply)
    session.questions.add(first, 1.0, Request(exact("q"), "x", None, ""))
    drive(resume_answer(session, FunctionAnswered(1, Accept({}), 2.0)), lambda _: next(numbers))

    assert (session.questions.get(1), session.questions.get(2) is None) == (None, False)


def test_an_answer_that_is_too_late_is_ignored() -> None:
    session = Session(Terms(ClientInfo({})), {}, lambda _: None)

    assert list(resume_answer(session, FunctionAnswered(9, Accept({}), 2.0))) == []

"""Responses to sampling: used in order, the last one repeated, refused by default."""

import pytest

from mcpi.core.flags.canned_answers import STUB, SamplingAnswer
from mcpi.core.plans.responders import Accept, Refuse, Reply, ServerRequest
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS
from mcpi.plugins.answers.sampling import SamplingFlags, answer, declare, mcpi_responders
from support.replay import exact, registration, responder_reply

AUTO, REJECT = SamplingAnswer("auto"), SamplingAnswer("reject")
GIVEN = exact({"model": "m", "role": "assistant", "content": {"type": "text", "text": "4"}})
TEMPLATE = SamplingAnswer("template", GIVEN)
REJECTED = Refuse(-1, "User rejected sampling request")


def reply(*given: SamplingAnswer, before: int = 0) -> Reply:
    return responder_reply(
        answer(SamplingFlags(handle_sampling=given), ServerRequest("sampling/createMessage", None, before))
    )


def test_sampling_responder_is_registered() -> None:
    expected = ("sampling/createMessage", "sampling", "sampling", "", SamplingFlags, declare, answer)

    assert registration(mcpi_responders()) == expected


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, *MODERN_VERSIONS])
@pytest.mark.parametrize("given", [(), (AUTO,), (REJECT,)])
def test_sampling_is_always_declared(given: tuple[SamplingAnswer, ...], version: str) -> None:
    assert declare(SamplingFlags(handle_sampling=given), version) == {"sampling": {}}


@pytest.mark.parametrize(("given", "expected"), [((), False), ((AUTO,), True), ((REJECT,), True)])
def test_sampling_is_configured_only_if_a_flag_is_given(
    given: tuple[SamplingAnswer, ...],
    expected: bool,  # noqa: FBT001 - a table
) -> None:
    (responder,) = mcpi_responders()

    assert responder.is_configured(SamplingFlags(handle_sampling=given)) is expected


@pytest.mark.parametrize(("given", "expected"), [(AUTO, Accept(STUB)), (REJECT, REJECTED), (TEMPLATE, Accept(GIVEN))])
def test_each_configured_answer_gives_its_response(given: SamplingAnswer, expected: Reply) -> None:
    assert reply(given) == expected


def test_sampling_is_refused_by_default() -> None:
    assert reply() == REJECTED


def test_responses_are_used_in_order_and_the_last_one_is_repeated() -> None:
    given = (TEMPLATE, REJECT, AUTO)

    assert [reply(*given, before=before) for before in range(5)] == [
        Accept(GIVEN),
        REJECTED,
        Accept(STUB),
        Accept(STUB),
        Accept(STUB),
    ]

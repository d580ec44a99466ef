"""A fixed number of accidents; `make fuzz` has as many as there is time for."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz import wire
from fuzz.sessions import play, possible
from mcpi.core.cli.invocation import Invocation

POSSIBLE = possible()


@pytest.mark.parametrize("target", wire.TARGETS[1:], ids=lambda target: target.__name__)
def test_no_bytes_are_too_wrong_for_the_wire(target: wire.Target) -> None:
    for seed in range(500):
        target(Random(seed))  # noqa: S311 - chance has to be repeatable


def test_a_session_with_any_server_comes_to_an_end_that_can_be_told() -> None:
    for seed, made in enumerate(POSSIBLE * 15):
        play(made, Random(seed))  # noqa: S311 - see above


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(POSSIBLE), st.randoms(use_true_random=False))
def test_the_least_that_a_server_has_to_do_wrong_is_found(made: Invocation, random: Random) -> None:
    play(made, random)

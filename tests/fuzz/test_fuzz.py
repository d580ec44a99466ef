"""A fixed number of mutations; `make fuzz` runs for a given time."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz import wire
from fuzz.sessions import play, possible
from mcpi.core.cli.invocation import Invocation

POSSIBLE = possible()


@pytest.mark.parametrize("target", wire.TARGETS[1:], ids=lambda target: target.__name__)
def test_wire_targets_accept_any_mutated_bytes(target: wire.Target) -> None:
    for seed in range(500):
        target(Random(seed))  # noqa: S311 - chance has to be repeatable


def test_session_with_a_random_server_ends_and_is_reported() -> None:
    for seed, made in enumerate(POSSIBLE * 15):
        play(made, Random(seed))  # noqa: S311 - see above


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(POSSIBLE), st.randoms(use_true_random=False))
def test_session_failures_are_minimized_by_hypothesis(made: Invocation, random: Random) -> None:
    play(made, random)

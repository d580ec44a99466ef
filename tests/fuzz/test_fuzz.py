"""A fixed number of mutations; `make fuzz` runs for a given time."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz import http_responses, wire
from fuzz.sessions import invocations, run_session
from mcpi.core.cli.invocation import Invocation

FOUND = json.loads(Path(__file__).with_name("found.json").read_text("utf-8"))
"""Inputs that failed once, or that are at the edge of a limit."""


@pytest.mark.parametrize("target", wire.TARGETS[1:], ids=lambda target: target.__name__)
def test_wire_targets_accept_any_mutated_bytes(target: wire.Target) -> None:
    for seed in range(500):
        target(Random(seed))  # noqa: S311 - must be repeatable


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case["about"])
def test_found_input_is_handled(case: Any) -> None:
    data = "".join(part * times for part, times in case["parts"]).encode()
    if case["target"] == "http":
        http_responses.check(data, [len(data) // 3, len(data) // 2])
    else:
        wire.check_message(data)


def test_http_response_gives_the_same_outcome_in_any_pieces() -> None:
    for seed in range(500):
        http_responses.http_response(Random(seed))  # noqa: S311 - must be repeatable


def test_session_with_a_random_server_ends_and_is_reported() -> None:
    for seed, made in enumerate(invocations() * 15):
        run_session(made, Random(seed))  # noqa: S311 - see above


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.deferred(lambda: st.sampled_from(invocations())), st.randoms(use_true_random=False))
def test_session_failures_are_minimized_by_hypothesis(made: Invocation, random: Random) -> None:
    run_session(made, random)

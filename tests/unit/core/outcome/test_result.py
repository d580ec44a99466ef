"""Results are collected in order, up to the first failure."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.outcome.faults import Fault, Interrupted
from mcpi.core.outcome.result import Failure, Result, Success, collect

STOPPED: Fault = Interrupted("SIGINT")
outcomes = st.lists(
    st.integers().map(Success) | st.sampled_from(["a", "b"]).map(lambda name: Failure(Interrupted(name)))
)


def test_empty_input_collects_to_an_empty_tuple() -> None:
    assert collect([]) == Success(())


def test_values_are_collected_in_order() -> None:
    assert collect([Success(3), Success(1), Success(2)]) == Success((3, 1, 2))


def test_the_first_failure_counts() -> None:
    given: list[Result[int]] = [Success(1), Failure(STOPPED), Success(2), Failure(Interrupted("SIGTERM"))]

    assert collect(given) == Failure(STOPPED)


def test_items_after_a_failure_are_not_consumed() -> None:
    def endless() -> Iterator[Result[int]]:
        yield Failure(STOPPED)
        raise AssertionError("it was looked at")

    assert collect(endless()) == Failure(STOPPED)


@given(outcomes)
def test_collect_returns_all_values_or_a_failure(given: list[Result[int]]) -> None:
    failures = [one for one in given if isinstance(one, Failure)]

    assert collect(given) == (failures[0] if failures else Success(tuple(one.unwrap() for one in given)))

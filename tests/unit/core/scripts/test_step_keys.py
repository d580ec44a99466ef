"""Keys of a script step."""

from json_texts import exact
from mcpi.core.flags.structure import structure
from mcpi.core.flags.types import Duration
from mcpi.core.outcome.result import Success
from mcpi.core.scripts.step_keys import COMMON_KEYS, Retry, StepKeys


def test_the_keys_are_those_of_the_contract() -> None:
    assert list(COMMON_KEYS) == [
        *("method", "wait", "name", "timeout", "onError", "allowFailure", "failOnError", "retry", "maxDuration"),
        *("params", "capture", "expect"),
    ]


def test_durations_without_a_unit_are_milliseconds() -> None:
    members = {
        "retry": exact('{"times": 5, "interval": "200ms"}'),
        "maxDuration": exact("1500"),
        "failOnError": exact("false"),
    }

    match structure(StepKeys, members):
        case Success(keys):
            assert (keys.retry, keys.max_duration, keys.fail_on_error) == (
                Retry(times=5, interval=Duration(0.2)),
                1.5,
                False,
            )
        case mistakes:
            raise AssertionError(mistakes)

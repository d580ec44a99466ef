"""Keys of a script step."""

from json_texts import exact
from mcpi.core.flags.structure import structure
from mcpi.core.flags.types import Duration
from mcpi.core.outcome.result import Success
from mcpi.core.scripts.step_keys import COMMON_KEYS, Retry, StepKeys
from support.scripts import script_errors, step_errors


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


def test_repeated_key_is_rejected_in_the_objects_of_a_step_but_not_in_payloads() -> None:
    step = """{"method": "tools/call", "toolName": "echo", "toolArgs": {"a": 1, "a": 2},
      "retry": {"times": 1, "times": 2}, "capture": {"a": "/a", "a": "/b"},
      "expect": {"/a": {"length": 1}, "/a": 2, "/b": {"length": 1, "length": 2}, "/c": {"equals": {"d": 1, "d": 2}}}}"""

    assert script_errors(f"[{step}]") == [
        "step 1, retry: the key 'times' is repeated",
        "step 1, capture: the key 'a' is repeated",
        "step 1, expect: the key '/a' is repeated",
        "step 1, expect: /b: the key 'length' is repeated",
    ]


def test_variable_in_a_name_is_rejected() -> None:
    assert step_errors(name="greet ${city}", method="ping") == ["step 1, name: ${city} is not replaced in a name"]

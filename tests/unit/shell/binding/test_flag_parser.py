"""Words become option classes by cyclopts, and its exceptions faults."""

from typing import Literal

import pytest
from attrs import frozen
from cyclopts import CycloptsError
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.flags.deferred import Deferred
from mcpi.core.flags.pairs import Header, Pair
from mcpi.core.flags.types import Duration, Secret
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.shell.binding.flag_parser import fault_of, parse_options


@frozen(kw_only=True)
class Options:
    """Flags of every kind that matters here."""

    tool_name: str = ""
    tool_arg: tuple[Pair, ...] = ()
    tool_args: Exact | None = None
    header: tuple[Header, ...] = ()
    env: tuple[str, ...] = ()
    token: Secret | None = None
    retry: int = 0
    timeout: Duration = Duration(1.0)
    era: Literal["auto", "modern"] = "auto"
    verbose: bool = False
    color: bool = True


@frozen(kw_only=True)
class Needed:
    """A flag that must be given."""

    uri: str


def parsed(*words: str) -> Result[Options]:
    """What the words say."""
    return parse_options(Options, words, "mcpi")


def wrong(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """What a bad flag is."""
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


def test_nothing_says_nothing() -> None:
    assert parsed() == Success(Options())


def test_the_class_is_filled_with_the_values() -> None:
    words = "--tool-name=echo -a a=1 --tool-arg b:=2 --timeout 5s --verbose --era modern --retry 3 -H A:b"

    assert parsed(*words.split()) == Success(
        Options(
            tool_name="echo",
            tool_arg=(Pair("a", "1"), parsed("-a", "b:=2").unwrap().tool_arg[0]),
            timeout=Duration(5.0),
            verbose=True,
            era="modern",
            retry=3,
            header=(Header("A", "b"),),
        )
    )


def test_the_last_value_of_a_flag_counts() -> None:
    assert parsed("--tool-name", "a", "--tool-name=b").unwrap().tool_name == "b"


@pytest.mark.parametrize("value", ["-5", "-x", "--port", "a b", "", "[1", "{", "-", "a,b", "none"])
def test_a_value_may_look_like_anything_but_a_flag_of_ours(value: str) -> None:
    assert parsed("--tool-name", value).unwrap().tool_name == value
    assert parsed("--env", value, "--env", value).unwrap().env == (value, value)


@given(st.text())
def test_a_value_is_kept_as_it_is(value: str) -> None:
    assert parsed(f"--tool-name={value}").unwrap().tool_name == value


@pytest.mark.parametrize("on", ["--verbose", "--verbose=true", "--verbose=ON", "--verbose=1", "--verbose=yes"])
def test_a_switch_is_on(on: str) -> None:
    assert parsed(on).unwrap().verbose


@pytest.mark.parametrize("off", ["", "0", "false", "no", "OFF"])
def test_a_switch_is_off(off: str) -> None:
    assert parsed("--verbose", f"--verbose={off}", f"--color={off}") == Success(Options(color=False))


def test_a_switch_is_set_to_true_or_false() -> None:
    assert parsed("--verbose=t") == wrong("--verbose", "expected true or false, got 't'")


@pytest.mark.parametrize("spelled", ["--tool-name", "-e"])
def test_a_value_must_not_be_missing_at_the_end(spelled: str) -> None:
    assert parsed(spelled) == wrong(spelled, "requires a value")


@pytest.mark.parametrize("follows", ["--era", "--era=modern", "--verbose", "-H", "-e=A", "--tool-args-json"])
def test_a_flag_of_ours_is_no_value(follows: str) -> None:
    assert parsed("--tool-name", follows) == wrong(
        "--tool-name", f"requires a value, got the flag {follows!r}", "if that is the value, write --tool-name=..."
    )


def test_a_flag_of_ours_can_be_given_as_a_value() -> None:
    assert parsed("--tool-name=--era").unwrap().tool_name == "--era"


@pytest.mark.parametrize("token", ["--tool", "-x", "--port=3000", "-He", "---", "-5", "--no-verbose", "--empty-env"])
def test_a_flag_that_nobody_has_is_refused(token: str) -> None:
    match parsed(token):
        case Failure(Invalid("INVALID_ARGUMENT", where, "unknown flag")):
            assert where == token
        case outcome:
            pytest.fail(str(outcome))


def test_a_misspelt_flag_names_the_nearest_one() -> None:
    assert parsed("--tool-nam", "x") == wrong("--tool-nam", "unknown flag", "did you mean --tool-name?")


def test_a_word_is_not_expected() -> None:
    assert parsed("node") == wrong("node", "only flags are expected")


def test_a_bad_value_names_its_flag() -> None:
    assert parsed("-e", "a", "--retry", "x") == wrong("--retry", "expected an integer, got 'x'")


def test_what_stands_elsewhere_is_read_later() -> None:
    token: object = parsed("--token", "env:T").unwrap().token

    assert isinstance(token, Deferred)


def test_what_is_required_must_not_be_missing() -> None:
    assert [parse_options(Needed, [], "mcpi", name) for name in ("resources/read", "")] == [
        Failure(Invalid("MISSING_ARGUMENT", "--uri", "resources/read requires --uri")),
        Failure(Invalid("MISSING_ARGUMENT", "--uri", "this requires --uri")),
    ]


def test_an_exception_that_nobody_expects_is_a_fault_too() -> None:
    assert fault_of(CycloptsError(msg="no")) == Invalid("INVALID_ARGUMENT", "", "no")


@given(
    st.lists(st.text() | st.sampled_from(["-e", "-H", "-", "--verbose=1", "a=b", "--tool-name", "--era"]), max_size=8)
)
def test_no_words_make_parsing_fail(words: list[str]) -> None:
    assert isinstance(parsed(*words), Success | Failure)

"""Flags are parsed to option classes with cyclopts, and its exceptions become faults."""

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
    """Flags of every type."""

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
class RequiredFlag:
    """A flag that must be given."""

    uri: str


@frozen(kw_only=True)
class Server:
    """Flags of a server."""

    http: int = 0


def parsed(*words: str) -> Result[Options]:
    """Parse the words."""
    return parse_options(Options, words, "mcpi")


def invalid(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """The fault of an invalid flag."""
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


def test_no_words_give_the_defaults() -> None:
    assert parsed() == Success(Options())


def test_values_are_assigned_to_the_fields() -> None:
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


def test_last_value_of_a_repeated_flag_is_used() -> None:
    assert parsed("--tool-name", "a", "--tool-name=b").unwrap().tool_name == "b"


@pytest.mark.parametrize("value", ["-5", "-x", "--port", "a b", "", "[1", "{", "-", "a,b", "none"])
def test_value_may_look_like_anything_but_a_known_flag(value: str) -> None:
    assert parsed("--tool-name", value).unwrap().tool_name == value
    assert parsed("--env", value, "--env", value).unwrap().env == (value, value)


@given(st.text())
def test_value_is_kept_verbatim(value: str) -> None:
    assert parsed(f"--tool-name={value}").unwrap().tool_name == value


@pytest.mark.parametrize("on", ["--verbose", "--verbose=true", "--verbose=ON", "--verbose=1", "--verbose=yes"])
def test_switch_accepts_true_values(on: str) -> None:
    assert parsed(on).unwrap().verbose


@pytest.mark.parametrize("off", ["", "0", "false", "no", "OFF"])
def test_switch_accepts_false_values(off: str) -> None:
    assert parsed("--verbose", f"--verbose={off}", f"--color={off}") == Success(Options(color=False))


def test_invalid_switch_value_is_rejected() -> None:
    assert parsed("--verbose=t") == invalid("--verbose", "expected true or false, got 't'")


@pytest.mark.parametrize("spelled", ["--tool-name", "-e"])
def test_missing_value_at_the_end_is_rejected(spelled: str) -> None:
    assert parsed(spelled) == invalid(spelled, "requires a value")


def test_missing_value_lists_the_choices() -> None:
    assert parsed("--era") == invalid("--era", "requires a value", "expected auto or modern")


@pytest.mark.parametrize("follows", ["--era", "--era=modern", "--verbose", "-H", "-e=A", "--tool-args-json"])
def test_known_flag_is_not_accepted_as_a_separate_value(follows: str) -> None:
    assert parsed("--tool-name", follows) == invalid(
        "--tool-name", f"requires a value, got the flag {follows!r}", "to use it as the value, write --tool-name=..."
    )


def test_known_flag_is_accepted_as_a_value_after_an_equals_sign() -> None:
    assert parsed("--tool-name=--era").unwrap().tool_name == "--era"


@pytest.mark.parametrize("token", ["--tool", "-x", "--port=3000", "-He", "---", "-5", "--no-verbose", "--empty-env"])
def test_unknown_flag_is_rejected(token: str) -> None:
    match parsed(token):
        case Failure(Invalid("INVALID_ARGUMENT", where, "unknown flag")):
            assert where == token
        case outcome:
            pytest.fail(str(outcome))


def test_misspelled_flag_suggests_nearest_name() -> None:
    assert parsed("--tool-nam", "x") == invalid("--tool-nam", "unknown flag", "did you mean --tool-name?")


def test_port_is_suggested_as_http() -> None:
    found = parse_options(Server, ("--port", "8123"), "mcpi-serve")

    assert found == invalid("--port", "unknown flag", "did you mean --http?")


def test_positional_word_is_rejected() -> None:
    assert parsed("node") == invalid("node", "unexpected argument; only flags are allowed")


def test_invalid_value_names_its_flag() -> None:
    assert parsed("-e", "a", "--retry", "x") == invalid("--retry", "expected an integer of at least 0, got 'x'")


def test_value_from_the_environment_is_read_later() -> None:
    token: object = parsed("--token", "env:T").unwrap().token

    assert isinstance(token, Deferred)


def test_missing_required_flag_is_rejected() -> None:
    assert [parse_options(RequiredFlag, [], "mcpi", name) for name in ("resources/read", "")] == [
        Failure(Invalid("MISSING_ARGUMENT", "--uri", "resources/read requires --uri")),
        Failure(Invalid("MISSING_ARGUMENT", "--uri", "this requires --uri")),
    ]


def test_other_cyclopts_errors_become_faults() -> None:
    assert fault_of(CycloptsError(msg="no"), "", {}) == Invalid("INVALID_ARGUMENT", "", "no")


@given(
    st.lists(st.text() | st.sampled_from(["-e", "-H", "-", "--verbose=1", "a=b", "--tool-name", "--era"]), max_size=8)
)
def test_any_words_are_parsed_or_give_a_fault(words: list[str]) -> None:
    assert isinstance(parsed(*words), Success | Failure)

"""Words of the command line that explain why a call failed."""

from collections.abc import Mapping

import pytest
from attrs import evolve

from mcpi.core.cli.mistakes.late_hints import limit_hints, with_hints_on_words
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault, Interrupted, Invalid, OperationFailed, RpcError, TimedOut
from mcpi.core.plans.catalog import no_hints

LATE = TimedOut("REQUEST_TIMEOUT", 0.03, "x")
FAILED = OperationFailed("TOOL_ERROR", "x")
SECONDS = "--timeout 30 means 30 ms; write 30s for seconds"


@pytest.mark.parametrize(
    ("given", "fault", "hints"),
    [
        ("30", LATE, (SECONDS,)),
        ("30", Interrupted("SIGINT"), ()),
        ("1000", LATE, ()),
        ("30ms", LATE, ()),
        ("0s", LATE, ("--timeout 0s expires at once; to disable it in practice, use --timeout 24h",)),
    ],
)
def test_very_short_timeout_hints_at_its_unit(given: str, fault: Fault, hints: tuple[str, ...]) -> None:
    assert with_hints_on_words(no_hints, GivenFlags({"--timeout": (given,)}), "tools/list", ())(fault) == hints


def test_hint_of_the_fault_is_not_repeated() -> None:
    hints = with_hints_on_words(no_hints, GivenFlags({"--timeout": ("30",)}), "tools/list", ())

    assert hints(evolve(LATE, hints=(SECONDS,))) == ()


@pytest.mark.parametrize(
    ("given", "hints"),
    [
        ("--timeout=2s", {"--connect-timeout": "for slow servers, use a longer --timeout"}),
        ("--timeout=30", dict.fromkeys(("--connect-timeout", "--follow", "--timeout"), SECONDS)),
        ("--timeout=30 --script=a.json", {"--connect-timeout": SECONDS}),
        ("--timeout=30 --connect-timeout=9s", {"--follow": SECONDS, "--timeout": SECONDS}),
        ("--max-total-timeout=2", {"--max-total-timeout": "--max-total-timeout 2 means 2 ms; write 2s for seconds"}),
        ("--connect-timeout=2s", {}),
    ],
)
def test_expired_limit_names_the_given_flag(given: str, hints: Mapping[str, str]) -> None:
    words = (word.partition("=") for word in given.split())

    assert limit_hints(GivenFlags({flag: (value,) for flag, _, value in words})) == hints


@pytest.mark.parametrize(
    "fault", [FAILED, RpcError(-32602, "x", Exact("{}", {})), Invalid("INVALID_ARGUMENT", "", "x")]
)
def test_arguments_in_the_command_are_named_when_the_call_fails(fault: Fault) -> None:
    server = ("node", "x=1", "a.js", "a=2", "b=3")
    hints = with_hints_on_words(no_hints, GivenFlags({"--tool-name": ("add",)}), "tools/call", server)

    assert hints(fault) == ("a=2 b=3 was passed to the server; to pass it to the tool, put it before --",)
    assert hints(LATE) == ()


def test_arguments_of_a_prompt_are_named() -> None:
    hints = with_hints_on_words(no_hints, GivenFlags({}), "prompts/get", ("node", "a.js", "a=2"))

    assert hints(FAILED) == ("a=2 was passed to the server; to pass it to the prompt, put it before --",)


@pytest.mark.parametrize(
    ("called", "given", "server"),
    [
        ("tools/call", {"--tool-arg": ("a=1",)}, ("node", "a=2")),
        ("tools/call", {"--tool-args": ("{}",)}, ("node", "a=2")),
        ("tools/call", {"--params": ("{}",)}, ("node", "a=2")),
        ("tools/call", {}, ("node", "a=2", "b.js")),
        ("tools/call", {}, ("node", "--a=2")),
        ("tools/call", {}, ()),
        ("tools/call", {}, ("a=2",)),
        ("tools/list", {}, ("node", "a=2")),
        ("", {}, ("node", "a=2")),
    ],
)
def test_other_words_of_the_command_are_not_named(
    called: str, given: dict[str, tuple[str, ...]], server: tuple[str, ...]
) -> None:
    assert with_hints_on_words(no_hints, GivenFlags(given), called, server) is no_hints

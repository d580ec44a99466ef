"""Words of the command line that explain why a call failed."""

import pytest

from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.mistakes.late_hints import with_hints_on_words
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault, Interrupted, Invalid, OperationFailed, RpcError, TimedOut
from mcpi.core.plans.catalog import no_hints
from mcpi.core.plans.method import AnyMethod, Method, RawParams
from mcpi.core.plans.steps import request
from mcpi.plugins.methods.prompts import GetPrompt
from mcpi.plugins.methods.tools.tools import CallTool


def method(name: str, args: type = RawParams) -> AnyMethod:
    """Build a method with these flags."""
    return Method(name, args, lambda _: request(name), "")


CALL, PROMPT, LIST = method("tools/call", CallTool), method("prompts/get", GetPrompt), method("tools/list")
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
    draft = Draft(GivenFlags({"--timeout": (given,)}), LIST, ())

    assert with_hints_on_words(draft, no_hints)(fault) == hints


@pytest.mark.parametrize(
    "fault", [FAILED, RpcError(-32602, "x", Exact("{}", {})), Invalid("INVALID_ARGUMENT", "", "x")]
)
def test_arguments_in_the_command_are_named_when_the_call_fails(fault: Fault) -> None:
    draft = Draft(GivenFlags({"--tool-name": ("add",)}), CALL, (), ("node", "x=1", "a.js", "a=2", "b=3"))

    assert with_hints_on_words(draft, no_hints)(fault) == (
        "a=2 b=3 was passed to the server; to pass it to the tool, put it before --",
    )
    assert with_hints_on_words(draft, no_hints)(LATE) == ()


def test_arguments_of_a_prompt_are_named() -> None:
    draft = Draft(GivenFlags({"--prompt-name": ("hello",)}), PROMPT, (), ("node", "a.js", "a=2"))

    assert with_hints_on_words(draft, no_hints)(FAILED) == (
        "a=2 was passed to the server; to pass it to the prompt, put it before --",
    )


@pytest.mark.parametrize(
    ("called", "given", "server"),
    [
        (CALL, {"--tool-arg": ("a=1",)}, ("node", "a=2")),
        (CALL, {"--tool-args": ("{}",)}, ("node", "a=2")),
        (CALL, {"--params": ("{}",)}, ("node", "a=2")),
        (CALL, {}, ("node", "a=2", "b.js")),
        (CALL, {}, ("node", "--a=2")),
        (CALL, {}, ()),
        (CALL, {}, ("a=2",)),
        (LIST, {}, ("node", "a=2")),
        (None, {}, ("node", "a=2")),
    ],
)
def test_other_words_of_the_command_are_not_named(
    called: AnyMethod | None, given: dict[str, tuple[str, ...]], server: tuple[str, ...]
) -> None:
    assert with_hints_on_words(Draft(GivenFlags(given), called, (), server), no_hints) is no_hints

"""prompts/list and prompts/get, beyond the dialogues in fixtures."""

import pytest

from mcpi.core.flags.pairs import Pair
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid, RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call
from mcpi.plugins.methods.prompts import (
    GetPrompt,
    ListPrompts,
    as_string,
    get_prompt,
    list_prompts,
    mcpi_methods,
    mcpi_tools,
)
from support.dialogue import DIALOGUES
from support.replay import exact, replay


def test_prompts_methods_are_registered() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("prompts/list", ListPrompts, list_prompts, "prompts", None),
        ("prompts/get", GetPrompt, get_prompt, "prompts", None),
    ]


def test_methods_are_tools_for_agents() -> None:
    assert mcpi_tools() == ("prompts/list", "prompts/get")


def test_every_method_has_dialogues() -> None:
    told = {one.method for one in DIALOGUES if one.group == "prompts"}

    assert told == {one.name for one in mcpi_methods()}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x", "x"),
        ("7", "7"),
        (Exact("1.50", 1.5), "1.50"),
        (Exact('{"a": 1}', {"a": 1}), '{"a": 1}'),
        (Exact("null", None), "null"),
        (Exact('"\\u0041"', "A"), Exact('"\\u0041"', "A")),
    ],
)
def test_argument_is_converted_to_a_string_verbatim(value: str | Exact, expected: Printable) -> None:
    assert as_string(value) == expected


NAMED = (
    Call("prompts/list", allow_failure=True),
    Success(exact({"prompts": [{"name": "x", "arguments": [{"name": "a", "required": True}, {"name": "b"}]}]})),
)


def test_arguments_are_sent_in_order() -> None:
    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("b", "1"), Pair("a", "2")), force=True))
    sent = plan.send(None)

    assert isinstance(sent, Call)
    assert dump(sent.params) == '{"name":"x","arguments":{"b":"1","a":"2"}}'


def test_an_argument_may_be_empty() -> None:
    sent = Call("prompts/get", {"name": "x", "arguments": {"a": ""}})

    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("a", ""),)))
    assert replay(plan, NAMED, (sent, exact({}))) == PlanResult(exact({}))


@pytest.mark.parametrize(
    ("name", "given", "where", "problem", "hint"),
    [
        ("x", "aa", "--prompt-arg", "the prompt 'x' has no argument 'aa'", "did you mean a?"),
        ("x", "zz", "--prompt-arg", "the prompt 'x' has no argument 'zz'", "it takes a, b"),
        ("xx", "a", "--prompt-name", "unknown prompt 'xx'", "did you mean x?"),
        ("other", "a", "--prompt-name", "unknown prompt 'other'", "available: x"),
    ],
)
def test_unknown_prompt_or_argument_is_rejected(name: str, given: str, where: str, problem: str, hint: str) -> None:
    plan = get_prompt(GetPrompt(prompt_name=name, prompt_arg=(Pair(given, "1"),)))

    assert replay(plan, NAMED) == PlanResult(None, Invalid("INVALID_ARGUMENT", where, problem, (hint,)))


def test_missing_required_argument_fails_before_the_request() -> None:
    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("b", "1"),)))
    problem = "the prompt 'x' requires the argument 'a'"

    assert replay(plan, NAMED) == PlanResult(None, Invalid("INVALID_ARGUMENT", "--prompt-arg", problem))


def test_arguments_are_sent_unchecked_if_the_list_fails() -> None:
    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("b", "1"),)))
    refused = (NAMED[0], Failure(RpcError(-32601, "no", exact({}))))
    sent = Call("prompts/get", {"name": "x", "arguments": {"b": "1"}})

    assert replay(plan, refused, (sent, exact({}))) == PlanResult(exact({}))


def test_invalid_flag_fails_before_connecting() -> None:
    ended = replay(get_prompt(GetPrompt(prompt_name="x", prompt_args=exact("text"))))

    fault = Invalid("INVALID_ARGUMENT", "--prompt-args", "expected a JSON object")
    assert ended == PlanResult(None, fault)

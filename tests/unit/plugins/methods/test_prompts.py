"""prompts/list and prompts/get, beyond the dialogues in fixtures."""

import pytest
from attrs import evolve

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
    found = {one.method for one in DIALOGUES if one.group == "prompts"}

    assert found == {one.name for one in mcpi_methods()}


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
    sent = Call("prompts/get", {"name": "x", "arguments": {"a": ""}}, allow_failure=True)

    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("a", ""),)))
    assert replay(plan, NAMED, (sent, Success(exact({})))) == PlanResult(exact({}))


@pytest.mark.parametrize(
    ("name", "given", "where", "problem", "hints"),
    [
        ("x", "aa", "--prompt-arg", "the prompt 'x' has no argument 'aa'", ("did you mean a?",)),
        (
            *("x", "zz", "--prompt-arg", "the prompt 'x' has no argument 'zz'"),
            ("it takes a, b", "it requires the argument 'a'"),
        ),
        ("xx", "a", "--prompt-name", "unknown prompt 'xx'", ("did you mean x?",)),
        ("other", "a", "--prompt-name", "unknown prompt 'other'", ("available: x",)),
    ],
)
def test_unknown_prompt_or_argument_is_rejected(
    name: str, given: str, where: str, problem: str, hints: tuple[str, ...]
) -> None:
    plan = get_prompt(GetPrompt(prompt_name=name, prompt_arg=(Pair(given, "1"),)))

    assert replay(plan, NAMED) == PlanResult(None, Invalid("INVALID_ARGUMENT", where, problem, hints))


def test_missing_required_argument_fails_before_the_request() -> None:
    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("b", "1"),)))
    problem = "the prompt 'x' requires the argument 'a'"

    assert replay(plan, NAMED) == PlanResult(None, Invalid("INVALID_ARGUMENT", "--prompt-arg", problem))


def test_arguments_are_sent_unchecked_if_the_list_fails() -> None:
    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("b", "1"),)))
    refused = (NAMED[0], Failure(RpcError(-32601, "no", exact({}))))
    sent = Call("prompts/get", {"name": "x", "arguments": {"b": "1"}}, allow_failure=True)

    assert replay(plan, refused, (sent, Success(exact({})))) == PlanResult(exact({}))


ERROR = RpcError(-32603, "Internal error", exact({}))


@pytest.mark.parametrize(
    ("name", "hints"),
    [
        ("x", ("the prompt 'x' requires the argument 'a'",)),
        ("xx", ("unknown prompt 'xx'", "did you mean x?")),
        ("other", ("unknown prompt 'other'", "available: x")),
    ],
)
def test_error_is_explained_by_the_list(name: str, hints: tuple[str, ...]) -> None:
    sent = Call("prompts/get", {"name": name}, allow_failure=True)

    assert replay(get_prompt(GetPrompt(prompt_name=name)), (sent, Failure(ERROR)), NAMED) == PlanResult(
        None, evolve(ERROR, hints=hints)
    )


def test_error_is_kept_if_the_list_does_not_explain_it() -> None:
    given = GetPrompt(prompt_name="x", prompt_arg=(Pair("a", exact(1)),))
    sent = Call("prompts/get", {"name": "x", "arguments": {"a": "1"}}, allow_failure=True)
    forced = get_prompt(evolve(given, force=True))

    assert replay(get_prompt(given), (sent, Failure(ERROR)), NAMED) == PlanResult(None, ERROR)
    assert replay(get_prompt(given), (sent, Failure(ERROR)), (NAMED[0], Failure(ERROR))) == PlanResult(None, ERROR)
    assert replay(forced, (sent, Failure(ERROR))) == PlanResult(None, ERROR)


def test_invalid_flag_fails_before_connecting() -> None:
    ended = replay(get_prompt(GetPrompt(prompt_name="x", prompt_args=exact("text"))))

    fault = Invalid("INVALID_ARGUMENT", "--prompt-args", "expected a JSON object, found string")
    assert ended == PlanResult(None, fault)

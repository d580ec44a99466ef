"""prompts/list and prompts/get: what the dialogues in fixtures do not say."""

import pytest

from mcpi.core.flags.pairs import Pair
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
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


def test_the_methods_of_the_group() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("prompts/list", ListPrompts, list_prompts, "prompts", None),
        ("prompts/get", GetPrompt, get_prompt, "prompts", None),
    ]


def test_an_agent_is_offered_what_makes_sense_alone() -> None:
    assert mcpi_tools() == ("prompts/list", "prompts/get")


def test_each_method_has_its_dialogues() -> None:
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
def test_a_value_becomes_a_string_and_keeps_its_spelling(value: str | Exact, expected: Printable) -> None:
    assert as_string(value) == expected


def test_arguments_go_out_in_their_order() -> None:
    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("b", "1"), Pair("a", "2"))))
    sent = plan.send(None)

    assert isinstance(sent, Call)
    assert dump(sent.params) == '{"name":"x","arguments":{"b":"1","a":"2"}}'


def test_an_argument_may_be_empty() -> None:
    sent = Call("prompts/get", {"name": "x", "arguments": {"a": ""}})

    plan = get_prompt(GetPrompt(prompt_name="x", prompt_arg=(Pair("a", ""),)))
    assert replay(plan, (sent, exact({}))) == PlanResult(exact({}))


def test_a_mistake_in_the_flags_costs_no_connection() -> None:
    ended = replay(get_prompt(GetPrompt(prompt_name="x", prompt_args=exact("text"))))

    fault = Invalid("INVALID_ARGUMENT", "--prompt-args", "the arguments are a JSON object")
    assert ended == PlanResult(None, fault)

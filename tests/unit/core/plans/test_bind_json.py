"""A method's flags as members of a JSON object: checked all at once, and bound as the command line binds them."""

from collections.abc import Collection

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from json_texts import TEXTS, VALUES, exact
from mcpi.core.flags.pairs import Pair
from mcpi.core.flags.types import Duration, PrivateKey, Secret
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.bind_json import bind, flags_by_key, read_fields
from mcpi.core.plans.method import AnyMethod, Method, RawParams
from mcpi.core.plans.steps import request


@frozen(kw_only=True)
class Flags:
    """Flags of each kind that a method may have."""

    tool_name: str
    """Some text."""
    tool_arg: tuple[Pair, ...] = ()
    """Some pairs."""
    tool_args: Exact | None = None
    """Some JSON."""
    poll: bool = False
    """A switch."""
    task_ttl: Duration | None = None
    """A duration."""
    depth: int = 0
    """A number."""


@frozen(kw_only=True)
class Secrets:
    """Flags that no output shows."""

    token: Secret | None = None
    """A secret."""
    key: PrivateKey | None = None
    """A key."""


PEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----"
SIGNING = Method("sign", Secrets, lambda _: request("x"), "sign")
METHOD = Method("tools/call", Flags, lambda _: request("x"), "call")
NOTHING = Method("ping", RawParams, lambda _: request("x"), "ping")


def given_as(**values: Json) -> dict[str, Exact]:
    """The members of a step."""
    return {name: exact(dump(value)) for name, value in values.items()}


def problems(method: AnyMethod, values: dict[str, Exact], unsettled: Collection[str]) -> list[str]:
    """What is wrong with the values."""
    return read_fields(method, values, unsettled)[1]


def test_a_flag_has_its_name_in_camel_case() -> None:
    assert {key: flag.name for key, flag in flags_by_key(METHOD).items()} == {
        "toolName": "--tool-name",
        "toolArg": "--tool-arg",
        "toolArgs": "--tool-args",
        "poll": "--poll",
        "taskTtl": "--task-ttl",
        "depth": "--depth",
    }


@pytest.mark.parametrize(
    ("values", "flags"),
    [
        ({"toolName": "echo"}, Flags(tool_name="echo")),
        ({"toolName": "-"}, Flags(tool_name="-")),
        ({"toolName": "x", "poll": True}, Flags(tool_name="x", poll=True)),
        ({"toolName": "x", "poll": False}, Flags(tool_name="x", poll=False)),
        ({"toolName": "x", "taskTtl": 500}, Flags(tool_name="x", task_ttl=Duration(0.5))),
        ({"toolName": "x", "taskTtl": "2m"}, Flags(tool_name="x", task_ttl=Duration(120.0))),
        ({"toolName": "x", "depth": 7}, Flags(tool_name="x", depth=7)),
        ({"toolName": "x", "toolArg": "a=1"}, Flags(tool_name="x", tool_arg=(Pair("a", "1"),))),
        (
            {"toolName": "x", "toolArg": ["a=1", "b:=[2]"]},
            Flags(tool_name="x", tool_arg=(Pair("a", "1"), Pair("b", Exact("[2]", [2])))),
        ),
        ({"toolName": "x", "toolArg": []}, Flags(tool_name="x", tool_arg=())),
        ({"toolName": "x", "toolArgs": {"a": 1}}, Flags(tool_name="x", tool_args=Exact('{"a":1}', {"a": 1}))),
        ({"toolName": "x", "toolArgs": "@file"}, Flags(tool_name="x", tool_args=Exact('"@file"', "@file"))),
        ({"toolName": "x", "toolArgs": None}, Flags(tool_name="x", tool_args=Exact("null", None))),
    ],
)
def test_values_become_what_the_command_line_would_make_of_them(values: dict[str, Json], flags: Flags) -> None:
    assert problems(METHOD, given_as(**values), ()) == []
    assert bind(METHOD, given_as(**values)) == Success(flags)


def test_json_keeps_its_spelling() -> None:
    spelled = Exact('{"n" : 1.50}', {"n": 1.5})

    found = bind(METHOD, {"toolName": exact('"x"'), "toolArgs": spelled})
    assert found == Success(Flags(tool_name="x", tool_args=spelled))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, ["tools/call needs 'toolName'"]),
        ({"toolName": "x", "tolArg": "a=1"}, ["tools/call has no 'tolArg' (did you mean toolArg?)"]),
        ({"toolName": "x", "qqq": 1}, ["tools/call has no 'qqq'"]),
        ({"tool_name": "x"}, ["tools/call has no 'tool_name' (did you mean toolName?)", "tools/call needs 'toolName'"]),
        ({"toolName": 5}, ["toolName: expected string, got number"]),
        ({"toolName": None}, ["toolName: expected string, got null"]),
        ({"toolName": ["x"]}, ["toolName: expected string, got array"]),
        ({"toolName": "x", "poll": "true"}, ["poll: expected boolean, got string"]),
        ({"toolName": "x", "depth": 1.5}, ["depth: expected a whole number, got '1.5'"]),
        ({"toolName": "x", "taskTtl": True}, ["taskTtl: expected number or string, got boolean"]),
        (
            {"toolName": "x", "taskTtl": "soon"},
            ["taskTtl: expected a duration such as 500, 500ms, 30s or 2m, got 'soon'"],
        ),
        ({"toolName": "x", "toolArg": {"a": 1}}, ["toolArg: expected string, got object"]),
        ({"toolName": "x", "toolArg": ["a=1", 2]}, ["toolArg: expected string, got number"]),
        ({"toolName": "x", "toolArg": ["a=1", "b"]}, ["toolArg: expected key=value or key:=json, got 'b'"]),
        ({"toolName": "x", "toolArg": "a=@file"}, ["toolArg: 'a=@file' names a file, which has no place here"]),
        (
            {"toolName": 1, "depth": "x", "more": 1},
            [
                "toolName: expected string, got number",
                "depth: expected number, got string",
                "tools/call has no 'more'",
            ],
        ),
    ],
)
def test_all_that_is_wrong_is_told_at_once(values: dict[str, Json], told: list[str]) -> None:
    assert problems(METHOD, given_as(**values), ()) == told
    assert bind(METHOD, given_as(**values)) == Failure(Invalid("INVALID_ARGUMENT", "tools/call", "; ".join(told)))


def test_a_value_that_a_variable_will_settle_is_not_looked_at() -> None:
    values = given_as(toolName="x", depth="${n}", taskTtl="${t}")

    assert read_fields(METHOD, values, {"depth", "taskTtl"}) == ({"tool_name": "x"}, [])
    assert problems(METHOD, values, {"depth"}) == [
        "taskTtl: expected a duration such as 500, 500ms, 30s or 2m, got '${t}'"
    ]


def test_a_name_that_the_method_does_not_have_is_wrong_whatever_its_value_will_be() -> None:
    assert problems(METHOD, given_as(toolName="x", dept="${n}"), {"dept"}) == [
        "tools/call has no 'dept' (did you mean depth?)"
    ]


def test_a_method_without_flags_takes_nothing() -> None:
    assert bind(NOTHING, {}) == Success(RawParams())
    assert problems(NOTHING, given_as(uri="x"), ()) == ["ping has no 'uri'"]


def test_a_secret_is_given_itself() -> None:
    found = Secrets(token=Secret("s3cr3t"), key=PrivateKey(PEM))

    assert bind(SIGNING, given_as(token="s3cr3t", key=PEM)) == Success(found)


def test_a_secret_is_quoted_by_no_message() -> None:
    elsewhere = "env: and file: have no place here, give it as ${name} with --var name=VALUE"

    assert problems(SIGNING, given_as(token="env:TOKEN", key="file:key.pem"), ()) == [
        f"token: {elsewhere}",
        f"key: {elsewhere}",
    ]
    assert problems(SIGNING, given_as(key="s3cr3t"), ()) == ["key: expected the text of a key in PEM form"]


KEYS = st.sampled_from(["toolName", "toolArg", "toolArgs", "poll", "taskTtl", "depth", "x"])


@given(st.dictionaries(KEYS, VALUES.map(lambda value: exact(dump(value))) | TEXTS.map(exact)))
def test_whatever_has_no_problem_can_be_bound(values: dict[str, Exact]) -> None:
    assert isinstance(bind(METHOD, values), Success) is (problems(METHOD, values, ()) == [])

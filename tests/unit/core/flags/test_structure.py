"""Flags of a method as members of a JSON object: validated together, and bound as on the command line."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import pytest
from attrs import field, fields, frozen
from hypothesis import given
from hypothesis import strategies as st

from json_texts import TEXTS, VALUES, exact
from mcpi.core.flags.pairs import Pair
from mcpi.core.flags.structure import UNRESOLVED, Pointer, VariableName, bind, json_key, structure, without
from mcpi.core.flags.types import Duration, PrivateKey, Secret
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.method import RawParams


@frozen(kw_only=True)
class Flags:
    """Flags of each type that a method may have."""

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
    """Secret flags."""

    token: Secret | None = None
    """A secret."""
    key: PrivateKey | None = None
    """A key."""


PEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----"


def step_members(**values: Json) -> dict[str, Exact]:
    """Build the members of a step."""
    return {name: exact(dump(value)) for name, value in values.items()}


def problems(owner: type, values: Mapping[str, Exact], name: str = "tools/call") -> list[str]:
    """Return the problems of the values."""
    match structure(owner, values):
        case Success():
            return []
        case Failure(mistakes):
            return [one.sentence(name) for one in mistakes]


def test_json_key_of_a_field_is_camel_case() -> None:
    assert [json_key(one) for one in fields(Flags)] == ["toolName", "toolArg", "toolArgs", "poll", "taskTtl", "depth"]


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
def test_json_values_are_bound_as_on_the_command_line(values: dict[str, Json], flags: Flags) -> None:
    assert problems(Flags, step_members(**values)) == []
    assert bind(Flags, step_members(**values), "tools/call") == Success(flags)


def test_json_value_keeps_its_text() -> None:
    spelled = Exact('{"n" : 1.50}', {"n": 1.5})

    found = bind(Flags, {"toolName": exact('"x"'), "toolArgs": spelled}, "tools/call")
    assert found == Success(Flags(tool_name="x", tool_args=spelled))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, ["tools/call requires 'toolName'"]),
        ({"toolName": "x", "tolArg": "a=1"}, ["tools/call has no key 'tolArg' (did you mean toolArg?)"]),
        ({"toolName": "x", "qqq": 1}, ["tools/call has no key 'qqq'"]),
        ({"tool_name": "x"}, ["tools/call has no key 'tool_name' (did you mean toolName?)"]),
        ({"qqq": "x"}, ["tools/call has no key 'qqq'", "tools/call requires 'toolName'"]),
        ({"toolName": 5}, ["toolName: expected a string, found number"]),
        ({"toolName": None}, ["toolName: expected a string, found null"]),
        ({"toolName": ["x"]}, ["toolName: expected a string, found array"]),
        ({"toolName": "x", "poll": "true"}, ["poll: expected true or false, found string"]),
        ({"toolName": "x", "depth": 1.5}, ["depth: expected an integer of at least 0, got '1.5'"]),
        ({"toolName": "x", "taskTtl": True}, ["taskTtl: expected a number or a string, found boolean"]),
        (
            {"toolName": "x", "taskTtl": "soon"},
            ["taskTtl: expected a duration such as 500, 500ms, 30s or 2m, got 'soon'"],
        ),
        ({"toolName": "x", "toolArg": {"a": 1}}, ["toolArg: expected a string, found object"]),
        ({"toolName": "x", "toolArg": ["a=1", 2]}, ["toolArg[1]: expected a string, found number"]),
        ({"toolName": "x", "toolArg": ["a=1", "b"]}, ["toolArg[1]: expected key=value or key:=json, got 'b'"]),
        ({"toolName": "x", "toolArg": "a=@file"}, ["toolArg: 'a=@file' names a file, which is not allowed here"]),
        (
            {"toolName": 1, "depth": "x", "more": 1},
            [
                "toolName: expected a string, found number",
                "depth: expected a number, found string",
                "tools/call has no key 'more'",
            ],
        ),
    ],
)
def test_all_problems_are_reported_together(values: dict[str, Json], message: list[str]) -> None:
    assert problems(Flags, step_members(**values)) == message
    assert bind(Flags, step_members(**values), "tools/call") == Failure(
        Invalid("INVALID_ARGUMENT", "tools/call", "; ".join(message))
    )


def test_value_with_a_variable_is_not_checked_yet() -> None:
    values = step_members(toolName="x", depth="${n}", taskTtl="${t}")

    assert problems(Flags, {**values, "depth": UNRESOLVED, "taskTtl": UNRESOLVED}) == []
    assert problems(Flags, {**values, "depth": UNRESOLVED}) == [
        "taskTtl: expected a duration such as 500, 500ms, 30s or 2m, got '${t}'"
    ]
    assert problems(Flags, {"toolName": UNRESOLVED, "toolArg": UNRESOLVED, "toolArgs": UNRESOLVED}) == []


def test_unknown_name_is_rejected_even_with_a_variable_as_value() -> None:
    assert problems(Flags, {**step_members(toolName="x"), "dept": UNRESOLVED}) == [
        "tools/call has no key 'dept' (did you mean depth?)"
    ]


def test_method_without_flags_accepts_no_members() -> None:
    assert bind(RawParams, {}, "ping") == Success(RawParams())
    assert problems(RawParams, step_members(uri="x"), "ping") == ["ping has no key 'uri'"]


def test_secret_is_given_as_a_literal_value() -> None:
    found = Secrets(token=Secret("s3cr3t"), key=PrivateKey(PEM))

    assert bind(Secrets, step_members(token="s3cr3t", key=PEM), "sign") == Success(found)


def test_secret_is_not_quoted_in_messages() -> None:
    elsewhere = "env: and file: are not allowed here; use ${name} and --var name=TEXT"

    assert problems(Secrets, step_members(token="env:TOKEN", key="file:key.pem")) == [
        f"token: {elsewhere}",
        f"key: {elsewhere}",
    ]
    assert problems(Secrets, step_members(key="s3cr3t")) == ["key: expected a key in PEM format"]


KEYS = st.sampled_from(["toolName", "toolArg", "toolArgs", "poll", "taskTtl", "depth", "x"])


@given(st.dictionaries(KEYS, VALUES.map(lambda value: exact(dump(value))) | TEXTS.map(exact)))
def test_values_without_problems_can_be_bound(values: dict[str, Exact]) -> None:
    assert isinstance(bind(Flags, values, "x"), Success) is (problems(Flags, values) == [])


@frozen(kw_only=True)
class NestedPart:
    """A nested object."""

    size: int
    """A number."""


@frozen(kw_only=True)
class Document:
    """A document with parts."""

    parts: list[NestedPart] = field(factory=list)
    names: Mapping[VariableName, Pointer] = field(factory=dict)
    texts: Mapping[str, str] = field(factory=dict)
    way: Literal["up", "down"] = "up"
    id: str = field(default="", metadata={"key": "the_id"})


@frozen(kw_only=True)
class OpenObject:
    """An object that allows additional keys."""

    EXTRA_KEYS: ClassVar = True
    size: int = 0


def test_nested_document_is_built() -> None:
    text = (
        '{"parts": [{"size": 1}, {"size": 2}], "names": {"a": "/x"}, "texts": {"": "t"}, "way": "down", "the_id": "i"}'
    )

    assert structure(Document, exact(text)) == Success(
        Document(parts=[NestedPart(size=1), NestedPart(size=2)], names={"a": "/x"}, texts={"": "t"}, way="down", id="i")
    )
    assert structure(OpenObject, exact('{"size": 1, "more": 2}')) == Success(OpenObject(size=1))


def test_mistakes_in_a_document_are_reported_in_order_with_their_paths() -> None:
    wrong = exact(
        '{"the_ide": "", "way": "left", "names": {"a b": "/x", "c": "x", "d": 5, "e": ""},'
        ' "parts": [{"size": 1}, {"siz": 2}, 3]}'
    )

    assert problems(Document, wrong.members(), "it") == [
        "it has no key 'the_ide' (did you mean the_id?)",
        "way: expected up or down, got 'left'",
        "names.a b: a variable name consists of letters, digits and _, and does not begin with a digit",
        "names.c: a JSON pointer must start with '/' (did you mean /x?)",
        "names.d: a JSON pointer must start with '/'",
        "it has no key 'parts[1].siz' (did you mean size?)",
        "parts[2]: expected an object, found number",
    ]
    assert problems(Document, step_members(parts=1, names=[]), "it") == [
        "parts: expected an array, found number",
        "names: expected an object, found array",
    ]


@pytest.mark.parametrize("text", ["5", "[]", "null"])
def test_document_must_be_an_object(text: str) -> None:
    match structure(Document, exact(text)):
        case Failure((mistake,)):
            assert mistake.sentence("it").startswith("expected an object, found ")
        case other:
            raise AssertionError(other)


def test_document_without_the_invalid_members_can_be_checked() -> None:
    members = step_members(way="left", names={"a b": "/x", "c": "/c"}, texts={"t": "u"})
    mistakes = structure(Document, members).failure()

    assert structure(Document, without(members, mistakes)) == Success(Document(names={"c": "/c"}, texts={"t": "u"}))


def test_suggestions_include_additional_names() -> None:
    (mistake,) = structure(Flags, step_members(toolName="x", onEror="stop"), ["onError"]).failure()

    assert mistake.sentence("it") == "it has no key 'onEror' (did you mean onError?)"

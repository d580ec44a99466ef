"""describe, beyond the dialogues in fixtures."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object
from mcpi.core.outcome.result import Success
from mcpi.core.plans.steps import Call, CallAll, Connect
from mcpi.core.text.colors import no_color
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.plugins.methods.describe import Describe, describe, mcpi_methods, mcpi_tools, summary_lines
from support.dialogue import DIALOGUES
from support.replay import exact, replay

SCHEMA = Draft202012Validator(
    json.loads((Path(__file__).parents[4] / "src" / "mcpi" / "schemas" / "describe.json").read_text("utf-8"))
)


def test_describe_method_is_registered() -> None:
    (method,) = mcpi_methods()

    assert (method.name, method.args, method.plan, method.is_protocol_method) == ("describe", Describe, describe, False)
    assert method.readable is summary_lines


def test_method_is_a_tool_for_agents() -> None:
    assert mcpi_tools() == ("describe",)


def test_method_has_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "describe"} == {"describe"}


def test_every_description_matches_its_schema() -> None:
    found = [one.data["result"] for one in DIALOGUES if one.group == "describe" and "result" in one.data]

    assert len(found) > 3
    assert [error.message for one in found for error in SCHEMA.iter_errors(one)] == []


def test_example_arguments_match_the_input_schema() -> None:
    tool = next(one.data["result"] for one in DIALOGUES if one.name == "describe--tool")
    described = as_object(tool)
    schema = as_object(as_object(described["definition"])["inputSchema"])
    step = as_object(described["step"])

    assert Draft202012Validator(schema).is_valid(step["toolArgs"])


def described(schema: Json, name: str = "x") -> JsonObject:
    """The description of the only argument of a tool."""
    return as_object(as_list(described_tool(schema, name)["arguments"])[0])


def described_tool(schema: Json, name: str = "x", **more: Json) -> JsonObject:
    """The description of a tool with one argument."""
    inputs: Json = {"type": "object", "properties": {name: schema}, "$defs": DEFINITIONS, **more}
    tool: Json = {"name": "t", "inputSchema": inputs}
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}}))
    lists = (CallAll((Call("tools/list"),)), (Success(exact({"tools": [tool]})),))
    ended = replay(describe(Describe(item="t")), (Connect(), server), lists)
    assert [error.message for error in SCHEMA.iter_errors(to_plain(ended.result))] == []
    return as_object(to_plain(ended.result))


DEFINITIONS: JsonObject = {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}
INTEGERS: Json = {"type": "array", "items": {"type": "integer"}}
MANY: JsonObject = {str(number): {"type": "null"} for number in range(30)}


@pytest.mark.parametrize(
    ("schema", "kind", "example"),
    [
        ({"type": "string", "description": "any"}, "string", "text"),
        ({"type": "array", "items": {"type": "string"}}, "array of string", ["text"]),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "array of array of integer",
            [[0]],
        ),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "array", ["text"]),
        ({"type": ["string", "null"], "default": None}, "string or null", "text"),
        (
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": None},
            "array of string or null",
            ["text"],
        ),
        ({"type": "integer", "default": "5"}, "integer", 0),
        ({"type": "string", "examples": [5, "ok"]}, "string", "ok"),
        ({"type": "string", "not": {"enum": ["text", "a"]}}, "string", ""),
        ({"type": "array", "contains": {"const": 5}}, "array", [5]),
        ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, "any", 0.5),
        ({"type": "object", "minProperties": 2}, "object", {"unexpected0": "a", "unexpected1": "a"}),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
            "object",
            {"unexpected": 0},
        ),
        (
            {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "minProperties": 1},
            "object",
            {"unexpected": "a"},
        ),
        (
            {"type": "object", "properties": {"a": {}, "b": {}}, "maxProperties": 1},
            "object",
            {},
        ),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 0}, "array of string", []),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, "array of string", ["a", "a"]),
        ({"type": "array", "items": {"type": "integer"}, "default": [3]}, "array of integer", [3]),
        ({"type": "array"}, "array", []),
        ({"$ref": "#/$defs/node"}, "array of array of array of array of array", [[[[[]]]]]),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, "object", {"a": 0}),
        ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}, "object", {"a": 0}),
        ({"type": "object", "properties": MANY}, "object", {}),
        ({"anyOf": [{"type": "integer", "minimum": 2}, {"type": "null"}]}, "integer or null", 2),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "integer or string", "a"),
        ({"anyOf": [{"enum": [1]}, {"type": "null"}]}, "null", 1),
        ({"type": "string", "examples": ["b"]}, "string", "b"),
        ({"default": None, "const": 2}, "any", 2),
    ],
)
def test_argument_has_its_type_and_an_example(schema: Json, kind: str, example: Json) -> None:
    argument = described(schema)

    assert (argument["type"], argument["example"]) == (kind, example)
    assert Draft202012Validator({"$defs": DEFINITIONS, **as_object(schema)}).is_valid(argument["example"])


def test_argument_has_the_constraints_of_its_schema() -> None:
    limits: JsonObject = {"minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2}
    optional: Json = {
        "anyOf": [{"type": "string", "pattern": "^a", "format": "uri"}, {"type": "null"}],
        "default": None,
    }

    assert described({"type": "integer", **limits}) == {
        "name": "x", "type": "integer", "required": False, **limits, "example": 2,
    }  # fmt: skip
    assert described(optional) == {
        "name": "x",
        "type": "string or null",
        "required": False,
        "default": None,
        "pattern": "^a",
        "format": "uri",
        "example": "a",
    }


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "string"}, "x=text"),
        ({"type": "string", "default": "@a"}, """'x:="@a"'"""),
        ({"type": "integer"}, "x=0"),
        ({"type": "boolean", "default": True}, "x=true"),
        ({"enum": ["C"]}, """'x:="C"'"""),
        ({"enum": []}, "x:=null"),
        ({"type": "array", "items": {"type": "string"}}, """'x:=["text"]'"""),
    ],
)
def test_call_has_the_required_arguments(schema: Json, word: str) -> None:
    assert described_tool(schema)["call"] == "tools/call t"
    assert described_tool(schema, required=["x"])["call"] == f"tools/call t {word}"


@pytest.mark.parametrize("name", ["a=b", "a:", "-a", ""])
def test_call_has_json_if_a_name_cannot_be_written_as_a_word(name: str) -> None:
    tool = described_tool({"type": "string"}, name, required=[name])

    assert tool["call"] == f"""tools/call t --tool-args '{{"{name}":"text"}}'"""


@pytest.mark.parametrize(
    ("kind", "members", "call"),
    [
        ("tools", {"name": "-t", "inputSchema": {"type": "object"}}, "tools/call --tool-name=-t"),
        ("prompts", {"name": "-t"}, "prompts/get --prompt-name=-t"),
        ("resources", {"name": "-t", "uri": "-t"}, "resources/read --uri=-t"),
    ],
)
def test_call_of_an_item_whose_name_starts_with_a_dash_has_a_flag(kind: str, members: JsonObject, call: str) -> None:
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({kind: {}}))
    methods = ("resources/list", "resources/templates/list") if kind == "resources" else (f"{kind}/list",)
    replies = (Success(exact({kind: [members]})), Success(exact({"resourceTemplates": []})))[: len(methods)]
    lists = (CallAll(tuple(Call(method) for method in methods)), replies)
    ended = replay(describe(Describe(item="-t")), (Connect(), server), lists)

    assert as_object(to_plain(ended.result))["call"] == call


@pytest.mark.parametrize(
    "x",
    [
        {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        {"type": ["integer", "null"], "default": None},
    ],
)
def test_step_omits_optional_arguments_whose_default_is_null(x: JsonObject) -> None:
    tool = described_tool(x, properties={"x": x, "y": {"default": 5}})
    required = described_tool(x, required=["x"])

    assert as_object(tool["step"])["toolArgs"] == {"y": 5}
    assert [as_object(one)["example"] for one in as_list(tool["arguments"])] == [0, 5]
    assert as_object(required["step"])["toolArgs"] == {"x": 0}


def test_arguments_together_match_the_input_schema() -> None:
    schema: Json = {"type": "string"}
    either: list[Json] = [{"required": ["x"]}, {"required": ["y"]}]
    tool = described_tool(schema, properties={"x": schema, "y": schema}, oneOf=either)

    assert tool["call"] == "tools/call t x=a"
    assert as_object(tool["step"])["toolArgs"] == {"x": "a"}


def test_readable_output_has_constraints_and_the_note() -> None:
    limits: JsonObject = {"minimum": 1, "maximum": 2**53 - 1, "format": "x\x1b"}
    result: Printable = {
        "kind": "template",
        "name": "db://{n}",
        "arguments": [{"name": "n", "type": "integer", "required": True, "default": 3, **limits}],
        "step": {},
        "note": "set the variable",
    }

    assert summary_lines(result, 100, no_color) == [
        "db://{n} (template)",
        '  n: integer  minimum 1; format "x\\u001b"; default 3',
        "",
        "step  {}",
        "note  set the variable",
    ]


def test_readable_output_has_a_table_of_arguments() -> None:
    result: Printable = {
        "kind": "tool",
        "name": "add",
        "description": "Add two numbers.\nBoth count.",
        "arguments": [
            {"name": "a", "type": "integer", "required": True, "description": "the  first"},
            {"name": "unit", "type": "string", "required": False, "enum": ["C", "F"], "default": "C"},
            {"name": "long", "type": "string", "required": False, "description": "x" * 100},
        ],
        "step": {"method": "tools/call", "toolName": "add", "toolArgs": {"a": 1}},
    }

    assert summary_lines(result, 60, no_color) == [
        "add (tool)",
        "  Add two numbers.",
        "  Both count.",
        "  a: integer     the first",
        '  unit?: string  one of "C", "F"; default "C"',
        "  long?: string  " + "x" * 42 + "…",
        "",
        'step  {"method":"tools/call","toolName":"add","toolArgs":{"a":1}}',
    ]


def test_description_of_a_resource_has_no_arguments() -> None:
    result: Printable = {
        "kind": "resource",
        "name": "file:///a",
        "call": "resources/read file:///a",
        "step": {"method": "resources/read", "uri": "file:///a"},
    }

    assert summary_lines(result, 60, no_color) == [
        "file:///a (resource)",
        "",
        "call  resources/read file:///a",
        'step  {"method":"resources/read","uri":"file:///a"}',
    ]

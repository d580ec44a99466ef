"""describe, beyond the dialogues in fixtures."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import as_object
from mcpi.core.text.colors import no_color
from mcpi.plugins.methods.describe import Describe, describe, mcpi_methods, mcpi_tools, summary_lines
from support.dialogue import DIALOGUES

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
        "step": {"method": "resources/read", "uri": "file:///a"},
    }

    assert summary_lines(result, 60, no_color) == [
        "file:///a (resource)",
        "",
        'step  {"method":"resources/read","uri":"file:///a"}',
    ]

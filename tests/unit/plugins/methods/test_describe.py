"""describe: what the dialogues in fixtures do not say."""

from mcpi.core.jsontext.exact import Printable
from mcpi.core.text.colors import no_color
from mcpi.plugins.methods.describe import Describe, describe, mcpi_methods, mcpi_tools, summary_lines
from support.dialogue import DIALOGUES


def test_the_method_of_the_group() -> None:
    (method,) = mcpi_methods()

    assert (method.name, method.args, method.plan, method.is_protocol_method) == ("describe", Describe, describe, False)
    assert method.readable is summary_lines


def test_an_agent_is_offered_it() -> None:
    assert mcpi_tools() == ("describe",)


def test_the_method_has_its_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "describe"} == {"describe"}


def test_a_person_sees_the_arguments_in_a_table() -> None:
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


def test_a_resource_has_no_arguments() -> None:
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

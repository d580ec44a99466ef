"""The help on scripts: an example, the keys of a step, and the operators of expectations."""

from textwrap import wrap

from attrs import fields

from mcpi.core.flags.expectations import OPERATORS
from mcpi.core.flags.structure import json_key
from mcpi.core.scripts.script import ScriptDocument
from mcpi.core.scripts.step_keys import StepKeys
from mcpi.core.text.colors import Paint, no_color
from mcpi.core.text.layout import clamp_width
from mcpi.shell.binding.help_panels import table, titled
from mcpi.shell.discovery.field_docs import texts_of

COLUMN = 16
OPENING = """A script is a JSON array of steps that run on one connection, or an object with the array as "steps"."""
USAGE = """  mcpi --script FILE [flags] COMMAND... | URL | -- COMMAND"""
EXAMPLE = """  [
    {"method": "tools/call", "toolName": "add", "toolArgs": {"a": 2, "b": 3},
     "expect": {"/isError": false, "/structuredContent/sum": 5}},
    {"method": "tools/call", "toolName": "fail", "expect": {"/isError": true}},
    {"method": "resources/read", "uri": "demo://nowhere", "expect": {"/error/code": -32602}}
  ]"""
CLOSING = (
    "mcpi describe TOOL -- COMMAND prints an example step, and mcpi --print-schema script prints the JSON schema of "
    "scripts."
)


def of_scripts(width: int, paint: Paint = no_color) -> str:
    """Return the help on scripts."""
    wide = clamp_width(width)
    operators = wrap(", ".join(OPERATORS), wide, initial_indent="  ", subsequent_indent="  ")
    parts = (
        "\n".join(wrap(OPENING, wide)),
        titled("Usage", USAGE, paint),
        titled("Example", EXAMPLE, paint),
        titled("Keys of a step", _keys(StepKeys, wide, paint), paint),
        titled("Keys of an object with steps", _keys(ScriptDocument, wide, paint), paint),
        titled('Operators of expect, as in {"/content": {"length": 1}}', "\n".join(operators), paint),
        "\n".join(wrap(CLOSING, wide)),
    )
    return "\n\n".join(parts) + "\n"


def _keys(owner: type, width: int, paint: Paint) -> str:
    """Return a table of the keys of an object, with their texts."""
    texts = texts_of(owner)
    return "\n".join(table([(json_key(one), texts[one.name]) for one in fields(owner)], width, paint, COLUMN))

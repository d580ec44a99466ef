"""Describe a JSON file that was given as a server."""

from typing import Literal, TypeAlias

from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.result import Success
from mcpi.core.targets.config_file import parse_servers

JsonKind: TypeAlias = Literal["config file", "lock file", "script", "JSON file"]


def json_kind(text: str) -> JsonKind:
    """Return the purpose of the JSON text."""
    if isinstance(parse_servers("", text), Success):
        return "config file"
    found = parse_json_text(text.removeprefix("\ufeff"))
    if isinstance(found, JsonSyntaxProblem):
        return "JSON file"
    members = as_object(found.value)
    if "lockVersion" in members:
        return "lock file"
    return "script" if isinstance(found.value, list) or "steps" in members else "JSON file"

"""Explain failed calls: the server does not have the tool, or the arguments do not fit the tool."""

import re
from collections.abc import Collection, Sequence
from typing import TypeAlias

from attrs import evolve

from mcpi.core.flags.pairs import call_words, is_pair
from mcpi.core.flags.tool_arguments import requires, unknown_arguments
from mcpi.core.jsontext.schema import outline
from mcpi.core.outcome.faults import Correction, with_correction
from mcpi.plugins.api import (
    Exact,
    Failure,
    Invalid,
    JsonObject,
    Pair,
    Steps,
    as_object,
    catch_failure,
    find,
    nearest,
    quote,
    with_nearest,
)

Reason: TypeAlias = Invalid | tuple[str, ...]
"""The fault that explains a failed call, or hints."""
REASON = "the call failed; to check whether the tool exists and which arguments it takes"
CUTOFF = 0.75
"""Minimum similarity of a name that begins differently."""


def missing_tool(name: str, names: Collection[str], error_message: str = "", rpc: Exact | None = None) -> Invalid:
    """Build the fault for a tool that the server's list does not contain, with the nearest name."""
    alike = [one for one in names if one[:1] == name[:1] or name in one]
    near = nearest(name, names, CUTOFF) or nearest(name, alike)
    problem, hints = f"unknown tool {name!r}", (f"available: {', '.join(names) or 'none'}",)
    fault = Invalid("INVALID_ARGUMENT", "--tool-name", problem, () if near else hints)
    first, *pairs = call_words(name) or re.findall(r"[^\s(),]+", name) or [name]
    if pairs and first in names and all(map(is_pair, pairs)):
        # The arguments are part of the name: 'add a=1 b=2' or 'add(a=1, b=2)'.
        problem = f"{problem}, which includes arguments"
        fault = with_correction(evolve(fault, problem=problem, hints=()), Correction(name, (first, *pairs)))
    else:
        fault = with_nearest(fault, name, near)
    if not error_message:
        return fault
    shown = f"{problem} ({quote(' '.join(error_message.split()))}); {fault.hints[0]}"
    return evolve(fault, problem=shown, hints=(), rpc=rpc, quotes_server=True)


def failure_reason(
    name: str, arguments: Sequence[Pair] | Exact, tool: JsonObject, error_message: str, rpc: Exact | None
) -> Steps[Reason]:
    """Return the fault if the server's list does not contain the tool of a failed call, else hints.

    The server's list is read only if the tool has no definition yet.
    """
    if not tool:
        found = yield from catch_failure(find(name, "tools/list", "tools", REASON))
        if isinstance(found, Failure):
            return ()
        listed, names = found.unwrap()
        if listed is None:
            return missing_tool(name, names, error_message, rpc)
        tool = as_object(listed.value)
    given = [*arguments.members()] if isinstance(arguments, Exact) else [pair.key for pair in arguments]
    schema = tool.get("inputSchema")
    unknown = tuple(unknown_arguments(given, schema, name))
    missing = [one for one in outline(schema).required if one not in given]
    if not missing:
        return unknown
    them = "it" if len(missing) == 1 else "them"
    added = f"{them} to --tool-args" if isinstance(arguments, Exact) else " ".join(f"{one}=VALUE" for one in missing)
    return (f"{requires(f'the tool {name!r}', missing)}; add {added}", *unknown)

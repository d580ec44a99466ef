"""Recognize calls of tools that the server does not have."""

from collections.abc import Collection

from attrs import evolve

from mcpi.plugins.api import (
    Exact,
    Failure,
    Invalid,
    Steps,
    catch_failure,
    find,
    nearest,
    quote,
    with_nearest,
)

REASON = "the call failed; to check whether the tool exists"


def missing_tool(name: str, names: Collection[str], said: str = "", rpc: Exact | None = None) -> Invalid:
    """Build the fault for a tool that the server's list does not contain, with the nearest name."""
    near = nearest(name, names)
    problem, hints = f"unknown tool {name!r}", (f"available: {', '.join(names) or 'none'}",)
    fault = with_nearest(Invalid("INVALID_ARGUMENT", "--tool-name", problem, () if near else hints), name, near)
    if not said:
        return fault
    shown = f"{problem} ({quote(' '.join(said.split()))}); {fault.hints[0]}"
    return evolve(fault, problem=shown, hints=(), rpc=rpc, quotes_server=True)


def unknown_tool(name: str, said: str, rpc: Exact | None = None) -> Steps[Invalid | None]:
    """Return the fault if the server's list does not contain the tool of a failed call."""
    found = yield from catch_failure(find(name, "tools/list", "tools", REASON))
    if isinstance(found, Failure):
        return None
    tool, names = found.unwrap()
    return missing_tool(name, names, said, rpc) if tool is None else None

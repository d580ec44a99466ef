"""Recognize calls of tools that the server does not have."""

from collections.abc import Collection

from mcpi.plugins.api import (
    Exact,
    Failure,
    Invalid,
    Steps,
    catch_failure,
    find,
    nearest,
    quote,
)

REASON = "the call failed, and the tool may not exist"


def missing_tool(name: str, names: Collection[str], said: str = "", rpc: Exact | None = None) -> Invalid:
    """Build the fault for a tool that the server's list does not contain, with the nearest name."""
    near = nearest(name, names)
    problem, hint = f"the server has no tool {name!r}", f"it has {', '.join(names) or 'none'}"
    if near:
        hint = f"did you mean {near}?"
    if not said:
        return Invalid("INVALID_ARGUMENT", "--tool-name", problem, (hint,))
    shown = f"{problem} ({quote(' '.join(said.split()))}); {hint}"
    return Invalid("INVALID_ARGUMENT", "--tool-name", shown, rpc=rpc, quotes_server=True)


def unknown_tool(name: str, said: str, rpc: Exact | None = None) -> Steps[Invalid | None]:
    """Return the fault if the server's list does not contain the tool of a failed call."""
    found = yield from catch_failure(find(name, "tools/list", "tools", REASON))
    if isinstance(found, Failure):
        return None
    tool, names = found.unwrap()
    return missing_tool(name, names, said, rpc) if tool is None else None

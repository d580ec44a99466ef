"""Methods prompts/list and prompts/get."""

from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    AnyMethod,
    Exact,
    ListFlags,
    Method,
    Name,
    Pair,
    Plan,
    Printable,
    Result,
    Success,
    all_pages,
    hookimpl,
    invalid,
    must,
    request,
)


@frozen(kw_only=True)
class ListPrompts(ListFlags):
    """All prompts of the server."""


@frozen(kw_only=True)
class GetPrompt:
    """One prompt, filled in."""

    prompt_name: Name
    """Name of the prompt to get."""
    prompt_arg: tuple[Pair, ...] = ()
    """key=value; a prompt's arguments are strings; key=@file takes the file's text; repeatable."""
    prompt_args: Exact | None = None
    """All arguments as one JSON object."""


def list_prompts(args: ListPrompts) -> Plan:
    """Fetch all prompts."""
    return (yield from all_pages("prompts/list", "prompts", args))


def get_prompt(args: GetPrompt) -> Plan:
    """Fetch the prompt's messages."""
    arguments = yield from must(_arguments(args))
    params: dict[str, Printable] = {"name": args.prompt_name}
    if arguments or args.prompt_args is not None:
        params["arguments"] = arguments
    return (yield from request("prompts/get", params))


def _arguments(args: GetPrompt) -> Result[dict[str, Printable]]:
    if args.prompt_args is None:
        twice = [pair.key for place, pair in enumerate(args.prompt_arg) if pair.key in _keys(args.prompt_arg[:place])]
        if twice:
            return invalid("--prompt-arg", f"{twice[0]!r} is given twice")
        return Success({pair.key: as_string(pair.value) for pair in args.prompt_arg})
    if args.prompt_arg:
        return invalid("--prompt-args", "it says all arguments, --prompt-arg beside it has no place")
    if not isinstance(args.prompt_args.value, dict):
        return invalid("--prompt-args", "the arguments are a JSON object")
    return Success({name: as_string(value) for name, value in args.prompt_args.members().items()})


def _keys(pairs: tuple[Pair, ...]) -> set[str]:
    return {pair.key for pair in pairs}


def as_string(value: str | Exact) -> Printable:
    """Return the value as a string, the only type that MCP allows for prompt arguments."""
    if isinstance(value, str):
        return value
    return value if isinstance(value.value, str) else value.text


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method("prompts/list", ListPrompts, list_prompts, "list the prompts", required_capability="prompts"),
        Method("prompts/get", GetPrompt, get_prompt, "get a prompt, filled in", required_capability="prompts"),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("prompts/list", "prompts/get")

"""Methods prompts/list and prompts/get."""

from mcpi.core.flags.tool_arguments import coerce_arguments
from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    AnyMethod,
    Exact,
    Failure,
    JsonObject,
    ListFlags,
    Method,
    Name,
    Pair,
    Plan,
    Printable,
    Result,
    Steps,
    Success,
    all_pages,
    as_list,
    as_object,
    as_text,
    catch_failure,
    find,
    hookimpl,
    invalid,
    must,
    nearest,
    request,
    stop,
    with_nearest,
)

REASON = "to check the arguments against the prompt's definition"


@frozen(kw_only=True)
class ListPrompts(ListFlags):
    """All prompts of the server."""


@frozen(kw_only=True)
class GetPrompt:
    """One prompt with its arguments."""

    prompt_name: Name
    """Name of the prompt to get."""
    prompt_arg: tuple[Pair, ...] = ()
    """key=value; prompt arguments are strings; key=@file sends the content of the file; repeatable."""
    prompt_args: Exact | None = None
    """All arguments as one JSON object, sent without validation."""
    force: bool = False
    """Send the arguments without validation."""


def list_prompts(args: ListPrompts) -> Plan:
    """Fetch all prompts."""
    return (yield from all_pages("prompts/list", "prompts", args))


def get_prompt(args: GetPrompt) -> Plan:
    """Fetch the prompt's messages."""
    arguments = yield from must(_arguments(args))
    if any(isinstance(pair.value, str) for pair in args.prompt_arg) and not args.force:
        yield from _check_arguments(args)
    params: dict[str, Printable] = {"name": args.prompt_name}
    if arguments or args.prompt_args is not None:
        params["arguments"] = arguments
    return (yield from request("prompts/get", params))


def _check_arguments(args: GetPrompt) -> Steps[None]:
    """Check the names of the arguments against the server's list; without a list they are sent unchecked."""
    found = yield from catch_failure(find(args.prompt_name, "prompts/list", "prompts", REASON))
    if isinstance(found, Failure):
        return
    prompt, names = found.unwrap()
    if prompt is None:
        near = nearest(args.prompt_name, names)
        hints = () if near else (f"available: {', '.join(names) or 'none'}",)
        unknown = invalid("--prompt-name", f"unknown prompt {args.prompt_name!r}", *hints).failure()
        yield from stop(with_nearest(unknown, args.prompt_name, near))
    else:
        declared = [as_object(one) for one in as_list(as_object(prompt.value).get("arguments"))]
        schema: JsonObject = {
            "properties": {as_text(one.get("name")): {} for one in declared},
            "required": [as_text(one.get("name")) for one in declared if one.get("required") is True],
            "additionalProperties": False,
        }
        owner = f"the prompt {args.prompt_name!r}"
        yield from must(coerce_arguments("--prompt-arg", args.prompt_arg, schema, owner))


def _arguments(args: GetPrompt) -> Result[dict[str, Printable]]:
    if args.prompt_args is None:
        twice = [pair.key for place, pair in enumerate(args.prompt_arg) if pair.key in _keys(args.prompt_arg[:place])]
        if twice:
            return invalid("--prompt-arg", f"{twice[0]!r} is given twice")
        return Success({pair.key: as_string(pair.value) for pair in args.prompt_arg})
    if args.prompt_arg:
        return invalid("--prompt-args", "cannot be combined with --prompt-arg")
    if not isinstance(args.prompt_args.value, dict):
        return invalid("--prompt-args", "expected a JSON object")
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
        Method(
            "prompts/get",
            GetPrompt,
            get_prompt,
            "get a prompt",
            required_capability="prompts",
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("prompts/list", "prompts/get")

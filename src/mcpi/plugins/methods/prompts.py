"""Methods prompts/list and prompts/get."""

from attrs import evolve

from mcpi.core.flags.tool_arguments import coerce_arguments
from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    AnyMethod,
    Exact,
    Failure,
    Invalid,
    JsonObject,
    ListFlags,
    Method,
    Name,
    Pair,
    Plan,
    Printable,
    Result,
    RpcError,
    Steps,
    Success,
    all_pages,
    as_list,
    as_object,
    as_text,
    attempt,
    catch_failure,
    find,
    hookimpl,
    invalid,
    must,
    nearest,
    stop,
    with_nearest,
)

REASON = "to check the arguments against the prompt's definition"
FAILED = "the request failed; to check whether the prompt exists and which arguments it takes"


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
    typed = any(isinstance(pair.value, str) for pair in args.prompt_arg) and not args.force
    if typed:
        yield from must((yield from _check_arguments(args, args.prompt_arg, REASON)))
    params: dict[str, Printable] = {"name": args.prompt_name}
    if arguments or args.prompt_args is not None:
        params["arguments"] = arguments
    match (yield from attempt("prompts/get", params)):
        case Failure(RpcError() as error) if not typed and not args.force:
            given = tuple(Pair(name, "") for name in arguments)
            return (yield from stop(_explained(error, (yield from _check_arguments(args, given, FAILED)))))
        case found:
            return (yield from must(found))


def _explained(error: RpcError, checked: Result[None]) -> RpcError:
    """Add the mistake that explains the server's error to its hints."""
    match checked:
        case Failure(Invalid() as mistake):
            hints = (mistake.problem, *mistake.hints)
            return evolve(error, hints=(*error.hints, *hints), correction=mistake.correction)
        case _:
            return error


def _check_arguments(args: GetPrompt, given: tuple[Pair, ...], reason: str) -> Steps[Result[None]]:
    """Check the names of the arguments against the server's list; without a list they are valid."""
    found = yield from catch_failure(find(args.prompt_name, "prompts/list", "prompts", reason))
    if isinstance(found, Failure):
        return Success(None)
    prompt, names = found.unwrap()
    if prompt is None:
        near = nearest(args.prompt_name, names)
        hints = () if near else (f"available: {', '.join(names) or 'none'}",)
        unknown = invalid("--prompt-name", f"unknown prompt {args.prompt_name!r}", *hints).failure()
        return Failure(with_nearest(unknown, args.prompt_name, near))
    declared = [as_object(one) for one in as_list(as_object(prompt.value).get("arguments"))]
    schema: JsonObject = {
        "properties": {as_text(one.get("name")): {} for one in declared},
        "required": [as_text(one.get("name")) for one in declared if one.get("required") is True],
        "additionalProperties": False,
    }
    checked = coerce_arguments("--prompt-arg", given, schema, f"the prompt {args.prompt_name!r}")
    return checked if isinstance(checked, Failure) else Success(None)


def _arguments(args: GetPrompt) -> Result[dict[str, Printable]]:
    if args.prompt_args is None:
        keys = [pair.key for pair in args.prompt_arg]
        key = next((one for place, one in enumerate(keys) if one in keys[:place]), None)
        if key is not None:
            return invalid("--prompt-arg", f"{key!r} is given twice")
        return Success({pair.key: as_string(pair.value) for pair in args.prompt_arg})
    if args.prompt_arg:
        return invalid("--prompt-args", "cannot be combined with --prompt-arg")
    if not isinstance(args.prompt_args.value, dict):
        return invalid("--prompt-args", f"expected a JSON object, found {args.prompt_args.kind}")
    return Success({name: as_string(value) for name, value in args.prompt_args.members().items()})


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

"""Methods tools/list and tools/call."""

from collections.abc import Mapping

from attrs import evolve

from mcpi.core.flags import pairs, tool_arguments
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.pointers import unescape_token
from mcpi.core.jsontext.schema import has_constraints
from mcpi.core.plans.task_polling import Task, created_task, declare_tasks, poll_task
from mcpi.core.wire.http_headers import header_annotation_problem, param_headers
from mcpi.plugins.api import (
    AnyMethod,
    Duration,
    Exact,
    Failure,
    Invalid,
    InvalidResponse,
    Json,
    JsonObject,
    ListFlags,
    Method,
    Name,
    NegotiatedServer,
    OperationFailed,
    Pair,
    Plan,
    Printable,
    Result,
    RpcError,
    Steps,
    Success,
    Violation,
    all_pages,
    as_object,
    as_text,
    attempt,
    catch_failure,
    check,
    connect,
    elements,
    find,
    hookimpl,
    invalid,
    must,
    quote,
    report_violation,
    stop,
    to_plain,
    warn,
)
from mcpi.plugins.methods.tools.tool_tasks import check_capability, check_support, task_params, with_task_id
from mcpi.plugins.methods.tools.unknown_tool import Reason, failure_reason, missing_tool

_VALID: Result[None] = Success(None)
_NO_HEADERS: Result[Mapping[str, str]] = Success({})
HEADERS = "to check which headers the tool's definition requires"
TYPES = "to convert arguments to the types in the tool's schema"
OUTPUT = "to validate the result against the tool's outputSchema"
BOTH = "to convert arguments and validate the result against the tool's schema"


@frozen(kw_only=True)
class ListTools(ListFlags):
    """All tools of the server."""


@frozen(kw_only=True)
class CallTool:
    """Call one tool."""

    tool_name: Name
    """Name of the tool to call."""
    tool_arg: tuple[Pair, ...] = ()
    """key=value, converted to the type in the schema; key:=json, sent unchanged; key=@file, the content of the file;
    key=@@text for a literal @; repeatable."""
    tool_args: Exact | None = None
    """All arguments as one JSON object (also --tool-args-json)."""
    tool_metadata: tuple[Pair, ...] = ()
    """key=value to add to _meta of this call; repeatable."""
    progress_token: str | None = None
    """Progress token to send (default: the request ID)."""
    output_schema_validate: bool = False
    """Validate the result against the tool's outputSchema."""
    run_as_task: bool = False
    """Run the call as a task: the server responds at once, and continues the call in the background."""
    task_ttl: Duration | None = None
    """Time for which the server should keep the task."""
    poll: bool = False
    """With --run-as-task, poll until the task ends and print its result."""
    poll_interval: Duration | None = None
    """Interval between polls (default: the server's suggestion, or 1s)."""
    force: bool = False
    """Send the request even if the server did not declare the required capability."""


def list_tools(args: ListTools) -> Plan:
    """Fetch all tools; report a violation for each one that cannot be called over HTTP."""
    whole = yield from all_pages("tools/list", "tools", args)
    server = yield from connect()
    listed = elements(whole, "tools")
    if server.era == "modern" and server.transport != "stdio" and not isinstance(listed, Failure):
        for tool in listed.unwrap():
            problem = header_annotation_problem(as_object(tool.value).get("inputSchema"))
            if problem is not None:
                name = as_text(as_object(tool.value).get("name"))
                detail = f"the tool {name!r} cannot be called: {problem}"
                yield from report_violation(Violation("illegal-header", detail, quote(tool.text)))
    return whole


def call_tool(args: CallTool) -> Plan:
    """Call the tool; an error result is a fault that keeps the result."""
    yield from must(_check_flags(args))
    server = yield from connect()
    tool = yield from _checked_definition(args, server)
    arguments: Printable = args.tool_args
    if arguments is None:
        # Without key=value arguments, mcpi has the definition on some transports only, and does not use it.
        arguments = yield from _arguments(args, tool.get("inputSchema") if _has_texts(args) else None)
    params: dict[str, Printable] = {"name": args.tool_name, "arguments": arguments}
    if args.tool_metadata or args.progress_token is not None:
        params["_meta"] = _meta(args)
    if args.run_as_task:
        yield from declare_tasks()
        params |= task_params(server, args.task_ttl)
    headers = yield from must(_headers(args, tool, arguments, server))
    result = yield from _response(args, tool, params, headers)
    task = created_task(result, server) if args.run_as_task else None
    if task is None:
        return (yield from _checked_result(args, tool, result))
    return (yield from _followed_task(args, tool, task, server)) if args.poll else with_task_id(result, task.raw)


def _checked_definition(args: CallTool, server: NegotiatedServer) -> Steps[JsonObject]:
    """Return the tool's definition, if it is needed; check --run-as-task against it and against the capabilities."""
    if args.run_as_task and not args.force:
        yield from must(check_capability(server, args.task_ttl))
    tool = yield from _definition(args, server)
    if tool and not args.force and server.era == "handshake":
        yield from must(check_support(args.tool_name, tool, run_as_task=args.run_as_task))
    return tool


def _response(
    args: CallTool, tool: JsonObject, params: Mapping[str, Printable], headers: Mapping[str, str]
) -> Steps[Exact]:
    """Send the call and return its result; if the tool is unknown, the error names the nearest one."""
    match (yield from attempt("tools/call", params, headers, track=True)):
        case Success(result):
            return result
        case Failure(RpcError() as error):
            reason = yield from _failure_reason(args, tool, error.message, error.error)
            fault = reason if isinstance(reason, Invalid) else evolve(error, hints=(*error.hints, *reason))
            return (yield from stop(fault))
        case Failure(fault):
            return (yield from stop(fault))


def _failure_reason(args: CallTool, tool: JsonObject, message: str, rpc: Exact | None) -> Steps[Reason]:
    """Return the reason why the call failed, unless mcpi has validated the arguments."""
    if tool and _has_texts(args):
        return ()
    return (yield from failure_reason(args.tool_name, args.tool_args or args.tool_arg, tool, message, rpc))


def _followed_task(args: CallTool, tool: JsonObject, task: Task, server: NegotiatedServer) -> Plan:
    ended = yield from poll_task(task, server, args.poll_interval)
    final = ended.get("result") if isinstance(ended, Mapping) else None
    if args.output_schema_validate and isinstance(final, Exact):
        yield from _validate_output(args, tool, final, ended)
    return ended


def _check_flags(args: CallTool) -> Result[None]:
    if not args.run_as_task and (args.poll or args.task_ttl or args.poll_interval):
        flag = "--poll" if args.poll else "--task-ttl" if args.task_ttl else "--poll-interval"
        return invalid(flag, "requires --run-as-task")
    if args.tool_args is None:
        return _VALID
    if args.tool_arg:
        return invalid("--tool-args", "cannot be combined with --tool-arg")
    if args.tool_args.kind != "object":
        example = 'for example --tool-args \'{"city": "Oslo"}\''
        return invalid("--tool-args", f"expected a JSON object, found {args.tool_args.kind}", example)
    return _VALID


def _definition(args: CallTool, server: NegotiatedServer) -> Steps[JsonObject]:
    """Return the tool's definition if it is needed to convert a value, set headers or check the result."""
    typed, checked = _has_texts(args), args.output_schema_validate
    if not typed and not checked:
        if server.era == "handshake" or server.transport == "stdio":
            return {}
        listed = yield from catch_failure(find(args.tool_name, "tools/list", "tools", HEADERS))
        tool = None if isinstance(listed, Failure) else listed.unwrap()[0]
        return {} if tool is None else as_object(tool.value)
    reason = BOTH if typed and checked else TYPES if typed else OUTPUT
    tool, names = yield from find(args.tool_name, "tools/list", "tools", reason)
    if tool is None and not args.force:
        yield from stop(missing_tool(args.tool_name, names))
    return {} if tool is None else as_object(tool.value)


def _has_texts(args: CallTool) -> bool:
    """Tell whether mcpi converts a value."""
    return any(isinstance(pair.value, str) for pair in args.tool_arg)


def _arguments(args: CallTool, schema: Json) -> Steps[Printable]:
    """Convert and check the arguments; --force converts those that fit, and checks none."""
    if args.force:
        return (yield from must(tool_arguments.coerce_leniently("--tool-arg", args.tool_arg, schema)))
    owner = f"the tool {args.tool_name!r}"
    converted = yield from must(tool_arguments.coerce_arguments("--tool-arg", args.tool_arg, schema, owner))
    yield from _check_rules(args, schema, converted)
    # Most servers ignore arguments that the schema does not name.
    for sentence in tool_arguments.unknown_arguments([pair.key for pair in args.tool_arg], schema, args.tool_name):
        yield from warn(sentence)
    return converted


def _check_rules(args: CallTool, schema: Json, arguments: Mapping[str, Printable]) -> Steps[None]:
    """Check converted values against the other rules of the schema; values given as JSON are sent unchecked."""
    properties = as_object(as_object(schema).get("properties"))
    typed = {pair.key: pair.value for pair in args.tool_arg if isinstance(pair.value, str)}
    if not any(has_constraints(properties.get(key)) for key in typed):
        return
    for pointer, problem in (yield from check(to_plain(arguments), schema)):
        name, _, rest = (pointer or "")[1:].partition("/")
        if (key := unescape_token(name)) in typed:
            told = f"{key}={typed[key]!r} violates the schema: {f'/{rest}: ' if rest else ''}{problem}"
            yield from must(invalid("--tool-arg", told, pairs.unconverted(key, typed[key])))


def _meta(args: CallTool) -> dict[str, Printable]:
    token: dict[str, Printable] = {} if args.progress_token is None else {"progressToken": args.progress_token}
    return {**{pair.key: pair.value for pair in args.tool_metadata}, **token}


def _headers(
    args: CallTool, tool: JsonObject, arguments: Printable, server: NegotiatedServer
) -> Result[Mapping[str, str]]:
    schema = tool.get("inputSchema")
    # MCP 2026-07-28, transports: "Clients using other transports (e.g., stdio) MAY ignore x-mcp-header".
    if server.era != "modern" or server.transport == "stdio" or schema is None:
        return _NO_HEADERS
    problem = header_annotation_problem(schema)
    if problem is None:
        return Success(param_headers(schema, as_object(to_plain(arguments))))
    # MCP 2026-07-28, transports: "clients MUST reject tool definitions" whose x-mcp-header is invalid.
    return Failure(InvalidResponse("INVALID_RESPONSE", f"the tool {args.tool_name!r} cannot be called: {problem}"))


def _checked_result(args: CallTool, tool: JsonObject, result: Exact) -> Plan:
    if result.get("isError") is True:
        problem, texts = f"the tool {args.tool_name!r} reports an error", _texts(result)
        reason = yield from _failure_reason(args, tool, " ".join(texts), None)
        fault = reason if isinstance(reason, Invalid) else OperationFailed("TOOL_ERROR", problem, texts, hints=reason)
        yield from stop(fault, result)
    if args.output_schema_validate:
        yield from _validate_output(args, tool, result, result)
    return result


def _texts(result: Exact) -> tuple[str, ...]:
    content = result.get("content")
    blocks = [as_object(block) for block in content] if isinstance(content, list) else []
    return tuple(as_text(block.get("text")) for block in blocks if block.get("type") == "text")


def _validate_output(args: CallTool, tool: JsonObject, result: Exact, shown: Printable) -> Steps[None]:
    schema = tool.get("outputSchema")
    if schema is None:
        return
    structured = result.members().get("structuredContent")
    missing = (("", "structuredContent is missing"),)
    problems = missing if structured is None else (yield from check(structured.value, schema))
    if problems:
        told = tuple(f"{pointer or '/'}: {problem}" for pointer, problem in problems)
        listed = [{"pointer": pointer, "problem": problem} for pointer, problem in problems]
        sentence = f"the result of {args.tool_name!r} does not match its outputSchema"
        yield from stop(OperationFailed("SCHEMA_MISMATCH", sentence, told, {"problems": listed}), shown)


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method("tools/list", ListTools, list_tools, "list the tools", required_capability="tools"),
        Method("tools/call", CallTool, call_tool, "call a tool", required_capability="tools"),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("tools/list", "tools/call")

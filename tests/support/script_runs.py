"""Scripts run against an in-memory server, and their results."""

from typing import Any

from attrs import frozen

from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import (
    Invalid,
    OperationFailed,
)
from mcpi.core.plans.catalog import Catalog, OwnedMethod
from mcpi.core.plans.method import AnyMethod, Method, RawParams, check_support
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.reports import ScriptLog
from mcpi.core.plans.steps import Plan, attempt, extend_terms, must, pause, request, stop
from mcpi.core.record.transcript import Transcript
from mcpi.core.scripts.player import ScriptOptions, ScriptRunner
from mcpi.core.scripts.script import parse
from mcpi.core.session.run_plan import SupportCheck
from mcpi.core.wire.server_info import NegotiatedServer
from support.conversation import (
    Conversation,
    Expect,
    ServerAction,
    answer,
    error,
)
from support.replay import exact

HANDSHAKE = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}, "logging": {}}))
INITIALIZED: Json = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
PROBLEM: dict[str, Json] = {"code": -32000, "message": "no"}


@frozen(kw_only=True)
class CallFlags:
    """The flags of a call."""

    tool_name: str
    """Name of the tool."""
    tool_args: Exact | None = None
    """Its arguments."""
    count: int = 1
    """A number."""


def call(args: CallFlags) -> Plan:
    """Call a tool, and fail if its result is an error."""
    arguments = {} if args.tool_args is None else {"arguments": args.tool_args}
    params: dict[str, Printable] = {"name": args.tool_name, **arguments}
    result = yield from must((yield from attempt("tools/call", params, track=args.count > 1)))
    if args.tool_name == "unknown":
        yield from stop(Invalid("INVALID_ARGUMENT", "--tool-name", "unknown tool 'unknown'"), result)
    if result.value == {"isError": True}:
        yield from stop(OperationFailed("TOOL_ERROR", "the tool says no"), result)
    return result


@frozen(kw_only=True)
class WordFlag:
    """A flag that can be set by a variable."""

    word: str
    """Anything."""


def fail_at_once(_: WordFlag) -> Plan:
    return (yield from stop(OperationFailed("TASK_FAILED", "it needs no server to fail")))


def request_later(_: RawParams) -> Plan:
    yield from extend_terms(log_level="info")
    yield from pause(1)
    return (yield from request("later"))


METHODS: tuple[AnyMethod, ...] = (
    Method("tools/call", CallFlags, call, "", required_capability="tools"),
    Method("prompts/list", RawParams, lambda _: request("prompts/list"), "", required_capability="prompts"),
    Method("a", RawParams, lambda _: request("a"), ""),
    Method("b", RawParams, lambda _: request("b"), ""),
    Method("c", RawParams, lambda _: request("c"), ""),
    Method("at/once", WordFlag, fail_at_once, ""),
    Method("later", RawParams, request_later, ""),
)
CATALOG = Catalog({one.name: OwnedMethod(one, "ours") for one in METHODS})


def support_check(method: AnyMethod) -> SupportCheck:
    return lambda server: check_support(method, server)


def script_runner(
    conversation: Conversation,
    *steps: Json,
    variables: dict[str, Json] | None = None,
    fail_on_error: bool = True,
    **options: Any,
) -> ScriptRunner:
    """A runner for a script with these steps."""
    document: Json = {"vars": variables or {}, "failOnError": fail_on_error, "steps": list(steps)}
    script = parse("s.json", dump(document), CATALOG, {}).unwrap()
    seen = Transcript(0.0, keep=True)
    conversation.session.record = seen.record
    return ScriptRunner(script, conversation.session, seen, ScriptOptions(support_check, **options))


def verdict_lines(conversation: Conversation, *steps: Json, **more: Any) -> tuple[list[str], PlanResult]:
    """The lines about the steps, the summary line, and the result of the script."""
    lines: list[str] = []
    ended = play(conversation, *steps, log=ScriptLog(lambda _, step_lines: lines.extend(step_lines())), **more)
    return lines, ended


def play(conversation: Conversation, *steps: Json, **more: Any) -> PlanResult:
    """Run a script with these steps, and return its result."""
    return conversation.run(script_runner(conversation, *steps, **more).run())


def envelopes(ended: PlanResult) -> list[Any]:
    """The envelopes as plain JSON values."""
    found = to_plain(ended.result)
    assert isinstance(found, list)
    return found


def verdicts(ended: PlanResult) -> list[tuple[int, str | None]]:
    """The index and error code of each step that ran."""
    return [(one["index"], one["error"] and one["error"]["code"]) for one in envelopes(ended)]


def sent_methods(conversation: Conversation) -> list[str]:
    return [message["method"] for message in conversation.messages]


def responding(*methods: str, failing: str = "") -> tuple[ServerAction, ...]:
    """A server that receives these methods in order, and responds to each with a result or an error."""
    actions: list[ServerAction] = []
    for number, method in enumerate(methods, 1):
        actions += [Expect(method), error(number, -32000, "no") if method in failing else answer(number, {})]
    return tuple(actions)


CALL: dict[str, Json] = {"method": "tools/call", "toolName": "echo"}

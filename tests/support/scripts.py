"""Scripts of a few methods, and their errors."""

import re

from attrs import frozen

from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.types import Duration
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid, OperationFailed
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.catalog import Catalog, OwnedMethod, PluginOffer
from mcpi.core.plans.method import AnyMethod, Method, RawParams
from mcpi.core.plans.steps import Plan, must, request, stop
from mcpi.core.scripts.script import Script, parse
from mcpi.core.scripts.step import ScriptStep


@frozen(kw_only=True)
class CallFlags:
    """The flags of a call."""

    tool_name: str
    """Name of the tool."""
    tool_arg: tuple[str, ...] = ()
    """Single arguments."""
    tool_args: Exact | None = None
    """All arguments."""
    task_ttl: Duration | None = None
    """Lifetime of the task."""


@frozen(kw_only=True)
class ReadFlags:
    """The flags of reading."""

    uri: str
    """URI of the resource."""


def method(name: str, args: type = RawParams, *, wire: bool = True) -> AnyMethod:
    return Method(name, args, lambda _: request(name), "", is_protocol_method=wire)


def fail_unless_empty(args: ReadFlags) -> Plan:
    """Fail before anything is sent, unless the URI is empty; the fault names the flag if the URI does."""
    if args.uri == "--uri":
        yield from must(invalid("--uri", "conflicts with --uri and --other"))
    return (yield from stop(OperationFailed("TASK_FAILED", f"{args.uri} cannot be left"))) if args.uri else None


CALL, READ = method("tools/call", CallFlags), method("resources/read", ReadFlags)
PING, DISCOVER, LIST = method("ping"), method("discover", wire=False), method("resources/list")
LEAVE = Method("resources/leave", ReadFlags, fail_unless_empty, "")
METHODS = {one.name: OwnedMethod(one, "ours") for one in (CALL, READ, PING, DISCOVER, LIST, LEAVE)}
CATALOG = Catalog(METHODS, (PluginOffer("acme", "mcpi-acme", problem="no module named x"),))


SEND = "to call a method that mcpi does not know, add params"


def parse_script(text: str, **variables: str) -> Script:
    match parse("s.json", text, CATALOG, variables):
        case Success(script):
            return script
        case Failure(fault):
            raise AssertionError(fault)


def script_errors(text: str, **variables: str) -> list[str]:
    """All errors of a script."""
    match parse("s.json", text, CATALOG, variables):
        case Success(script):
            raise AssertionError(script)
        case Failure(Invalid("INVALID_SCRIPT", "s.json", first, rest)):
            return [re.sub(r" \(and \d+ more mistakes?\)$", "", first), *rest]
        case Failure(fault):
            raise AssertionError(fault)


def step(**members: Json) -> ScriptStep:
    """The only step of a script."""
    (one,) = parse_script(dump([members])).steps
    return one


def step_errors(**members: Json) -> list[str]:
    """All errors of the only step of a script."""
    return script_errors(dump([members]))

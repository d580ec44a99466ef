"""The plugin API: everything a plugin needs, and the only module of mcpi that third-party packages import.

It follows semantic versioning: a name listed here is removed or changed only in a new major version.
"""

from mcpi.core.flags.pairs import Pair, invalid
from mcpi.core.flags.types import Address, Duration, Name, Secret, Uri
from mcpi.core.jsontext.exact import Exact, Params, Printable, plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.jsontext.writing import dump, pretty
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    Interrupted,
    Invalid,
    InvalidResponse,
    MissingCapability,
    Rejected,
    RpcError,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.method import AnyMethod, Method
from mcpi.core.plans.pagination import ListFlags, all_pages, elements, find
from mcpi.core.plans.reports import Report, ReportedStep, ReportFormat, violations
from mcpi.core.plans.responders import Accept, Refuse, Reply, Responder, ServerRequest, capability
from mcpi.core.plans.steps import (
    Call,
    Plan,
    Steps,
    attempt,
    attempt_all,
    caught,
    check,
    connect,
    extend_terms,
    fetch,
    must,
    pause,
    read_clock,
    report_violation,
    request,
    stop,
)
from mcpi.core.text.suggestions import nearest
from mcpi.core.wire.server_info import Server
from mcpi.core.wire.violations import Violation, quote
from mcpi.plugins.spec import hookimpl

__all__ = [
    "Accept",
    "Address",
    "AnyMethod",
    "Call",
    "Duration",
    "Exact",
    "Exited",
    "Failure",
    "Fault",
    "HttpFailed",
    "Interrupted",
    "Invalid",
    "InvalidResponse",
    "Json",
    "JsonObject",
    "ListFlags",
    "Method",
    "MissingCapability",
    "Name",
    "Pair",
    "Params",
    "Plan",
    "Printable",
    "Refuse",
    "Rejected",
    "Reply",
    "Report",
    "ReportFormat",
    "ReportedStep",
    "Responder",
    "Result",
    "RpcError",
    "Secret",
    "Server",
    "ServerRequest",
    "Steps",
    "Success",
    "TimedOut",
    "Unauthorized",
    "Unreachable",
    "Uri",
    "Violation",
    "all_pages",
    "as_list",
    "as_object",
    "as_text",
    "attempt",
    "attempt_all",
    "capability",
    "caught",
    "check",
    "connect",
    "dump",
    "elements",
    "extend_terms",
    "fetch",
    "find",
    "hookimpl",
    "invalid",
    "must",
    "nearest",
    "pause",
    "plain",
    "pretty",
    "quote",
    "read_clock",
    "report_violation",
    "request",
    "stop",
    "violations",
]

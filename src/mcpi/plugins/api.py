"""The plugin API: the only module of mcpi that third-party plugins should import.

The API follows semantic versioning: a name in `__all__` is removed or changed only in a new major version.
"""

from mcpi.core.findings.finding import Finding, findings_of
from mcpi.core.findings.table import verdict_sentence as findings_sentence
from mcpi.core.flags.pairs import Pair, invalid
from mcpi.core.flags.types import Address, Duration, Name, Secret, Uri
from mcpi.core.jsontext.exact import Exact, Params, Printable, to_plain
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
    OperationFailed,
    RpcError,
    TimedOut,
    Unauthorized,
    Unreachable,
    with_nearest,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.method import AnyMethod, Method
from mcpi.core.plans.pagination import ListFlags, all_pages, elements, find
from mcpi.core.plans.reports import (
    Report,
    ReportedStep,
    ReportFormat,
    failure_details,
    failure_message,
    failure_reasons,
    violations,
)
from mcpi.core.plans.responders import Accept, Refuse, Reply, Responder, ServerRequest, client_capability
from mcpi.core.plans.steps import (
    Call,
    Plan,
    Steps,
    attempt,
    attempt_all,
    catch_failure,
    check,
    connect,
    extend_terms,
    fetch,
    must,
    pause,
    read_clock,
    read_file,
    report_violation,
    request,
    stop,
    warn,
)
from mcpi.core.text.suggestions import nearest
from mcpi.core.wire.server_info import NegotiatedServer
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
    "Finding",
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
    "NegotiatedServer",
    "OperationFailed",
    "Pair",
    "Params",
    "Plan",
    "Printable",
    "Refuse",
    "Reply",
    "Report",
    "ReportFormat",
    "ReportedStep",
    "Responder",
    "Result",
    "RpcError",
    "Secret",
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
    "catch_failure",
    "check",
    "client_capability",
    "connect",
    "dump",
    "elements",
    "extend_terms",
    "failure_details",
    "failure_message",
    "failure_reasons",
    "fetch",
    "find",
    "findings_of",
    "findings_sentence",
    "hookimpl",
    "invalid",
    "must",
    "nearest",
    "pause",
    "pretty",
    "quote",
    "read_clock",
    "read_file",
    "report_violation",
    "request",
    "stop",
    "to_plain",
    "violations",
    "warn",
    "with_nearest",
]

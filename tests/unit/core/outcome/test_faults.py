"""Every fault has a category, a code, an exit code and an anchor in the documentation."""

from typing import get_args

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome import faults
from mcpi.core.outcome.explain import retryable
from mcpi.core.outcome.faults import (
    Category,
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
    category,
    code,
    exit_code,
    help_anchor,
)


def rpc(number: int) -> RpcError:
    """A JSON-RPC error with this code."""
    return RpcError(number, "no", Exact("{}", {}))


TABLE: list[tuple[Fault, Category, str, int, bool, str]] = [
    (Invalid("INVALID_ARGUMENT", "", ""), "validation", "INVALID_ARGUMENT", 1, False, "invalid-argument"),
    (Invalid("INVALID_CONFIG", "", ""), "validation", "INVALID_CONFIG", 1, False, "invalid-config"),
    (Invalid("INVALID_SCRIPT", "", ""), "validation", "INVALID_SCRIPT", 1, False, "invalid-script"),
    (Invalid("MISSING_ARGUMENT", "", ""), "validation", "MISSING_ARGUMENT", 1, False, "missing-argument"),
    (Invalid("UNKNOWN_METHOD", "", ""), "validation", "UNKNOWN_METHOD", 1, False, "unknown-method"),
    (Invalid("PLUGIN_FAILED", "", ""), "validation", "PLUGIN_FAILED", 1, False, "plugin-failed"),
    (Unreachable("COMMAND_NOT_FOUND", ""), "transport", "COMMAND_NOT_FOUND", 1, False, "command-not-found"),
    (Unreachable("HOST_NOT_FOUND", ""), "transport", "HOST_NOT_FOUND", 1, True, "host-not-found"),
    (Unreachable("CONNECTION_REFUSED", ""), "transport", "CONNECTION_REFUSED", 1, True, "connection-refused"),
    (Unreachable("CONNECTION_LOST", ""), "transport", "CONNECTION_LOST", 1, True, "connection-lost"),
    (Unreachable("TLS_FAILED", ""), "transport", "TLS_FAILED", 1, False, "tls-failed"),
    (Exited("node", "initialize"), "transport", "SERVER_EXITED", 1, False, "server-exited"),
    (HttpFailed(404, ""), "transport", "HTTP_STATUS", 1, False, "http-status"),
    (HttpFailed(401, ""), "transport", "AUTHENTICATION_FAILED", 1, False, "authentication-failed"),
    (HttpFailed(403, ""), "transport", "AUTHENTICATION_FAILED", 1, False, "authentication-failed"),
    (HttpFailed(429, ""), "transport", "RATE_LIMITED", 1, True, "rate-limited"),
    (Unauthorized(""), "transport", "AUTHENTICATION_FAILED", 1, False, "authentication-failed"),
    (TimedOut("CONNECTION_TIMEOUT", 30.0, ""), "transport", "CONNECTION_TIMEOUT", 124, True, "connection-timeout"),
    (TimedOut("REQUEST_TIMEOUT", 30.0, ""), "transport", "REQUEST_TIMEOUT", 124, True, "request-timeout"),
    (Interrupted("SIGINT"), "transport", "INTERRUPTED", 130, True, "interrupted"),
    (InvalidResponse("INVALID_RESPONSE", ""), "protocol", "INVALID_RESPONSE", 1, False, "invalid-response"),
    (InvalidResponse("HANDSHAKE_FAILED", ""), "protocol", "HANDSHAKE_FAILED", 1, False, "handshake-failed"),
    (
        InvalidResponse("PROTOCOL_VERSION_MISMATCH", ""),
        "protocol",
        "PROTOCOL_VERSION_MISMATCH",
        1,
        False,
        "protocol-version-mismatch",
    ),
    (rpc(-32700), "protocol", "JSON_RPC_ERROR", 2, False, "json-rpc-error"),
    (rpc(-32600), "protocol", "JSON_RPC_ERROR", 2, False, "json-rpc-error"),
    (rpc(-32601), "capability", "JSON_RPC_ERROR", 2, False, "json-rpc-error"),
    (rpc(-32602), "application", "JSON_RPC_ERROR", 2, False, "json-rpc-error"),
    (rpc(1), "application", "JSON_RPC_ERROR", 2, False, "json-rpc-error"),
    (MissingCapability("tools/list", ""), "capability", "CAPABILITY_MISSING", 1, False, "capability-missing"),
    (OperationFailed("TOOL_ERROR", ""), "application", "TOOL_ERROR", 0, False, "tool-error"),
    (OperationFailed("SCHEMA_MISMATCH", ""), "application", "SCHEMA_MISMATCH", 1, False, "schema-mismatch"),
    (OperationFailed("FINDINGS", ""), "application", "FINDINGS", 1, False, "findings"),
    (OperationFailed("BREAKPOINT_NOT_HIT", ""), "application", "BREAKPOINT_NOT_HIT", 1, False, "breakpoint-not-hit"),
    (OperationFailed("EXPECTATION_FAILED", ""), "application", "EXPECTATION_FAILED", 1, False, "expectation-failed"),
    (OperationFailed("CONTRACT_CHANGED", ""), "application", "CONTRACT_CHANGED", 1, False, "contract-changed"),
    (OperationFailed("TASK_FAILED", ""), "application", "TASK_FAILED", 1, False, "task-failed"),
    (OperationFailed("VIOLATION", ""), "protocol", "VIOLATION", 1, False, "violation"),
    (OperationFailed("INPUT_REJECTED", ""), "application", "INPUT_REJECTED", 1, False, "input-rejected"),
]
"""The documented properties of each fault."""

CODES = (
    *get_args(faults.InvalidCode),
    *get_args(faults.UnreachableCode),
    *get_args(faults.TimeoutCode),
    *get_args(faults.ProtocolCode),
    *get_args(faults.ApplicationCode),
)


def id_of(fault: Fault) -> str:
    """The test ID of a fault."""
    match fault:
        case RpcError(number=number) | HttpFailed(status=number):
            return f"{code(fault)}{number}"
        case _:
            return code(fault)


def test_table_covers_every_fault_type() -> None:
    assert {type(row[0]) for row in TABLE} == set(get_args(Fault))


@pytest.mark.parametrize("name", CODES)
def test_table_covers_every_code(name: str) -> None:
    assert name in {row[2] for row in TABLE}


def test_table_covers_every_category() -> None:
    assert {row[1] for row in TABLE} == set(get_args(Category))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: id_of(row[0]))
def test_fault_has_the_documented_properties(row: tuple[Fault, Category, str, int, bool, str]) -> None:
    fault = row[0]

    assert (category(fault), code(fault), exit_code(fault), retryable(fault), help_anchor(fault)) == row[1:]


def test_tool_error_exits_with_1_with_fail_on_error() -> None:
    assert exit_code(OperationFailed("TOOL_ERROR", ""), fail_on_error=True) == 1


@pytest.mark.parametrize("row", [row for row in TABLE if row[2] != "TOOL_ERROR"], ids=lambda row: id_of(row[0]))
def test_fail_on_error_changes_no_other_exit_code(row: tuple[Fault, Category, str, int, bool, str]) -> None:
    assert exit_code(row[0], fail_on_error=True) == row[3]


@pytest.mark.parametrize("status", [200, 400, 402, 404, 405, 428, 430, 500])
def test_other_http_statuses_have_the_generic_code(status: int) -> None:
    assert code(HttpFailed(status, "")) == "HTTP_STATUS"

"""All faults, with their categories, codes and exit codes."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar

from attrs import evolve, field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable

InvalidCode: TypeAlias = Literal[
    "INVALID_ARGUMENT", "INVALID_CONFIG", "INVALID_SCRIPT", "MISSING_ARGUMENT", "UNKNOWN_METHOD", "PLUGIN_FAILED"
]
UnreachableCode: TypeAlias = Literal[
    "COMMAND_NOT_FOUND", "HOST_NOT_FOUND", "CONNECTION_REFUSED", "CONNECTION_LOST", "TLS_FAILED"
]
TimeoutCode: TypeAlias = Literal["CONNECTION_TIMEOUT", "REQUEST_TIMEOUT"]
ProtocolCode: TypeAlias = Literal["INVALID_RESPONSE", "HANDSHAKE_FAILED", "PROTOCOL_VERSION_MISMATCH"]
ApplicationCode: TypeAlias = Literal[
    "TOOL_ERROR",
    "SCHEMA_MISMATCH",
    "EXPECTATION_FAILED",
    "TASK_FAILED",
    "INPUT_REJECTED",
    "BREAKPOINT_NOT_HIT",
    "VIOLATION",
    "FINDINGS",
    "CONTRACT_CHANGED",
]
Category: TypeAlias = Literal["validation", "transport", "protocol", "capability", "application"]

INVALID, RPC, TIMEOUT, INTERRUPTED = 1, 2, 124, 130
RATE_LIMITED, UNAUTHORIZED = 429, (401, 403)
METHOD_NOT_FOUND, PROTOCOL_ERRORS = -32601, (-32700, -32600)
DID_YOU_MEAN = "did you mean"


@frozen
class Correction:
    """A wrong word of a command line, and its replacement; without a wrong word, words to insert at the front."""

    wrong: str
    right: tuple[str, ...]
    reason: str = DID_YOU_MEAN
    also: "Correction | None" = None
    """A further correction of the same line."""

    @staticmethod
    def chain(first: "Correction", *rest: "Correction") -> "Correction":
        """Return one correction that makes all of them."""
        return evolve(first, also=Correction.chain(*rest)) if rest else first

    @property
    def hint(self) -> str:
        """The hint if the command line is not known, as in a script or for a Python program."""
        if not self.right:
            return self.reason
        right = " ".join(self.right)
        return f"{self.reason} {right}?" if self.reason == DID_YOU_MEAN else f"{self.reason}: mcpi {right}"


@frozen
class Invalid:
    """Invalid input or configuration."""

    code: InvalidCode
    where: str
    problem: str
    hints: tuple[str, ...] = ()
    rpc: Exact | None = None
    """The server's error response that showed the mistake."""
    quotes_server: bool = False
    """True if the problem contains text from the server."""
    correction: Correction | None = field(default=None, eq=False)


@frozen
class Unreachable:
    """The server cannot be reached, or the connection was lost."""

    code: UnreachableCode
    problem: str
    evidence: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    correction: Correction | None = field(default=None, eq=False)


@frozen
class Exited:
    """The server's process exited while it was still needed."""

    command: str
    pending: str
    exit_code: int | None = None
    signal: str | None = None
    stderr: tuple[str, ...] = ()
    had_read_input: bool = False
    """True if the server had read its input, as far as mcpi can tell."""
    hints: tuple[str, ...] = ()
    earlier_stderr: tuple[str, ...] = ()
    """In a script: the last lines from before the step, if the server wrote none during the step."""


@frozen
class HttpFailed:
    """An HTTP response that is not a valid response of the protocol."""

    status: int
    url: str
    problem: str = ""
    headers: Mapping[str, str] = field(factory=dict)
    excerpt: str = ""
    hints: tuple[str, ...] = ()
    correction: Correction | None = field(default=None, eq=False)


@frozen
class Unauthorized:
    """No token could be obtained, or the server rejected it."""

    problem: str
    evidence: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    details: Printable = None


@frozen
class TimedOut:
    """The timeout expired before the response arrived."""

    code: TimeoutCode
    limit: float
    outstanding: str
    last_seen: str = ""
    hints: tuple[str, ...] = ()
    problem: str = ""
    """The event that did not happen, if it was not a response."""
    cause: str = ""
    """The reason for the delay, if it is known."""
    connected: bool = field(default=False, eq=False)
    """True if the handshake was complete, and the last message came after it."""


@frozen
class InvalidResponse:
    """The server's response violates the protocol."""

    code: ProtocolCode
    problem: str
    evidence: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    correction: Correction | None = field(default=None, eq=False)


@frozen
class RpcError:
    """The server responded with a JSON-RPC error."""

    number: int
    message: str
    error: Exact
    method: str = ""
    hints: tuple[str, ...] = ()
    correction: Correction | None = field(default=None, eq=False)


@frozen
class MissingCapability:
    """The required capability was not negotiated."""

    method: str
    problem: str
    hints: tuple[str, ...] = ()


@frozen
class OperationFailed:
    """The protocol worked, but the operation failed."""

    code: ApplicationCode
    problem: str
    evidence: tuple[str, ...] = ()
    details: Printable = None
    hints: tuple[str, ...] = ()


@frozen
class Interrupted:
    """A signal interrupted the command."""

    signal: str
    hints: tuple[str, ...] = ()


Fault: TypeAlias = (
    Invalid
    | Unreachable
    | Exited
    | HttpFailed
    | Unauthorized
    | TimedOut
    | InvalidResponse
    | RpcError
    | MissingCapability
    | OperationFailed
    | Interrupted
)


Corrected = TypeVar("Corrected", Invalid, Unreachable, HttpFailed, InvalidResponse, RpcError)


def code(fault: Fault) -> str:
    """Return the fault's error code."""
    match fault:
        case Invalid() | Unreachable() | TimedOut() | InvalidResponse() | OperationFailed():
            return fault.code
        case Exited():
            return "SERVER_EXITED"
        case HttpFailed():
            return _http_code(fault.status)
        case Unauthorized():
            return "AUTHENTICATION_FAILED"
        case RpcError():
            return "JSON_RPC_ERROR"
        case MissingCapability():
            return "CAPABILITY_MISSING"
        case Interrupted():
            return "INTERRUPTED"


def _http_code(status: int) -> str:
    if status in UNAUTHORIZED:
        return "AUTHENTICATION_FAILED"
    return "RATE_LIMITED" if status == RATE_LIMITED else "HTTP_STATUS"


def category(fault: Fault) -> Category:
    """Return the fault's category."""
    match fault:
        case Invalid():
            return "validation"
        case Unreachable() | Exited() | HttpFailed() | Unauthorized() | TimedOut() | Interrupted():
            return "transport"
        case InvalidResponse() | OperationFailed(code="VIOLATION"):
            return "protocol"
        case RpcError():
            return _rpc_category(fault.number)
        case MissingCapability():
            return "capability"
        case OperationFailed():
            return "application"


def _rpc_category(number: int) -> Category:
    if number in PROTOCOL_ERRORS:
        return "protocol"
    return "capability" if number == METHOD_NOT_FOUND else "application"


def exit_code(fault: Fault, *, fail_on_error: bool = False) -> int:
    """Return the exit code of the process."""
    match fault:
        case OperationFailed(code="TOOL_ERROR"):
            return INVALID if fail_on_error else 0
        case (
            Invalid()
            | Unreachable()
            | Exited()
            | HttpFailed()
            | Unauthorized()
            | InvalidResponse()
            | MissingCapability()
            | OperationFailed()
        ):
            return INVALID
        case RpcError():
            return RPC
        case TimedOut():
            return TIMEOUT
        case Interrupted():
            return INTERRUPTED


def with_correction(fault: Corrected, correction: Correction | None) -> Corrected:
    """Add a correction, and its hint before the others."""
    if correction is None:
        return fault
    return evolve(fault, hints=(correction.hint, *fault.hints), correction=correction)


def with_nearest(fault: Corrected, wrong: str, right: str | None) -> Corrected:
    """Add the right word, if there is one."""
    return with_correction(fault, None if right is None else Correction(wrong, (right,)))


def help_anchor(fault: Fault) -> str:
    """Return the anchor of the section in docs/errors.md that explains the fault."""
    return code(fault).lower().replace("_", "-")

"""Convert faults to exceptions, and results to JSON, for Python programs."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from mcpi.core.client.argument_types import check_argument
from mcpi.core.client.entries import ErrorInfo
from mcpi.core.client.python_names import with_python_names
from mcpi.core.client.request_queue import error_info
from mcpi.core.jsontext.exact import LARGE, Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.explain import retryable
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed, RpcError
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.plan import PlanResult

T = TypeVar("T")

_CHECK = json.JSONEncoder(allow_nan=False).encode


class McpiError(Exception):
    """A failure; `code`, `category`, `retryable`, `help_url` and `details` describe it."""

    def __init__(
        self,
        fault: Fault,
        result: Printable = None,
        details: Mapping[str, Any] | None = None,
        arguments: Iterable[str] = (),
    ) -> None:
        """Store the fault, the partial result if there is one, and more details.

        The message names the arguments of the Python function, where `fault` names flags.
        """
        self._shown = with_python_names(fault, arguments)
        super().__init__(explain.sentence(self._shown))
        self.fault = fault
        self.result: Json = to_plain(result)
        self._details = dict(details or {})
        for line in (*explain.evidence(fault), *self._shown.hints):
            # As notes, evidence and hints are shown below the message in tracebacks and test reports.
            self.add_note(line)

    @property
    def code(self) -> str:
        """Error code, as in docs/errors.md."""
        return faults.code(self.fault)

    @property
    def category(self) -> str:
        """Error category: validation, transport, protocol, capability or application."""
        return faults.category(self.fault)

    @property
    def retryable(self) -> bool:
        """True if a retry may succeed."""
        return retryable(self.fault)

    @property
    def help_url(self) -> str:
        """URL of the documentation of this error."""
        return self.info.help_url

    @property
    def details(self) -> dict[str, Any]:
        """Further facts, such as the method, the name of the server, and the elapsed time."""
        return self.info.details

    @property
    def info(self) -> ErrorInfo:
        """The failure as JSON."""
        return error_info(self._shown, self._details)

    @property
    def evidence(self) -> tuple[str, ...]:
        """Lines that the server printed or sent."""
        return explain.evidence(self.fault)

    @property
    def hints(self) -> tuple[str, ...]:
        """Suggestions for fixing the problem."""
        return self._shown.hints

    @property
    def rpc(self) -> Json:
        """The JSON-RPC error as the server sent it; None for any other fault."""
        return self.fault.error.value if isinstance(self.fault, RpcError) else None


def value_of(outcome: Result[T], arguments: Iterable[str] = ()) -> T:
    """Return the value of a success; raise McpiError, which names the Python arguments, for a failure."""
    match outcome:
        case Success(value):
            return value
        case Failure(fault):
            raise McpiError(fault, arguments=arguments)


def checked_json(name: str, given: Mapping[str, Any] | Exact) -> Any:  # noqa: ANN401 - the same value
    """Return the arguments; raise McpiError if they are not JSON."""
    try:
        plain = to_plain(given)
        _CHECK(plain)
        _check_names(plain)
    except (TypeError, ValueError) as error:
        raise McpiError(Invalid("INVALID_ARGUMENT", name, f"the arguments are not JSON: {error}")) from None
    return given


def _check_names(plain: Json) -> None:
    parts = [plain]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            for name in part:
                check_argument("the name of a member", name, str)
            parts += part.values()
        elif isinstance(part, list):
            parts += part


def result_of(ended: PlanResult, details: Mapping[str, Any] | None = None) -> Json:
    """Return the result, which may be a tool error or hold findings; raise McpiError for any other fault."""
    is_reported = isinstance(ended.fault, OperationFailed) and ended.fault.code in {"TOOL_ERROR", "FINDINGS"}
    if ended.fault is None or is_reported:
        return to_plain(ended.result)
    raise McpiError(ended.fault, ended.result, details) from ended.cause


async def parsed_result_of(ended: PlanResult, details: Mapping[str, Any] | None = None) -> Json:
    """Return the result as `result_of` does; parse a large one in a thread, so that other connections do not wait."""
    if isinstance(ended.result, Exact) and len(ended.result.text) >= LARGE:
        return await asyncio.to_thread(result_of, ended, details)
    return result_of(ended, details)

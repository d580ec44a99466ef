"""A fault as the exception that Python programs expect."""

from typing import TypeVar

from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.faults import Fault, OperationFailed, RpcError
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.plan import PlanResult

T = TypeVar("T")


class McpiError(Exception):
    """Something went wrong: `code`, `category`, `retryable` and `evidence` say what."""

    def __init__(self, fault: Fault, result: Printable = None) -> None:
        """The fault, and what there is of a result all the same."""
        super().__init__(explain.sentence(fault))
        self.fault = fault
        self.result: Json = to_plain(result)
        for line in explain.evidence(fault):
            # Where nobody looks at the evidence, as in the report of a test, it stands beneath the message.
            self.add_note(line)

    @property
    def code(self) -> str:
        """The fault's name, as in docs/errors.md."""
        return faults.code(self.fault)

    @property
    def category(self) -> str:
        """validation, transport, protocol, capability or application."""
        return faults.category(self.fault)

    @property
    def retryable(self) -> bool:
        """Whether the same may succeed later."""
        return faults.retryable(self.fault)

    @property
    def evidence(self) -> tuple[str, ...]:
        """What the server printed or sent."""
        return explain.evidence(self.fault)

    @property
    def hints(self) -> tuple[str, ...]:
        """What to do next."""
        return self.fault.hints

    @property
    def rpc(self) -> Json:
        """The JSON-RPC error as the server sent it, if it is one."""
        return self.fault.error.value if isinstance(self.fault, RpcError) else None


def value_of(outcome: Result[T]) -> T:
    """The value; a failure becomes an exception."""
    match outcome:
        case Success(value):
            return value
        case Failure(fault):
            raise McpiError(fault)


def result_of(ended: PlanResult) -> Json:
    """The result; a tool's own error is one, every other fault an exception."""
    if ended.fault is None or (isinstance(ended.fault, OperationFailed) and ended.fault.code == "TOOL_ERROR"):
        return to_plain(ended.result)
    raise McpiError(ended.fault, ended.result) from ended.cause

"""Start and resume plans, and describe their results."""

from typing import get_args

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import as_list, as_object, as_text
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed, RpcError
from mcpi.core.plans.catalog import HintSource, with_hints
from mcpi.core.plans.steps import Connect, Plan, Step, Stop
from mcpi.core.wire.server_info import NegotiatedServer

TOOL_METHODS = ("tools/call", "tasks/result")
"""Methods with a tool's result."""
_STEPS = get_args(Step)


@frozen
class StartedPlan:
    """A plan and its first step."""

    plan: Plan
    step: Step

    def connected(self, server: NegotiatedServer) -> "StartedPlan | PlanResult":
        """Run the plan up to its first step that needs more than the connection to this server."""
        step: Step | PlanResult = self.step
        while type(step) is Connect:
            step = resume(self.plan, server)
        return step if isinstance(step, PlanResult) else StartedPlan(self.plan, step)


@frozen
class PlanResult:
    """The end of a plan: a result, a fault, or both."""

    result: Printable = None
    fault: Fault | None = None
    text: str | None = None
    """Text to print instead of the result."""
    fault_shown: bool = False
    """True if the fault was already written to stderr."""
    cause: BaseException | None = None
    """Exception that the plan raised, for the traceback."""

    @property
    def document(self) -> Printable:
        """The document to print: the result, or an object with the server's error."""
        match self.fault:
            case RpcError(error=error) | Invalid(rpc=Exact() as error) if self.result is None:
                return {"error": error}
            case _:
                return self.result

    def with_tool_error(self, method: str, tool: str) -> "PlanResult":
        """Add the fault for isError if the method's plan does not check it, as with --params."""
        result = self.result if self.fault is None and method in TOOL_METHODS else None
        # In a large text, only the member isError is parsed.
        is_error = (result if isinstance(result, Exact) else as_object(to_plain(result))).get("isError")
        if is_error is not True:
            return self
        blocks = [as_object(block) for block in as_list(as_object(to_plain(result)).get("content"))]
        texts = tuple(as_text(block.get("text")) for block in blocks if block.get("type") == "text")
        named = f"the tool {tool!r}" if tool else "the tool"
        return evolve(self, fault=OperationFailed("TOOL_ERROR", f"{named} reports an error", texts))

    def with_hints(self, hints: HintSource) -> "PlanResult":
        """Add the plugins' hints to the fault, if there is one."""
        return self if self.fault is None else evolve(self, fault=with_hints(self.fault, hints))


def begin(plan: Plan) -> StartedPlan | PlanResult:
    """Run the plan up to its first step, so that invalid arguments fail before a process is started."""
    step = resume(plan, None)
    return step if isinstance(step, PlanResult) else StartedPlan(plan, step)


class Interruption(KeyboardInterrupt):
    """A signal that ends the work at once, as opposed to a plugin's own KeyboardInterrupt."""


def resume(plan: Plan, reply: object) -> Step | PlanResult:
    """Send the reply to the plan; return its next step, or its result if it ended."""
    try:
        step = plan.send(reply)
        if not isinstance(step, _STEPS):
            step = plan.throw(TypeError(f"yielded {type(step).__name__}, expected a step; use yield from"))
    except StopIteration as done:
        return PlanResult(done.value)
    except Interruption:
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - see plugin_failure
        return plugin_failure(error)
    if isinstance(step, Stop):
        plan.close()
        return PlanResult(step.result, step.fault)
    return step


def plugin_failure(error: BaseException) -> PlanResult:
    """Turn an exception in a plan into a fault of its plugin, so that other requests of the run can continue."""
    return PlanResult(fault=plugin_fault(error, "--method"), cause=error)


def plugin_fault(error: BaseException, flag: str) -> Invalid:
    """Describe an exception of a plugin that the flag selects."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    problem = f"the plugin raised {type(error).__name__}: {error}"
    if place is not None:
        file = place.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
        problem = f"{problem} ({file}:{place.tb_lineno})"
    return Invalid("PLUGIN_FAILED", flag, problem)

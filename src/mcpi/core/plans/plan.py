"""How a plan begins and how it ends."""

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.plans.catalog import HintSource, with_hints
from mcpi.core.plans.steps import Plan, Step, Stop


@frozen
class StartedPlan:
    """A plan and the first step that it waits for."""

    plan: Plan
    step: Step


@frozen
class PlanResult:
    """How a plan ended: with a result, with a fault, or with both."""

    result: Printable = None
    fault: Fault | None = None
    text: str | None = None
    """What there is to be printed, if it is not the result."""
    told: tuple[str, ...] = ()
    """What a person is told, if it is not the fault alone."""
    cause: BaseException | None = None
    """What the plan itself raised, for who wants to see where."""

    def with_hints(self, hints: HintSource) -> "PlanResult":
        """The same, with what the plugins say about the fault."""
        return self if self.fault is None else evolve(self, fault=with_hints(self.fault, hints))


def begin(plan: Plan) -> StartedPlan | PlanResult:
    """The plan up to its first step; nothing has been touched, so a mistake costs no process."""
    step = resume(plan, None)
    return step if isinstance(step, PlanResult) else StartedPlan(plan, step)


def resume(plan: Plan, reply: object) -> Step | PlanResult:
    """What the plan wants next, once it has its reply, or how it ended."""
    try:
        step = plan.send(reply)
    except StopIteration as done:
        return PlanResult(done.value)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - plugins may fail in any way
        return plugin_failure(error)
    if isinstance(step, Stop):
        plan.close()
        return PlanResult(step.result, step.fault)
    return step


def plugin_failure(error: BaseException) -> PlanResult:
    """A plan that raises is the failure of its plugin, which must not take with it what was asked for beside it."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    problem = f"the plugin's own code failed: {type(error).__name__}: {error}"
    if place is not None:
        file = place.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
        problem = f"{problem} ({file}:{place.tb_lineno})"
    return PlanResult(fault=Invalid("PLUGIN_FAILED", "--method", problem), cause=error)

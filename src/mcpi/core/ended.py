"""How a plan begins and how it ends."""

from attrs import evolve

from mcpi.core.catalog import Hinting, hinted
from mcpi.core.exact import Printable
from mcpi.core.faults import Fault
from mcpi.core.frozen import frozen
from mcpi.core.steps import Plan, Step, Stop


@frozen
class Begun:
    """A plan and the first step that it waits for."""

    plan: Plan
    step: Step


@frozen
class Ended:
    """How a plan ended: with a result, with a fault, or with both."""

    result: Printable = None
    fault: Fault | None = None
    text: str | None = None
    """What there is to be printed, if it is not the result."""
    told: tuple[str, ...] = ()
    """What a person is told, if it is not the fault alone."""

    def hinted(self, hints: Hinting) -> "Ended":
        """The same, with what the plugins say about the fault."""
        return self if self.fault is None else evolve(self, fault=hinted(self.fault, hints))


def begin(plan: Plan) -> Begun | Ended:
    """The plan up to its first step; nothing has been touched, so a mistake costs no process."""
    try:
        step = plan.send(None)
    except StopIteration as done:
        return Ended(done.value)
    if isinstance(step, Stop):
        plan.close()
        return Ended(step.result, step.fault)
    return Begun(plan, step)

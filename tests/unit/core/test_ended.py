"""A plan begins before anything is touched."""

from mcpi.core.ended import Begun, begin
from mcpi.core.faults import Invalid
from mcpi.core.steps import Call, request

WRONG = Invalid("INVALID_ARGUMENT", "--tool-arg", "is wrong")


def test_a_plan_waits_at_its_first_step() -> None:
    plan = request("tools/list")

    assert begin(plan) == Begun(plan, Call("tools/list"))

"""A step has a title and a label for people, and a plan once its variables are filled in."""

import pytest

from json_texts import exact
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Fault, Invalid, MissingCapability, OperationFailed, RpcError, Unreachable
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.scripts.step import fill_step, step_plan, with_step_keys
from support.scripts import CALL, parse_script, step


@pytest.mark.parametrize(
    ("members", "title"),
    [
        ({"method": "ping"}, "step 1 (ping)"),
        ({"method": "ping", "name": "alive?"}, "step 1 (alive?)"),
        ({"wait": "x/n"}, "step 1 (wait x/n)"),
        ({"wait": "x/n", "name": "later"}, "step 1 (later)"),
    ],
)
def test_a_step_has_a_title_for_messages(members: dict[str, Json], title: str) -> None:
    assert step(**members).title == title


def test_variables_are_filled_into_a_step() -> None:
    (one,) = parse_script(
        '[{"method": "tools/call", "toolName": "${t}", "toolArgs": {"n": "${n}"}}]', t="echo", n="5"
    ).steps
    filled = fill_step(one, {"t": exact('"echo"'), "n": exact("5")})

    assert isinstance(filled, Success)
    assert filled.unwrap().flags == {"toolName": exact('"echo"'), "toolArgs": exact('{"n": 5}')}


def test_variable_without_a_value_fails_the_step() -> None:
    (one,) = parse_script('[{"method": "tools/call", "toolName": "${t}"}]', t="echo").steps

    problem = "the variable ${t} has no value because the step that captures it failed or was skipped"
    assert fill_step(one, {}) == Failure(Invalid("INVALID_ARGUMENT", "step 1 (tools/call ${t})", problem))


def test_arguments_that_do_not_fit_after_filling_have_no_plan() -> None:
    made = step_plan(step(method="tools/call", toolName="echo"), CALL)
    (one,) = parse_script('[{"method": "tools/call", "toolName": "${t}"}]', t="5").steps
    filled = fill_step(one, {"t": exact("5")})

    assert isinstance(made, Success)
    assert isinstance(filled, Success)
    assert isinstance(step_plan(filled.unwrap(), CALL), Failure)


@pytest.mark.parametrize(
    ("fault", "worded"),
    [
        (
            Invalid("INVALID_ARGUMENT", "--tool-args", "see --tool-name", ("add --task-ttl", "add --tool")),
            Invalid("INVALID_ARGUMENT", "toolArgs", "see toolName", ("add taskTtl", "add --tool")),
        ),
        (MissingCapability("x", "--task-ttl needs it"), MissingCapability("x", "taskTtl needs it")),
        (
            OperationFailed(
                "TOOL_ERROR", "see --tool-name", hints=("no 'a'; add a=VALUE b=VALUE", "x; add it to --tool-args")
            ),
            OperationFailed(
                "TOOL_ERROR", "see --tool-name", hints=("no 'a'; add them to toolArgs", "x; add it to toolArgs")
            ),
        ),
        (
            RpcError(1, "x", exact("{}"), "", ("no 'a'; add a=VALUE",)),
            RpcError(1, "x", exact("{}"), "", ("no 'a'; add it to toolArgs",)),
        ),
        (Unreachable("CONNECTION_LOST", "--tool-name"), Unreachable("CONNECTION_LOST", "--tool-name")),
    ],
)
def test_faults_of_a_method_name_the_keys_instead_of_flags(fault: Fault, worded: Fault) -> None:
    assert with_step_keys(fault, CALL) == worded

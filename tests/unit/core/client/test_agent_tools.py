"""Methods as tools."""

from typing import Literal

import pytest
from attrs import frozen

from mcpi.core.client.agent_tools import input_schema, tool_name, with_argument_names
from mcpi.core.flags.types import Duration
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault, Invalid, MissingCapability, RpcError, TimedOut
from mcpi.core.plans.method import Method, vendor_method
from mcpi.core.plans.steps import request


@frozen(kw_only=True)
class Flags:
    """One of each kind."""

    tool_name: str
    tool_args: Exact | None = None
    names: tuple[str, ...] = ()
    times: int = 1
    loud: bool = False
    wait: Duration | None = None
    color: Literal["red", "blue"] = "red"


METHOD = Method("acme/shout", Flags, lambda _: request("x"), "shout")


def test_a_tool_s_name_has_no_slash() -> None:
    assert tool_name("resources/templates/list") == "resources_templates_list"


def test_flags_become_properties_and_what_is_needed_is_required() -> None:
    assert input_schema(METHOD, {"tool_name": "Which tool.", "names": "Whom."}) == {
        "type": "object",
        "properties": {
            "toolName": {"type": "string", "description": "Which tool."},
            "toolArgs": {},
            "names": {"type": "array", "items": {"type": "string"}, "description": "Whom."},
            "times": {"type": "integer", "minimum": 0},
            "loud": {"type": "boolean"},
            "wait": {"type": ["number", "string"]},
            "color": {"type": "string", "enum": ["red", "blue"]},
        },
        "additionalProperties": False,
        "required": ["toolName"],
    }


def test_a_method_without_flags_takes_nothing() -> None:
    assert input_schema(vendor_method("x"), {}) == {"type": "object", "properties": {}, "additionalProperties": False}


SAID = Exact('{"code":-1,"message":"--uri"}', {"code": -1, "message": "--uri"})


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            Invalid("INVALID_ARGUMENT", "--tool-args", "--tool-arg beside --other-flag", ("say --tool-arg a-b--c",)),
            Invalid("INVALID_ARGUMENT", "toolArgs", "toolArg beside --other-flag", ("say toolArg a-b--c",)),
        ),
        (
            MissingCapability("x", "--tool-arg needs it", ("--force",)),
            MissingCapability("x", "toolArg needs it", ("force",)),
        ),
        (RpcError(-1, "no --uri", SAID, "x", ("--uri",)), RpcError(-1, "no --uri", SAID, "x", ("uri",))),
        (
            TimedOut("REQUEST_TIMEOUT", 1.0, "x", hints=("a longer --timeout or --max-total-timeout",)),
            TimedOut(
                "REQUEST_TIMEOUT",
                1.0,
                "x",
                hints=("a longer timeoutSeconds (of connect) or timeoutSeconds (of connect)",),
            ),
        ),
    ],
    ids=["mistake", "capability", "server", "patience"],
)
def test_who_calls_a_tool_is_told_of_its_arguments(fault: Fault, told: Fault) -> None:
    assert with_argument_names(fault, ["toolArg", "toolArgs", "force", "uri"]) == told


def test_a_tool_with_patience_of_its_own_is_told_of_that() -> None:
    fault = TimedOut("REQUEST_TIMEOUT", 1.0, "x", hints=("a longer --timeout",))

    assert with_argument_names(fault, ["timeoutSeconds"]).hints == ("a longer timeoutSeconds",)

"""Input schemas, names and errors of methods offered as tools."""

from collections.abc import Mapping
from typing import Literal

import pytest
from attrs import field, fields, frozen

from json_texts import exact
from mcpi.core.client.agent_tools import (
    Count,
    Seconds,
    WatchSeconds,
    input_schema,
    joined,
    tool_name,
    usage,
    value_schema,
    with_argument_names,
)
from mcpi.core.flags.structure import VariableName, structure
from mcpi.core.flags.types import Duration
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Fault, Invalid, MissingCapability, RpcError, TimedOut
from mcpi.core.outcome.result import Success
from mcpi.core.plans.method import Method, RawParams, vendor_method
from mcpi.core.plans.steps import request


@frozen(kw_only=True)
class Flags:
    """Flags of every type."""

    tool_name: str
    tool_args: Exact | None = None
    names: tuple[str, ...] = ()
    times: int = 1
    loud: bool = False
    wait: Duration | None = None
    color: Literal["red", "blue"] = "red"


def test_slashes_in_a_tool_name_become_underscores() -> None:
    assert tool_name("resources/templates/list") == "resources_templates_list"


def test_flags_become_properties_and_required_flags_are_required() -> None:
    assert input_schema(Flags, {"tool_name": "Which tool.", "names": "Whom."}) == {
        "type": "object",
        "properties": {
            "toolName": {"type": "string", "description": "Which tool."},
            "toolArgs": {},
            "names": {"type": "array", "items": {"type": "string"}, "description": "Whom."},
            "times": {"type": "integer", "minimum": 0},
            "loud": {"type": "boolean"},
            "wait": {"anyOf": [{"type": "number"}, {"type": "string"}]},
            "color": {"type": "string", "enum": ["red", "blue"]},
        },
        "additionalProperties": False,
        "required": ["toolName"],
    }


def test_method_without_flags_has_an_empty_schema() -> None:
    assert input_schema(RawParams, {}) == {"type": "object", "properties": {}, "additionalProperties": False}


ZERO = ["a number greater than 0, found 0", "an integer from 1, found 0"]
TEXTS = ['a number greater than 0, found "1"', "an integer from 1, found 1.5"]


@frozen(kw_only=True)
class ReadFlags:
    """Flags of a method."""

    uri: str


@frozen(kw_only=True)
class FurtherArguments:
    """Further arguments of a tool."""

    count: Count = 3
    wait: Seconds = 1.0
    watch: WatchSeconds
    steps: list[Mapping[str, Exact]] = field(factory=list)
    texts: Mapping[str, str] = field(factory=dict)


def test_a_tool_may_take_numbers_arrays_and_objects() -> None:
    seconds: JsonObject = {"type": "number", "exclusiveMinimum": 0}

    assert input_schema(FurtherArguments, {}) == {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1},
            "wait": seconds,
            "watch": {**seconds, "maximum": 60},
            "steps": {"type": "array", "items": {"type": "object"}},
            "texts": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "additionalProperties": False,
        "required": ["watch"],
    }


def test_special_type_has_its_own_schema() -> None:
    name: JsonObject = {"pattern": "^[a-z]+$"}

    assert value_schema(Mapping[VariableName, Exact], {VariableName: name}) == {"type": "object", "propertyNames": name}


def test_arguments_of_two_classes_are_joined() -> None:
    taken = joined("Taken", ReadFlags, FurtherArguments)

    assert input_schema(taken, {})["required"] == ["uri", "watch"]
    assert structure(taken, exact('{"uri": "x", "watch": 60, "count": 1, "wait": 0.5}')) == Success(
        taken(uri="x", watch=60, count=1, wait=0.5)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"watch": 61, "wait": 0, "count": 0}', ["a number greater than 0 and at most 60, found 61", *ZERO]),
        ('{"watch": true, "wait": "1", "count": 1.5}', ["a number greater than 0 and at most 60, found true", *TEXTS]),
    ],
)
def test_number_out_of_range_is_rejected(text: str, message: list[str]) -> None:
    mistakes = structure(FurtherArguments, exact(text)).failure()

    assert [one.problem.removeprefix("expected ") for one in mistakes] == message


RAW_ERROR = Exact('{"code":-1,"message":"--uri"}', {"code": -1, "message": "--uri"})


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            Invalid("INVALID_ARGUMENT", "--tool-args", "--tool-arg beside --other-flag", ("say --tool-arg a-b--c",)),
            Invalid("INVALID_ARGUMENT", "toolArgs", "toolArg beside --other-flag", ("say toolArg a-b--c",)),
        ),
        (
            Invalid("INVALID_ARGUMENT", "--tool-arg", "no --uri", ("--force",), quotes_server=True),
            Invalid("INVALID_ARGUMENT", "toolArg", "no --uri", ("force",), quotes_server=True),
        ),
        (
            MissingCapability("x", "--tool-arg needs it", ("--force",)),
            MissingCapability("x", "toolArg needs it", ("force",)),
        ),
        (RpcError(-1, "no --uri", RAW_ERROR, "x", ("--uri",)), RpcError(-1, "no --uri", RAW_ERROR, "x", ("uri",))),
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
    ids=["mistake", "quotation", "capability", "server", "timeout"],
)
def test_flag_names_in_errors_become_argument_names(fault: Fault, message: Fault) -> None:
    assert with_argument_names(fault, ["toolArg", "toolArgs", "force", "uri"]) == message


def test_timeout_error_names_the_timeout_argument_of_the_tool() -> None:
    fault = TimedOut("REQUEST_TIMEOUT", 1.0, "x", hints=("a longer --timeout",))

    assert with_argument_names(fault, ["timeoutSeconds"]).hints == ("a longer timeoutSeconds",)


def test_usage_of_a_method_marks_optional_arguments() -> None:
    method = Method("a/b", Flags, lambda _: request("a/b"), "")

    assert usage(method) == "a/b(toolName, toolArgs?, names?, times?, loud?, wait?, color?)"
    assert usage(vendor_method("x/y")) == "x/y"


def test_joined_class_may_take_only_some_fields() -> None:
    both = joined("both", Flags, FurtherArguments, only=("times",))

    assert [one.name for one in fields(both)] == ["times", "count", "wait", "watch", "steps", "texts"]


def test_tool_without_force_hints_at_call_method() -> None:
    fault = MissingCapability("x", "not declared", ("use --force to send it anyway",))

    assert with_argument_names(fault, ["uri"]).hints == ("use params (of call_method) to send it anyway",)

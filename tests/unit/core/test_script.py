"""A script is checked whole before anything starts: all its mistakes are told at once, each with its place."""

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, LONG, NEARLY, TEXTS, VALUES, exact, nested
from mcpi.core.catalog import Catalog, Owned, Plugin
from mcpi.core.exact import Exact
from mcpi.core.faults import Invalid
from mcpi.core.kinds import Duration
from mcpi.core.method import AnyMethod, Bare, Method
from mcpi.core.outcome import Failure, Success
from mcpi.core.pairs import Expectation
from mcpi.core.render import dump
from mcpi.core.script import COMMON, Script, ScriptStep, next_index, parse
from mcpi.core.steps import request
from mcpi.core.values import Json


@frozen(kw_only=True)
class CallTool:
    """The flags of a call."""

    tool_name: str
    """Which tool."""
    tool_args: Exact | None = None
    """All arguments."""
    task_ttl: Duration | None = None
    """How long."""


@frozen(kw_only=True)
class Read:
    """The flags of reading."""

    uri: str
    """What to read."""


def method(name: str, args: type = Bare, *, wire: bool = True) -> AnyMethod:
    return Method(name, args, lambda _: request(name), "", wire=wire)


CALL, READ = method("tools/call", CallTool), method("resources/read", Read)
PING, DISCOVER, LIST = method("ping"), method("discover", wire=False), method("resources/list")
METHODS = {one.name: Owned(one, "ours") for one in (CALL, READ, PING, DISCOVER, LIST)}
CATALOG = Catalog(METHODS, (Plugin("acme", "mcpi-acme", problem="no module named x"),))


SEND = "to send a method of the server's own, give its parameters with --params"


def parsed(text: str, **variables: str) -> Script:
    match parse("s.json", text, CATALOG, variables):
        case Success(script):
            return script
        case Failure(fault):
            raise AssertionError(fault)


def mistakes(text: str, **variables: str) -> list[str]:
    """All that is wrong with a script."""
    match parse("s.json", text, CATALOG, variables):
        case Success(script):
            raise AssertionError(script)
        case Failure(Invalid("INVALID_SCRIPT", "s.json", first, rest)):
            return [first.removesuffix(f" (and {len(rest)} more)"), *rest]
        case Failure(fault):
            raise AssertionError(fault)


def step(**members: Json) -> ScriptStep:
    """The only step of a script."""
    (one,) = parsed(dump([members])).steps
    return one


def wrong(**members: Json) -> list[str]:
    """All that is wrong with the only step of a script."""
    return mistakes(dump([members]))


# What a script is.


def test_a_script_is_an_array_of_steps() -> None:
    assert parsed('[{"method": "ping"}, {"method": "discover"}]') == Script(
        (ScriptStep(0, PING, None, {}), ScriptStep(1, DISCOVER, None, {}))
    )


def test_a_script_may_be_an_object_with_variables() -> None:
    assert parsed('{"vars": {"n": 1.50, "s": "x"}, "steps": [{"method": "ping"}]}') == Script(
        (ScriptStep(0, PING, None, {}),), {"n": exact("1.50"), "s": exact('"x"')}
    )
    assert parsed('{"steps": []}') == parsed("[]") == Script((), {})


def test_a_variable_of_the_command_line_is_a_text_and_comes_before_the_scripts_own() -> None:
    script = parsed('{"vars": {"n": 1, "m": 2}, "steps": []}', n="5", o="x")

    assert script.variables == {"n": exact('"5"'), "m": exact("2"), "o": exact('"x"')}


def test_the_example_of_the_founding_document_is_a_script() -> None:
    script = parsed("""[
      { "method": "discover" },
      { "method": "tools/call", "toolName": "echo", "toolArgs": { "message": "hello" }, "onError": "continue" },
      { "method": "resources/list", "onError": "stop" },
      { "method": "resources/read", "uri": "demo://example", "onError": "skip-to:5" },
      { "method": "ping" }
    ]""")

    arguments = exact('{ "message": "hello" }')
    assert script.steps == (
        ScriptStep(0, DISCOVER, None, {}),
        ScriptStep(1, CALL, None, {"toolName": exact('"echo"'), "toolArgs": arguments}, on_error="continue"),
        ScriptStep(2, LIST, None, {}, on_error="stop"),
        ScriptStep(3, READ, None, {"uri": exact('"demo://example"')}, on_error=5),
        ScriptStep(4, PING, None, {}),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the script is empty"),
        (" \n\t", "the script is empty"),
        ("[", "not JSON: a value is missing on line 1"),
        ('[{"method": "ping"},\n\n{"method" "ping"}]', "not JSON: Expecting ':' delimiter on line 3"),
        ("[] []", "not JSON: more text after the value on line 1"),
        ("5", "expected an array of steps, or an object with 'steps', found number"),
        ("null", "expected an array of steps, or an object with 'steps', found null"),
        ('{"vars": {}}', "expected an array of steps, or an object with 'steps', found object"),
        ('{"steps": {}}', "expected an array of steps, or an object with 'steps', found object"),
        ('{"steps": [], "step": []}', "step: only 'vars' and 'steps' have a place here"),
        ('{"vars": [1], "steps": []}', "vars: expected an object, found array"),
        ('{"vars": null, "steps": []}', "vars: expected an object, found null"),
        ('{"vars": {"a-b": 1}, "steps": []}', "vars.a-b: a variable's name has letters, digits and _"),
        ('{"vars": {"": 1}, "steps": []}', "vars.: a variable's name has letters, digits and _"),
    ],
)
def test_what_is_no_script_is_refused(text: str, problem: str) -> None:
    assert mistakes(text) == [problem]


# What a step is.


def test_a_step_has_a_method_and_its_flags_in_camel_case() -> None:
    assert step(method="tools/call", toolName="echo", taskTtl="5s") == ScriptStep(
        0, CALL, None, {"toolName": exact('"echo"'), "taskTtl": exact('"5s"')}
    )


def test_params_go_out_as_they_are_also_with_a_method_that_nobody_knows() -> None:
    spelled = parsed('[{"method": "tools/call", "params": {"n" : 1.50}}, {"method": "x/y", "params": []}]').steps

    assert spelled[0] == ScriptStep(0, CALL, None, {}, params=exact('{"n" : 1.50}'))
    assert (spelled[1].method and spelled[1].method.name, spelled[1].params) == ("x/y", exact("[]"))


def test_a_step_may_wait_for_a_notification() -> None:
    assert step(wait="notifications/x", expect={"/a": 1}, timeout="2s", capture={"b": "/b"}, name="n") == ScriptStep(
        0,
        None,
        "notifications/x",
        {},
        name="n",
        timeout=2.0,
        capture={"b": "/b"},
        expect=(Expectation("/a", "equals", 1),),
    )


def test_a_step_has_a_name_patience_captures_and_expectations() -> None:
    made = step(
        method="ping",
        name="alive?",
        timeout=1500,
        allowFailure=True,
        onError="continue",
        capture={"id": "/structuredContent/id", "all": ""},
        expect={"/isError": False, "/content/0/text": {"matches": "^ok"}},
    )

    assert made == ScriptStep(
        0,
        PING,
        None,
        {},
        name="alive?",
        timeout=1.5,
        on_error="continue",
        allow_failure=True,
        capture={"id": "/structuredContent/id", "all": ""},
        expect=(
            Expectation("/isError", "equals", wanted=False),
            Expectation("/content/0/text", "matches", "^ok"),
        ),
    )


@pytest.mark.parametrize(
    ("members", "title"),
    [
        ({"method": "ping"}, "step 0 (ping)"),
        ({"method": "ping", "name": "alive?"}, "step 0 (alive?)"),
        ({"wait": "n"}, "step 0 (wait n)"),
        ({"wait": "n", "name": "later"}, "step 0 (later)"),
    ],
)
def test_a_step_has_a_title_for_messages(members: dict[str, Json], title: str) -> None:
    assert step(**members).title == title


@pytest.mark.parametrize(
    ("timeout", "seconds"),
    [(500, 0.5), ("750", 0.75), ("30s", 30.0), ("2m", 120.0), (0, 0.0), (1500.5, 1.5005), (None, None)],
)
def test_a_timeout_is_a_duration(timeout: Json, seconds: float | None) -> None:
    members: dict[str, Json] = {} if timeout is None else {"timeout": timeout}

    assert step(method="ping", **members).timeout == seconds


@pytest.mark.parametrize(
    ("members", "problems"),
    [
        ({}, ["step 0: it has neither 'method' nor 'wait'"]),
        ({"name": "x"}, ["step 0: it has neither 'method' nor 'wait'"]),
        ({"method": 5}, ["step 0, method: expected a string, found number"]),
        ({"wait": None}, ["step 0, wait: expected a string, found null"]),
        ({"method": "ping", "wait": "n"}, ["step 0: it has both 'method' and 'wait'"]),
        ({"method": "pong"}, ["step 0, method: there is no method 'pong' (did you mean ping?)"]),
        (
            {"method": "q"},
            [f"step 0, method: there is no method 'q' ({SEND})"],
        ),
        (
            {"method": "acme/x", "params": {}},
            ["step 0, method: the plugin 'acme' of mcpi-acme failed: no module named x"],
        ),
        ({"method": "ping", "name": ["x"]}, ["step 0, name: expected a string, found array"]),
        ({"method": "ping", "allowFailure": "yes"}, ["step 0, allowFailure: expected true or false, found string"]),
        ({"method": "ping", "timeout": True}, ["step 0: timeout: expected number or string, got boolean"]),
        ({"method": "ping", "timeout": None}, ["step 0: timeout: expected number or string, got null"]),
        (
            {"method": "ping", "timeout": "soon"},
            ["step 0: timeout: expected a duration such as 500, 500ms, 30s or 2m, got 'soon'"],
        ),
        (
            {"method": "ping", "timeout": -1},
            ["step 0: timeout: expected a duration such as 500, 500ms, 30s or 2m, got '-1'"],
        ),
        ({"method": "ping", "capture": []}, ["step 0, capture: expected an object, found array"]),
        ({"method": "ping", "capture": {"a b": "/x"}}, ["step 0, capture: 'a b' is no variable's name"]),
        ({"method": "ping", "capture": {"a": "x"}}, ["step 0, capture.a: a JSON pointer starts with '/'"]),
        ({"method": "ping", "capture": {"a": 5}}, ["step 0, capture.a: a JSON pointer starts with '/'"]),
        ({"method": "ping", "expect": True}, ["step 0, expect: expected an object of JSON pointers, found boolean"]),
        ({"method": "ping", "expect": {"a": 1}}, ["step 0: expect: 'a' is no JSON pointer: it starts with '/'"]),
        ({"method": "ping", "expect": {"/a": {"length": "x"}}}, ["step 0: expect: /a: length is a number"]),
        ({"method": "resources/read"}, ["step 0: resources/read needs 'uri'"]),
        (
            {"method": "resources/read", "url": "x", "uri": 5},
            ["step 0: resources/read has no 'url' (did you mean uri?)", "step 0: uri: expected string, got number"],
        ),
        ({"method": "ping", "retries": 1}, ["step 0: ping has no 'retries'"]),
        (
            {"method": "resources/read", "params": {}, "uri": "x"},
            ["step 0, uri: 'params' says it all, nothing has a place beside it"],
        ),
        ({"method": "discover", "params": {}}, ["step 0, params: discover is no method of the protocol"]),
        ({"wait": "n", "uri": "x"}, ["step 0, uri: a step that waits has no such key"]),
        ({"wait": "n", "params": {}}, ["step 0, params: a step that waits has no such key"]),
    ],
)
def test_what_is_wrong_with_a_step_is_told_with_its_place(members: dict[str, Json], problems: list[str]) -> None:
    assert wrong(**members) == problems


@pytest.mark.parametrize("one", ["5", "null", '"ping"', "[]", "true"])
def test_a_step_is_an_object(one: str) -> None:
    (problem,) = mistakes(f'[{{"method": "ping"}}, {one}]')

    assert problem.startswith("step 1: expected an object, found ")


def test_all_problems_are_told_at_once_in_the_order_of_the_steps() -> None:
    found = parse(
        "s.json",
        """{"steps": [
          {"method": "pong", "name": "a"},
          {"method": "resources/read", "name": "a", "timeout": "x"},
          {"method": "ping", "onError": "skip-to:0", "expect": {"/x": "${y}"}}
        ], "more": 1}""",
        CATALOG,
        {},
    )

    assert found == Failure(
        Invalid(
            "INVALID_SCRIPT",
            "s.json",
            "more: only 'vars' and 'steps' have a place here (and 6 more)",
            (
                "step 0, method: there is no method 'pong' (did you mean ping?)",
                "step 1: timeout: expected a duration such as 500, 500ms, 30s or 2m, got 'x'",
                "step 1: resources/read needs 'uri'",
                "step 1, name: 'a' is the name of step 0 too",
                "step 2, onError: skip-to:0 jumps back; only a later step can be skipped to",
                "step 2: the variable ${y} is defined by nothing before it",
            ),
        )
    )


# Where an error leads.

THREE = '[{"method": "ping", "name": "first", "onError": %s}, {"method": "ping", "name": "7"}, {"method": "ping"}]'


@pytest.mark.parametrize(
    ("wish", "on_error"),
    [
        ('"stop"', "stop"),
        ('"continue"', "continue"),
        ('"skip-to:1"', 1),
        ('"skip-to:2"', 2),
        ('"skip-to:3"', 3),
        ('"skip-to:7"', 1),
        ('"skip-to:02"', 2),
    ],
)
def test_an_error_stops_goes_on_or_leads_to_a_later_step_or_to_the_end(wish: str, on_error: str | int) -> None:
    assert parsed(THREE % wish).steps[0].on_error == on_error


def test_without_a_wish_an_error_stops() -> None:
    assert step(method="ping").on_error == "stop"


def test_without_a_wish_a_failure_that_is_allowed_goes_on() -> None:
    assert step(method="ping", allowFailure=True).on_error == "continue"
    assert step(method="ping", allowFailure=True, onError="stop").on_error == "stop"


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        ('"skip-to:0"', "skip-to:0 jumps back; only a later step can be skipped to"),
        ('"skip-to:first"', "skip-to:first jumps back; only a later step can be skipped to"),
        ('"skip-to:4"', "there is no step 4, the last is 2"),
        ('"skip-to:firts"', "there is no step 'firts' (did you mean first?)"),
        ('"skip-to:nowhere"', "there is no step 'nowhere'"),
        ('"skip-to:-1"', "there is no step '-1'"),
        ('"skip-to:9999999999"', "there is no step '9999999999'"),
        ('"skip-to:"', 'expected stop, continue or skip-to:STEP, found "skip-to:"'),
        ('"Stop"', 'expected stop, continue or skip-to:STEP, found "Stop"'),
        ("1", "expected stop, continue or skip-to:STEP, found 1"),
        ("null", "expected stop, continue or skip-to:STEP, found null"),
        ("[]", "expected stop, continue or skip-to:STEP, found []"),
        ('{"skip-to": 1}', 'expected stop, continue or skip-to:STEP, found {"skip-to": 1}'),
    ],
)
def test_an_error_leads_nowhere_else(wish: str, problem: str) -> None:
    assert mistakes(THREE % wish) == [f"step 0, onError: {problem}"]


@pytest.mark.parametrize(
    ("on_error", "failed", "index"),
    [
        ("stop", False, 3),
        ("stop", True, 9),
        ("continue", False, 3),
        ("continue", True, 3),
        (5, False, 3),
        (5, True, 5),
    ],
)
def test_the_next_step_is_the_one_after_unless_a_failure_says_otherwise(
    on_error: str | int,
    failed: bool,  # noqa: FBT001 - a case
    index: int,
) -> None:
    assert next_index(ScriptStep(2, PING, None, {}, on_error=on_error), failed=failed, count=9) == index


# Variables.


@pytest.mark.parametrize(
    "members",
    [
        {"method": "resources/read", "uri": "${x}"},
        {"method": "tools/call", "toolName": "a", "toolArgs": {"${x}": ["${x}"]}},
        {"method": "tools/call", "toolName": "a", "taskTtl": "${x}"},
        {"method": "any/thing", "params": {"a": "${x}"}},
        {"method": "ping", "expect": {"/a": "${x}"}},
        {"method": "ping", "expect": {"/a": {"length": "${x}"}}},
        {"wait": "n", "expect": {"/a": "${x}"}},
    ],
)
def test_a_variable_must_be_defined_before_it_is_wanted(members: dict[str, Json]) -> None:
    text = dump([members])

    told = "the variable ${x} is defined by nothing before it"
    assert mistakes(text) == [f"step 0: {told}"]
    assert parsed(text, x="1").steps[0].wants == ("x",)
    assert parsed(f'{{"vars": {{"x": 1}}, "steps": {text}}}').steps[0].wants == ("x",)
    assert mistakes(f"[{text[1:-1]}, {dump({'method': 'ping', 'capture': {'x': '/a'}})}]") == [f"step 0: {told}"]
    captured = dump({"method": "ping", "capture": {"x": "/a"}})
    assert len(parsed(f"[{captured}, {text[1:-1]}]").steps) == 2


def test_each_variable_that_is_missing_is_named_once_with_the_nearest_that_there_is() -> None:
    members: Json = {"method": "tools/call", "toolName": "${nam}", "toolArgs": ["${nam}", "${other}"]}

    assert mistakes(dump([members]), name="x") == [
        "step 0: the variable ${nam} is defined by nothing before it (did you mean name?)",
        "step 0: the variable ${other} is defined by nothing before it",
    ]


def test_what_a_step_captures_is_there_for_the_steps_after_it() -> None:
    assert wrong(method="ping", capture={"x": "/a"}, expect={"/a": "${x}"}) == [
        "step 0: the variable ${x} is defined by nothing before it"
    ]


def test_a_step_without_variables_wants_none() -> None:
    assert step(method="any/thing", params={"a": "$x"}, expect={"/a": 1}).wants == ()


def test_a_variable_may_be_spelled_with_escapes() -> None:
    spelled = parsed(r'{"vars": {"x": 1}, "steps": [{"method": "any/thing", "params": {"a": "\u0024{x}"}}]}')

    assert spelled.steps[0].wants == ("x",)


def test_what_no_variable_has_a_part_in_is_bound_at_once() -> None:
    bound = step(method="tools/call", toolName="echo", toolArgs={"a": 1}).bound
    unbound = parsed('{"vars": {"x": 1}, "steps": [{"method": "tools/call", "toolName": "${x}"}]}').steps[0].bound

    assert (bound.tool_name, bound.tool_args) == ("echo", Exact('{"a":1}', {"a": 1}))
    assert unbound is None


# Whatever the text.

NAMES = st.sampled_from(["a", "b", "1", "ping"])
JUMPS = (
    st.sampled_from(["stop", "continue"]) | st.integers(0, 6).map("skip-to:{}".format) | NAMES.map("skip-to:".__add__)
)
VARIABLES = st.sampled_from(["${a}", "x ${b}", "${", "$", "/", "/a", "", "-1", "5s", "ping", "tools/call"])
ANYTHING = VALUES | VARIABLES | JUMPS
MEMBERS = st.sampled_from([*COMMON, "uri", "toolName", "toolArgs", "taskTtl", "vars", "steps"])
STEPS = st.dictionaries(MEMBERS, ANYTHING | st.dictionaries(NAMES | st.just("/a"), ANYTHING, max_size=2), max_size=6)
SCRIPTS = st.lists(STEPS, max_size=4) | st.fixed_dictionaries({"vars": ANYTHING, "steps": st.lists(STEPS, max_size=3)})


@given(NEARLY | TEXTS | SCRIPTS.map(dump), st.dictionaries(NAMES, st.text(max_size=3), max_size=2))
def test_no_text_makes_the_parser_raise(text: str, variables: Mapping[str, str]) -> None:
    match parse("s.json", text, CATALOG, variables):
        case Success(script):
            assert all(one.method is not None or one.wait is not None for one in script.steps)
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert fault.problem


HARD = [nested(DEEP // 4), f'"{"a" * 100_000}"', LONG, "1e999", '"\\ud800"', "{}", "[]"]


@pytest.mark.parametrize("key", [*COMMON, "uri", "toolArgs"])
@pytest.mark.parametrize("value", HARD, ids=["deep", "long", "digits", "infinite", "surrogate", "object", "array"])
def test_no_value_of_a_key_makes_the_parser_raise(key: str, value: str) -> None:
    for others in ('"method": "ping"', '"wait": "n"', '"method": "tools/call", "toolName": "a"'):
        found = parse("s.json", f'[{{{others}, "{key}": {value}}}]', CATALOG, {})
        assert isinstance(found, Success | Failure)


@pytest.mark.parametrize("value", HARD, ids=["deep", "long", "digits", "infinite", "surrogate", "object", "array"])
def test_no_value_in_place_of_the_script_or_a_step_makes_the_parser_raise(value: str) -> None:
    for text in (value, f"[{value}]", f'{{"steps": {value}}}', f'{{"vars": {value}, "steps": []}}'):
        assert isinstance(parse("s.json", text, CATALOG, {}), Success | Failure)


JUMPING: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.fixed_dictionaries({"method": st.just("ping")}, optional={"onError": JUMPS, "name": NAMES}), max_size=6
)


@given(JUMPING, st.data())
def test_a_script_that_is_accepted_ends_however_its_steps_fail(
    steps: list[dict[str, Any]], data: st.DataObject
) -> None:
    found = parse("s.json", dump(steps), CATALOG, {})
    if isinstance(found, Failure):
        return
    script = found.unwrap()
    index, played = 0, 0
    while index < len(steps):
        later = next_index(script.steps[index], failed=data.draw(st.booleans()), count=len(steps))
        assert later > index
        index, played = later, played + 1
    assert index == len(steps)
    assert played <= len(steps)

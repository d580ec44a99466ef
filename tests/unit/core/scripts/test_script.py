"""A script is validated as a whole before it runs; all its errors are reported with their location."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, LONG, NEARLY, TEXTS, VALUES, exact, nested
from mcpi.core.flags.structure import NAME_RULE
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.scripts.script import NOT_YAML, Script, next_index, parse
from mcpi.core.scripts.step import ScriptStep
from mcpi.core.scripts.step_keys import COMMON_KEYS
from support.scripts import CALL, CATALOG, DISCOVER, LIST, PING, READ, parse_script, script_errors, step, step_errors

DEFINE = '; define it with --var {}=VALUE or in "vars"'

# Documents.


def test_repeated_key_is_rejected() -> None:
    document = '{"vars": {"n": 1, "n": 2}, "steps": [], "steps": [{"method": "ping", "wait": "x/y", "method": "ping"}]}'

    assert script_errors(document) == [
        "the key 'steps' is repeated",
        "vars: the key 'n' is repeated",
        "step 1: the key 'method' is repeated",
        "step 1: 'method' and 'wait' cannot be combined",
    ]


def test_a_script_is_an_array_of_steps() -> None:
    assert parse_script('[{"method": "ping"}, {"method": "discover"}]') == Script(
        (ScriptStep(0, PING, None, {}), ScriptStep(1, DISCOVER, None, {}))
    )


def test_a_script_may_be_an_object_with_variables() -> None:
    assert parse_script('{"vars": {"n": 1.50, "s": "x"}, "steps": [{"method": "ping"}]}') == Script(
        (ScriptStep(0, PING, None, {}),), {"n": exact("1.50"), "s": exact('"x"')}
    )


def test_command_line_variable_is_a_string_and_overrides_the_script() -> None:
    steps = '{"vars": {"n": "1", "m": 2}, "steps": [{"method": "any/thing", "params": {"${o}": 1}}]}'
    script = parse_script(steps, n="5", o="x")

    assert script.variables == {"n": exact('"5"'), "m": exact("2"), "o": exact('"x"')}
    assert script.typed_texts == {"n": exact("5")}


@pytest.mark.parametrize(
    ("value", "text", "used"),
    [
        ("1", "2.50", "2.50"),
        ("true", "false", "false"),
        ("[]", "[1]", "[1]"),
        ("{}", '{"a": 1}', '{"a": 1}'),
        ('"a"', "5", '"5"'),
        ("null", "5", '"5"'),
    ],
)
def test_command_line_variable_has_the_type_that_it_has_in_the_script(value: str, text: str, used: str) -> None:
    script = parse_script(f'{{"vars": {{"v": {value}}}, "steps": [{{"method": "ping"}}]}}', v=text)

    assert script.variables == {"v": exact(used)}


def test_command_line_variable_of_another_type_is_rejected_unless_it_is_json() -> None:
    steps = '{"vars": {"n": 1, "yes": true}, "steps": [{"method": "ping"}]}'
    json = "for a value of another type, write --var {}:=JSON"

    assert script_errors(steps, n="x", yes="1") == [
        f"--var n: expected a number, as in the script's vars, got 'x'; {json.format('n')}",
        f"--var yes: expected true or false, as in the script's vars, got '1'; {json.format('yes')}",
    ]
    assert parse("s.json", steps, CATALOG, {"n": exact('"x"')}).unwrap().variables["n"] == exact('"x"')


@pytest.mark.parametrize("name", ["n", "used", "captured"])
def test_command_line_variable_is_known_if_the_script_has_it(name: str) -> None:
    steps = """{"vars": {"n": "1"}, "steps": [
      {"method": "any/thing", "params": {"a": "${used}"}, "capture": {"captured": "/a"}}]}"""

    assert parse_script(steps, used="x", **({} if name == "used" else {name: "x"})).variables[name] == exact('"x"')


def test_command_line_variable_that_the_script_does_not_have_is_rejected() -> None:
    steps = """{"vars": {"n": 1}, "steps": [
      {"method": "any/thing", "params": {"a": "${sum}"}, "capture": {"captured": "/a"}}]}"""

    assert script_errors(steps, sum="1", summ="2", other="3") == [
        "--var summ: the script has no variable 'summ' (did you mean sum?)",
        "--var other: the script has no variable 'other'",
    ]


def test_json_variable_of_the_command_line_keeps_its_type() -> None:
    steps = '[{"method": "any/thing", "params": {"n": "${n}", "m": "${m}"}}]'
    script = parse("s.json", steps, CATALOG, {"n": exact("5"), "m": "5"}).unwrap()

    assert script.variables == {"n": exact("5"), "m": exact('"5"')}
    assert script.typed_texts == {"m": exact("5")}


def test_documented_example_script_is_valid() -> None:
    script = parse_script("""[
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
        ("[", "invalid JSON: a value is missing at line 1, column 2"),
        ('[{"method": "ping"},\n\n{"method" "ping"}]', "invalid JSON: Expecting ':' delimiter at line 3, column 11"),
        ("[] []", "invalid JSON: more text after the value at line 1, column 4"),
        ("5", "expected an array of steps, or an object with 'steps', found number"),
        ("null", "expected an array of steps, or an object with 'steps', found null"),
        ('{"vars": {}}', "expected an array of steps, or an object with 'steps', found object"),
        ('{"steps": {}}', "steps: expected an array, found object"),
        ("[]", "the script has no steps"),
        ('{"steps": []}', "the script has no steps"),
        ('{"steps": [{"method": "ping"}], "step": []}', "a script has no key 'step' (did you mean steps?)"),
        ('{"vars": [1], "steps": [{"method": "ping"}]}', "vars: expected an object, found array"),
        ('{"vars": null, "steps": [{"method": "ping"}]}', "vars: expected an object, found null"),
        ('{"vars": {"a-b": 1}, "steps": [{"method": "ping"}]}', f"vars.a-b: {NAME_RULE}"),
        ('{"vars": {"": 1}, "steps": [{"method": "ping"}]}', f"vars.: {NAME_RULE}"),
    ],
)
def test_invalid_script_is_rejected(text: str, problem: str) -> None:
    assert script_errors(text) == [problem]


@pytest.mark.parametrize("text", ["- method: ping", "# a\n\n---\nsteps: []", "steps:\n  - method: ping\n"])
def test_script_in_yaml_is_recognized(text: str) -> None:
    (found,) = script_errors(text)

    assert found.startswith("invalid JSON: ")
    assert found.endswith(NOT_YAML)


@pytest.mark.parametrize(("path", "is_yaml"), [("s.yaml", True), ("s.yml", True), ("s.json", False)])
def test_script_with_the_extension_of_yaml_is_recognized(path: str, *, is_yaml: bool) -> None:
    found = parse(path, "[{method: ping}]", CATALOG, {}).failure()

    assert isinstance(found, Invalid)
    assert (NOT_YAML in found.problem) is is_yaml


def test_environment_variable_is_rejected() -> None:
    steps = '[{"method": "any/thing", "params": {"a": "${env:STATE}", "b": "${n}"}, "expect": {"/${env:A}": 1}}]'
    text = f'{{"vars": {{"n": "${{env:N}}", "m": "${{env:N}}"}}, "steps": {steps}}}'

    assert script_errors(text, STATE="x", m="y") == [
        "vars.n: ${env:N} is not replaced in a script; pass the value with --var n=VALUE",
        'step 1: ${env:STATE} is not replaced in a script; write ${STATE}, and pass --var STATE="$STATE"',
        'step 1: ${env:A} is not replaced in a script; write ${A}, and pass --var A="$A"',
    ]


def test_variable_in_the_syntax_of_another_program_is_rejected() -> None:
    steps = '[{"method": "a/b", "params": ["{{city}}", "$user", "$user"], "capture": {"user": "/user"}}]'

    assert script_errors(f'{{"vars": {{"city": "Oslo", "url": "//${{city}}"}}, "steps": {steps}}}', n="1") == [
        "vars.url: ${city} is not replaced in vars; write its value",
        "step 1: {{city}} is not replaced; write ${city}",
        "step 1: $user is not replaced; write ${user}",
        "--var n: the script has no variable 'n'",
    ]


def test_variable_of_the_command_line_in_the_syntax_of_another_program_is_rejected_once() -> None:
    assert script_errors('[{"method": "a/b", "params": {"city": "{{city}}"}}]', city="Oslo") == [
        "step 1: {{city}} is not replaced; write ${city}"
    ]


def test_other_text_in_the_syntax_of_another_program_is_sent_unchanged() -> None:
    steps = '[{"method": "a/b", "params": ["{{city}} $city ${city}", "{{other}}", "$ref", "${other.x}", "${0}"]}]'

    assert parse_script(steps, city="Oslo").variables == {"city": exact('"Oslo"')}


def test_invalid_variable_name_on_the_command_line_is_rejected() -> None:
    refused = Invalid("INVALID_SCRIPT", "s.json", f"--var n:: {NAME_RULE}")

    assert parse("s.json", '[{"method": "ping"}]', CATALOG, {"n:": "1"}) == Failure(refused)


def test_all_errors_are_reported_in_step_order() -> None:
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
            "a script has no key 'more' (and 6 more mistakes)",
            (
                "step 1, method: unknown method 'pong' (did you mean ping?)",
                "step 2, timeout: expected a duration such as 500, 500ms, 30s or 2m, got 'x'",
                "step 2: resources/read requires 'uri'; 'name' is the name of the step (did you mean uri?)",
                "step 2, name: 'a' is already the name of step 1",
                "step 3, onError: skip-to:0 is not a later step (skip-to counts from 0)",
                "step 3: the variable ${y} is not defined before this step" + DEFINE.format("y"),
            ),
        )
    )


# Locations of errors.

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
def test_on_error_stops_continues_or_skips_to_a_later_step_or_the_end(wish: str, on_error: str | int) -> None:
    assert parse_script(THREE % wish).steps[0].on_error == on_error


def test_on_error_defaults_to_stop() -> None:
    assert step(method="ping").on_error == "stop"


def test_on_error_defaults_to_continue_for_an_allowed_failure() -> None:
    assert step(method="ping", allowFailure=True).on_error == "continue"
    assert step(method="ping", allowFailure=True, onError="stop").on_error == "stop"


def test_on_error_of_the_script_is_the_default_of_its_steps() -> None:
    others = '{"method": "ping", "onError": "stop"}, {"method": "ping", "onError": "skip-to:3"}'
    script = parse_script(f'{{"onError": "continue", "steps": [{{"method": "ping"}}, {others}]}}')

    assert [one.on_error for one in script.steps] == ["continue", "stop", 3]


@pytest.mark.parametrize("wish", ["skip-to:1", "never"])
def test_on_error_of_the_script_is_stop_or_continue(wish: str) -> None:
    text = f'{{"onError": "{wish}", "steps": [{{"method": "ping"}}]}}'

    assert script_errors(text) == [f"onError: expected stop or continue, got {wish!r}"]


def test_other_names_of_on_error_are_recognized() -> None:
    text = '{"continueOnError": true, "steps": [{"method": "ping"}]}'

    assert script_errors(text) == ["a script has no key 'continueOnError' (did you mean onError?)"]


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        ('"skip-to:0"', "skip-to:0 is not a later step (skip-to counts from 0)"),
        ('"skip-to:first"', "skip-to:first is not a later step (skip-to counts from 0)"),
        ('"skip-to:4"', "skip-to:4 is past the end; the last step is 2 (skip-to counts from 0)"),
        ('"skip-to:firts"', "unknown step 'firts' (did you mean first?)"),
        ('"skip-to:nowhere"', "unknown step 'nowhere'"),
        ('"skip-to:-1"', "unknown step '-1'"),
        ('"skip-to:9999999999"', "unknown step '9999999999'"),
        ('"skip-to:"', 'expected stop, continue or skip-to:STEP, got "skip-to:"'),
        ('"Stop"', 'expected stop, continue or skip-to:STEP, got "Stop" (did you mean stop?)'),
        ("1", "expected stop, continue or skip-to:STEP, got 1"),
        ("null", "expected stop, continue or skip-to:STEP, got null"),
        ("[]", "expected stop, continue or skip-to:STEP, got []"),
        ('{"skip-to": 1}', 'expected stop, continue or skip-to:STEP, got {"skip-to": 1}'),
    ],
)
def test_invalid_on_error_is_rejected(wish: str, problem: str) -> None:
    assert script_errors(THREE % wish) == [f"step 1, onError: {problem}"]


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
def test_next_step_follows_unless_a_failure_changes_it(
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
        {"wait": "x/n", "expect": {"/a": "${x}"}},
    ],
)
def test_variable_must_be_defined_before_use(members: dict[str, Json]) -> None:
    text = dump([members])

    expected = "the variable ${x} is not defined before this step"
    assert script_errors(text) == [f"step 1: {expected}{DEFINE.format('x')}"]
    assert parse_script(text, x="1").steps[0].variables == ("x",)
    assert parse_script(f'{{"vars": {{"x": 1}}, "steps": {text}}}').steps[0].variables == ("x",)
    assert script_errors(f"[{text[1:-1]}, {dump({'method': 'ping', 'capture': {'x': '/a'}})}]") == [
        f"step 1: {expected}"
    ]
    captured = dump({"method": "ping", "capture": {"x": "/a"}})
    assert len(parse_script(f"[{captured}, {text[1:-1]}]").steps) == 2


def test_each_undefined_variable_is_reported_once_with_the_nearest_name() -> None:
    members: Json = {"method": "tools/call", "toolName": "${nam}", "toolArgs": ["${nam}", "${other}"]}

    assert script_errors(dump([members]), name="x") == [
        "step 1: the variable ${nam} is not defined before this step (did you mean name?)",
        "step 1: the variable ${other} is not defined before this step" + DEFINE.format("other"),
        "--var name: the script has no variable 'name' (did you mean nam?)",
    ]


def test_captured_variable_is_defined_only_for_later_steps() -> None:
    assert step_errors(method="ping", capture={"x": "/a"}, expect={"/a": "${x}"}) == [
        "step 1: the variable ${x} is not defined before this step"
    ]


def test_step_without_variables_requires_none() -> None:
    assert step(method="any/thing", params={"a": "$x"}, expect={"/a": 1}).variables == ()


def test_a_variable_may_be_spelled_with_escapes() -> None:
    spelled = parse_script(r'{"vars": {"x": 1}, "steps": [{"method": "any/thing", "params": {"a": "\u0024{x}"}}]}')

    assert spelled.steps[0].variables == ("x",)


def test_arguments_without_variables_are_bound_immediately() -> None:
    bound = step(method="tools/call", toolName="echo", toolArgs={"a": 1}).bound_args
    unbound = (
        parse_script('{"vars": {"x": 1}, "steps": [{"method": "tools/call", "toolName": "${x}"}]}').steps[0].bound_args
    )

    assert (bound.tool_name, bound.tool_args) == ("echo", Exact('{"a":1}', {"a": 1}))
    assert unbound is None


# Any text.

NAMES = st.sampled_from(["a", "b", "1", "ping"])
JUMPS = (
    st.sampled_from(["stop", "continue"]) | st.integers(0, 6).map("skip-to:{}".format) | NAMES.map("skip-to:".__add__)
)
VARIABLES = st.sampled_from(["${a}", "x ${b}", "${", "$", "/", "/a", "", "-1", "5s", "ping", "tools/call"])
ANYTHING = VALUES | VARIABLES | JUMPS
MEMBERS = st.sampled_from([*COMMON_KEYS, "uri", "toolName", "toolArgs", "taskTtl", "vars", "steps"])
STEPS = st.dictionaries(MEMBERS, ANYTHING | st.dictionaries(NAMES | st.just("/a"), ANYTHING, max_size=2), max_size=6)
SCRIPTS = st.lists(STEPS, max_size=4) | st.fixed_dictionaries({"vars": ANYTHING, "steps": st.lists(STEPS, max_size=3)})


@given(NEARLY | TEXTS | SCRIPTS.map(dump), st.dictionaries(NAMES, st.text(max_size=3), max_size=2))
def test_parser_never_raises_on_any_text(text: str, variables: Mapping[str, str]) -> None:
    match parse("s.json", text, CATALOG, variables):
        case Success(script):
            assert all(one.method is not None or one.wait is not None for one in script.steps)
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert fault.problem


UNUSUAL = [nested(DEEP // 4), f'"{"a" * 100_000}"', LONG, "1e999", '"\\ud800"', "{}", "[]"]


@pytest.mark.parametrize("key", [*COMMON_KEYS, "uri", "toolArgs"])
@pytest.mark.parametrize("value", UNUSUAL, ids=["deep", "long", "digits", "infinite", "surrogate", "object", "array"])
def test_parser_never_raises_on_any_key_value(key: str, value: str) -> None:
    for others in ('"method": "ping"', '"wait": "x/n"', '"method": "tools/call", "toolName": "a"'):
        found = parse("s.json", f'[{{{others}, "{key}": {value}}}]', CATALOG, {})
        assert isinstance(found, Success | Failure)


@pytest.mark.parametrize("value", UNUSUAL, ids=["deep", "long", "digits", "infinite", "surrogate", "object", "array"])
def test_parser_never_raises_on_any_value_as_script_or_step(value: str) -> None:
    for text in (value, f"[{value}]", f'{{"steps": {value}}}', f'{{"vars": {value}, "steps": []}}'):
        assert isinstance(parse("s.json", text, CATALOG, {}), Success | Failure)


JUMPING: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.fixed_dictionaries({"method": st.just("ping")}, optional={"onError": JUMPS, "name": NAMES}), max_size=6
)


@given(JUMPING, st.data())
def test_valid_script_terminates_for_any_failures(steps: list[dict[str, Any]], data: st.DataObject) -> None:
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

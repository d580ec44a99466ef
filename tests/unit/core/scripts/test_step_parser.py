"""A step is parsed to an action, options and expectations; its errors are reported with their location."""

import pytest

from json_texts import exact
from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.scripts.step import ScriptStep
from mcpi.core.wire.notifications import SERVER_NOTIFICATIONS
from support.scripts import CALL, PING, SEND, parse_script, script_errors, step, step_errors

COMPARE = 'to compare with an object, use {"equals": {...}}'
DEFINE = 'define it with --var x=VALUE or in "vars"'
LISTED = " (mcpi help script lists the operators)"
NO_PARAMS = "step 1, params: not allowed here, as discover is not a protocol method"
NO_PAUSE = "'wait' waits for a notification; to wait for a condition, use 'retry' with 'interval'"


def test_a_step_has_a_method_and_its_flags_in_camel_case() -> None:
    assert step(method="tools/call", toolName="echo", taskTtl="5s") == ScriptStep(
        0, CALL, None, {"toolName": exact('"echo"'), "taskTtl": exact('"5s"')}
    )


def test_raw_params_are_sent_unchanged_even_for_an_unknown_method() -> None:
    spelled = parse_script('[{"method": "tools/call", "params": {"n" : 1.50}}, {"method": "x/y", "params": []}]').steps

    assert spelled[0] == ScriptStep(0, CALL, None, {}, params=exact('{"n" : 1.50}'))
    assert (spelled[1].method and spelled[1].method.name, spelled[1].params) == ("x/y", exact("[]"))


def test_fault_before_the_first_request_names_the_key() -> None:
    assert step_errors(method="resources/leave", uri="--uri") == ["step 1, uri: conflicts with uri and --other"]


def test_variables_under_a_wrong_key_are_not_reported_as_undefined() -> None:
    problems = script_errors('[{"method": "ping", "save": {"a": "/b"}}, {"method": "x/y", "params": {"a": "${a}"}}]')

    assert problems == ["step 1: ping has no key 'save' (did you mean capture?)"]
    assert script_errors('[{"save": {"a": "/b"}}]') == ["step 1: 'method' or 'wait' is required"]


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


@pytest.mark.parametrize("name", ["x/message", "notifications/acme/channel", *SERVER_NOTIFICATIONS])
def test_a_step_may_wait_for_any_notification_with_a_slash(name: str) -> None:
    assert step(wait=name).wait == name


def test_step_has_a_name_timeout_captures_and_expectations() -> None:
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
            Expectation("/isError", "equals", expected=False),
            Expectation("/content/0/text", "matches", "^ok"),
        ),
    )


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
        ({}, ["step 1: 'method' or 'wait' is required"]),
        (
            {"metod": "x", "waiting": "y"},
            [
                "step 1: unknown key 'metod' (did you mean method?)",
                "step 1: unknown key 'waiting' (did you mean wait?)",
            ],
        ),
        ({"method": "ping", "retry": {}}, ["step 1: retry requires 'times'"]),
        (
            {"method": "ping", "retry": {"tims": 1}},
            ["step 1: retry has no key 'tims' (did you mean times?)"],
        ),
        (
            {"method": "ping", "retry": {"times": 1.5}},
            ["step 1, retry.times: expected an integer of at least 0, got '1.5'"],
        ),
        ({"method": "ping", "name": ""}, ["step 1, name: expected a name, got an empty string"]),
        ({"method": "ping", "name": " "}, ["step 1, name: expected a name, got an empty string"]),
        (
            {"method": "ping", "retry": 5},
            ['step 1, retry: expected an object, found number; write {"times": 5, "interval": "1s"}'],
        ),
        (
            {"method": "ping", "retry": True},
            ['step 1, retry: expected an object, found boolean; write {"times": 3, "interval": "1s"}'],
        ),
        (
            {"method": "ping", "retry": {"count": 3, "delay": 100}},
            [
                "step 1: retry has no key 'count' (did you mean times?)",
                "step 1: retry has no key 'delay' (did you mean interval?)",
            ],
        ),
        (
            {"method": "ping", "maxDuration": "quick"},
            ["step 1, maxDuration: expected a duration such as 500, 500ms, 30s or 2m, got 'quick'"],
        ),
        ({"method": "ping", "failOnError": "no"}, ["step 1, failOnError: expected true or false, found string"]),
        (
            {"method": "ping", "onError": "contnue"},
            ['step 1, onError: expected stop, continue or skip-to:STEP, got "contnue" (did you mean continue?)'],
        ),
        ({"wait": "x/n", "expct": {}}, ["step 1, expct: not allowed in a step that waits (did you mean expect?)"]),
        (
            {"method": "ping", "params": {}, "onEror": "stop"},
            ["step 1, onEror: not allowed with 'params' (did you mean onError?)"],
        ),
        (
            {"method": "ping", "expect": {"/a": {"equal": 1}, "/b": {}, "": {"equals": 1, "x": 2}}},
            [
                f"step 1, expect: /a: unknown operator 'equal' (did you mean equals?); {COMPARE}",
                f"step 1, expect: /b: no operator given; {COMPARE.replace('{...}', '{}')}",
                f"step 1, expect: the result: unknown operator 'x'{LISTED}; {COMPARE}",
            ],
        ),
        ({"method": "ping", "onEror": "stop"}, ["step 1: ping has no key 'onEror' (did you mean onError?)"]),
        (
            {"timeout": "soon", "wait": True, "capture": {"a": 5, "b": "/b", "c d": 1}, "onError": 1},
            [
                "step 1, timeout: expected a duration such as 500, 500ms, 30s or 2m, got 'soon'",
                "step 1, wait: expected a string, found boolean",
                "step 1, capture.a: a JSON pointer must start with '/'",
                "step 1, capture.c d: a JSON pointer must start with '/'",
                "step 1, onError: expected stop, continue or skip-to:STEP, got 1",
            ],
        ),
        ({"name": "x"}, ["step 1: 'method' or 'wait' is required"]),
        ({"method": 5}, ["step 1, method: expected a string, found number"]),
        ({"wait": None}, ["step 1, wait: expected a string, found null"]),
        ({"wait": ""}, ["step 1, wait: expected the name of a notification, got an empty string"]),
        (
            {"wait": "message"},
            ["step 1, wait: unknown notification 'message' (did you mean notifications/message?)"],
        ),
        (
            {"wait": "notifications/mesage"},
            ["step 1, wait: unknown notification 'notifications/mesage' (did you mean notifications/message?)"],
        ),
        (
            {"wait": "tools/list_changed"},
            [
                (
                    "step 1, wait: unknown notification 'tools/list_changed' "
                    "(did you mean notifications/tools/list_changed?)"
                )
            ],
        ),
        (
            {"wait": "ready"},
            ["step 1, wait: unknown notification 'ready'; a name has a slash, as in notifications/message"],
        ),
        ({"method": "ping", "wait": "x/n"}, ["step 1: 'method' and 'wait' cannot be combined"]),
        ({"method": "pong"}, ["step 1, method: unknown method 'pong' (did you mean ping?)"]),
        (
            {"method": "q"},
            [f"step 1, method: unknown method 'q' ({SEND})"],
        ),
        (
            {"method": "acme/x", "params": {}},
            ["step 1, method: the plugin 'acme' of mcpi-acme failed: no module named x"],
        ),
        ({"method": "ping", "name": ["x"]}, ["step 1, name: expected a string, found array"]),
        ({"method": "ping", "allowFailure": "yes"}, ["step 1, allowFailure: expected true or false, found string"]),
        ({"method": "ping", "timeout": True}, ["step 1, timeout: expected a number or a string, found boolean"]),
        ({"method": "ping", "timeout": None}, ["step 1, timeout: expected a number or a string, found null"]),
        (
            {"method": "ping", "timeout": "soon"},
            ["step 1, timeout: expected a duration such as 500, 500ms, 30s or 2m, got 'soon'"],
        ),
        (
            {"method": "ping", "timeout": -1},
            ["step 1, timeout: expected a duration such as 500, 500ms, 30s or 2m, got '-1'"],
        ),
        ({"method": "ping", "capture": []}, ["step 1, capture: expected an object, found array"]),
        (
            {"method": "ping", "capture": {"a b": "/x"}},
            ["step 1, capture.a b: a variable name consists of letters, digits and _, and does not begin with a digit"],
        ),
        (
            {"method": "ping", "capture": {"/a/b": "x", "/c": 1, "/d": "/e"}},
            [
                'step 1, capture./a/b: the name comes before the pointer; write {"x":"/a/b"}',
                'step 1, capture./c: the name comes before the pointer; write {"NAME":"/c"}',
                'step 1, capture./d: the name comes before the pointer; write {"NAME":"/d"}',
            ],
        ),
        (
            {"method": "ping", "capture": {"a": "x"}},
            ["step 1, capture.a: a JSON pointer must start with '/' (did you mean /x?)"],
        ),
        ({"method": "ping", "capture": {"a": 5}}, ["step 1, capture.a: a JSON pointer must start with '/'"]),
        ({"method": "ping", "expect": True}, ["step 1, expect: expected an object of JSON pointers, found boolean"]),
        (
            {"method": "ping", "expect": {"a": 1}},
            ["step 1, expect: 'a' is not a JSON pointer; it must start with '/' (did you mean /a?)"],
        ),
        ({"method": "ping", "expect": {"/a": {"length": "x"}}}, ["step 1, expect: /a: length must be a number"]),
        ({"method": "resources/read"}, ["step 1: resources/read requires 'uri'"]),
        (
            {"method": "tools/call", "toolName": "x", "toolArg": {"id": 1}},
            ["step 1, toolArg: expected a string, found object (did you mean toolArgs?)"],
        ),
        (
            {"method": "tools/call", "toolName": "x", "toolArg": 1},
            ["step 1, toolArg: expected a string, found number"],
        ),
        (
            {"method": "resources/read", "url": "x", "uri": 5},
            [
                "step 1: resources/read has no key 'url' (did you mean uri?)",
                "step 1, uri: expected a string, found number",
            ],
        ),
        (
            {"method": "resources/read", "name": "a:b"},
            ["step 1: resources/read requires 'uri'; 'name' is the name of the step (did you mean uri?)"],
        ),
        (
            {"method": "tools/call", "name": "echo", "tasc": 1},
            [
                "step 1: tools/call has no key 'tasc'",
                "step 1: tools/call requires 'toolName'; 'name' is the name of the step (did you mean toolName?)",
            ],
        ),
        (
            {"method": "tools/call", "toolName": "x", "expectError": True},
            ["""step 1: tools/call has no key 'expectError' (did you mean "expect": {"/isError": true}?)"""],
        ),
        (
            {"tool": "add", "args": {"a": 2, "b": 3}},
            [
                (
                    "step 1: 'method' or 'wait' is required; "
                    'write "method": "tools/call", "toolName": "add", "toolArgs": {"a":2,"b":3}'
                ),
                "step 1: tools/call has no key 'tool' (did you mean toolName?)",
                "step 1: tools/call has no key 'args' (did you mean toolArgs?)",
            ],
        ),
        (
            {"prompt": "x", "promptArgs": {"text": "y" * 60}},
            [
                (
                    "step 1: 'method' or 'wait' is required; "
                    'write "method": "prompts/get", "promptName": "x", "promptArgs": {...}'
                ),
            ],
        ),
        (
            {"toolName": "x", "toolArgs": {"user": "a", "password": "correct-horse"}},
            [
                (
                    "step 1: 'method' or 'wait' is required; "
                    'write "method": "tools/call", "toolName": "x", "toolArgs": {...}'
                ),
            ],
        ),
        (
            {"uri": "a:b"},
            ["""step 1: 'method' or 'wait' is required; write "method": "resources/read", "uri": "a:b\""""],
        ),
        ({"level": "debug"}, ["step 1: 'method' or 'wait' is required"]),
        ({"sleep": "500ms"}, [f"step 1: unknown key 'sleep'; {NO_PAUSE}"]),
        ({"method": "ping", "pause": 500}, [f"step 1: ping has no key 'pause'; {NO_PAUSE}"]),
        (
            {"wait": "500ms"},
            [f'step 1, wait: expected the name of a notification, got the duration "500ms"; {NO_PAUSE}'],
        ),
        ({"wait": 2}, [f"step 1, wait: expected the name of a notification, got the duration 2; {NO_PAUSE}"]),
        ({"method": "ping", "retries": 1}, ["step 1: ping has no key 'retries' (did you mean retry?)"]),
        (
            {"method": "resources/read", "params": {}, "uri": "x"},
            ["step 1, uri: not allowed with 'params'"],
        ),
        (
            {"method": "discover", "params": {}},
            [NO_PARAMS],
        ),
        (
            {"method": "discover", "params": {"a": [1], "b": "x"}},
            [f'{NO_PARAMS}; write its flags as keys of the step: "a": [1], "b": "x"'],
        ),
        (
            {"method": "discover", "params": {"token": "secret-12345", "b": {"API_KEY": "secret-12345"}}},
            [f'{NO_PARAMS}; write its flags as keys of the step: "token": ..., "b": {{...}}'],
        ),
        ({"wait": "x/n", "uri": "x"}, ["step 1, uri: not allowed in a step that waits"]),
        ({"wait": "x/n", "params": {}}, ["step 1, params: not allowed in a step that waits"]),
    ],
)
def test_invalid_step_is_reported_with_its_location(members: dict[str, Json], problems: list[str]) -> None:
    assert step_errors(**members) == problems


@pytest.mark.parametrize("one", ["5", "null", '"ping"', "[]", "true"])
def test_step_must_be_an_object(one: str) -> None:
    (problem,) = script_errors(f'[{{"method": "ping"}}, {one}]')

    assert problem.startswith("step 2: expected an object, found ")


def test_failure_before_the_first_request_is_a_script_error() -> None:
    assert step_errors(method="resources/leave", uri="a:b") == ["step 1: a:b cannot be left"]
    assert step(method="resources/leave", uri="").bound_args is not None


@pytest.mark.parametrize(
    "members",
    [
        {"method": "ping", "expect": {"/a/${x}": 1}},
        {"method": "ping", "capture": {"y": "/a/${x}"}},
    ],
)
def test_variable_in_a_json_pointer_must_be_defined(members: dict[str, Json]) -> None:
    assert step_errors(**members) == [f"step 1: the variable ${{x}} is not defined before this step; {DEFINE}"]
    assert parse_script(dump([members]), x="1").steps[0].variables == ("x",)


def test_steps_share_what_they_have_in_common() -> None:
    texts = ['{"a":1}', '{"a":2}', "null", '"x"']
    steps = parse_script(
        dump([{"method": "tools/call", "toolName": "echo", "toolArgs": exact(one)} for one in texts])
    ).steps

    assert [one.bound_args.tool_args for one in steps] == [exact(text) for text in texts]
    assert {one.bound_args.tool_name for one in steps} == {"echo"}
    assert len({id(one.flags["toolName"]) for one in steps}) == 1
    assert len({id(one.capture) for one in steps}) == 1


def test_steps_that_differ_are_bound_one_by_one() -> None:
    names = ["echo", "text", "echo"]
    calls: list[Json] = [{"method": "tools/call", "toolName": name, "toolArgs": {}} for name in names]
    calls += [{"method": "tools/call", "toolName": "echo", "toolArgs": {}, "taskTtl": ttl} for ttl in ("1s", "2s")]
    reads: list[Json] = [{"method": "resources/read", "uri": uri} for uri in ("a:b", "a:c")]
    steps = [one.bound_args for one in parse_script(dump([*calls, *reads])).steps]

    assert [one.tool_name for one in steps[:5]] == [*names, "echo", "echo"]
    assert [one.task_ttl for one in steps[:5]] == [None, None, None, 1.0, 2.0]
    assert [one.uri for one in steps[5:]] == ["a:b", "a:c"]


def test_number_of_kept_heads_and_values_is_limited() -> None:
    members: list[Json] = [
        {"method": "tools/call", "toolName": f"tool {number}", "toolArgs": {}, "name": f"step {number}"}
        for number in range(2100)
    ]
    steps = parse_script(dump(members)).steps

    assert [one.name for one in steps] == [f"step {number}" for number in range(2100)]
    assert [one.bound_args.tool_name for one in steps] == [f"tool {number}" for number in range(2100)]


def test_problems_are_reported_for_each_step() -> None:
    assert script_errors(dump([{"method": "pong"}] * 2)) == [
        "step 1, method: unknown method 'pong' (did you mean ping?)",
        "step 2, method: unknown method 'pong' (did you mean ping?)",
    ]

"""A step says what is done, how, and what is expected; all that is wrong with it is told with its place."""

import pytest

from json_texts import exact
from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.scripts.step import ScriptStep
from support.scripts import CALL, PING, SEND, mistakes, parsed, step, wrong


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
            Expectation("/isError", "equals", expected=False),
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
        (
            {"metod": "x", "waiting": "y"},
            ["step 0: it has neither 'method' nor 'wait', but 'metod' (did you mean method?)"],
        ),
        ({"method": "ping", "onEror": "stop"}, ["step 0: ping has no 'onEror' (did you mean onError?)"]),
        (
            {"timeout": "soon", "wait": 5, "capture": {"a": 5, "b": "/b", "c d": 1}, "onError": 1},
            [
                "step 0, timeout: expected a duration such as 500, 500ms, 30s or 2m, got 'soon'",
                "step 0, wait: expected a string, found number",
                "step 0, capture.a: a JSON pointer starts with '/'",
                "step 0, capture.c d: a JSON pointer starts with '/'",
                "step 0, onError: expected stop, continue or skip-to:STEP, found 1",
            ],
        ),
        ({"name": "x"}, ["step 0: it has neither 'method' nor 'wait'"]),
        ({"method": 5}, ["step 0, method: expected a string, found number"]),
        ({"wait": None}, ["step 0, wait: expected a string, found null"]),
        ({"wait": ""}, ["step 0, wait: a notification has a name"]),
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
        ({"method": "ping", "timeout": True}, ["step 0, timeout: expected a number or a string, found boolean"]),
        ({"method": "ping", "timeout": None}, ["step 0, timeout: expected a number or a string, found null"]),
        (
            {"method": "ping", "timeout": "soon"},
            ["step 0, timeout: expected a duration such as 500, 500ms, 30s or 2m, got 'soon'"],
        ),
        (
            {"method": "ping", "timeout": -1},
            ["step 0, timeout: expected a duration such as 500, 500ms, 30s or 2m, got '-1'"],
        ),
        ({"method": "ping", "capture": []}, ["step 0, capture: expected an object, found array"]),
        (
            {"method": "ping", "capture": {"a b": "/x"}},
            ["step 0, capture.a b: a variable's name has letters, digits and _"],
        ),
        ({"method": "ping", "capture": {"a": "x"}}, ["step 0, capture.a: a JSON pointer starts with '/'"]),
        ({"method": "ping", "capture": {"a": 5}}, ["step 0, capture.a: a JSON pointer starts with '/'"]),
        ({"method": "ping", "expect": True}, ["step 0, expect: expected an object of JSON pointers, found boolean"]),
        ({"method": "ping", "expect": {"a": 1}}, ["step 0, expect: 'a' is no JSON pointer: it starts with '/'"]),
        ({"method": "ping", "expect": {"/a": {"length": "x"}}}, ["step 0, expect: /a: length is a number"]),
        ({"method": "resources/read"}, ["step 0: resources/read needs 'uri'"]),
        (
            {"method": "resources/read", "url": "x", "uri": 5},
            ["step 0: resources/read has no 'url' (did you mean uri?)", "step 0, uri: expected a string, found number"],
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


def test_what_fails_before_anything_is_sent_is_a_mistake_of_the_script() -> None:
    assert wrong(method="resources/leave", uri="a:b") == ["step 0: a:b cannot be left"]
    assert step(method="resources/leave", uri="").bound_args is not None


@pytest.mark.parametrize(
    "members",
    [
        {"method": "ping", "expect": {"/a/${x}": 1}},
        {"method": "ping", "capture": {"y": "/a/${x}"}},
    ],
)
def test_a_place_may_want_a_variable(members: dict[str, Json]) -> None:
    assert wrong(**members) == ["step 0: the variable ${x} is defined by nothing before it"]
    assert parsed(dump([members]), x="1").steps[0].variables == ("x",)

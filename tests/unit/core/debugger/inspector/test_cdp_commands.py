"""Commands of the inspector protocol, and messages skipped without parsing."""

import json

import pytest

from mcpi.core.debugger.inspector import cdp_commands
from mcpi.core.debugger.inspector.debug_effects import SendAndForget, SendCommand
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.jsontext.values import JsonObject


def parsed(url: str) -> str:
    params = {"scriptId": "7", "url": url, "startLine": 0}
    return json.dumps({"method": "Debugger.scriptParsed", "params": params}, separators=(",", ":"))


@pytest.mark.parametrize("url", ["", "node:fs", "node:internal/x"])
def test_events_of_scripts_without_a_file_are_skipped_unparsed(url: str) -> None:
    assert cdp_commands.parse_message(parsed(url)) is None
    # The beginning of the message is enough; parsing the rest would be expensive.
    assert cdp_commands.parse_message(parsed(url) + "not JSON") is None


def test_other_messages_are_parsed() -> None:
    assert cdp_commands.parse_message(parsed("file:///a.js")) == json.loads(parsed("file:///a.js"))
    assert cdp_commands.parse_message('{"id":1,"result":{"url":""}}') == {"id": 1, "result": {"url": ""}}


def test_setup_installs_the_recorder_before_enabling_the_debugger() -> None:
    methods = [one.method for one in cdp_commands.setup_commands(RecordingLimits())]

    assert methods == [
        "Runtime.addBinding",
        "Runtime.evaluate",
        "Debugger.enable",
        "NodeWorker.enable",
    ]


def test_evaluations_in_a_running_program_disable_breakpoints() -> None:
    limits = RecordingLimits()
    commands = (*cdp_commands.setup_commands(limits), *cdp_commands.recorder_in_context(2, limits))
    evaluations = [one.params for one in commands if one.method == "Runtime.evaluate"]
    evaluations.append(cdp_commands.find_function("f").params)

    assert [one["disableBreaks"] for one in evaluations] == [True, True, True]


def test_positions_use_the_format_of_the_protocol() -> None:
    where: JsonObject = {"urlRegex": "^x$", "lineNumber": 1, "columnNumber": 2}
    start: JsonObject = {"scriptId": "7", "lineNumber": 1, "columnNumber": 2}
    end: JsonObject = {"scriptId": "7", "lineNumber": 3, "columnNumber": 0}

    assert cdp_commands.stop_by_url("^x$", (1, 2)) == SendCommand("Debugger.setBreakpointByUrl", where)
    assert cdp_commands.stop_in_script("7", (1, 2), "c") == SendCommand(
        "Debugger.setBreakpoint", {"location": start, "condition": "c"}
    )
    assert cdp_commands.possible_breakpoints("7", (1, 2), (3, 0)) == SendCommand(
        "Debugger.getPossibleBreakpoints", {"start": start, "end": end}
    )
    assert cdp_commands.possible_breakpoints("7", (1, 2)) == SendCommand(
        "Debugger.getPossibleBreakpoints", {"start": start, "restrictToFunction": True}
    )


def test_expression_is_evaluated_in_its_frame() -> None:
    params: JsonObject = {"callFrameId": "f", "expression": "x", "returnByValue": True, "silent": True}

    assert cdp_commands.evaluate("f", "x") == SendCommand("Debugger.evaluateOnCallFrame", params)
    assert cdp_commands.to_worker("1", "{}") == SendAndForget(
        "NodeWorker.sendMessageToWorker", {"sessionId": "1", "message": "{}"}
    )

"""The commands of the Chrome DevTools Protocol in use, with the reason for each."""

import json

from mcpi.core.debugger.inspector import recorder_js
from mcpi.core.debugger.inspector.debug_effects import SendAndForget, SendCommand
from mcpi.core.jsontext.values import Json, JsonObject, as_object

_SCRIPT_PARSED = '{"method":"Debugger.scriptParsed"'
_URL_PREFIX_LENGTH = 250
"""Number of leading characters that contain the script's URL, unless the URL is long."""

RUN_IF_WAITING = SendAndForget("Runtime.runIfWaitingForDebugger")
RESUME = SendAndForget("Debugger.resume")
# An inspector sends its messages in order, so a response arrives after all earlier hits.
FLUSH = SendCommand("Runtime.getIsolateId")
# Without it the process exits as soon as the program ends, and messages in transit are lost. Not for workers: the
# process joins a worker that waits this way, and can then no longer process our disconnect.
WAIT_FOR_DISCONNECT = SendAndForget("NodeRuntime.notifyWhenWaitingForDisconnect", {"enabled": True})
# Runtime.enable reports every console.log and keeps the logged values: it is enabled only while compiling.
COMPILER_ON, COMPILER_OFF = SendAndForget("Runtime.enable"), SendCommand("Runtime.disable")


def parse_message(raw: str) -> "JsonObject | None":
    """Parse a message; return None for scripts without a URL or internal to Node.js, of which there are thousands."""
    # Each evaluated condition is a script without a URL: parsing them all would double the cost of a hit.
    if raw.startswith(_SCRIPT_PARSED) and (
        '"url":""' in raw[:_URL_PREFIX_LENGTH] or '"url":"node:' in raw[:_URL_PREFIX_LENGTH]
    ):
        return None
    return as_object(json.loads(raw))


def compile_script(source: str) -> SendCommand:
    """Build the command that compiles the source without running it."""
    return SendCommand("Runtime.compileScript", {"expression": source, "sourceURL": "", "persistScript": False})


def setup_commands(most: int) -> tuple[SendAndForget, ...]:
    """Build the commands that precede the first breakpoint, to be sent together."""
    return (
        SendAndForget("Runtime.addBinding", {"name": recorder_js.BINDING}),
        SendAndForget("Runtime.evaluate", {"expression": recorder_js.recorder_script(most), "silent": True}),
        # Required before breakpoints can be set.
        SendAndForget("Debugger.enable"),
        # With a debugger attached, a worker never starts unless its own inspector is attended to.
        SendAndForget("NodeWorker.enable", {"waitForDebuggerOnStart": False}),
        # It pauses a module before it runs, so that its source map is read in time.
        SendAndForget(
            "Debugger.setInstrumentationBreakpoint", {"instrumentation": "beforeScriptWithSourceMapExecution"}
        ),
    )


def stop_by_url(pattern: str, line: int, column: int, text: str = "") -> SendCommand:
    """Build a breakpoint for all present and future scripts whose URL matches."""
    location: JsonObject = {"urlRegex": pattern, "lineNumber": line, "columnNumber": column}
    return SendCommand("Debugger.setBreakpointByUrl", {**location, "condition": text} if text else location)


def stop_in_script(script: str, line: int, column: int, text: str) -> SendCommand:
    """Build a breakpoint for one script."""
    location: JsonObject = {"scriptId": script, "lineNumber": line, "columnNumber": column}
    return SendCommand("Debugger.setBreakpoint", {"location": location, "condition": text})


def remove_breakpoint(name: str) -> SendAndForget:
    """Build the command that removes a breakpoint."""
    return SendAndForget("Debugger.removeBreakpoint", {"breakpointId": name})


def evaluate(frame: str, expression: str) -> SendCommand:
    """Build an evaluation in a call frame; Runtime.evaluate would not see locals."""
    about: dict[str, Json] = {"callFrameId": frame, "expression": expression}
    return SendCommand("Debugger.evaluateOnCallFrame", {**about, "returnByValue": True, "silent": True})


def to_worker(session: str, message: str) -> SendAndForget:
    """Build the command that forwards a message to a worker's inspector."""
    return SendAndForget("NodeWorker.sendMessageToWorker", {"sessionId": session, "message": message})

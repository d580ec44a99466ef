"""The commands of the Chrome DevTools Protocol in use, with the reason for each."""

import json

from mcpi.core.debugger.inspector import recorder_js
from mcpi.core.debugger.inspector.debug_effects import SendAndForget, SendCommand
from mcpi.core.debugger.sources.function_ranges import Position
from mcpi.core.flags.places import RecordingLimits
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
COMPILER_ON, COMPILER_OFF = SendCommand("Runtime.enable"), SendCommand("Runtime.disable")


def parse_message(raw: str) -> "JsonObject | None":
    """Parse a message; return None for scripts without a URL or internal to Node.js, of which there are thousands."""
    # Each evaluated condition is a script without a URL: parsing them all would double the cost of a hit.
    if raw.startswith(_SCRIPT_PARSED) and (
        '"url":""' in raw[:_URL_PREFIX_LENGTH] or '"url":"node:' in raw[:_URL_PREFIX_LENGTH]
    ):
        return None
    return as_object(json.loads(raw))


def compile_script(source: str, *, keep: bool = False) -> SendCommand:
    """Build the command that compiles the source without running it; with `keep`, the response has a script id."""
    return SendCommand("Runtime.compileScript", {"expression": source, "sourceURL": "", "persistScript": keep})


def setup_commands(limits: RecordingLimits) -> tuple[SendAndForget, ...]:
    """Build the commands that precede the first breakpoint, to be sent together."""
    return (
        SendAndForget("Runtime.addBinding", {"name": recorder_js.BINDING}),
        SendAndForget("Runtime.evaluate", _quietly(recorder_js.recorder_script(limits))),
        # Required before breakpoints can be set.
        SendAndForget("Debugger.enable"),
        # A worker waits until it is set up: not every worker inherits the option that stops it at its first line.
        SendAndForget("NodeWorker.enable", {"waitForDebuggerOnStart": True}),
    )


def recorder_in_context(context: Json, limits: RecordingLimits) -> tuple[SendAndForget, ...]:
    """Build the commands that install the recorder in another realm, such as a vm context."""
    script = _quietly(recorder_js.recorder_script(limits))
    return (
        SendAndForget("Runtime.addBinding", {"name": recorder_js.BINDING, "executionContextId": context}),
        SendAndForget("Runtime.evaluate", {**script, "contextId": context}),
    )


def _quietly(expression: str) -> JsonObject:
    # The stop before each script would also stop here. If the program was running, Node.js then waits forever: it
    # leaves the commands that arrived together with this one in a queue that only the next command empties.
    return {"expression": expression, "silent": True, "disableBreaks": True}


def stop_before_scripts(instrumentation: str) -> SendCommand:
    """Build the breakpoint before each module or classic script."""
    return SendCommand("Debugger.setInstrumentationBreakpoint", {"instrumentation": instrumentation})


def find_function(expression: str) -> SendCommand:
    """Build the command that looks up a function of Node.js."""
    return SendCommand("Runtime.evaluate", _quietly(expression))


def stop_on_call(function: str, text: str) -> SendCommand:
    """Build a breakpoint for the calls of a function."""
    return SendCommand("Debugger.setBreakpointOnFunctionCall", {"objectId": function, "condition": text})


def possible_breakpoints(script: str, start: Position, end: Position | None = None) -> SendCommand:
    """Build the command that lists where V8 can break in a range; without an end, in the function at `start`."""
    first: JsonObject = {"scriptId": script, "lineNumber": start[0], "columnNumber": start[1]}
    if end is None:
        return SendCommand("Debugger.getPossibleBreakpoints", {"start": first, "restrictToFunction": True})
    last: JsonObject = {"scriptId": script, "lineNumber": end[0], "columnNumber": end[1]}
    return SendCommand("Debugger.getPossibleBreakpoints", {"start": first, "end": last})


def stop_by_url(pattern: str, at: Position) -> SendCommand:
    """Build a breakpoint for all present and future scripts whose URL matches."""
    location: JsonObject = {"urlRegex": pattern, "lineNumber": at[0], "columnNumber": at[1]}
    return SendCommand("Debugger.setBreakpointByUrl", location)


def stop_in_script(script: str, at: Position, text: str) -> SendCommand:
    """Build a breakpoint for one script."""
    location: JsonObject = {"scriptId": script, "lineNumber": at[0], "columnNumber": at[1]}
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


def own_properties(object_id: str) -> SendCommand:
    """Build the command that lists the properties of an object, or the variables of a scope."""
    return SendCommand("Runtime.getProperties", {"objectId": object_id, "ownProperties": True})

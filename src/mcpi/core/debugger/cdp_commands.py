"""The commands of the Chrome DevTools Protocol that we use, with the reasons for each."""

import json

from mcpi.core.debugger import recorder_js
from mcpi.core.debugger.debug_effects import SendAndForget, SendCommand
from mcpi.core.jsontext.values import Json, JsonObject, as_object

_SCRIPT = '{"method":"Debugger.scriptParsed"'
_HEAD = 250
"""So many characters of that message hold the script's URL, unless it is a long one."""

RUN = SendAndForget("Runtime.runIfWaitingForDebugger")
RESUME = SendAndForget("Debugger.resume")
# Messages of one inspector keep their order, so any answer comes after all hits before it.
ANYTHING = SendCommand("Runtime.getIsolateId")
# Runtime.enable reports every console.log and keeps what was logged: it is on for the compiler alone.
# Without it the process ends as soon as the program does, and with it what is still on its way to us. A worker that
# waited so would keep its process, which joins it, from ever hearing that we let it go.
STAY_FOR_US = SendAndForget("NodeRuntime.notifyWhenWaitingForDisconnect", {"enabled": True})
COMPILER_ON, COMPILER_OFF = SendAndForget("Runtime.enable"), SendCommand("Runtime.disable")


def parse_message(raw: str) -> "JsonObject | None":
    """The message, unless it is one of those thousands that say nothing."""
    # Each condition that is evaluated is a script without a URL: reading them all would double the cost of a hit.
    if raw.startswith(_SCRIPT) and ('"url":""' in raw[:_HEAD] or '"url":"node:' in raw[:_HEAD]):
        return None
    return as_object(json.loads(raw))


def compiled(source: str) -> SendCommand:
    """Whether the source is JavaScript."""
    return SendCommand("Runtime.compileScript", {"expression": source, "sourceURL": "", "persistScript": False})


def preparation(most: int) -> tuple[SendAndForget, ...]:
    """What comes before the first breakpoint, all sent in one go."""
    return (
        SendAndForget("Runtime.addBinding", {"name": recorder_js.BINDING}),
        SendAndForget("Runtime.evaluate", {"expression": recorder_js.helper(most), "silent": True}),
        # Breakpoints can be set only after it.
        SendAndForget("Debugger.enable"),
        # With a debugger attached, a worker that nobody attends to never starts.
        SendAndForget("NodeWorker.enable", {"waitForDebuggerOnStart": False}),
        # A module stops there before it runs, so that what its map says comes in time.
        SendAndForget(
            "Debugger.setInstrumentationBreakpoint", {"instrumentation": "beforeScriptWithSourceMapExecution"}
        ),
    )


def stop_by_url(pattern: str, line: int, column: int, text: str = "") -> SendCommand:
    """A breakpoint in all scripts, present and future, whose URL fits."""
    where: JsonObject = {"urlRegex": pattern, "lineNumber": line, "columnNumber": column}
    return SendCommand("Debugger.setBreakpointByUrl", {**where, "condition": text} if text else where)


def stop_in_script(script: str, line: int, column: int, text: str) -> SendCommand:
    """A breakpoint in one script."""
    location: JsonObject = {"scriptId": script, "lineNumber": line, "columnNumber": column}
    return SendCommand("Debugger.setBreakpoint", {"location": location, "condition": text})


def remove(name: str) -> SendAndForget:
    """The breakpoint is gone."""
    return SendAndForget("Debugger.removeBreakpoint", {"breakpointId": name})


def evaluate(frame: str, expression: str) -> SendCommand:
    """The value in a call frame; Runtime.evaluate would see no locals."""
    about: dict[str, Json] = {"callFrameId": frame, "expression": expression}
    return SendCommand("Debugger.evaluateOnCallFrame", {**about, "returnByValue": True, "silent": True})


def to_worker(session: str, message: str) -> SendAndForget:
    """A command for the inspector of a worker."""
    return SendAndForget("NodeWorker.sendMessageToWorker", {"sessionId": session, "message": message})

"""The call stack and the names in scope at a hit."""

from collections.abc import Mapping, Sequence

from mcpi.core.debugger.inspector import cdp_commands
from mcpi.core.debugger.inspector.debug_effects import TargetEffectsOf
from mcpi.core.debugger.sources import file_urls
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text

MAX_FRAMES = 50
"""Maximum number of frames of a call stack that are kept."""
MAX_NAMES = 200
"""Maximum number of names of a scope that are kept."""
_SCOPES = {"local", "block", "closure", "catch", "module"}


def details(frames: Sequence[Json], urls: Mapping[str, str]) -> TargetEffectsOf[JsonObject]:
    """Describe the frames of a pause, and list the names that the innermost one sees."""
    described = (_frame(as_object(frame), urls) for frame in frames[:MAX_FRAMES])
    # The frames of Node.js itself have no file.
    stack: list[Json] = [frame for frame in described if frame["file"]]
    scopes: JsonObject = {}
    for one in as_list(as_object(frames[0]).get("scopeChain")):
        scope = as_object(one)
        kind, object_id = as_text(scope.get("type")), as_text(as_object(scope.get("object")).get("objectId"))
        if kind in _SCOPES and object_id:
            answer = yield cdp_commands.own_properties(object_id)
            found = as_list(as_object(answer.get("result")).get("result"))
            names = [as_text(as_object(name).get("name")) for name in found[:MAX_NAMES]]
            before = as_list(scopes.get(kind, []))
            scopes[kind] = [*before, *(name for name in names if name not in before)]
    return {"stack": stack, "scopes": scopes}


def _frame(frame: JsonObject, urls: Mapping[str, str]) -> JsonObject:
    location = as_object(frame.get("location"))
    url = urls.get(as_text(location.get("scriptId")), "") or as_text(frame.get("url"))
    line, column = location.get("lineNumber"), location.get("columnNumber")
    return {
        "function": as_text(frame.get("functionName")) or "(anonymous)",
        "file": file_urls.path_of(url) or url,
        "line": line + 1 if isinstance(line, int) else 0,
        "column": column + 1 if isinstance(column, int) else 0,
    }

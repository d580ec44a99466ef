"""The call stack and the scopes of a pause."""

from mcpi.core.debugger.inspector.call_frames import MAX_FRAMES, details
from mcpi.core.debugger.inspector.cdp_commands import own_properties
from mcpi.core.jsontext.values import Json, JsonObject
from support.drive import drive


def frame(**more: Json) -> JsonObject:
    return {"functionName": "f", "location": {"scriptId": "7", "lineNumber": 3, "columnNumber": 4}, **more}


def scope(kind: str, object_id: str) -> JsonObject:
    return {"type": kind, "object": {"objectId": object_id}}


def frame_values(frames: list[Json]) -> JsonObject:
    names = {"o1": ["a", "b"], "o2": ["b", "c"]}

    def answer(effect: object) -> JsonObject:
        one = next(key for key in names if effect == own_properties(key))
        return {"result": {"result": [{"name": name} for name in names[one]]}}

    result: JsonObject = drive(details(frames, {"7": "file:///p/a%20b.js"}), answer)
    return result


def test_frame_has_function_name_and_position() -> None:
    outer = frame(functionName="", url="node:fs", location={})
    found = frame_values([frame(), outer, frame(url="", location={})])

    assert found["stack"] == [
        {"function": "f", "file": "/p/a b.js", "line": 4, "column": 5},
        {"function": "(anonymous)", "file": "node:fs", "line": 0, "column": 0},
    ]
    assert found["scopes"] == {}


def test_scopes_list_the_names_of_the_innermost_frame() -> None:
    chain: list[Json] = [scope("block", "o1"), scope("block", "o2"), scope("global", "o3"), scope("local", "")]

    assert frame_values([frame(scopeChain=chain)])["scopes"] == {"block": ["a", "b", "c"]}


def test_deep_stack_is_truncated() -> None:
    stack = frame_values([frame() for _ in range(MAX_FRAMES + 5)])["stack"]

    assert isinstance(stack, list)
    assert len(stack) == MAX_FRAMES

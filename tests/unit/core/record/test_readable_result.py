"""Results formatted for human readers."""

import pytest

from mcpi.core.jsontext.exact import Printable
from mcpi.core.record.readable_result import readable_lines
from mcpi.core.text.colors import no_color


def content(*blocks: Printable, **more: Printable) -> Printable:
    """A tool result with these content blocks."""
    return {"content": list(blocks), **more}


@pytest.mark.parametrize(
    ("result", "lines"),
    [
        (content({"type": "text", "text": 'a "b"\n\tc\n'}), ['a "b"', "\tc"]),
        (content({"type": "text", "text": "\x1b[31mred"}), ["\\x1b[31mred"]),
        (content({"type": "text", "text": "boom"}, isError=True), ["the tool reports an error:", "boom"]),
        (content({"type": "image", "mimeType": "image/png", "data": "QUJD"}), ["[image image/png, 3 bytes]"]),
        (content({"type": "audio", "data": "QQ=="}), ["[audio of unknown type, 1 byte]"]),
        (content({"type": "image", "mimeType": "image/png", "data": "A" * 4096}), ["[image image/png, 3.0 kB]"]),
        (content({"type": "image", "mimeType": "image/png", "data": "A" * (1 << 23)}), ["[image image/png, 6.0 MB]"]),
        (content({"type": "resource_link", "uri": "a:b", "name": "x"}), ["[link x <a:b>]"]),
        (content({"type": "resource_link", "uri": "a:b"}), ["[link <a:b>]"]),
        (content({"type": "resource", "resource": {"uri": "a:b", "text": "x\ny"}}), ["[a:b]", "x", "y"]),
        (content({"type": "new", "x": 1}), ["{", '  "type": "new",', '  "x": 1', "}"]),
        (content(structuredContent={"a": 1}), ["{", '  "a": 1', "}"]),
        (content(), []),
        ({"contents": [{"uri": "a:b", "mimeType": "text/x", "text": "x\n"}]}, ["[a:b, text/x]", "x"]),
        ({"contents": [{"uri": "a:b", "blob": "QUJD"}]}, ["[a:b, 3 bytes]"]),
        (
            {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]},
            ["user:", "hi"],
        ),
        (
            {"messages": [{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]},
            ["unknown role:", "a", "b"],
        ),
        ({"completion": {"values": ["a", "b"]}}, ["a", "b"]),
        ({"taskId": "1"}, ["{", '  "taskId": "1"', "}"]),
        ([1], ["[", "  1", "]"]),
        ({"tools": []}, []),
        ({"capabilities": {}}, []),
        ({}, []),
        (None, []),
    ],
)
def test_result_is_formatted_as_readable_lines(result: Printable, lines: list[str]) -> None:
    assert readable_lines(result, no_color) == lines

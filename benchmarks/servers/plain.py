"""A server that is as fast as the standard library allows: its time is not what is measured.

python -SI plain.py [TOOLS] [NOTES] [MEGABYTES]: it offers so many tools, floods with so many notifications after
logging/setLevel, and answers the tool `text` with one text of that size, the tool `rows` with as much in small objects.
"""

import json
import os
import sys

TOOLS, NOTES, MEGABYTES = (int(word) for word in (*sys.argv[1:], "3", "0", "0")[:3])
CHUNK = b"0123456789abcdef" * 4096
ROW = b'{"number":12345,"name":"somebody","tags":["red","green"],"score":0.25,"ok":true},'


def write(*parts: bytes) -> None:
    """All of it is on its way."""
    for part in parts:
        left = memoryview(part)
        while left:
            left = left[os.write(1, left) :]


def result(number: object, text: bytes) -> None:
    """The answer to a request."""
    write(b'{"jsonrpc":"2.0","id":' + json.dumps(number).encode() + b',"result":' + text + b"}\n")


def tools() -> bytes:
    """The list, as long as was asked for."""
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "count": {"type": "integer", "minimum": 0}},
        "required": ["text"],
    }
    names = ["echo", "text", "rows", *(f"tool_{number}" for number in range(TOOLS - 3))]
    listed = [{"name": name, "description": f"Does {name}, as it says.", "inputSchema": schema} for name in names]
    return json.dumps({"tools": listed}, separators=(",", ":")).encode()


def notes() -> bytes:
    """The flood, ready to be written."""
    head = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":"line '
    return b"".join(head + str(number).encode() + b'"}}\n' for number in range(NOTES))


def call(number: object, params: dict[str, dict[str, object]]) -> None:
    """The answer of a tool."""
    name: object = params["name"]
    if name == "text":
        write(b'{"jsonrpc":"2.0","id":' + json.dumps(number).encode())
        write(b',"result":{"content":[{"type":"text","text":"', *[CHUNK] * (MEGABYTES * 16), b'"}]}}\n')
    elif name == "rows":
        rows = ROW * (65536 // len(ROW))
        write(b'{"jsonrpc":"2.0","id":' + json.dumps(number).encode())
        write(b',"result":{"content":[],"structuredContent":{"rows":[', *[rows] * (MEGABYTES * 16), b"null]}}}\n")
    else:
        text = json.dumps(params["arguments"]["text"]).encode()
        result(number, b'{"content":[{"type":"text","text":' + text + b"}]}")


LISTED, FLOOD = tools(), notes()
HELLO = b'"capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"plain","version":"1"}}'
for line in sys.stdin.buffer:
    message = json.loads(line)
    asked, asks = message.get("id"), message.get("method")
    if asked is None:
        continue
    if asks == "tools/call":
        call(asked, message["params"])
    elif asks == "tools/list":
        result(asked, LISTED)
    elif asks == "initialize":
        version = json.dumps(message["params"]["protocolVersion"]).encode()
        result(asked, b'{"protocolVersion":' + version + b"," + HELLO)
    elif asks == "logging/setLevel":
        result(asked, b"{}")
        write(FLOOD)
    elif asks == "ping":
        result(asked, b"{}")
    else:
        write(b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"Method not found"}}\n' % asked)

"""Send one request over SSE, using only the standard library: python events.py URL METHOD PARAMS."""

import json
import sys
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

url = urlsplit(sys.argv[1])
assert url.hostname is not None
stream = HTTPConnection(url.hostname, url.port)
stream.request("GET", url.path, headers={"Accept": "text/event-stream"})
events = stream.getresponse()
posts = HTTPConnection(url.hostname, url.port)


def following() -> bytes:
    """Return the data of the next event."""
    while not (line := events.readline()).startswith(b"data:"):
        assert line, "the server is gone"
    return line[5:].strip()


def tell(message: dict[str, object]) -> None:
    """Send a message."""
    posts.request("POST", where, json.dumps({"jsonrpc": "2.0", **message}), {"Content-Type": "application/json"})
    posts.getresponse().read()


def ask(number: int, method: str, params: object) -> Any:  # noqa: ANN401 - any JSON from the server
    """Send a request and return its result."""
    tell({"id": number, "method": method, "params": params})
    while (message := json.loads(following())).get("id") != number:
        pass
    return message["result"]


where = following().decode()
hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "floor", "version": "1"}}
ask(1, "initialize", hello)
tell({"method": "notifications/initialized"})
result = ask(2, sys.argv[2], json.loads(sys.argv[3]))
sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")

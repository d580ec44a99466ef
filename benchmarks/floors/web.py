"""Send one request over streamable HTTP, using only the standard library: python web.py URL METHOD PARAMS."""

import json
import sys
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

url = urlsplit(sys.argv[1])
assert url.hostname is not None
connection = HTTPConnection(url.hostname, url.port)
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def ask(message: dict[str, object]) -> Any:  # noqa: ANN401 - any JSON from the server
    """Send a message; return the response, if any."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    connection.request("POST", url.path, body, headers)
    response = connection.getresponse()
    text = response.read()
    if session := response.getheader("Mcp-Session-Id"):
        headers["Mcp-Session-Id"] = session
    if response.getheader("Content-Type", "").startswith("text/event-stream"):
        text = b"".join(line[5:] for line in text.splitlines() if line.startswith(b"data:"))
    return json.loads(text)["result"] if text else None


hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "floor", "version": "1"}}
ask({"id": 1, "method": "initialize", "params": hello})
headers["Mcp-Protocol-Version"] = "2025-11-25"
ask({"method": "notifications/initialized"})
result = ask({"id": 2, "method": sys.argv[2], "params": json.loads(sys.argv[3])})
sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
sys.stdout.flush()
connection.request("DELETE", url.path, headers=headers)
connection.getresponse().read()

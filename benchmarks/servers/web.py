"""Serve MCP over streamable HTTP with delayed responses: web.py [MILLISECONDS] prints its port."""

import json
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DELAY = float(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0.0
TOOL = {"name": "echo", "description": "Echoes.", "inputSchema": {"type": "object"}}
INFO = {"capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}


class Handler(BaseHTTPRequestHandler):
    """A connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer one message."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number, method = message.get("id"), message.get("method")
        if number is None:
            self._answer(202, b"")
        elif method == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], **INFO}
            self._result(number, result, {"Mcp-Session-Id": "one"})
        elif method in {"tools/list", "tools/call"}:
            text = {"content": [{"type": "text", "text": "echo"}]}
            self._result(number, {"tools": [TOOL]} if method == "tools/list" else text)
        else:
            error = {"code": -32601, "message": "Method not found"}
            self._answer(200, json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode())

    def do_DELETE(self) -> None:
        """End the session."""
        self._answer(204, b"")

    def do_GET(self) -> None:
        """Refuse the stream of notifications."""
        self._answer(405, b"")

    def _result(self, number: object, result: object, headers: dict[str, str] | None = None) -> None:
        self._answer(200, json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode(), headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        time.sleep(DELAY)
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        # A client that ends a session may close the connection before the response.
        with suppress(ConnectionError):
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()

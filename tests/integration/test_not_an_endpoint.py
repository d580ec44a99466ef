"""A URL that is not an MCP endpoint, or one of the older transport: the message says so and suggests a fix."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from running import Mcpi


class Website(BaseHTTPRequestHandler):
    """A web page for every request, except that POST /sse is a bad request."""

    def do_POST(self) -> None:
        """Read the request and respond."""
        self.rfile.read(int(self.headers["content-length"]))
        body = b"<!doctype html><p>Welcome</p>"
        self.send_response(400 if self.path == "/sse" else 200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def website() -> Iterator[str]:
    """The origin of a server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Website) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_web_page_is_not_an_mcp_endpoint(mcpi: Mcpi, website: str) -> None:
    bare, deep = mcpi("ping", website), mcpi("ping", f"{website}/docs")
    page = "is not an MCP endpoint: it answered initialize with a web page (content type text/html)"

    assert bare.exit_code == deep.exit_code == 1
    assert bare.stderr.splitlines() == [
        f"mcpi: {website} {page}",
        "  <!doctype html><p>Welcome</p>",
        f"  did you mean: mcpi ping {website}/mcp",
    ]
    assert deep.stderr.splitlines()[::2] == [
        f"mcpi: {website}/docs {page}",
        "  check the path of the URL; most servers use /mcp",
    ]


def test_bad_request_hints_at_the_older_transport(mcpi: Mcpi, website: str) -> None:
    ran = mcpi("ping", f"{website}/sse", "--transport", "http")

    assert "if the server uses the older HTTP+SSE transport, add --transport sse" in ran.stderr

"""HTTP servers that were started as stdio servers are recognized by their output."""

import pytest

from mcpi.core.outcome.faults import Exited, TimedOut, Unreachable
from mcpi.core.outcome.http_servers import with_url_hint

LATE = TimedOut("CONNECTION_TIMEOUT", 1.0, "initialize (request 1)", hints=("use a longer --connect-timeout",))


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("Server listening on http://localhost:3000/mcp", "http://localhost:3000/mcp"),
        ("INFO: Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)", "http://localhost:8000/mcp"),
        ("Serving at http://[::]:8000/.", "http://localhost:8000/mcp"),
        ("started: https://127.0.0.1:8443/sse", "https://localhost:8443/sse"),
        ("MCP Streamable HTTP Server listening on port 3000", "http://localhost:3000/mcp"),
        ("Listening on PORT: 8080", "http://localhost:8080/mcp"),
    ],
)
def test_url_of_an_http_server_is_suggested(line: str, url: str) -> None:
    hint = f"it looks like an HTTP server; start it separately, and connect to its URL: mcpi tools/list {url}"

    late, gone = (with_url_hint(fault, ("loading", line)) for fault in (LATE, Exited("node a.js", "initialize")))

    assert isinstance(late, TimedOut)
    assert isinstance(gone, Exited)
    assert late.hints == gone.hints == (hint,)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "running on stdio, see http://localhost.example.com",
        "see http://localhost:3000",
        "listening for messages",
        "connected to https://api.example.com, running",
    ],
)
def test_other_output_is_not_mistaken_for_an_http_server(line: str) -> None:
    assert with_url_hint(LATE, (line,)) == LATE


def test_other_faults_are_unchanged() -> None:
    fault = Unreachable("COMMAND_NOT_FOUND", "command not found: 'x'")

    assert with_url_hint(fault, ("listening on port 3000",)) == fault

"""Pytest plugin: run an MCP server in a test, and add its logs and stderr to the report of a failure.

@pytest.mark.mcp_server("node server.js")
def test_echo(mcp_server):
    result = mcp_server.call("tools/call", tool_name="echo", tool_args={"message": "hi"})
    assert result["content"][0]["text"] == "Echo: hi"
    mcp_server.expect_no_violations()
"""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mcpi.core.client.entries import ServerDescription
    from mcpi.core.jsontext.exact import Params, Printable

_KEY = pytest.StashKey["McpServer"]()


class McpServer:
    """A blocking connection to a server, for synchronous tests."""

    def __init__(self, target: Any, options: dict[str, Any]) -> None:  # noqa: ANN401 - a command, a URL or a config entry
        """Connect to the server."""
        from anyio.from_thread import start_blocking_portal  # noqa: PLC0415 - keep the start of pytest fast

        from mcpi import Inspector, InspectorOptions  # noqa: PLC0415 - see above
        from mcpi.core.record.transcript import Transcript  # noqa: PLC0415 - see above

        handlers = options.pop("handlers", None)
        self.transcript: Transcript = Transcript(0.0, keep=True)
        inspector_options = InspectorOptions(**{"log_level": "debug", "validate": True, **options})
        self.inspector: Inspector = Inspector(target, handlers=handlers, options=inspector_options)
        self.inspector.transcripts.append(self.transcript)
        # The thread starts only after the arguments are checked: if an error left it running, pytest could not exit.
        self._portal_context = start_blocking_portal()
        self._portal = self._portal_context.__enter__()
        try:
            self.server: ServerDescription = self._portal.call(self.inspector.connect)
        except BaseException:
            self._portal_context.__exit__(None, None, None)
            raise

    def call(self, method: str, **flags: "Printable") -> Any:  # noqa: ANN401 - any JSON from the server
        """Call a method by name, with its flags as keyword arguments."""
        return self._portal.call(lambda: self.inspector.call(method, **flags))

    def request(self, method: str, params: "Params | None" = None) -> Any:  # noqa: ANN401 - see above
        """Send any request, with the params unchanged."""
        return self._portal.call(self.inspector.request, method, params)

    @property
    def violations(self) -> list[Any]:
        """Violations of the protocol by the server."""
        return list(self.transcript.violations)

    def expect_no_violations(self) -> None:
        """Fail the test if the server violated the protocol or its schema."""
        assert not self.violations, "\n".join(f"{one['rule']}: {one['detail']}" for one in self.violations)

    def sections(self) -> Iterator[tuple[str, str]]:
        """Yield the title and text of each section for the report of a failure."""
        stderr = "\n".join(str(entry["raw"]) for entry in self.inspector.stderr)
        logs = "\n".join(f"{one['level']}: {one['message']}" for one in self._logs())
        for title, text in (("mcp server stderr", stderr), ("mcp server logs", logs)):
            if text:
                yield title, text

    def _logs(self) -> list[Any]:
        return list(self.transcript.logs)

    def close(self) -> None:
        """Disconnect, and stop the thread."""
        try:
            self._portal.call(self.inspector.disconnect)
        finally:
            self._portal_context.__exit__(None, None, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the ini option for the server of a test suite."""
    parser.addini("mcp_server", "the MCP server that the fixture mcp_server starts: a command or a URL")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    line = "mcp_server(target, **options): the MCP server of this test, with the options of mcpi.InspectorOptions"
    config.addinivalue_line("markers", line)


@pytest.fixture
def mcp_server(request: pytest.FixtureRequest) -> Iterator[McpServer]:
    """Start the MCP server named by the marker or the ini file, for this test alone."""
    marker = request.node.get_closest_marker("mcp_server")
    target = marker.args[0] if marker is not None and marker.args else request.config.getini("mcp_server")
    if not target:
        pytest.fail("no server: mark the test with @pytest.mark.mcp_server(...) or set mcp_server in the ini file")
    server = McpServer(target, dict(marker.kwargs) if marker is not None else {})
    request.node.stash[_KEY] = server
    yield server
    server.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the server's logs and stderr to the report of a failed test."""
    report = yield
    server = item.stash.get(_KEY, None)
    if server is not None and report.when == "call" and report.failed:
        report.sections += server.sections()
    return report

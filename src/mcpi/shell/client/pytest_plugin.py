"""The pytest plugin: a real MCP server in a test, its logs and stderr in the report of a failure.

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
    from mcpi.core.jsontext.exact import Params, Printable
    from mcpi.core.wire.server_info import NegotiatedServer

_KEY = pytest.StashKey["McpServer"]()


class McpServer:
    """A connection to a server, for tests that are no coroutines."""

    def __init__(self, target: Any, options: dict[str, Any]) -> None:  # noqa: ANN401 - a command, a URL, an entry
        """Connected."""
        from anyio.from_thread import start_blocking_portal  # noqa: PLC0415 - pytest starts without us

        from mcpi import Inspector, InspectorOptions  # noqa: PLC0415 - see above
        from mcpi.core.record.transcript import Transcript  # noqa: PLC0415 - see above

        handlers = options.pop("handlers", None)
        self.transcript: Transcript = Transcript(0.0, keep=True)
        wanted = InspectorOptions(**{"log_level": "debug", "validate": True, **options})
        self.inspector: Inspector = Inspector(target, handlers=handlers, options=wanted)
        self.inspector.transcripts.append(self.transcript)
        # Its thread is begun when nothing of what was given can be wrong any more: it would keep the test run alive.
        self._portal_context = start_blocking_portal()
        self._portal = self._portal_context.__enter__()
        try:
            self.server: NegotiatedServer = self._portal.call(self.inspector.connect)
        except BaseException:
            self._portal_context.__exit__(None, None, None)
            raise

    def call(self, method: str, **flags: "Printable") -> Any:  # noqa: ANN401 - whatever the server says
        """A method by its name, with its flags as keyword arguments."""
        return self._portal.call(lambda: self.inspector.call(method, **flags))

    def request(self, method: str, params: "Params | None" = None) -> Any:  # noqa: ANN401 - see above
        """Any request, with its parameters as they are."""
        return self._portal.call(self.inspector.request, method, params)

    @property
    def violations(self) -> list[Any]:
        """What the server did that the protocol does not allow."""
        return list(self.transcript.violations)

    def expect_no_violations(self) -> None:
        """The test fails if the server broke a rule of the protocol or its schema."""
        assert not self.violations, "\n".join(f"{one['rule']}: {one['detail']}" for one in self.violations)

    def sections(self) -> Iterator[tuple[str, str]]:
        """What a report of a failure shows of the server."""
        stderr = "\n".join(str(entry["raw"]) for entry in self.inspector.stderr)
        logs = "\n".join(f"{one['level']}: {one['message']}" for one in self._logs())
        for title, text in (("mcp server stderr", stderr), ("mcp server logs", logs)):
            if text:
                yield title, text

    def _logs(self) -> list[Any]:
        return list(self.transcript.logs)

    def close(self) -> None:
        """Nothing is left of the server."""
        try:
            self._portal.call(self.inspector.disconnect)
        finally:
            self._portal_context.__exit__(None, None, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The server of a whole test suite may stand in its ini file."""
    parser.addini("mcp_server", "the MCP server that the fixture mcp_server starts: a command or a URL")


def pytest_configure(config: pytest.Config) -> None:
    """The marker is known."""
    line = "mcp_server(target, **options): the MCP server of this test, with the options of mcpi.InspectorOptions"
    config.addinivalue_line("markers", line)


@pytest.fixture
def mcp_server(request: pytest.FixtureRequest) -> Iterator[McpServer]:
    """The MCP server that a marker or the ini file names, started for this test alone."""
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
    """A failure shows what the server said."""
    report = yield
    server = item.stash.get(_KEY, None)
    if server is not None and report.when == "call" and report.failed:
        report.sections += server.sections()
    return report

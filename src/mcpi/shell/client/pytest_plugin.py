"""Pytest plugin: run an MCP server in a test, and add its messages, logs and stderr to the report of a failure.

@pytest.mark.mcp_server("node server.js")
def test_echo(mcp_server):
    result = mcp_server.call_tool("echo", {"message": "hi"})
    assert result.text == "Echo: hi"
    mcp_server.expect_no_violations()
"""

from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping
from inspect import iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import pytest

if TYPE_CHECKING:
    from mcpi import (
        Inspector,
        ServerDescription,
        TargetLike,
        Tool,
        ToolResult,
    )
    from mcpi.core.jsontext.exact import Params, Printable
    from mcpi.core.record.transcript import Transcript
    from mcpi.shell.client.observation.recording import Recording

T = TypeVar("T")

_KEY = pytest.StashKey["McpServer"]()
WAIT = 5.0
"""Default number of seconds to wait for a notification."""
_SHOWN = 50
"""Number of messages in the report of a failure."""


class RunningServer:
    """A connection that tests use from outside its event loop."""

    def __init__(self, target: Any, options: dict[str, Any]) -> None:  # noqa: ANN401 - a command, a URL or a config entry
        """Connect to the server."""
        from anyio.from_thread import start_blocking_portal  # noqa: PLC0415 - keep the start of pytest fast

        from mcpi import Inspector, InspectorOptions  # noqa: PLC0415 - see above
        from mcpi.shell.client.observation.recording import Recording  # noqa: PLC0415 - see above

        handlers = options.pop("handlers", None)
        defaults = {"log_level": "debug", "validate": True, "retries": 0, "reconnect": False}
        self.inspector: Inspector = Inspector(
            target, handlers=handlers, options=InspectorOptions(**{**defaults, **options})
        )
        # The first test also sees the messages of the start.
        self._started: Recording | None = Recording(self.inspector)
        # The thread starts only after the arguments are checked: if an error left it running, pytest could not exit.
        self._portal_context = start_blocking_portal()
        self._portal = self._portal_context.__enter__()
        try:
            self.server: ServerDescription = self.run(self.inspector.connect)
        except BaseException:
            self._portal_context.__exit__(None, None, None)
            raise

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine function on the event loop of the connection."""
        __tracebackhide__ = True
        from mcpi import McpiError  # noqa: PLC0415 - keep the start of pytest fast

        try:
            result: T = self._portal.call(work)
        except McpiError as error:
            # Omit the frames of the event loop: they are irrelevant to the test.
            raise error.with_traceback(None) from error.__cause__
        return result

    def record(self) -> "Recording":
        """Return the recording of a test: that of the start for the first test, or a new one."""
        from mcpi.shell.client.observation.recording import Recording  # noqa: PLC0415 - keep the start of pytest fast

        started, self._started = self._started, None
        return started or Recording(self.inspector)

    def close(self) -> None:
        """Disconnect, and stop the thread."""
        try:
            self._portal.call(self.inspector.close)
        finally:
            self._portal_context.__exit__(None, None, None)


class McpServer:
    """A connection as seen by one test: only events received during the test are included."""

    def __init__(self, running: RunningServer) -> None:
        """Start recording."""
        self._running = running
        self._recording = running.record()
        self.inspector: Inspector = running.inspector
        self.server: ServerDescription = running.server
        self.transcript: Transcript = self._recording.transcript

    def run(self, work: "Callable[[Inspector], Coroutine[Any, Any, T]]") -> T:
        """Run a coroutine function with the client, such as `lambda client: client.list_prompts()`."""
        __tracebackhide__ = True
        return self._running.run(lambda: work(self.inspector))

    # Type checkers would accept every attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say how to reach the members that only the client has."""
            from mcpi import Inspector  # noqa: PLC0415 - see above

            is_method = iscoroutinefunction(getattr(Inspector, name, None))
            way = f"run(lambda client: client.{name}(...))" if is_method else f"inspector.{name}"
            hint = f"; use mcp_server.{way}" if hasattr(Inspector, name) else ""
            raise AttributeError(f"the fixture mcp_server has no attribute {name!r}{hint}")

    def call(self, method: str, **arguments: Any) -> Any:  # noqa: ANN401 - any JSON from the server
        """Call a method by name, with its flags as keyword arguments."""
        __tracebackhide__ = True
        return self.run(lambda client: client.call(method, **arguments))

    def call_tool(self, name: str, arguments: "Mapping[str, Printable] | None" = None, **options: Any) -> "ToolResult":  # noqa: ANN401 - those of a call
        """Call a tool."""
        __tracebackhide__ = True
        return self.run(lambda client: client.call_tool(name, arguments, **options))

    def list_tools(self) -> "list[Tool]":
        """Fetch all tools."""
        __tracebackhide__ = True
        return self.run(lambda client: client.list_tools())

    def request(self, method: str, params: "Params | None" = None) -> Any:  # noqa: ANN401 - see above
        """Send any request, with the params unchanged."""
        __tracebackhide__ = True
        return self.run(lambda client: client.request(method, params))

    def wait_for(self, notification: str, timeout: float = WAIT) -> dict[str, Any]:
        """Wait for the next notification of this method during the test, and return its params."""
        __tracebackhide__ = True
        found = self._running.run(lambda: self._next(notification, timeout))
        if found is None:
            pytest.fail(f"the server did not send {notification} within {timeout:g} s")
        return found

    async def _next(self, notification: str, seconds: float) -> dict[str, Any] | None:
        from anyio import move_on_after  # noqa: PLC0415 - keep the start of pytest fast

        with move_on_after(seconds):
            async for event in self._recording.notifications:
                if event.method == notification:
                    return event.params or {}
        return None

    @property
    def violations(self) -> list[Any]:
        """Violations of the protocol by the server."""
        from mcpi.core.wire.violations import SENT  # noqa: PLC0415 - see above

        found: list[Any] = self.transcript.violations
        return [one for one in found if one["rule"] != SENT]

    def expect_no_violations(self) -> None:
        """Fail the test if the server violated the protocol or its schema."""
        __tracebackhide__ = True
        if self.violations:
            pytest.fail(self._violation_text())

    def _violation_text(self) -> str:
        parts = ((one["rule"], one["detail"], one["evidence"]) for one in self.violations)
        return "\n".join(": ".join(filter(None, some)) for some in parts)

    def sections(self) -> Iterator[tuple[str, str]]:
        """Yield the title and text of each section for the report of a failure."""
        logs: list[Any] = list(self.transcript.logs)
        timeline = [
            f"{one.time} {one.direction:8} {one.kind:12} {one.method or ''}"
            + (f" ({one.duration_ms:g} ms)" if one.duration_ms is not None else "")
            for one in self._recording.messages()[-_SHOWN:]
        ]
        texts = {
            "violations": self._violation_text(),
            "messages": "\n".join(timeline),
            "logs": "\n".join(f"{one['level']}: {one['message']}" for one in logs),
            "stderr": "\n".join(self._recording.stderr()),
        }
        for title, text in texts.items():
            if text:
                yield f"mcp server {title}", text

    def end(self) -> None:
        """Stop recording."""
        self._recording.end()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the ini options for the server of a test suite."""
    parser.addini("mcp_server", "the MCP server that the fixture mcp_server starts: a command or a URL")
    parser.addini("mcp_server_scope", "function (default) to start it for each test, session to share it")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    line = "mcp_server(target, scope=None, **options): the MCP server of this test, with mcpi.InspectorOptions"
    config.addinivalue_line("markers", line)


@pytest.fixture(scope="session")
def mcp_shared_servers() -> Iterator[dict[str, RunningServer]]:
    """The servers that tests share, by target and options."""
    shared: dict[str, RunningServer] = {}
    yield shared
    for running in shared.values():
        running.close()


@pytest.fixture
def mcp_server_target(request: pytest.FixtureRequest) -> Any:  # noqa: ANN401 - a command, a URL or a config entry
    """The target named by the marker or the ini file; override this fixture to compute it from other fixtures."""
    marker = request.node.get_closest_marker("mcp_server")
    return marker.args[0] if marker is not None and marker.args else request.config.getini("mcp_server")


def _marker_options(marker: pytest.Mark | None) -> dict[str, Any]:
    """Return the options in the marker; fail the test if the marker has an unknown option, or several targets."""
    from mcpi import InspectorOptions  # noqa: PLC0415 - keep the start of pytest fast

    if marker is None:
        return {}
    if len(marker.args) > 1:
        pytest.fail(f"mcp_server: expected one target, got {len(marker.args)}; write a command as a string or a list")
    for name in sorted(marker.kwargs.keys() - {"scope", "handlers", *signature(InspectorOptions).parameters}):
        known = "options of mcpi.InspectorOptions, scope or handlers"
        pytest.fail(f"mcp_server: unknown option {name!r}; write @pytest.mark.mcp_server(TARGET, ...) with {known}")
    return dict(marker.kwargs)


@pytest.fixture
def mcp_server(
    request: pytest.FixtureRequest,
    mcp_server_target: "TargetLike",
    mcp_shared_servers: dict[str, RunningServer],
) -> Iterator[McpServer]:
    """Connect to the MCP server of this test; with the scope `session`, tests share it."""
    options = _marker_options(request.node.get_closest_marker("mcp_server"))
    if not mcp_server_target:
        pytest.fail(
            "no server: mark the test with @pytest.mark.mcp_server(...), set mcp_server in the ini file, "
            "or override the fixture mcp_server_target"
        )
    scope = options.pop("scope", None) or request.config.getini("mcp_server_scope") or "function"
    if scope not in ("function", "session"):
        pytest.fail(f"mcp_server: the scope must be function or session, got {scope!r}")
    key = f"{mcp_server_target!r} {options!r}"
    running = mcp_shared_servers.get(key) if scope == "session" else None
    if running is not None and running.inspector.status != "connected":
        mcp_shared_servers.pop(key).close()
        running = None
    if running is None:
        running = RunningServer(mcp_server_target, options)
    if scope == "session":
        mcp_shared_servers[key] = running
    server = McpServer(running)
    request.node.stash[_KEY] = server
    yield server
    server.end()
    if scope == "function":
        running.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the server's violations, messages, logs and stderr to the report of a failed test."""
    report = yield
    server = item.stash.get(_KEY, None)
    if server is not None and report.when == "call" and report.failed:
        report.sections += server.sections()
    return report

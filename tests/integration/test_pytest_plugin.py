"""The pytest plugin, in a separate test suite."""

import re
import subprocess
import sys
from pathlib import Path

import warm

SUITE = """
import pytest
pytestmark = pytest.mark.mcp_server(DEMO, era="handshake")

def test_echo(mcp_server):
    result = mcp_server.call("tools/call", tool_name="echo", tool_args={"text": "hi"})
    assert result["content"][0]["text"] == "hi"
    mcp_server.expect_no_violations()

def test_that_fails(mcp_server):
    mcp_server.call("tools/call", tool_name="log")
    assert mcp_server.wait_for("notifications/message")["level"] == "debug"
    assert mcp_server.request("ping") == 1

def test_that_raises(mcp_server):
    mcp_server.request("no/method")

def test_that_waits_in_vain(mcp_server):
    mcp_server.wait_for("notifications/never", timeout=0.1)
"""

SHARED = """
import pytest
pytestmark = pytest.mark.mcp_server(scope="session", era="handshake")

@pytest.fixture
def mcp_server_target(tmp_path):
    return DEMO

def test_first(mcp_server):
    mcp_server.call_tool("log")
    assert len(mcp_server.transcript.notifications) + len(mcp_server.transcript.logs) > 0
    test_first.inspector = mcp_server.inspector

def test_second(mcp_server):
    assert mcp_server.inspector is test_first.inspector
    assert mcp_server.transcript.logs == []
    assert "echo" in [tool.name for tool in mcp_server.list_tools()]
"""

MISTAKEN = """
import pytest

@pytest.mark.mcp_server("python x.py", foo=1)
def test_with_an_option_that_there_is_not(mcp_server):
    pass

@pytest.mark.mcp_server(command="node x.js")
def test_without_a_target(mcp_server):
    pass

@pytest.mark.mcp_server("node", "x.js")
def test_with_two_targets(mcp_server):
    pass

@pytest.mark.mcp_server("htp://x")
def test_with_a_scheme_that_there_is_not(mcp_server):
    pass
"""

CONFIGURED = """
import pytest

@pytest.mark.mcp_server("camp")
def test_with_the_name_of_a_configured_server(mcp_server):
    pass
"""

CLIENT_MEMBERS = """
import pytest
pytestmark = pytest.mark.mcp_server(DEMO, era="handshake")

@pytest.mark.parametrize(("name", "hint"), [
    ("read_resource", "; use mcp_server.run(lambda client: client.read_resource(...))"),
    ("history", "; use mcp_server.inspector.history"),
    ("nothing", ""),
])
def test_members_of_the_client(mcp_server, name, hint):
    with pytest.raises(AttributeError) as raised:
        getattr(mcp_server, name)
    assert str(raised.value) == f"the fixture mcp_server has no attribute {name!r}{hint}"
"""

INVALID_PLUGIN = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    about = {"name": "unlawful", "version": "1"}
    answer = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
    if asked["method"] == "tools/list":
        answer = {"tools": [{"name": 5, "inputSchema": {"type": "object"}}]}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""

EXITED_SERVER = """
import sys, pytest

@pytest.mark.mcp_server([sys.executable, "-c", "import sys; sys.exit('no DATABASE_URL')"])
def test_with_a_server_that_does_not_start(mcp_server):
    pass
"""

NOISY_START = """
import json, sys
print("starting up", flush=True)
print("listening", file=sys.stderr, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    about = {"name": "noisy", "version": "1"}
    answer = {"protocolVersion": "2025-06-18", "capabilities": {"logging": {}}, "serverInfo": about}
    if asked["method"] == "crash":
        sys.exit(1)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
    if asked["method"] == "notifications/initialized":
        log = {"level": "info", "data": "ready"}
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": log}), flush=True)
"""

STARTS = """
import sys, pytest
pytestmark = pytest.mark.mcp_server([sys.executable, "noisy.py"], era="handshake", scope="session", log_level=None)

def test_with_a_noisy_start(mcp_server):
    assert mcp_server.wait_for("notifications/message")["data"] == "ready"
    mcp_server.expect_no_violations()

def test_that_shares_the_server(mcp_server):
    mcp_server.expect_no_violations()
    with pytest.raises(Exception, match="exited with code 1"):
        mcp_server.request("crash")

def test_with_a_new_server(mcp_server):
    assert mcp_server.wait_for("notifications/message")["data"] == "ready"
"""

MEASURING = """
import sys, pytest
pytestmark = pytest.mark.mcp_server([sys.executable, "unlawful.py"], era="handshake")

def test_the_schema_counts(mcp_server):
    mcp_server.call("tools/list")
    mcp_server.expect_no_violations()

@pytest.mark.mcp_server([sys.executable, "unlawful.py"], era="handshake", validate=False)
def test_unless_it_should_not(mcp_server):
    mcp_server.call("tools/list")
    mcp_server.expect_no_violations()
"""


def run(folder: Path, suite: str) -> subprocess.CompletedProcess[str]:
    """Run the suite with pytest, and return the result."""
    (folder / "test_server.py").write_text(f"DEMO = {warm.demo()!r}\n{suite}")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=60,
    )


def test_suite_runs_against_a_server_and_reports_its_logs(tmp_path: Path) -> None:
    ran = run(tmp_path, SUITE)

    assert "3 failed, 1 passed" in ran.stdout
    assert "mcp server logs" in ran.stdout
    assert "debug: A message at level debug." in ran.stdout
    assert re.search(r"20\d\d-.* received response     tools/call \(.* ms\)", ran.stdout)
    assert "the server did not send notifications/never within 0.1 s" in ran.stdout
    assert "anyio" not in ran.stdout
    assert "pytest_plugin.py" not in ran.stdout


def test_tests_can_share_a_server(tmp_path: Path) -> None:
    ran = run(tmp_path, SHARED)

    assert "2 passed" in ran.stdout


def test_invalid_server_options_fail_only_their_tests(tmp_path: Path) -> None:
    ran = run(tmp_path, MISTAKEN)

    assert "4 errors" in ran.stdout
    assert "mcp_server: expected one target, got 2; write a command as a string or a list" in ran.stdout
    for name in ("foo", "command"):
        assert f"mcp_server: unknown option {name!r}; write @pytest.mark.mcp_server(TARGET, ...) with" in ran.stdout
    assert "htp:// is not a supported URL scheme" in ran.stdout


def test_members_of_the_client_are_not_members_of_the_fixture(tmp_path: Path) -> None:
    ran = run(tmp_path, CLIENT_MEMBERS)

    assert "3 passed" in ran.stdout


def test_name_of_a_configured_server_is_explained(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"camp": {"command": "node", "args": ["camp.js"]}}}')

    ran = run(tmp_path, CONFIGURED)

    assert "command not found: 'camp'" in ran.stdout
    hint = (
        "'camp' is a server in .mcp.json; use next(one for one in mcpi.load_servers('.mcp.json') if one.name == 'camp')"
    )
    assert hint in ran.stdout


def test_validation_reports_schema_violations(tmp_path: Path) -> None:
    (tmp_path / "unlawful.py").write_text(INVALID_PLUGIN, encoding="utf-8")

    ran = run(tmp_path, MEASURING)

    assert "1 failed, 1 passed" in ran.stdout
    assert "schema: the result of tools/list violates the schema of 2025-06-18 at /tools/0/name" in ran.stdout


def test_first_test_includes_the_start_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY_START, encoding="utf-8")

    ran = run(tmp_path, STARTS)

    assert "1 failed, 2 passed" in ran.stdout
    assert "not-json: not a JSON-RPC message: starting up\n" in ran.stdout
    assert re.search("mcp server stderr -+\nlistening", ran.stdout)


def test_stderr_of_a_server_that_fails_to_start_is_reported(tmp_path: Path) -> None:
    ran = run(tmp_path, EXITED_SERVER)

    assert "1 error" in ran.stdout
    assert "no DATABASE_URL" in ran.stdout.replace("-c", "").partition("exited with code 1")[2]

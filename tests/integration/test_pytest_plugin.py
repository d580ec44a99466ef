"""The pytest plugin, in a test suite of its own."""

import subprocess
import sys
from pathlib import Path

SUITE = """
import sys, pytest
pytestmark = pytest.mark.mcp_server([sys.executable, "-m", "mcpi.shell.demo"], era="handshake")

def test_echo(mcp_server):
    result = mcp_server.call("tools/call", tool_name="echo", tool_args={"text": "hi"})
    assert result["content"][0]["text"] == "hi"
    mcp_server.expect_no_violations()

def test_that_fails(mcp_server):
    mcp_server.call("tools/call", tool_name="log")
    assert mcp_server.request("ping") == 1
"""


def test_a_suite_tests_a_real_server(tmp_path: Path) -> None:
    (tmp_path / "test_server.py").write_text(SUITE)

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert "1 failed, 1 passed" in ran.stdout
    assert "mcp server logs" in ran.stdout
    assert "debug: A message of level debug." in ran.stdout

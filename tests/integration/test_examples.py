"""Every line of docs/examples.md, run as written, with shorter timeouts and local servers."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import warm
from running import clean_environment, has

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r'^```sh title="requires your own server"\n(.*?)^```', re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "docs" / "examples.md").read_text("utf-8")
LINES = [line for block in BLOCK.findall(PAGE) for line in block.splitlines()]
SERVER = ROOT / "fixtures" / "examples" / "server.js"
SHORTER = {
    "--poll-interval 2000": "--poll-interval 200",
    "--follow --timeout 30000": "--follow --timeout 3000",
    "--log-level debug --follow": "--log-level debug --follow --max-events 2",
}
SHOWN = {
    "--port 3000": '"get_weather"',
    "get_weather": "mild in London (metric)",
    "resources/read": "a,b",
    "completion/complete": '"bullets"',
    "ask_claude": '"text": "4"',
    "long_analysis": "sales_2024 is fine",
    "--timeout 30000": "",
    "logging/setLevel": '"level":"debug","data":"two"}',
    "oauth/discover": '"authorization_endpoint"',
    "server/info": '"examples"',
    "--config": '"get_weather"',
    "--roots": "My Project: /src/index.ts",
    "jq": "read_file",
}
"""Expected output of the lines, by a word that occurs in no earlier line."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A directory with the files assumed by the page."""
    (tmp_path / ".mcp").mkdir()
    for name in ("server.js", "agent-server.js"):
        shutil.copy(SERVER, tmp_path / name)
    config = {"mcpServers": {"my-server": {"command": "node", "args": ["server.js"]}, "other": {"command": "x"}}}
    (tmp_path / ".mcp" / "servers.json").write_text(json.dumps(config))
    return tmp_path


@pytest.mark.parametrize(("line", "shown"), [*zip(LINES, SHOWN.values(), strict=True)], ids=list(SHOWN))
def test_documented_line_prints_the_expected_output(
    line: str, shown: str, home: Path, served: Callable[..., str]
) -> None:
    if "| jq" in line and not has("jq"):
        pytest.skip("there is no jq")
    if "https://mcp.example.com/mcp" in line:
        line = line.replace("https://mcp.example.com/mcp", served("node", str(SERVER), "--listen", "PORT"))
    if "https://mcp.example.com" in line:
        authorized = ROOT / "fixtures" / "servers" / "authorized.py"
        line = line.replace("https://mcp.example.com", served(sys.executable, str(authorized), "PORT"))
    for long, short in SHORTER.items():
        line = line.replace(long, short)

    ran = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],  # noqa: S607 - run by a shell
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
        env=clean_environment({"PATH": warm.search_path(), "HOME": str(home)}),
        timeout=60,
    )

    assert ran.returncode == 0, ran.stderr
    assert "warning" not in ran.stderr
    assert shown in ran.stdout

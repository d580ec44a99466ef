"""Config files of other MCP clients, and the servers defined in them."""

import json
import sys
from pathlib import Path

import pytest

import warm
from running import Mcpi

DEMO = {"command": "${DEMO_PYTHON:-python3}", "args": ["-m", "mcpi.shell.demo.demo_server"]}
FILES = {
    ".mcp.json": {"mcpServers": {"demo": DEMO}},
    "claude_desktop_config.json": {"mcpServers": {"demo": DEMO}, "globalShortcut": ""},
    ".cursor/mcp.json": {"mcpServers": {"demo": {**DEMO, "cwd": "${workspaceFolder}"}}},
    ".vscode/mcp.json": {"inputs": [], "servers": {"demo": {"type": "stdio", **DEMO}}},
    ".zed/settings.json": {"context_servers": {"demo": {"source": "custom", **DEMO}}},
    "settings.json": {"mcp": {"servers": {"demo": DEMO}}},
}


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment without any config files."""
    empty = tmp_path / "home"
    empty.mkdir()
    return {"HOME": str(empty), "XDG_CONFIG_HOME": str(empty / ".config"), "USERPROFILE": str(empty)}


def written(folder: Path, name: str, content: object) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


@pytest.mark.parametrize("name", FILES)
def test_config_file_of_another_tool_defines_a_server(mcpi: Mcpi, tmp_path: Path, name: str) -> None:
    written(tmp_path, name, FILES[name])
    ran = mcpi("--config", name, "--method", "server/info", cwd=tmp_path, env={"DEMO_PYTHON": warm.python()})

    assert (ran.exit_code, ran.json["name"]) == (0, "mcpi-demo")


def test_env_file_variables_reach_the_server(mcpi: Mcpi, tmp_path: Path) -> None:
    written(tmp_path, ".env", "export SAID='from the file' # of variables\nKEPT=no\n")
    code = "import os, sys; sys.exit(os.environ['SAID'] + ', ' + os.environ['KEPT'])"
    entry = {
        "command": sys.executable,
        "args": ["-c", code],
        "envFile": "${workspaceFolder}/.env",
        "env": {"KEPT": "own"},
    }
    written(tmp_path, ".vscode/mcp.json", {"servers": {"a": entry}})
    ran = mcpi("--config", ".vscode/mcp.json", "--method", "tools/list", cwd=tmp_path)

    assert "from the file, own\n" in ran.stderr


def test_missing_env_file_is_reported(mcpi: Mcpi, tmp_path: Path) -> None:
    entry = {"command": "node", "envFile": ".env"}
    file = written(tmp_path, "mcp.json", {"servers": {"a": entry}})
    ran = mcpi("--config", str(file), "--method", "tools/list", cwd=tmp_path)

    assert ran.stderr == "mcpi: --config: cannot read .env: No such file or directory\n"


def test_env_file_is_not_overwritten(mcpi: Mcpi, tmp_path: Path) -> None:
    written(tmp_path, ".env", "A=1\n")
    written(tmp_path, "mcp.json", {"servers": {"a": {"command": "node", "envFile": ".env"}}})
    ran = mcpi("tools/list", "--config", "mcp.json", "--output", ".env", cwd=tmp_path)

    assert (ran.exit_code, (tmp_path / ".env").read_text()) == (1, "A=1\n")
    assert ran.stderr == "mcpi: --output: .env is already used by --config\n  choose another file\n"


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_env_file_name_that_is_invalid_is_reported(name: str, mcpi: Mcpi, tmp_path: Path) -> None:
    file = written(tmp_path, "mcp.json", {"servers": {"a": {"command": "node", "envFile": name}}})
    ran = mcpi("--config", str(file), "--method", "tools/list")

    assert (ran.exit_code, ran.stderr) == (1, f"mcpi: --config: cannot read {name!r}: invalid file name\n")


def test_messages_mask_variable_values(mcpi: Mcpi, tmp_path: Path) -> None:
    servers = {
        "command": {"command": sys.executable, "args": ["-c", "raise SystemExit(3)", "--api-key", "${HELD}"]},
        "address": {"url": "example.com/mcp?x=${HELD}"},
        "port": {"url": "https://u:${HELD}@example.com:99999/"},
        "path": {"url": "https://example.com:99999/${HELD}"},
    }
    written(tmp_path, "mcp.json", {"mcpServers": servers})
    wanted = ("--config", "mcp.json", "--method", "tools/list", "--structured", "--verbose")
    held = {"HELD": "a-secret-of-nobody"}
    ran = [mcpi(*wanted, "--server", name, cwd=tmp_path, env=held) for name in servers]
    ran.append(mcpi("--config", "mcp.json", "--list-servers", cwd=tmp_path, env=held))

    assert [one.exit_code for one in ran] == [1, 1, 1, 1, 0]
    assert [one for one in ran if held["HELD"] in one.stdout + one.stderr] == []


def test_list_servers_masks_secrets(mcpi: Mcpi, tmp_path: Path) -> None:
    content = '{"servers": { // mine\n "a": {"command": "x", "args": ["--token", "s3cr3t"], "env": {"K": "s3cr3t"}}, }}'
    ran = mcpi("--list-servers", "--config", str(written(tmp_path, "mcp.json", content)), "--compact")

    assert "s3cr3t" not in ran.stdout
    assert ran.json == [
        {
            "name": "a",
            "config": str(tmp_path / "mcp.json"),
            "kind": "stdio",
            "command": ["x", "--token", "***"],
            "env": ["K"],
            "problem": None,
        }
    ]


def test_list_servers_finds_project_and_home_configs(mcpi: Mcpi, tmp_path: Path, home: dict[str, str]) -> None:
    written(tmp_path, ".mcp.json", {"mcpServers": {"here": DEMO}})
    written(tmp_path, ".vscode/mcp.json", "{")
    written(Path(home["HOME"]), ".cursor/mcp.json", {"mcpServers": {"there": {"url": "https://h/mcp"}}})
    written(Path(home["HOME"]), ".gemini/settings.json", {"theme": "dark"})
    ran = mcpi("--list-servers", cwd=tmp_path, env=home)

    assert [(server["name"], server["kind"], server["problem"]) for server in ran.json] == [
        ("here", "stdio", None),
        (None, None, "invalid JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
        ("there", "http", None),
    ]


def test_list_servers_without_configs_is_empty(mcpi: Mcpi, tmp_path: Path, home: dict[str, str]) -> None:
    ran = mcpi("--list-servers", cwd=tmp_path, env=home)

    assert (ran.exit_code, ran.json, ran.stderr) == (0, [], "")


def test_list_servers_with_missing_config_fails(mcpi: Mcpi, tmp_path: Path) -> None:
    ran = mcpi("--list-servers", "--config", str(tmp_path / "gone.json"))

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "gone.json: No such file or directory" in ran.stderr


def test_home_of_unknown_user_is_reported_as_missing_file(mcpi: Mcpi) -> None:
    ran = mcpi("--list-servers", "--config", "~nobody-at-all/mcp.json")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "mcpi: --config: cannot read ~nobody-at-all/mcp.json: No such file or directory\n"

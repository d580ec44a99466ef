"""Servers of config files as targets."""

import io
import json
from pathlib import Path

import pytest

import mcpi
from mcpi.core.outcome.faults import Unreachable
from mcpi.shell.client.target_words import as_target, with_configured_server
from mcpi.shell.context import Context

SERVERS = {
    "local": {"command": "node", "args": ["server.js"], "env": {"TOKEN": "${TOKEN}"}},
    "web": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer abc"}},
    "broken": {"args": []},
}

CONFIGURED = (
    "'web' is a server in .mcp.json; use next(one for one in mcpi.load_servers('.mcp.json') if one.name == 'web')"
)


def context(home: Path) -> Context:
    """A context with a home directory."""
    environment = {"HOME": str(home), "TOKEN": "secret-token"}
    return Context((), environment, io.BytesIO(), io.StringIO(), io.StringIO(), working_directory=str(home))


def test_a_server_of_a_config_file_is_a_target(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": SERVERS}))
    world = context(tmp_path)
    named = mcpi.load_servers(str(tmp_path / ".mcp.json"), context=world)
    found = mcpi.load_servers(context=world)
    local, web, broken = named

    assert [one.name for one in found] == ["local", "web", "broken"]
    assert [(one.name, one.kind, one.problem is None) for one in named] == [
        ("local", "stdio", True),
        ("web", "http", True),
        ("broken", None, False),
    ]
    assert "secret-token" not in json.dumps(named)
    target = as_target(local, world)
    assert getattr(target, "command", None) == ("node", "server.js")
    assert dict(getattr(target, "env", {}))["TOKEN"] == world.environment["TOKEN"]
    assert getattr(as_target(web, world), "url", None) == "https://example.com/mcp"
    with pytest.raises(mcpi.McpiError, match="broken"):
        mcpi.Inspector(broken, context=world)


@pytest.mark.parametrize(
    ("command", "hints"),
    [
        ("web", (CONFIGURED,)),
        ("web --verbose", ()),
        ("other", ()),
    ],
)
def test_name_of_a_configured_server_is_not_a_command(tmp_path: Path, command: str, hints: tuple[str, ...]) -> None:
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": SERVERS}))
    world = context(tmp_path)
    missing = Unreachable("COMMAND_NOT_FOUND", f"command not found: {command!r}")

    fault = with_configured_server(missing, as_target(command, world), world)
    assert getattr(fault, "hints", None) == hints


def test_unreadable_config_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(mcpi.McpiError, match=r"nothing\.json"):
        mcpi.load_servers(str(tmp_path / "nothing.json"))

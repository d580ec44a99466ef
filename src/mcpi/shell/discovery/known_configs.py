"""Find the config files of editors and agents, and the servers in them."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import evolve

from mcpi.core.cli.foreign_flags import method_named
from mcpi.core.cli.mistakes.config_servers import with_known_server
from mcpi.core.cli.split import SEPARATOR, before_separator, value_of
from mcpi.core.cli.words import NAMED
from mcpi.core.flags.declare import Flag
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Correction, Fault, Invalid, Unreachable, with_correction, with_nearest
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.config_file import parse_servers
from mcpi.core.targets.server_list import describe_servers, unreadable_entry
from mcpi.core.targets.target import Stdio, is_launcher
from mcpi.core.text.suggestions import nearest
from mcpi.shell.context import Context
from mcpi.shell.discovery.loader import Plugins
from mcpi.shell.io.inputs import text_of

HERE = (
    *(".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".gemini/settings.json"),
    ".zed/settings.json",
)
AT_HOME = (
    *(".claude.json", ".cursor/mcp.json", ".codeium/windsurf/mcp_config.json", ".gemini/settings.json"),
    ".copilot/mcp-config.json",
)
OF_PROGRAMS = ("Claude/claude_desktop_config.json", "Code/User/mcp.json", "Code/User/settings.json")
NO_SERVERS = ("the file has no object 'mcpServers'", "expected an object with 'mcpServers'")
"""The messages about a file without servers, such as a settings file."""


def found(context: Context) -> Result[list[Printable]]:
    """List the servers of all known files that exist; a file that cannot be read is listed with its problem."""
    servers: list[Printable] = []
    for path in files(context):
        match of_file(context, str(path)):
            case Success(some):
                servers += some
            case Failure(fault) if not any(one in explain.sentence(fault) for one in NO_SERVERS):
                servers.append(unreadable_entry(str(path), explain.sentence(fault).removeprefix(f"{path}: ")))
            case Failure():
                pass  # a settings file without servers
    return Success(servers)


def file_with(context: Context, name: str) -> Result[str]:
    """Find the first of the files that has a server of that name."""
    paths = _paths(context)
    if name in paths:
        return Success(paths[name])
    near = nearest(name, paths)
    problem = f"no known config file has a server {name!r}"
    hint = "mcpi --list-servers lists the known servers; --config selects a file"
    return Failure(with_nearest(Invalid("INVALID_ARGUMENT", "--server", problem, (hint,)), name, near))


def _paths(context: Context) -> dict[str, str]:
    """Return the first file of each configured server, by the server's name."""
    found: dict[str, str] = {}
    for path in map(str, files(context)):
        text = text_of(context, "--config", path)
        servers = parse_servers(path, text.unwrap()) if isinstance(text, Success) else text
        if isinstance(servers, Success):
            found = {**dict.fromkeys(servers.unwrap(), path), **found}
    return found


def with_server_correction(context: Context, fault: Unreachable, target: Stdio, method: str) -> Unreachable:
    """Return the fault for a missing command with a better correction, if the word may be something else.

    It may be a misspelled method, the name of a configured server, or a name that the method takes, before the server's
    command.
    """
    word, *rest = target.command
    if target.origin or fault.code != "COMMAND_NOT_FOUND":
        return fault
    methods = Plugins(context.environment).catalog.owned
    if word in methods:
        return evolve(fault, hints=(f"{word} is a method too; give only one method",), correction=None)
    near = None if method else method_named(word, methods)
    is_name = method in NAMED and SEPARATOR not in context.argv and any(map(is_launcher, rest)) and "=" not in word
    if near is not None:
        meant: Correction | None = Correction(word, (near,))
    elif is_name:
        meant = Correction(word, (word, "--"), "put the server's command after --")
    else:
        names = _paths(context)
        name = word if word in names else None if fault.correction else nearest(word, names)
        meant = Correction(word, ("--server", name)) if name else None
    return fault if meant is None else with_correction(evolve(fault, hints=(), correction=None), meant)


def with_configured_server(context: Context, fault: Fault, known: Mapping[str, Flag]) -> Fault:
    """Return the fault with a correction if a word of the command line is a server of its or a known file."""
    if not isinstance(fault, Invalid):
        return fault
    path = value_of(("--config",), before_separator(context.argv))
    return with_known_server(fault, context.argv, known, configured(context, path))


def configured(context: Context, path: str | None) -> Mapping[str, str]:
    """Return the file of each server, by the server's name: this file, or without it the known ones."""
    if path is None:
        return _paths(context)
    if not context.path(path).is_file():
        # A pipe cannot be read again.
        return {}
    text = text_of(context, "--config", path)
    servers = parse_servers(path, text.unwrap()) if isinstance(text, Success) else text
    return dict.fromkeys(servers.unwrap(), path) if isinstance(servers, Success) else {}


def files(context: Context) -> Iterator[Path]:
    """Find the known files that exist."""
    home = context.path("~")
    places = (*(Path(name) for name in HERE), *(home / name for name in AT_HOME))
    for path in (*places, *(_programs(context, home) / name for name in OF_PROGRAMS)):
        if (context.directory / path).is_file():
            yield path


def _programs(context: Context, home: Path) -> Path:
    """Return the folder in which programs keep their settings."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if os.name == "nt":
        return Path(context.environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(context.environment.get("XDG_CONFIG_HOME") or home / ".config")


def of_file(context: Context, path: str) -> Result[list[Printable]]:
    """List the servers of one file."""
    text = text_of(context, "--config", path)
    if isinstance(text, Failure):
        return text
    match parse_servers(path, text.unwrap()):
        case Success(servers):
            return Success(describe_servers(path, servers, context.environment))
        case Failure() as failed:
            return failed

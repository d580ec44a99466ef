"""Target from a config file."""

from collections.abc import Mapping
from typing import TypeAlias

from mcpi.core.cli.command_line import Draft
from mcpi.core.flags.options import TargetOptions
from mcpi.core.flags.pairs import File
from mcpi.core.flags.types import Source
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.config_file import build_target, env_file, parse_servers, select_server, with_variables
from mcpi.core.targets.env_file import parse_variables
from mcpi.core.targets.target import Target

Contents: TypeAlias = Mapping[Source, str]
Environment: TypeAlias = Mapping[str, str]


def config_sources(
    draft: Draft, contents: Contents, environment: Environment
) -> Result[tuple[tuple[str, Source], ...]]:
    """List the sources to read besides the config file: the server's env file, if any."""
    match _server_entry(draft, contents, environment):
        case Success((_, _, _, file)):
            return Success((("--config", File(file)),) if file else ())
        case Failure() as failed:
            return failed


def config_target(draft: Draft, where: TargetOptions, contents: Contents, environment: Environment) -> Result[Target]:
    """Build the target; flags override the file."""
    match _server_entry(draft, contents, environment):
        case Success((path, name, entry, file)):
            if file:
                entry = with_variables(entry, parse_variables(contents[File(file)]))
            return build_target(path, name, _without_overridden(entry, where), environment)
        case Failure() as failed:
            return failed


def _without_overridden(entry: JsonObject, where: TargetOptions) -> JsonObject:
    """Return the entry without the values that flags override, as the variables in these need not be set."""
    kept: JsonObject = {key: value for key, value in entry.items() if key != "cwd" or where.cwd is None}
    names = {"env": {name for name, _ in where.env}, "headers": {header.name.lower() for header in where.header}}
    names["headers"] |= set() if where.token is None else {"authorization"}
    for key, given in names.items():
        own = kept.get(key)
        if isinstance(own, dict):
            same = str if key == "env" else str.lower
            kept[key] = {name: value for name, value in own.items() if same(name) not in given}
    return kept if where.transport is None else {**kept, "type": where.transport}


def _server_entry(
    draft: Draft, contents: Contents, environment: Environment
) -> Result[tuple[str, str, JsonObject, str]]:
    """Return the config file, the server's name, its entry, and its env file."""
    values = draft.given.values
    path, name = values["--config"][-1], values.get("--server", (None,))[-1]
    servers = parse_servers(path, contents[File(path)])
    if isinstance(servers, Failure):
        return servers
    picked = select_server(path, servers.unwrap(), name)
    if isinstance(picked, Failure):
        return picked
    name, entry = picked.unwrap()
    match env_file(path, name, entry, environment):
        case Success(file):
            return Success((path, name, entry, file))
        case Failure() as failed:
            return failed

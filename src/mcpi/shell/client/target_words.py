"""Parse the targets of Python programs."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve

from mcpi.core.client.argument_types import check_argument
from mcpi.core.client.entries import ServerConfig
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.faults import Fault, Unreachable
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.targets.config_file import build_target, parse_servers, with_variables
from mcpi.core.targets.target import Http, Sse, Stdio, Target, parse_target, split_command
from mcpi.shell.client.errors import value_of
from mcpi.shell.context import Context, process_context
from mcpi.shell.discovery.known_configs import configured, of_file
from mcpi.shell.discovery.known_configs import found as configs_found
from mcpi.shell.io.inputs import text_of

TargetLike: TypeAlias = Target | str | Sequence[str] | Mapping[str, Printable]
"""A target: a URL, a command as one string or a sequence of words, an entry of a config file, or one of its servers."""


def load_servers(path: str | None = None, *, context: Context | None = None) -> list[ServerConfig]:
    """List the servers of a config file, or of all known config files; each can be the target of an Inspector.

    Raise McpiError if the file cannot be read; a server that cannot be used has a `problem`.
    """
    context = context or process_context()
    found = configs_found(context) if path is None else of_file(context, path)
    return [ServerConfig.of(as_object(to_plain(one))) for one in value_of(found)]


def as_target(named: TargetLike, context: Context) -> Target:
    """Return the target; raise McpiError if it is invalid."""
    if isinstance(named, Stdio | Http | Sse):
        return named
    if isinstance(named, ServerConfig):
        return value_of(_configured(named, context))
    check_argument("target", named, str | Sequence[str] | Mapping[str, Any])
    environment = context.environment
    return value_of(_parse(named, environment))


def with_configured_server(fault: Fault, target: Target | None, context: Context) -> Fault:
    """Return the fault; if the missing command is the name of a configured server, with the way to connect to it."""
    if not (isinstance(fault, Unreachable) and fault.code == "COMMAND_NOT_FOUND" and isinstance(target, Stdio)):
        return fault
    name, path = target.command[0], configured(context, None).get(target.command[0])
    if path is None or target.origin or len(target.command) > 1:
        return fault
    server = f"next(one for one in mcpi.load_servers({path!r}) if one.name == {name!r})"
    return evolve(fault, hints=(f"{name!r} is a server in {path}; use {server}",), correction=None)


def _parse(named: str | Sequence[str] | Mapping[str, Printable], environment: Mapping[str, str]) -> Result[Target]:
    match named:
        case str():
            words = split_command(named)
            return words if isinstance(words, Failure) else parse_target(words.unwrap(), None)
        case Mapping():
            return build_target("target", "server", as_object(to_plain(named)), environment)
        case _:
            return parse_target(tuple(named), None)


def _configured(server: ServerConfig, context: Context) -> Result[Target]:
    """Read the server's entry again, because its secrets are masked in the list."""
    text = text_of(context, "config", server.config)
    servers = text if isinstance(text, Failure) else parse_servers(server.config, text.unwrap())
    if isinstance(servers, Failure):
        return servers
    entry = as_object(servers.unwrap().get(server.name))
    return build_target(server.config, server.name, with_variables(entry, {}), context.environment)

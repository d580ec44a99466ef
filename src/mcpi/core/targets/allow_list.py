"""The servers that an agent may start or contact."""

import re
from collections.abc import Mapping

from attrs import evolve, field

from mcpi.core.flags.pairs import invalid, parse_header
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success, collect
from mcpi.core.targets.config_file import build_target as configured
from mcpi.core.targets.target import Stdio, Target, parse_target
from mcpi.core.text.suggestions import nearest
from mcpi.core.wire.urls import origin

_SYNTAX = frozenset(";&|<>$`\\\"'(){}[]*?!#~\n\r")
"""Shell syntax: a command with these characters is more than a program with its arguments."""
_ARGUMENTS = re.compile(r"[^\s/\\]+\s")
"""A program and its arguments; a space in the path of a program follows a slash."""
_VARIABLE = re.compile(r"[^\s=]+")


@frozen
class AllowList:
    """The allowed servers: those of a config file by name, and the listed commands and URLs."""

    path: str = "no config file"
    servers: JsonObject = field(factory=dict)
    commands: tuple[str, ...] = ()
    """The programs that may be started, by the command's first word; * allows any."""
    urls: tuple[str, ...] = ()
    """The origins that may be contacted, as http://host:port; * allows any."""
    environment: Mapping[str, str] = field(factory=dict)
    variables: tuple[str, ...] = ()
    """The environment variables that may be set; * allows any."""

    def check_flags(self) -> Result[None]:
        """Check that each flag can match a command, a URL or a variable."""
        for flag, expected, values, fits in (
            ("--allow-command", "the first word of a command, such as node", self.commands, _is_program),
            ("--allow-url", "a URL, such as http://localhost:3000", self.urls, _is_url),
            ("--allow-env", "the name of a variable, such as LOG_LEVEL", self.variables, _VARIABLE.fullmatch),
        ):
            for value in values:
                if value != "*" and ("*" in value or not fits(value)):
                    return invalid(flag, f"expected {expected}, or * alone; got {value!r}")
        return Success(None)

    def by_name(self, name: str) -> Result[Target]:
        """Return the server with this name."""
        if name in self.servers:
            return configured(self.path, name, as_object(self.servers[name]), self.environment)
        near = nearest(name, self.servers)
        hint = f"did you mean {near}?" if near else f"available: {', '.join(self.servers) or 'none'}"
        return Failure(Invalid("INVALID_ARGUMENT", "server", f"unknown server {name!r}", (hint,)))

    def by_words(self, words: tuple[str, ...]) -> Result[Target]:
        """Return the target for a command or a URL, if it is allowed."""
        match parse_target(words, None):
            case Success(target) if self._covers(target):
                return Success(target)
            case Success(target):
                return Failure(Invalid("INVALID_ARGUMENT", "target", *_refused(target)))
            case Failure() as failed:
                return failed

    def with_settings(
        self, target: Target, env: Mapping[str, str], cwd: str | None, headers: Mapping[str, str]
    ) -> Result[Target]:
        """Return the target with more variables, another directory, or more headers, if these are allowed."""
        if not isinstance(target, Stdio):
            if env or cwd is not None:
                return invalid("env" if env else "cwd", "applies only to a command, not to a URL")
            parsed = collect(parse_header("headers", f"{name}: {value}") for name, value in headers.items())
            if isinstance(parsed, Failure):
                return parsed
            replaced = {name.lower() for name in headers}
            kept = [one for one in target.headers if one.name.lower() not in replaced]
            return Success(evolve(target, headers=(*kept, *parsed.unwrap())))
        if headers:
            return invalid("headers", "applies only to a URL, not to a command")
        refused = [] if "*" in self.commands + self.variables else [one for one in env if one not in self.variables]
        if refused:
            hint = f"ask the user to start mcpi-serve with --allow-env {refused[0]}"
            return invalid("env", f"setting the variable {refused[0]!r} is not allowed", hint)
        program = target.command[0]
        # A relative path such as ./server is a different program in another directory.
        relative = "/" in program and not program.startswith("/")
        if cwd is not None and "*" not in self.commands and (relative or program not in self.commands):
            hint = f"ask the user to start mcpi-serve with --allow-command {'*' if relative else program}"
            return invalid("cwd", f"starting the command {program!r} in the directory {cwd!r} is not allowed", hint)
        return Success(evolve(target, env={**target.env, **env}, cwd=target.cwd if cwd is None else cwd))

    def check_debugging(self, target: Target) -> Result[None]:
        """Check that the server may run code of the agent's choice: its command is on the list."""
        if not isinstance(target, Stdio):
            return invalid("debug", "applies only to a command, not to a URL")
        if self._covers(target):
            return Success(None)
        hint = f"ask the user to start mcpi-serve with --allow-command {target.command[0]}"
        return invalid("debug", f"debugging the command {target.command[0]!r} is not allowed", hint)

    def check_attach(self) -> Result[None]:
        """Check that the debugger may attach to a running program, which requires '*'."""
        if "*" in self.commands:
            return Success(None)
        hint = "ask the user to start mcpi-serve with --allow-command '*'"
        return invalid("attach", "debugging a running program is not allowed", hint)

    def check_shell_command(self, command: str) -> Result[None]:
        """Check that the shell may run the command; shell syntax requires '*', as it could start anything."""
        if "*" in self.commands:
            return Success(None)
        if set(command) & _SYNTAX:
            hint = "ask the user to start mcpi-serve with --allow-command '*', which allows all shell commands"
            return Failure(Invalid("INVALID_ARGUMENT", "command", f"{command!r} contains shell syntax", (hint,)))
        words = tuple(command.split())
        if words and words[0] in self.commands:
            return Success(None)
        return Failure(Invalid("INVALID_ARGUMENT", "command", *_refused(Stdio(words or ("",)))))

    def _covers(self, target: Target) -> bool:
        if isinstance(target, Stdio):
            return "*" in self.commands or target.command[0] in self.commands
        return "*" in self.urls or any(origin(target.url) == origin(url) for url in self.urls if url != "*")


def _is_program(word: str) -> bool:
    target = parse_target((word,), None)
    return isinstance(target, Success) and isinstance(target.unwrap(), Stdio) and not _ARGUMENTS.match(word)


def _is_url(word: str) -> bool:
    target = parse_target((word,), None)
    return isinstance(target, Success) and not isinstance(target.unwrap(), Stdio)


def _refused(target: Target) -> tuple[str, tuple[str, ...]]:
    if isinstance(target, Stdio):
        command = target.command[0]
        return f"starting the command {command!r} is not allowed", (
            f"ask the user to start mcpi-serve with --allow-command {command}",
        )
    return f"contacting {target.url} is not allowed", (
        f"ask the user to start mcpi-serve with --allow-url {target.url}",
    )

"""Parse the targets of Python programs."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.targets.target import Http, Sse, Stdio, Target, parse_target, split_command
from mcpi.shell.client.errors import value_of

TargetLike: TypeAlias = Target | str | Sequence[str] | Mapping[str, Printable]
"""A parsed target, a URL, a command as one string or a sequence of words, or an entry of a config file."""


def as_target(named: TargetLike, environment: Mapping[str, str]) -> Target:
    """Return the target; raise McpiError if it is invalid."""
    if isinstance(named, Stdio | Http | Sse):
        return named
    return value_of(_parse(named, environment))


def _parse(named: str | Sequence[str] | Mapping[str, Printable], environment: Mapping[str, str]) -> Result[Target]:
    match named:
        case str():
            words = split_command(named)
            return words if isinstance(words, Failure) else parse_target(words.unwrap(), None)
        case Mapping():
            from mcpi.core.targets.config_file import build_target  # noqa: PLC0415 - slow to import and rarely needed

            return build_target("target", "server", as_object(to_plain(named)), environment)
        case _:
            return parse_target(tuple(named), None)

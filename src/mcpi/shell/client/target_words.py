"""Parse the targets of Python programs."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success
from mcpi.core.secrets.detection import mask_word
from mcpi.core.targets.target import Http, Sse, Stdio, Target, parse_target
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


def split_command(text: str) -> ParseResult[tuple[str, ...]]:
    """Split a command into words as a shell does; a URL is one word."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
        return Success((text,))
    try:
        return Success(tuple(shlex.split(text)))
    except ValueError as error:
        return Failure(Invalid("INVALID_ARGUMENT", "target", f"the words of {mask_word(text)!r} are unclear: {error}"))

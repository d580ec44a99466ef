"""The command line, the environment and the files they name become an invocation."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from mcpi.core.cli import command_line as drafts
from mcpi.core.cli import invocation as core
from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.pairs import File, Variable
from mcpi.core.flags.types import Source
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.targets.target import Stdio
from mcpi.shell.io.files import path_of_name

DEMO = (sys.executable, "-m", "mcpi.shell.demo.demo_server")


def read(argv: Sequence[str], catalog: Catalog) -> Result[Draft]:
    """The command line, checked as far as it goes."""
    return drafts.read(argv, os.environ, catalog, catalog.responders)


def complete(draft: Draft, catalog: Catalog) -> Result[Invocation]:
    """The invocation, with all that had to be read."""
    contents: dict[Source, str] = {}
    failed = _read_all(core.wanted(draft), contents)
    if failed is None and "--config" in draft.given.values:
        from mcpi.core.cli.config_target import config_sources  # noqa: PLC0415 - seldom wanted

        more = config_sources(draft, contents, os.environ)
        failed = more if isinstance(more, Failure) else _read_all(more.unwrap(), contents)
    if failed is not None:
        return failed
    completed = core.complete(draft, contents, os.environ, catalog)
    match completed:
        case Success(invocation) if "--demo" in draft.given.values:
            return Success(evolve(invocation, target=Stdio(DEMO)))
        case _:
            return completed


def text_of(flag: str, path: str) -> Result[str]:
    """What a file that a flag names holds."""
    return _content(flag, File(path), {})


def _read_all(config_sources: Iterable[tuple[str, Source]], contents: dict[Source, str]) -> Failure[Fault] | None:
    """Puts what the sources hold beside what is known; why it cannot be read, if so it is."""
    for flag, source in config_sources:
        match _content(flag, source, contents):
            case Success(text):
                contents[source] = text
            case Failure() as failed:
                return failed
    return None


def _content(flag: str, source: Source, known: Mapping[Source, str]) -> Result[str]:
    if source in known:
        return Success(known[source])
    match source:
        case Variable(name):
            value = os.environ.get(name)
            return _wrong(flag, f"the environment variable {name} is not set") if value is None else Success(value)
        case File("-"):
            return _decoded(flag, "standard input", sys.stdin.buffer.read())
        case File(path):
            try:
                data = path_of_name(path).read_bytes()
            except OSError as error:
                return _wrong(flag, f"cannot read {path}: {error.strerror}")
            except ValueError:
                # A NUL, or half a character: no system has such names, and Python does not ask it.
                return _wrong(flag, f"cannot read {path!r}: no file has such a name")
            return _decoded(flag, path, data)


def _decoded(flag: str, name: str, data: bytes) -> Result[str]:
    try:
        return Success(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return _wrong(flag, f"{name} is not UTF-8 text (byte {error.start})")


def _wrong(flag: str, problem: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_CONFIG" if flag == "--config" else "INVALID_ARGUMENT", flag, problem))

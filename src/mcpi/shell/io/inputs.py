"""Read the files, variables and standard input that a command line names."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path

from attrs import evolve

from mcpi.core.cli import invocation as core
from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.flag_rules import WRITTEN, shared_file
from mcpi.core.cli.invocation import Invocation
from mcpi.core.cli.split import before_separator
from mcpi.core.cli.words import SCRIPTS
from mcpi.core.flags.options import TimeOptions
from mcpi.core.flags.pairs import File, Variable
from mcpi.core.flags.types import Source
from mcpi.core.outcome.faults import Fault, Invalid, TimedOut, with_nearest
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.targets.target import Stdio
from mcpi.core.text.suggestions import nearest
from mcpi.shell.context import Context
from mcpi.shell.io.opening import read_descriptor, read_file
from mcpi.shell.io.output import file_descriptor

MAX_FILES = 1000
"""Maximum number of files to compare with a misspelled name."""
FILE_CUTOFF = 0.75
"""Minimum similarity of a file name that is suggested, with and without its extension."""
DEMO = (sys.executable, "-P", "-m", "mcpi.shell.demo.demo_server")
"""The command of the demo server; with -P, it imports no modules of the working directory."""


def complete(context: Context, draft: Draft, catalog: Catalog) -> Result[Invocation]:
    """Read all files and variables that the command line names, within an explicit --timeout; return the invocation."""
    contents: dict[Source, str] = {}
    # Only an explicit --timeout limits the reading: a user may type the input.
    timeout = draft.of(TimeOptions).timeout
    failed = _read_all(context, core.required_sources(draft), contents, timeout)
    if failed is None and "--config" in draft.given.values and not draft.names_all_targets:
        from mcpi.core.cli.config_target import config_sources  # noqa: PLC0415 - rarely needed

        more = config_sources(draft, contents, context.environment)
        failed = more if isinstance(more, Failure) else _read_all(context, more.unwrap(), contents, timeout)
        failed = failed or _shared_file(context, draft, more.unwrap())
    if failed is not None:
        return failed
    completed = core.complete(draft, contents, context.environment, catalog)
    match completed:
        case Success(invocation) if "--demo" in draft.given.values:
            return Success(evolve(invocation, target=Stdio(DEMO)))
        case _:
            return completed


def without_shared_files(context: Context, read: Result[Draft]) -> Result[Draft]:
    """Reject a command line with a file to write that it also names for another purpose, under any spelling."""
    draft = None if isinstance(read, Failure) else read.unwrap()
    if draft is None or not any(flag in draft.given.values for flag in WRITTEN):
        return read
    return _shared_file(context, draft, core.required_sources(draft)) or read


def _shared_file(context: Context, draft: Draft, read: Iterable[tuple[str, Source]]) -> Failure[Invalid] | None:
    return shared_file(draft.given, read, lambda name: os.path.realpath(context.path(name)))


def text_of(context: Context, flag: str, path: str) -> Result[str]:
    """Read a file that a flag names."""
    return _content(context, flag, File(path), {})


def _read_all(
    context: Context, sources: Iterable[tuple[str, Source]], contents: dict[Source, str], timeout: float | None
) -> Failure[Fault] | None:
    """Add the text of each source to the contents; return the first failure."""
    for flag, source in sources:
        match _content(context, flag, source, contents, timeout):
            case Success(text):
                contents[source] = text
            case Failure() as failed:
                return failed
    return None


def _content(
    context: Context, flag: str, source: Source, known: Mapping[Source, str], timeout: float | None = None
) -> Result[str]:
    if source in known:
        return Success(known[source])
    match source:
        case Variable(name):
            value = context.environment.get(name)
            return _failure(flag, f"the environment variable {name} is not set") if value is None else Success(value)
        case File("-"):
            return _read(flag, "standard input", lambda: _stdin(context, timeout), timeout)
        case File(path):
            found = _read(flag, path, lambda: read_file(context, context.path(path), timeout), timeout)
            return found if isinstance(found, Success) else _with_near_file(context, found, path)


def _with_near_file(context: Context, failed: Failure[Fault], name: str) -> Failure[Fault]:
    """Suggest the file beside the script, or the one with the most similar name, if there is no file of this name."""
    fault, path = failed.failure(), context.path(name)
    if not isinstance(fault, Invalid) or os.path.lexists(path):
        return failed
    beside = _beside_script(context, name)
    if beside is not None:
        return Failure(with_nearest(fault, name, beside))
    if not path.parent.is_dir() or not os.access(path.parent, os.R_OK):
        return failed
    with os.scandir(path.parent) as entries:
        files = [entry.name for entry in islice(entries, MAX_FILES) if not entry.is_dir()]
    alike = (file for file in files if nearest(path.stem, [Path(file).stem], FILE_CUTOFF))
    near = nearest(path.name, alike, FILE_CUTOFF)
    return Failure(with_nearest(fault, name, near and f"{name.removesuffix(path.name)}{near}"))


def _beside_script(context: Context, name: str) -> str | None:
    """Return the file with the name relative to the script instead of the working directory, if there is one."""
    scripts = (word.removeprefix("--script=") for word in before_separator(context.argv) if word.endswith(SCRIPTS))
    beside = (f"{script.rpartition('/')[0]}/{name.removeprefix('./')}" for script in scripts if "/" in script)
    # Path.is_file raises OSError for a long name.
    return next((one for one in beside if os.path.isfile(context.path(one))), None)  # noqa: PTH113


def _read(flag: str, name: str, read: Callable[[], bytes], timeout: float | None) -> Result[str]:
    try:
        return _decoded(flag, name, read())
    except TimeoutError:
        return Failure(
            TimedOut(
                "REQUEST_TIMEOUT",
                timeout or 0.0,
                name,
                problem=f"{flag}: cannot read {name}",
                cause="the input has not ended",
            )
        )
    except OSError as error:
        problem = "expected a file, not a URL" if "://" in name else error.strerror
        return _failure(flag, f"cannot read {name}: {problem}")
    except ValueError:
        # A NUL or a lone surrogate: Python rejects the name without asking the system.
        return _failure(flag, f"cannot read {name!r}: invalid file name")


def _stdin(context: Context, timeout: float | None) -> bytes:
    number = file_descriptor(context.stdin)
    return context.stdin.read() if number is None else read_descriptor(number, context.clock.now, timeout)


def _decoded(flag: str, name: str, data: bytes) -> Result[str]:
    try:
        return Success(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return _failure(flag, f"{name} is not UTF-8 text (byte {error.start})")


def _failure(flag: str, problem: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_CONFIG" if flag == "--config" else "INVALID_ARGUMENT", flag, problem))

"""Targets that a plan names in one word: a URL, a command, or config:NAME; the target flags apply to them."""

import re

from attrs import evolve

from mcpi.core.cli.command_line import Draft
from mcpi.core.cli.words import SIDES
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.options import TargetOptions
from mcpi.core.outcome.faults import Correction, Invalid, with_correction
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.targets.target import CONFIG_PREFIX, Target, split_command
from mcpi.shell.context import Context
from mcpi.shell.discovery.known_configs import configured, file_with
from mcpi.shell.io import inputs
from mcpi.shell.process.missing_command import is_program

_NAME = re.compile(r"[^\s:/]+")


def side_target(context: Context, draft: Draft, catalog: Catalog, text: str) -> Result[Target]:
    """Return the target, as if it were the only one on the command line."""
    match _alone(context, draft, text):
        case Success(alone):
            completed = inputs.complete(context, alone, catalog)
        case Failure() as failed:
            return failed
    match completed:
        case Success(invocation) if invocation.target is not None:
            return Success(invocation.target)
        case Success():
            return Failure(Invalid("INVALID_ARGUMENT", "target", f"{text!r} is not a server"))
        case Failure() as failed:
            return failed


def _alone(context: Context, draft: Draft, text: str) -> Result[Draft]:
    """Return the draft of a command line that has only this target, and the flags about targets."""
    where = evolve(draft.of(TargetOptions), config=None, server=None, demo=False, transport=None)
    if not text.startswith(CONFIG_PREFIX):
        words = split_command(text)
        if isinstance(words, Failure):
            return words
        problem = _lacks_prefix(context, draft, text)
        if problem is not None:
            return Failure(problem)
        return Success(Draft(GivenFlags({}, words.unwrap()), None, (), options={TargetOptions: where}))
    name = text.removeprefix(CONFIG_PREFIX)
    path = draft.of(TargetOptions).config
    found = Success(path) if path is not None else file_with(context, name)
    if isinstance(found, Failure):
        return found
    file = found.unwrap()
    given = GivenFlags({"--config": (file,), "--server": (name,)})
    return Success(Draft(given, None, (), options={TargetOptions: evolve(where, config=file, server=name)}))


def _lacks_prefix(context: Context, draft: Draft, text: str) -> Invalid | None:
    """Return the fault for a word that is not a program but a configured server."""
    # The config file is not read for other targets: it may be a pipe.
    if not _NAME.fullmatch(text) or is_program(context, text):
        return None
    servers = configured(context, draft.of(TargetOptions).config)
    if text not in servers:
        return None
    sides = (side for flag in SIDES for side in draft.given.values.get(flag, ()))
    names = [side for side in sides if side in servers and not is_program(context, side)]
    fault = Invalid("INVALID_ARGUMENT", "", f"{text!r} is a server in {servers[text]}")
    return with_correction(fault, Correction.chain(*(Correction(one, (f"{CONFIG_PREFIX}{one}",)) for one in names)))

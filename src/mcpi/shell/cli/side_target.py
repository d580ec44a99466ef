"""Targets that a plan names in one word: a URL, a command, or config:NAME; the target flags apply to them."""

from attrs import evolve

from mcpi.core.cli.command_line import Draft
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.options import TargetOptions
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.targets.target import CONFIG_PREFIX, Target, split_command
from mcpi.shell.context import Context
from mcpi.shell.discovery.known_configs import file_with
from mcpi.shell.io import inputs


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
        return Success(Draft(GivenFlags({}, words.unwrap()), None, (), options={TargetOptions: where}))
    name = text.removeprefix(CONFIG_PREFIX)
    path = draft.of(TargetOptions).config
    found = Success(path) if path is not None else file_with(context, name)
    if isinstance(found, Failure):
        return found
    file = found.unwrap()
    given = GivenFlags({"--config": (file,), "--server": (name,)})
    return Success(Draft(given, None, (), options={TargetOptions: evolve(where, config=file, server=name)}))

"""From argv to exit code."""

import gc
import os
import signal
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from mcpi.core.version import __version__
from mcpi.shell.context import INTERRUPTED_EXIT_CODE, RECURSION_LIMIT, Context, command_context

if TYPE_CHECKING:
    from mcpi.shell.process.spawn import PrestartedServer


def entry() -> NoReturn:
    """Run the console command."""
    # Exit in the handler: Python ignores an exception in a callback, and imports run many callbacks.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED_EXIT_CODE))
    # Imported code is never garbage, and scanning it would take 5 % of the time of a short command.
    gc.disable()
    # A message may be nested a thousand levels deep; Python's default limit is the same, which leaves no room for mcpi.
    sys.setrecursionlimit(RECURSION_LIMIT)
    context = command_context()
    # Python's warnings are for developers; mcpi prints its own messages.
    warnings.simplefilter("ignore")
    code = main(context)
    # Shutting down the interpreter takes longer than a short command, and nothing is left to do.
    with suppress(OSError):
        context.stderr.flush()
    os._exit(code)


def main(context: Context) -> int:
    """Return the exit code; --verbose shows the traceback of an internal error."""
    text = _without_command(context)
    if text is not None:
        return _say(context, text)
    from mcpi.core.cli.fast_lane import plain_command  # noqa: PLC0415 - not needed for the version

    early: PrestartedServer | None = None
    try:
        plain = plain_command(context.argv, context.environment) if context.transport is None else ()
        early = _prestart(context, plain) if plain else None
        from mcpi.shell.cli.command import Command  # noqa: PLC0415 - see above

        return Command(context, early).run()
    except KeyboardInterrupt:
        return INTERRUPTED_EXIT_CODE
    except Exception as error:
        if "--verbose" in context.argv:
            raise
        sentence = (
            f"internal error ({type(error).__name__}: {error}); please report it with the traceback from --verbose"
        )
        context.stderr.write(f"mcpi: {sentence}\n")
        return 1
    finally:
        if early is not None:
            early.stop_unless_taken()


def _prestart(context: Context, command: tuple[str, ...]) -> "PrestartedServer":
    """Start the server of a simple command line; it boots while the rest of mcpi is imported."""
    from mcpi.shell.process.spawn import PrestartedServer  # noqa: PLC0415 - not needed for a mistake

    return PrestartedServer(context, command)


def _without_command(context: Context) -> str | None:
    """Return the text for --version and completion, which need no invocation."""
    if context.argv == ("--version",):
        return f"mcpi {__version__}\n"
    if context.argv[:1] == ("--complete",):
        from mcpi.shell.cli.shell_completion import answer  # noqa: PLC0415 - not needed for the version

        return answer(context, context.argv[1:])
    return None


def _say(context: Context, text: str) -> int:
    stdout = context.stdout
    try:
        if hasattr(stdout, "buffer"):
            stdout.buffer.write(text.encode(errors="backslashreplace"))
        else:
            stdout.write(text)
        stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        context.stderr.write(f"mcpi: standard output cannot be written: {error.strerror}\n")
        return 1
    return 0

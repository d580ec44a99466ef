"""From argv to exit code."""

import gc
import os
import sys
import warnings
from typing import TYPE_CHECKING, NoReturn

from mcpi.core.version import __version__

if TYPE_CHECKING:
    from mcpi.shell.process.spawn import PrestartedServer


def entry() -> NoReturn:
    """The console command."""
    # What is imported stays: looking through it for garbage, again and again, is a twentieth of a short command's work.
    gc.disable()
    _opened()
    # Python's warnings are for its programmers; ours come as faults and notices.
    warnings.simplefilter("ignore")
    code = main(sys.argv[1:])
    # Taking the interpreter apart costs more than the work of a short command; nothing is left to be done.
    sys.stderr.flush()
    os._exit(code)


def _opened() -> None:
    """Whoever closed one of our streams does not want it: what would be read or written there is nothing."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))


def main(argv: list[str]) -> int:
    """The exit code; a traceback is shown only to those who ask."""
    at_once = _at_once(argv)
    if at_once is not None:
        return _said(at_once)
    from mcpi.core.cli.fast_lane import plain_command  # noqa: PLC0415 - the version needs nothing of it

    early: PrestartedServer | None = None
    try:
        plain = plain_command(argv, os.environ)
        early = _started(plain) if plain else None
        from mcpi.shell.cli import command  # noqa: PLC0415 - see above

        return command.run(argv, early)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "--verbose" in argv:
            raise
        sentence = f"mcpi itself failed ({type(error).__name__}: {error}); --verbose shows where, please report it"
        sys.stderr.write(f"mcpi: {sentence}\n")
        return 1
    finally:
        if early is not None:
            early.leave()


def _started(plain: tuple[str, ...]) -> "PrestartedServer":
    """The server of a plain command line, which boots while the rest of us is still being loaded."""
    from mcpi.shell.process.spawn import PrestartedServer  # noqa: PLC0415 - a mistake needs nothing of it

    return PrestartedServer(plain)


def _at_once(argv: list[str]) -> str | None:
    """What can be said without loading what carries out a command."""
    if argv == ["--version"]:
        return f"mcpi {__version__}\n"
    if argv[:1] in (["--help"], ["-h"]):
        from mcpi.shell.cli.help_page import quick  # noqa: PLC0415 - the version needs nothing of it

        return quick(argv)
    if argv[:1] == ["--complete"]:
        from mcpi.shell.cli.shell_completion import answer  # noqa: PLC0415 - see above

        return answer(argv[1:])
    return None


def _said(text: str) -> int:
    try:
        sys.stdout.buffer.write(text.encode(errors="backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    return 0

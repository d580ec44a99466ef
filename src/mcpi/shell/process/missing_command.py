"""Explain why a command cannot be started, and suggest what was meant."""

import json
import os
import re
import shlex
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from attrs import evolve

from mcpi.core.cli.split import SEPARATOR
from mcpi.core.outcome.faults import DID_YOU_MEAN, Correction, Unreachable, with_correction
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.secrets.detection import mask_word
from mcpi.core.targets.target import LAUNCHERS, Stdio, as_url, split_command, with_interpreter
from mcpi.core.text.suggestions import nearest
from mcpi.shell.context import Context

if TYPE_CHECKING:
    from mcpi.core.targets.json_kinds import JsonKind

_FILE = re.compile(r"[^\s:=]*\.[A-Za-z]{1,5}")
_DURATION = re.compile(r"\d+(\.\d+)?(ms|s|m|h)?")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_CUTOFF, _PROGRAM_CUTOFF = 0.76, 0.9
"""Minimum similarity for launchers and files, and for other programs, most of which are unrelated."""
_MAX_JSON = 1 << 24
_PACKAGES = {
    **dict.fromkeys(("node", "npm", "npx"), "Node.js"),
    **dict.fromkeys(("uv", "uvx"), "uv"),
    **dict.fromkeys(("bun", "bunx"), "Bun"),
    "deno": "Deno",
    "docker": "Docker",
}
"""The packages that contain the usual launchers of servers."""
_USES: dict[str, str] = {
    "lock file": "to compare it with a server: mcpi diff {} -- COMMAND",
    "script": "to run it: mcpi --script {} -- COMMAND",
}


def is_program(context: Context, word: str) -> bool:
    """Tell whether the word is a program on the search path, or an existing file."""
    path = context.environment.get("PATH", os.defpath)
    return which(word, path=path) is not None or os.access(context.directory / word, os.F_OK)


def missing_command(context: Context, target: Stdio) -> Unreachable:
    """Return the fault for a command that does not exist."""
    command, folder = target.command[0], context.directory / (target.cwd or "")
    path = folder / command
    if os.sep in command and path.exists():
        reason = _missing_loader(path)
        return Unreachable("COMMAND_NOT_FOUND", f"{command!r} cannot be executed: {reason}")
    kind = kind_of_file(path) if command.endswith((".json", ".jsonc")) else None
    if kind is not None and kind != "config file":
        hints = (_USES[kind].format(shlex.quote(command)),) if kind in _USES else ()
        return Unreachable("COMMAND_NOT_FOUND", f"{command!r} is a {kind}, not a server", hints=hints)
    problem = "no such file or command" if _FILE.fullmatch(command) and not path.exists() else "command not found"
    if target.cwd and os.sep in command and not Path(command).is_absolute():
        problem += f" in the server's working directory {target.cwd!r}"
    hints = (f"install {_PACKAGES[command]}, or add it to PATH",) if command in _PACKAGES else ()
    fault = Unreachable("COMMAND_NOT_FOUND", f"{problem}: {mask_word(command)!r}", hints=hints)
    stray = None if target.origin else _stray_value(context.argv, command)
    meant = _interpreted(folder, command) or _relative(context, target) or _meant(context, folder, target, kind)
    return with_command_correction(fault, target, stray or meant)


def _stray_value(argv: Sequence[str], command: str) -> Correction | None:
    """Return the correction of a number after a flag that takes no value: --wait 30."""
    place = argv.index(command) if command in argv else 0
    if not place or not argv[place - 1].startswith("--") or _DURATION.fullmatch(command) is None:
        return None
    return Correction(command, (), f"{argv[place - 1]} takes no value")


def with_interpreter_hint(context: Context, target: Stdio, fault: Unreachable) -> Unreachable:
    """Add the interpreter to the fault for a script that cannot be executed."""
    folder = context.directory / (target.cwd or "")
    return with_command_correction(fault, target, _interpreted(folder, target.command[0]))


def with_command_correction(fault: Unreachable, target: Stdio, meant: Correction | None) -> Unreachable:
    """Add the correction; for a command from a config file, show how to correct that file."""
    if meant is None or not target.origin:
        return with_correction(fault, meant)
    right = meant.right[1:] if meant.right[0] == SEPARATOR else meant.right
    if right[0].startswith(("-", "http")):
        return fault
    first, *rest = *right, *target.command[1:]
    written = f'"command": {json.dumps(first)}' + (f', "args": {json.dumps(rest)}' if rest else "")
    return evolve(fault, hints=(f"write {written} for {target.origin}", *fault.hints))


def _interpreted(folder: Path, command: str) -> Correction | None:
    """Return the correction of a script that was given without its interpreter."""
    words = with_interpreter(command)
    if not words or not (folder / command).is_file():
        return None
    return Correction(command, words, "start a script with its interpreter")


def _relative(context: Context, target: Stdio) -> Correction | None:
    """Return the correction of a path that is relative to the current directory, not to that of the server."""
    command, folder = target.command[0], context.directory / (target.cwd or "")
    existing = context.directory / command
    if os.sep not in command or not existing.is_file():
        return None
    # A path with .. leads elsewhere if the folder is a symbolic link.
    written = os.path.relpath(existing, folder)
    found = os.path.join(os.curdir, written) if os.sep not in written else written  # noqa: PTH118 - pathlib drops the dot
    if not (folder / found).is_file():
        found = str(existing.absolute())
    return Correction(command, with_interpreter(found) or (found,), "to start the file in the current directory")


def _meant(context: Context, folder: Path, target: Stdio, kind: "JsonKind | None") -> Correction | None:
    """Return the correction of the most likely mistake."""
    command = target.command[0]
    if _ASSIGNMENT.match(command):
        return _with_variables(target.command)
    if command == "demo":
        return Correction(command, ("--demo",))
    url = as_url(command)
    if url is not None:
        return Correction(command, (url,), "add the scheme to the URL" if url.endswith(command) else DID_YOU_MEAN)
    search_path = context.environment.get("PATH", os.defpath)
    first = command.partition(" ")[0]
    if first != command and which(first, path=search_path) is not None:
        words = split_command(command)
        right = tuple(command.split()) if isinstance(words, Failure) else words.unwrap()
        return Correction(command, (SEPARATOR, *right), "write the command without quotes")
    if kind is not None:
        return Correction(command, ("--config", command), "use --config for a config file")
    file = _nearest_file(folder, command)
    if file is not None:
        return Correction(command, with_interpreter(file) or (file,))
    near = nearest(command, [one for one in LAUNCHERS if which(one, path=search_path)], _CUTOFF)
    near = near or (nearest(command, _programs(search_path), _PROGRAM_CUTOFF) if os.sep not in command else None)
    return Correction(command, (near,)) if near else None


def _with_variables(words: tuple[str, ...]) -> Correction:
    """Return the correction of a command that begins with variables for the server, as in a shell."""
    reason = "set a server variable with -e"
    whole = split_command(words[0])
    is_quoted = not words[1:] and isinstance(whole, Success) and len(whole.unwrap()) > 1
    parts = whole.unwrap() if is_quoted else words
    quoted = (Correction(words[0], (SEPARATOR, *parts), reason),) if is_quoted else ()
    given = takewhile(_ASSIGNMENT.fullmatch, parts)
    return Correction.chain(*quoted, *(Correction(one, ("-e", one), reason) for one in given))


def _nearest_file(folder: Path, command: str) -> str | None:
    """Return the most similar name of a file in the same folder, for a word with the ending of a file."""
    if not _FILE.fullmatch(command) or (folder / command).exists():
        return None
    head, sep, tail = command.rpartition("/")
    try:
        near = nearest(tail, [entry.name for entry in os.scandir(folder / head) if entry.is_file()], _CUTOFF)
    except OSError:
        return None
    return f"{head}{sep}{near}" if near else None


def _programs(search_path: str) -> set[str]:
    """Return the names of the programs on the search path."""
    found: set[str] = set()
    for folder in search_path.split(os.pathsep):
        try:
            found.update(entry.name for entry in os.scandir(folder or "."))
        except OSError:
            continue
    return found


def kind_of_file(path: Path) -> "JsonKind | None":
    """Return the purpose of a JSON file, or None if it is not a regular file, or cannot be read."""
    from mcpi.core.targets.json_kinds import json_kind  # noqa: PLC0415 - rarely needed

    try:
        if not path.is_file():
            return None
        with path.open(encoding="utf-8", errors="replace") as file:
            return json_kind(file.read(_MAX_JSON))
    except OSError:
        return None


def _missing_loader(path: Path) -> str:
    """Tell which interpreter or loader of the file is missing."""
    try:
        with path.open("rb") as file:
            line = file.readline(200).decode(errors="replace").removesuffix("\n")
    except OSError:
        line = ""
    if not line.startswith("#!"):
        return "its loader does not exist"
    if line.endswith("\r"):
        return "its #! line ends with a carriage return, so convert the file to Unix line ends"
    return f"its interpreter {line.removeprefix('#!').strip()!r} does not exist"

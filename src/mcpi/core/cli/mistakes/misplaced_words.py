"""Find words of the target that the method, or the script, takes in another way."""

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from mcpi.core.cli.foreign_flags import FLAGS, MEANT
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.split import SEPARATOR, before_separator, value_of
from mcpi.core.cli.words import (
    CONFIGS,
    RUN_SCRIPT,
    SCRIPTS,
    SELF_COMPARISON_FLAGS,
    SIDES,
    TARGETS,
    is_url,
    own_flags,
    roles,
)
from mcpi.core.flags.declare import Flag, GivenFlags
from mcpi.core.flags.types import LOCK_FILES
from mcpi.core.outcome.faults import Correction, Invalid, with_correction
from mcpi.core.targets.target import is_launcher, with_interpreter

if TYPE_CHECKING:
    from mcpi.core.targets.json_kinds import JsonKind

_INSPECT = "--inspect-brk=0"
DEBUGGED = "--debug-command"
_USES: Mapping[str, str] = {
    "config file": "to connect to a server in it, use --config",
    "lock file": "to compare it with a server, use diff",
    "script": "to run it, use --script",
}
"""The purposes of files that are not servers."""
UNQUOTED = "diff takes each command as one word in quotes"
_QUOTE = "quote each command"
_OTHER_SIDE = {*SIDES, *SELF_COMPARISON_FLAGS, *TARGETS, *(name for name, one in FLAGS.items() if one.right == "--old")}
"""The flags of diff, and the flags that mean them, beside which a command is the only other side."""


def target_problem(given: GivenFlags, method: str, server: Sequence[str]) -> Invalid | None:
    """Return the fault for such a word, for a method or, without a name, for a script."""
    values, target = given.values, (*given.words, *server)
    first = target[0] if target else ""
    match method:
        case "diff":
            side = next((value for flag in SIDES for value in values.get(flag, ()) if is_launcher(value)), None)
            return None if side is None else _unquoted(side)
        case "debug/script" if first and "://" not in first and not values.keys() & {DEBUGGED, "--attach"}:
            return Invalid("MISSING_ARGUMENT", DEBUGGED, f"debug/script requires {DEBUGGED} or --attach")
        case "lock" if file := _lock_file(given.words):
            fault = Invalid("INVALID_ARGUMENT", "target", f"{file!r} names a file, not a server")
            return with_correction(fault, Correction(file, ("-o", file)))
        case "" if first in RUN_SCRIPT and "--script" in values:
            fault = Invalid("INVALID_ARGUMENT", "--script", f"takes no method, got {first!r}")
            return with_correction(fault, Correction(first, ()))
        case "" if given.words and first.endswith(SCRIPTS) and not first.endswith(CONFIGS):
            if "--script" not in values:
                return Invalid("INVALID_ARGUMENT", "--script", "cannot be combined with --follow")
            scripts = " and ".join(map(repr, (*values["--script"], first)))
            return Invalid(
                "INVALID_ARGUMENT", "--script", f"takes one script, got {scripts}", ("run mcpi once for each",)
            )
        case _:
            return None


def misplaced_file(
    argv: Sequence[str],
    known: Mapping[str, Flag],
    methods: Collection[str],
    kind_of: "Callable[[str], JsonKind | None]",
) -> Invalid | None:
    """Return the fault for a word that is a JSON file, or for the file of --script if it is not a script."""
    words = before_separator(argv)
    bare = [words[at] for at in roles(words, known).bare]
    script = value_of(("--script",), words) or ""
    kinds = [(word, kind_of(word)) for word in (*bare, script) if word.endswith(SCRIPTS)]
    found = ((word, kind) for word, kind in kinds if kind in _USES and not (kind == "script" and script))
    file, kind = next(found, ("", None))
    if kind is None or "diff" in bare:
        return None
    is_config = kind == "config file"
    start = next((at for at, word in enumerate(bare) if starts_server(word)), len(bare))
    if file in bare and start < bare.index(file) and (is_config or start):
        # The server's command may have the file as its argument.
        return None
    replaced = methods if is_config or script else {*methods, *MEANT, *RUN_SCRIPT}
    wrong = [word for word in bare if (is_url(word) if is_config else word in replaced)]
    if wrong and not is_config and any(word not in {file, *wrong} and not is_url(word) for word in bare):
        return None
    wrong += [flag for flag, is_wrong in (("--script", file == script), ("--demo", is_config)) if is_wrong]
    right = {"config file": ("--config", file), "script": ("--script", file)}.get(kind, ())
    front = () if right else (Correction("", ("diff", file)),)
    fault = Invalid("INVALID_ARGUMENT", "", f"{file!r} is a {kind}")
    rest = (*(Correction(word, ()) for word in wrong if word in words), *front)
    spelled = file if file in words else f"--script={file}"
    return with_correction(fault, Correction.chain(Correction(spelled, right, _USES[kind]), *rest))


def _lock_file(words: Sequence[str]) -> str:
    """Return the word that names the file to write, before the server or after its URL, or an empty string."""
    first, *rest = words or ("",)
    files = rest[:1] if is_url(first) else [first]
    return next((word for word in files if word.endswith(LOCK_FILES)), "")


def unquoted_problem(words: Sequence[str], known: Mapping[str, Flag]) -> Invalid | None:
    """Return the fault for commands without quotes, also if they contain flags."""
    method, old, *others = (*(words[at] for at in roles(words, known).bare), "", "")
    are_commands = any(map(is_launcher, others)) or (any(others) and not _names_other_side(words))
    return _unquoted(old) if method == "diff" and is_launcher(old) and are_commands else None


def _names_other_side(words: Sequence[str]) -> bool:
    return any(word.partition("=")[0] in _OTHER_SIDE for word in words)


def _unquoted(word: str) -> Invalid:
    return Invalid("INVALID_ARGUMENT", "", f"{UNQUOTED}, got {word!r}")


def with_quoted_commands(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Quote commands without quotes: diff node a.js node b.js."""
    words = before_separator(argv)
    start = next((at for at in roles(words, known).bare[1:2] if is_launcher(words[at])), len(words))
    own = own_flags(words[start:], known)
    end = next((at for at in range(start, len(words)) if words[at].partition("=")[0] in own), len(words))
    starts = [at for at in range(start + 1, end) if is_launcher(words[at])]
    second = next((at for at in starts if words[at] == words[start]), starts[-1] if starts else None)
    if second is None and len(words) == len(argv):
        return None if _names_other_side(words) else _with_one_command(argv, start, end)
    commands = (words[start : second or end], words[second or end : end])
    quoted = (shlex.join(command) for command in commands if command)
    return CorrectedLine((*argv[:start], *quoted, *argv[end:]), _QUOTE)


def _with_one_command(argv: Sequence[str], start: int, end: int) -> CorrectedLine | None:
    """Quote the only command, and compare it with the URL or the lock file after it, or with the usual lock file."""
    *command, last = argv[start:end] or ("",)
    if not command:
        return None
    if is_url(last):
        return CorrectedLine((*argv[:start], shlex.join(command), *argv[end - 1 :]), _QUOTE)
    is_file = last.endswith(LOCK_FILES)
    file, words = (last, command) if is_file else ("mcpi.lock.json", (*command, last))
    return CorrectedLine((*argv[:start], file, shlex.join(words), *argv[end:]), "to compare it with a lock file")


def with_debug_command(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Make the server's command the value of --debug-command."""
    words = before_separator(argv)
    bare = [at for at in roles(words, known).bare if words[at] != "debug/script"]
    command = [*(words[at] for at in bare), *argv[len(words) + 1 :]]
    if not command:
        return None
    command = [*(with_interpreter(command[0]) or command[:1]), *command[1:]]
    if command[0] == "node" and not any(word.startswith("--inspect") for word in command):
        command.insert(1, _INSPECT)
    ours = (word for at, word in enumerate(words) if at not in bare)
    return CorrectedLine((*ours, DEBUGGED, shlex.join(command)), "give the program with a flag")


def with_passed_flags(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine:
    """Put the flags of mcpi before the separator."""
    words = before_separator(argv)
    server = argv[len(words) + 1 :]
    moved = [at for at in roles(server, known).flags if server[at].partition("=")[0] in known]
    moved += [at + 1 for at in moved if "=" not in server[at] and not known[server[at]].is_switch]
    flags, rest = ([server[at] for at in range(len(server)) if (at in moved) == is_moved] for is_moved in (True, False))
    return CorrectedLine((*words, *flags, SEPARATOR, *rest), "put the flags of mcpi before --")

"""Suggest where to write the name of a tool, prompt or resource, and its arguments."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from attrs import evolve

from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.pasteable import command_line, no_target
from mcpi.core.cli.split import SEPARATOR, before_separator, split_line
from mcpi.core.cli.words import (
    CONFIGS,
    NAMED,
    PLACEHOLDERS,
    PROGRAM,
    TARGETS,
    is_url,
    named_flags,
    roles,
    with_named_words,
    with_scheme,
)
from mcpi.core.flags.declare import Flag, GivenFlags
from mcpi.core.flags.pairs import is_pair
from mcpi.core.outcome.faults import DID_YOU_MEAN, Correction, Invalid, with_correction
from mcpi.core.secrets.detection import mask_word, mask_words
from mcpi.core.targets.target import is_launcher, with_interpreter

_KEY = re.compile(r"[a-z]\w*:?=")
"""The beginning of an argument; variables for the server are usually uppercase."""
_VARIABLE = re.compile(r"\{(\w+)\}")
"""A variable of a URI template."""
ACRONYMS = ("URI", "ID")
NOUNS = ("tool", "prompt", "resource", "template")
"""Words that users of kubectl write before a name."""
TAKES_ONE = "takes one"
_PATHS = ("./", "../", "/", "~/")


class NamedLine(NamedTuple):
    """A command line with a name, or a placeholder for it, and the text that introduces it in a hint."""

    reason: str
    ours: tuple[str, ...]
    server: tuple[str, ...]


def with_name_hint(
    fault: Invalid, method: str, words: Sequence[str], server: Sequence[str], known: Mapping[str, Flag]
) -> Invalid:
    """Add the complete line to the fault for a missing name; if the server is missing too, return that fault."""
    reason, ours, command = named_line(method, words, server, known)
    names = [ours[at] for at in roles(ours, known).bare[1:] if not is_url(ours[at])]
    if len(names) > 1 and not NAMED[method][1]:
        noun = PLACEHOLDERS.get(NAMED[method][0], "NAME")
        shown = " and ".join(map(repr, mask_words(names)))
        problem = f"{method} {TAKES_ONE} {noun if noun in ACRONYMS else noun.lower()}, got {shown}"
        hint = "run mcpi once for each"
        if names[0].removesuffix("s") in NOUNS:
            kept = [word for word in ours if word != names[0]]
            hint = f"{DID_YOU_MEAN}: {PROGRAM} {command_line(kept, command)}"
        elif filled := _filled(names):
            kept = [filled if word == names[0] else word for word in ours if word not in names[1:]]
            hint = f"{DID_YOU_MEAN}: {PROGRAM} {command_line(kept, command)}"
        return Invalid("INVALID_ARGUMENT", NAMED[method][0], problem, (hint,))
    if not reason:
        return no_target(*ours).failure()
    return evolve(fault, hints=(*fault.hints, f"{reason}: {PROGRAM} {command_line(ours, command)}"))


def _filled(names: Sequence[str]) -> str:
    """Return the URI of a template with the values of the variables that follow it, or an empty string."""
    template, *given = names
    values = dict(word.split("=", 1) for word in given if is_pair(word))
    filled = _VARIABLE.sub(lambda found: quote(values[found[1]], "") if found[1] in values else found[0], template)
    is_used = values.keys() == {*_VARIABLE.findall(template)} and len(values) == len(given)
    return filled if is_used else ""


def with_name(argv: Sequence[str], known: Mapping[str, Flag]) -> tuple[str, ...]:
    """Add a placeholder for the name to a command line that begins with a method, if it lacks one."""
    (method, *words), server = split_line(argv, has_method=True)
    if method not in NAMED:
        return tuple(argv)
    spelled = with_named_words(method, words, known, has_command=bool(server))
    if NAMED[method][0] in named_flags(spelled, known):
        return tuple(argv)
    _, ours, command = named_line(method, words, server, known)
    return (*ours, *((SEPARATOR, *command) if command else ()))


def unflagged_arguments(given: GivenFlags, method: str) -> Invalid | None:
    """Return the fault for arguments without a flag after --method, or for variables of a script without --var."""
    name, argument = NAMED.get(method, ("", "")) if method else ("--script", "--var")
    words = given.words[1:] if not method and "://" in given.words[0] else given.words
    if not argument or name not in given.values or not is_argument("".join(words[:1])):
        return None
    word, *rest = words
    each = (word, *filter(is_argument, rest))
    noun, mode = ("an argument", "--method") if method else ("a variable of the script", "--script")
    reason = f"with {mode}, {'arguments' if method else 'variables'} need {argument}"
    fault = Invalid("INVALID_ARGUMENT", "target", f"{mask_word(word)!r} is {noun}, not a server")
    return with_correction(fault, Correction.chain(*(Correction(one, (argument, one), reason) for one in each)))


def is_argument(word: str) -> bool:
    """Tell whether the word begins with the name of an argument and an equals sign."""
    return _KEY.match(word) is not None


def with_placed_name(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Put the name and the server's command of a line that begins with a method in the right position."""
    words = before_separator(argv)
    flag = next((at for at, word in enumerate(words) if word in {"--method", "-m"}), None)
    if flag is not None:
        argv = (*argv[flag + 1 : flag + 2], *argv[:flag], *argv[flag + 2 :])
    method, *words = argv
    ours, server = split_line(words, has_method=True)
    if method not in NAMED:
        return None
    reason, ours, command = named_line(method, ours, server, known)
    return CorrectedLine((*ours, *((SEPARATOR, *command) if command else ())), reason) if reason else None


def named_line(method: str, words: Sequence[str], server: Sequence[str], known: Mapping[str, Flag]) -> NamedLine:
    """Return the line with the name and its arguments in the right position; the reason is empty without a server."""
    config = next((words[at] for at in roles(words, known).bare if words[at].endswith(CONFIGS)), "")
    if config and not server and not named_flags(words, known) & {*TARGETS}:
        at = list(words).index(config)
        return NamedLine("use --config for a config file", (method, *words[:at], "--config", *words[at:]), ())
    if not roles(words, known).bare and {*TARGETS} & {*server} and not starts_server(server[0]):
        return NamedLine(f"omit {SEPARATOR}", (method, *words, *server), ())
    bare = [with_scheme(words[place]) for place in roles(words, known).bare]
    flags = [word for place, word in enumerate(words) if place not in roles(words, known).bare]
    noun = PLACEHOLDERS.get(NAMED[method][0], "NAME")
    shown = noun if noun in ACRONYMS else noun.lower()
    url = "" if any(map(starts_server, bare[:1])) else next(filter(is_url, bare), "")
    names: Sequence[str] = [word for word in bare if word != url]
    command: Sequence[str] = ()
    has_target = url or named_flags(words, known) & {*TARGETS}
    if has_target:
        reason = DID_YOU_MEAN if names else f"the {noun} follows the URL" if url else "for example"
    else:
        names, command = split_names(bare, server)
        if names and NAMED[method][1] and not server:
            end = next((at for at in range(len(command), 0, -1) if not is_argument(command[at - 1])), 0)
            names, command = (*names, *command[end:]), command[:end]
        if noun not in ACRONYMS and any(map(is_url, names)):
            # Only a resource may have a URL as its name.
            names, command = (), (*command, *names)
        reason = "put the server's command after --" if names and not server else f"put the {shown} before --"
    if command and "/" not in command[0]:
        command = (*(with_interpreter(command[0]) or command[:1]), *command[1:])
    ours = (method, *([url] if url else []), *(names or [noun]), *flags)
    return NamedLine(reason if has_target or command else "", ours, tuple(command))


def split_names(bare: Sequence[str], server: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split the words into a name with its arguments and the server's command, judging by their form."""
    if server:
        # The words after the separator may begin with the name.
        first = next((place for place, word in enumerate(server) if starts_server(word)), 0)
        command, names = (server, ()) if bare else (server[first:], server[:first]) if first else _split_end(server)
        return (*bare, *(name for name in names if name != SEPARATOR)), command
    start = next((place for place, word in enumerate(bare) if starts_server(word)), None)
    if start == 0:
        command, names = _split_end(bare)
        return names, command
    if start is None:
        start = next((place for place, word in enumerate(bare) if place and not is_pair(word)), len(bare))
    return bare[:start], bare[start:]


def starts_server(word: str) -> bool:
    """Tell whether the word looks like the beginning of a server's command."""
    return is_launcher(word) or word.startswith(_PATHS) or ("://" not in word and bool(with_interpreter(word)))


def _split_end(command: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split off a name at the end: the word before key=value words, or the last word after a script."""
    given = (is_pair(word) or word.startswith("{") for word in command)
    pairs = next((place for place, found in enumerate(given) if found), len(command))
    name = pairs - 1
    is_name = pairs < len(command) or bool(with_interpreter(command[name - 1]))
    if name < 1 + is_launcher(command[0]) or command[name].startswith("-") or not is_name:
        return command, ()
    return command[:name], command[name:]

"""Suggest where to write the name of a tool, prompt or resource, and its arguments."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attrs import evolve

from mcpi.core.cli.pasteable import command_line, no_target
from mcpi.core.cli.split import SEPARATOR, split_line
from mcpi.core.cli.words import NAMED, PLACEHOLDERS, PROGRAM, TARGETS, is_url, named_flags, roles, with_named_words
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import is_pair
from mcpi.core.outcome.faults import DID_YOU_MEAN, Invalid
from mcpi.core.secrets.detection import mask_words
from mcpi.core.targets.target import is_launcher, with_interpreter

ACRONYMS = ("URI", "ID")
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
        problem = f"{method} takes one {noun if noun in ACRONYMS else noun.lower()}, got {shown}"
        return Invalid("INVALID_ARGUMENT", NAMED[method][0], problem, ("run mcpi once for each",))
    if not reason:
        return no_target(*ours).failure()
    return evolve(fault, hints=(*fault.hints, f"{reason}: {PROGRAM} {command_line(ours, command)}"))


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


def named_line(method: str, words: Sequence[str], server: Sequence[str], known: Mapping[str, Flag]) -> NamedLine:
    """Return the line with the name and its arguments in the right position; the reason is empty without a server."""
    bare = [words[place] for place in roles(words, known).bare]
    flags = [word for place, word in enumerate(words) if place not in roles(words, known).bare]
    noun = PLACEHOLDERS.get(NAMED[method][0], "NAME")
    shown = noun if noun in ACRONYMS else noun.lower()
    url = next(filter(is_url, bare), "")
    names: Sequence[str] = [word for word in bare if word != url]
    command: Sequence[str] = ()
    if url or named_flags(words, known) & {*TARGETS}:
        reason = DID_YOU_MEAN if names else f"the {noun} follows the URL" if url else "for example"
    else:
        names, command = split_names(bare, server)
        reason = "put the server's command after --" if names and not server else f"put the {shown} before --"
    ours = (method, *([url] if url else []), *(names or [noun]), *flags)
    return NamedLine(reason if url or command or reason == "for example" else "", ours, tuple(command))


def split_names(bare: Sequence[str], server: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split the words into a name with its arguments and the server's command, judging by their form."""
    if server:
        command, names = (server, ()) if bare else _split_end(server)
        return (*bare, *names), command
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
    pairs = next((place for place, word in enumerate(command) if is_pair(word)), len(command))
    name = pairs - 1
    is_name = pairs < len(command) or bool(with_interpreter(command[name - 1]))
    if name < 1 + is_launcher(command[0]) or command[name].startswith("-") or not is_name:
        return command, ()
    return command[:name], command[name:]

"""Suggest where to write the flags of the server's command."""

from collections.abc import Collection, Mapping, Sequence

from attrs import evolve

from mcpi.core.cli.foreign_flags import MEANT
from mcpi.core.cli.mistakes.missing_names import starts_server, with_name
from mcpi.core.cli.pasteable import pasteable
from mcpi.core.cli.split import MODES, SEPARATOR, before_separator
from mcpi.core.cli.words import AFTER, CONFIGS, NAMED, PROGRAM, SCRIPTS, SIDES, named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import is_pair
from mcpi.core.outcome.faults import Invalid
from mcpi.core.text.suggestions import is_similar

_PORT = "--port"
"""The most frequent flag of servers, which is similar to --report."""


def with_server_flags_hint(
    fault: Invalid,
    spelled: str,
    line: tuple[str, Sequence[str], Sequence[str]],
    known: Mapping[str, Flag],
    methods: Collection[str] = (),
) -> Invalid:
    """Add the line with the rejected flag after the separator, if the flag may belong to the server's command.

    The line is a positional method or "", the other words before the separator, and the server's words after it.
    """
    method, words, server = line
    flag = spelled.partition("=")[0]
    if not flag or (flag.startswith("--") and flag in known):
        return fault
    words = ["--method" if _names_method(words, at, methods) else word for at, word in enumerate(words)]
    if not method:
        method, words = _with_method_first(words, known, methods)
    places = [at for at in roles(words, known).flags if words[at].partition("=")[0] == flag]
    is_ours = flag.startswith("--") and flag != _PORT and is_similar(flag, known)
    moved = with_separator(method, words, places[-1], server, known) if places and not is_ours else ()
    if not moved or moved[moved.index(SEPARATOR) + 1] in MEANT:
        is_unknown = flag not in known and not server and _may_be_the_servers(words, server)
        return evolve(fault, hints=(*fault.hints, AFTER)) if is_unknown else fault
    ours = before_separator(moved)
    # Without a method, a bare word before the separator is a script.
    has_purpose = any(word.partition("=")[0] in MODES for word in ours) or bool(roles(ours, known).bare)
    reason = f"{AFTER}:" if has_purpose else f"{AFTER}, for example:"
    shown = pasteable(moved if has_purpose else ("tools/list", *moved))
    return evolve(fault, hints=(*fault.hints, f"{reason} {PROGRAM} {shown}"))


def with_separator(
    method: str, words: Sequence[str], refused: int, server: Sequence[str], known: Mapping[str, Flag]
) -> tuple[str, ...]:
    """Return the command line with the rejected flag in the server's command; empty if it does not belong there.

    The server's command extends to the next flag that mcpi knows by its long name.
    """
    bare = [at for at in roles(words, known).bare if at < refused]
    if not bare or not _may_be_the_servers(words, server):
        return ()
    later = [words[at] for at in roles(words, known).bare if at > refused]
    start = _start(method, words, bare, known)
    is_script = not method and words[bare[0]].endswith(SCRIPTS)
    if start is None and (server or is_script or any(map(starts_server, later))):
        return ()
    start = bare[0] if start is None else start
    ends = [at for at, word in enumerate(words) if word.startswith("--") and word.partition("=")[0] in known]
    own = next((at for at in ends if start < at < refused), refused)
    if own < refused and words[refused].partition("=")[0] in known:
        return ()
    end = next((at for at in ends if at > refused), len(words))
    ours = (*words[:start], *words[own:refused], *words[end:])
    command = (*words[start:own], *words[refused:end], *server)
    if not method:
        return (*ours, SEPARATOR, *command)
    return with_name((method, *ours, SEPARATOR, *command), known)


def _names_method(words: Sequence[str], place: int, methods: Collection[str]) -> bool:
    """Tell whether a method follows -m there; the -m of python3 is followed by a module."""
    return words[place] == "-m" and any(word in methods for word in words[place + 1 : place + 2])


def _with_method_first(
    words: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]
) -> tuple[str, Sequence[str]]:
    """Return the method among the words, also under the name of another tool, or "", and the other words.

    The words after the method come first: they may be the name and its arguments.
    """
    bare = roles(words, known).bare
    place = next((at for at in bare if words[at] in methods), None)
    if place is not None and not any(word in MODES and word != "-m" for word in words):
        return words[place], (*words[place + 1 :], *words[:place])
    flag = words.index("--method") if "--method" in words else len(words)
    method, name = (*words[flag + 1 : flag + 3], "", "")[:2]
    if method in NAMED and name and not name.startswith("-"):
        return method, (*words[flag + 2 :], *words[:flag])
    meant = MEANT.get(words[bare[0]], "") if bare else ""
    if meant not in methods or not any(starts_server(words[at]) for at in bare[1:]):
        return "", words
    every = f"{NAMED.get(meant, ('', ''))[1]}s"
    rest = (*words[: bare[0]], *words[bare[0] + 1 :])
    return meant, tuple(every if word == "--params" and every in known else word for word in rest)


def _start(method: str, words: Sequence[str], bare: Sequence[int], known: Mapping[str, Flag]) -> int | None:
    """Return the place of the command's first word, after the words that the method takes, or after a script."""
    texts = [words[at] for at in bare]
    if not method and texts[0].endswith(SCRIPTS) and not texts[0].endswith(CONFIGS):
        names = 1
    elif method in NAMED:
        names = NAMED[method][0] not in named_flags(words, known)
    elif method == "diff":
        names = not named_flags(words, known).intersection(SIDES)
    else:
        return bare[0]
    likely = (number for number, word in enumerate(texts) if starts_server(word))
    other = (number for number, word in enumerate(texts) if number >= names and not is_pair(word))
    found = next(likely, next(other, None))
    return None if found is None else bare[found]


def _may_be_the_servers(words: Sequence[str], server: Sequence[str]) -> bool:
    """Tell whether the target is a command, which may have its own flags."""
    worded = bool(server) or any(not word.startswith("-") and not word.endswith(SCRIPTS) for word in words)
    return worded and not any(word.startswith(("--demo", "--config", "http://", "https://")) for word in words)

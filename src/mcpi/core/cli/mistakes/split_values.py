"""Join values that the shell has split at a space, separate joined flags, and correct arguments without a key."""

import re
from collections.abc import Mapping, Sequence

from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.mistakes.typography import typographic_problem, without_quotes
from mcpi.core.cli.pasteable import pasteable
from mcpi.core.cli.split import before_separator
from mcpi.core.cli.words import NAMED, PROGRAM, is_url, roles
from mcpi.core.flags.declare import STDIN, Flag
from mcpi.core.flags.pairs import is_pair
from mcpi.core.flags.types import ASSIGNMENT, HEADER, NAMED_FILE
from mcpi.core.outcome.faults import DID_YOU_MEAN
from mcpi.core.targets.target import is_launcher

_SCHEMES = frozenset({"basic", "bearer", "token"})
_KEY = re.compile(r"[A-Za-z_]\w*")
_GAP = "\0"
NAME_PLACEHOLDER = "NAME="
"""Prefix of an argument whose name is unknown."""


def joined_flag(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Join the value of a header or of a variable with the word after it."""
    words = before_separator(argv)
    flags, bare = roles(words, known)
    for place in flags:
        flag, value, after = known.get(words[place]), place + 1, place + 2
        if flag is None or after not in bare or (place and is_launcher(words[place - 1])):
            continue
        if flag.flag_type is HEADER and words[value].endswith(":"):
            more = 1 + (words[after].lower() in _SCHEMES and after + 1 in bare)
            joined = " ".join(words[value : after + more])
            return CorrectedLine((*argv[:value], joined, *argv[after + more :]), "quote the header")
        if flag.flag_type in (ASSIGNMENT, NAMED_FILE) and "=" not in words[value] and not starts_server(words[after]):
            joined = f"{words[value]}={words[after]}"
            return CorrectedLine((*argv[:value], joined, *argv[after + 1 :]))
    return None


def separated_flags(place: int, argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Separate combined short flags, and a short flag from its value."""
    rest, flags = argv[place][1:], []
    while rest and f"-{rest[0]}" in known:
        flag, rest = f"-{rest[0]}", rest[1:]
        value = () if known[flag].is_switch or not rest else (rest,)
        flags += [flag, *value]
        rest = "" if value else rest
    if rest or not flags:
        return None
    return CorrectedLine((*argv[:place], *flags, *argv[place + 1 :]), "write short flags separately")


def corrected_arguments(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Correct the first words that should be key=value: the rest of a value, key:value, or values without keys."""
    words = before_separator(argv)
    arguments = _arguments(words, known)
    place = next((at for at in arguments if not is_pair(words[at])), None)
    if place is None:
        return None
    found = typographic_problem(words[place : place + 1], known)
    if found is not None and found.correction is not None:
        return CorrectedLine((*argv[:place], *found.correction.right, *argv[place + 1 :]))
    end = next((at for at in range(place, len(words)) if at not in arguments or is_pair(words[at])), len(words))
    before = words[place - 1]
    if is_pair(before):
        key, equals, value = before.partition("=")
        text = without_quotes(" ".join(filter(None, (value, *words[place:end]))))
        reason = "quote values with spaces" if " " in text else DID_YOU_MEAN
        return CorrectedLine((*argv[: place - 1], f"{key}{equals}{text}", *argv[end:]), reason)
    flag = NAMED.get(words[roles(words, known).bare[0]], ("", ""))[1]
    if flag and len(arguments) == 1 and words[place][:1] in {"@", STDIN}:
        reason = f"to read all arguments from {'standard input' if words[place] == STDIN else 'a file'}"
        return CorrectedLine((*argv[:place], f"{flag}s", *argv[place:]), reason)
    pairs = _paired(words[place:end])
    return CorrectedLine((*argv[:place], *pairs, *argv[end:]), "arguments are key=value")


def _arguments(words: Sequence[str], known: Mapping[str, Flag]) -> list[int]:
    """Return the places of the words after the method and the name."""
    return [at for at in roles(words, known).bare if not is_url(words[at])][2:]


def _paired(words: Sequence[str]) -> list[str]:
    """Return the words as pairs: `a = 1` and `a 1` become a=1, and a value without a key gets a placeholder."""
    joined = re.sub(f"{_GAP}(:?=){_GAP}?", r"\1", _GAP.join(words)).split(_GAP)
    keys, values = joined[::2], joined[1::2]
    if len(keys) == len(values) and all(map(_KEY.fullmatch, keys)) and not any(map(is_pair, values)):
        return [f"{key}={value}" for key, value in zip(keys, values, strict=True)]
    return [word if is_pair(word) else _as_pair(word) for word in joined]


def _as_pair(word: str) -> str:
    key, colon, value = word.partition(":")
    return f"{key}={value}" if colon and key else f"{NAME_PLACEHOLDER}{word}"


def describing_hint(argv: Sequence[str], known: Mapping[str, Flag]) -> str:
    """Return a hint with a command that lists the arguments of the tool or prompt."""
    words = before_separator(argv)
    dropped, method = _arguments(words, known), roles(words, known).bare[0]
    ours = ("describe" if at == method else word for at, word in enumerate(words) if at not in dropped)
    return f"to see the arguments: {PROGRAM} {pasteable((*ours, *argv[len(words) :]))}"

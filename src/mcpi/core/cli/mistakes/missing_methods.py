"""Correct command lines without a method, or with an unknown one."""

import re
from collections.abc import Collection, Mapping, Sequence

from mcpi.core.cli import foreign_flags
from mcpi.core.cli.flag_rules import INFORMATION_FLAGS
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_names import is_argument, starts_server, with_name
from mcpi.core.cli.split import SEPARATOR, before_separator
from mcpi.core.cli.words import CONFIGS, SCRIPTS, TARGETS, is_url, named_flags, roles, with_scheme
from mcpi.core.flags.declare import Flag, GivenFlags
from mcpi.core.flags.pairs import call_words, is_pair
from mcpi.core.outcome.faults import Invalid, with_nearest
from mcpi.core.targets.target import with_interpreter
from mcpi.core.text.suggestions import nearest

_OTHER_PROGRAMS = {
    "serve": "mcpi-serve is a separate program: mcpi-serve --help",
    "replay": "to repeat calls, write a script: mcpi script --help",
}
"""The hints on words that are not methods."""
TO_CALL = "to call a tool"
_NAME = re.compile(r"[\w-]+")
_WORD = re.compile(r"[A-Za-z][\w.-]*(/[\w.-]+)*(\(.*\))?", re.DOTALL)


def unknown_method(given: GivenFlags, server: Sequence[str], methods: Collection[str] = ()) -> Invalid | None:
    """Return the fault for a first word that is not a method, if another word is the target.

    With `methods`, the word is not a program either.
    """
    word, *rest = given.words or ("",)
    if not _WORD.fullmatch(word) or starts_server(word):
        return None
    meant = foreign_flags.FLAG_WORDS.get(word) or foreign_flags.MEANT.get(word)
    meant = meant or foreign_flags.method_named(word, methods)
    followed = (*server[:1], *(rest if meant or methods or "/" in word else ()))
    is_alone = (meant is not None and (not rest or meant == "diff")) or (bool(methods) and not rest and "." not in word)
    has_target = {*TARGETS} & given.values.keys() or any(
        is_url(with_scheme(one)) or starts_server(one) for one in followed
    )
    if not has_target and not is_alone:
        return None
    fault = Invalid("UNKNOWN_METHOD", "", f"unknown method {word!r}", ("mcpi --help lists the methods",))
    return with_nearest(fault, word, meant)


def other_program(words: Sequence[str], known: Mapping[str, Flag]) -> Invalid | None:
    """Return the fault for a first word that names another program, or a function that mcpi does not have."""
    word = next((words[at] for at in roles(words, known).bare), "")
    hint = _OTHER_PROGRAMS.get(word)
    return None if hint is None else Invalid("UNKNOWN_METHOD", "", f"unknown method {word!r}", (hint,))


def unknown_topic(word: str, topics: Collection[str], flags: Collection[str]) -> Invalid | None:
    """Return the fault for a word that has no help page, with the nearest topic; a server's command is not a topic."""
    if word in topics or is_url(word) or starts_server(word):
        return None
    hint = "mcpi --help lists the methods, mcpi --help all lists the flags"
    if f"--{word}" in flags:
        hint = f"--{word} is a flag; to list all flags: mcpi --help all"
    fault = Invalid("INVALID_ARGUMENT", "", f"no help on {word!r}", (hint,))
    if f"--{word}" in flags:
        return fault
    return with_nearest(fault, word, foreign_flags.method_named(word, topics) or nearest(word, topics))


def with_method(argv: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]) -> CorrectedLine | None:
    """Put the method first: the one that is among the words, or else tools/list."""
    places = roles(before_separator(argv), known).bare
    if not places and (line := _with_late_method(argv, methods)):
        return CorrectedLine(line)
    argv = _with_schemes(argv, places)
    words = before_separator(argv)
    bare = [words[at] for at in places]
    return (
        _without_command_word(argv, places, bare)
        or _with_named_method(argv, places, known, methods)
        or (_example(argv, places, known) if bare or len(words) < len(argv) or {*TARGETS} & {*words} else None)
    )


def _with_schemes(argv: Sequence[str], places: Sequence[int]) -> tuple[str, ...]:
    return tuple(with_scheme(word) if at in places else word for at, word in enumerate(argv))


def _with_late_method(argv: Sequence[str], methods: Collection[str]) -> tuple[str, ...]:
    """Put the method that is among the server's words first, with the words after it; return () without one."""
    ours = before_separator(argv)
    server = argv[len(ours) + 1 :]
    at = next((at for at, word in enumerate(server) if word in methods), None)
    return () if at is None else (*server[at:], *ours, *((SEPARATOR, *server[:at]) if at else ()))


def _without_command_word(argv: Sequence[str], places: Sequence[int], bare: Sequence[str]) -> CorrectedLine | None:
    """Replace a first word that is a flag here, as in `completion bash`."""
    first, second = (*bare[:2], "", "")[:2]
    is_file = first in {"config", "script"} and second.endswith(SCRIPTS)
    if is_file or f"--{first}" in INFORMATION_FLAGS:
        return CorrectedLine((*argv[: places[0]], f"--{first}", *argv[places[0] + 1 :]))
    if first in foreign_flags.FLAG_WORDS and not _names_script(bare[:2]):
        flag, *value = foreign_flags.FLAG_WORDS[first].split()[: 1 if second.endswith(".jsonl") else None]
        if flag in INFORMATION_FLAGS:
            return CorrectedLine((flag, *(word for at, word in enumerate(before_separator(argv)) if at not in places)))
        return CorrectedLine((*argv[: places[0]], flag, *value, *argv[places[0] + 1 :]))
    return None


def _with_named_method(
    argv: Sequence[str], bare: Sequence[int], known: Mapping[str, Flag], methods: Collection[str]
) -> CorrectedLine | None:
    """Put the method first that is among the words, possibly as two words or misspelled, or a script's flag."""
    words = before_separator(argv)
    pairs = ["/".join(words[place] for place in places) for places in (bare[:2], bare[1::-1]) if bare[1:]]
    pair = next((one for one in (foreign_flags.MEANT.get(one, one) for one in pairs) if one in methods), None)
    if pair is not None and bare[1] == bare[0] + 1:
        return CorrectedLine((pair, *argv[: bare[0]], *argv[bare[1] + 1 :]))
    named = {place: words[place] for place in bare if words[place] in methods}
    start = next((place for place in bare if not is_url(words[place])), None)
    first = "" if start is None else words[start]
    is_method = foreign_flags.misspelled_method(first, methods) or foreign_flags.MEANT.get(first) == "diff"
    if not named and not is_method and _names_script([words[place] for place in bare[:2]]):
        return CorrectedLine((*argv[: bare[0]], "--script", *argv[bare[0] + 1 :]))
    script = next((place for place in bare[1:] if _is_script(words[place])), None)
    if script is not None and is_url(words[bare[0]]) and not named:
        return CorrectedLine((*argv[:script], "--script", *argv[script:]))
    if not named and start is not None and not with_interpreter(first):
        meant = foreign_flags.method_named(first, methods)
        named = {} if meant is None else {start: meant}
    if not named:
        return None
    place, method = next(iter(named.items()))
    return CorrectedLine(with_name(_moved(argv, place, method, bare, len(words)), known))


def _example(argv: Sequence[str], bare: Sequence[int], known: Mapping[str, Flag]) -> CorrectedLine:
    """Return a call of the tool whose arguments are among the words, or else tools/list."""
    if SEPARATOR not in argv and any(map(is_argument, (argv[at] for at in bare[1:]))):
        called = with_name(("tools/call", *argv), known)
        if SEPARATOR in called and "NAME" not in called:
            return CorrectedLine(called, TO_CALL)
    if len(bare) > 1 and is_url(argv[bare[0]]):
        call = as_tool_call(argv, known) if _NAME.fullmatch(argv[bare[1]]) else None
        url = tuple(word for at, word in enumerate(argv) if at not in bare[1:])
        return call or CorrectedLine(("tools/list", *url), "for example")
    line = (*argv[: bare[0]], *_started(argv[bare[0]]), *argv[bare[0] + 1 :]) if bare else argv
    return CorrectedLine(("tools/list", *line), "for example")


def _names_script(words: Sequence[str]) -> bool:
    """Tell whether a word that is not a program precedes a script, as in `run smoke.json`."""
    first, *rest = words or ("",)
    is_word = _WORD.fullmatch(first) is not None and not starts_server(first)
    return is_word and any(map(_is_script, rest))


def _is_script(word: str) -> bool:
    return word.endswith(SCRIPTS) and not word.endswith(CONFIGS)


def as_tool_call(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Insert tools/call before the unknown word, which may be a tool if arguments or no other words follow."""
    words = before_separator(argv)
    places = roles(words, known).bare
    place, *rest = (at for at in places if not is_url(with_scheme(words[at])))
    if words[place] in _OTHER_PROGRAMS:
        return None
    if not all((is_pair(words[at]) and "://" not in words[at]) or words[at].startswith("{") for at in rest):
        return None
    called = call_words(words[place]) or (words[place],)
    argv = _with_schemes(argv, places)
    return CorrectedLine((*argv[:place], "tools/call", *called, *argv[place + 1 :]), TO_CALL)


def as_vendor_method(argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Send the first word as a method that only the server knows, if it is spelled like one."""
    words = before_separator(argv)
    place = roles(words, known).bare[0]
    if "/" not in words[place]:
        return None
    params = () if "--params" in named_flags(words, known) else ("--params", "{}")
    ours = (*words[:place], *words[place + 1 :], "--method", words[place], *params)
    return CorrectedLine((*ours, *argv[len(words) :]), "to send it anyway")


def _started(word: str) -> tuple[str, ...]:
    """Return the word as a target: with the interpreter of a script, or as a flag."""
    flag = ("--demo",) if word == "demo" else ("--config", word) if word.endswith(CONFIGS) else ()
    return flag or with_interpreter(word) or (word,)


def _moved(argv: Sequence[str], place: int, method: str, bare: Sequence[int], end: int) -> tuple[str, ...]:
    """Return the line with the method first; a command before it moves after `--` if words follow the method."""
    before, after = [one for one in bare if one < place], [one for one in bare if one > place]
    target = _started(argv[before[0]]) if len(before) == 1 else ()
    if target and target[0].startswith("--"):
        return (method, *argv[: before[0]], *target, *argv[before[0] + 1 : place], *argv[place + 1 :])
    if not before or not after or "://" in argv[before[0]] or end < len(argv):
        return (method, *argv[:place], *argv[place + 1 :])
    ours = (word for at, word in enumerate(argv) if at not in before and at != place)
    return (method, *ours, SEPARATOR, *(argv[at] for at in before))

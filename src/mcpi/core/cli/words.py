"""Classify the words of a command line, and build the corrected lines that errors suggest."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from mcpi.core.cli.split import SEPARATOR, before_separator, split_line, value_of
from mcpi.core.flags.declare import STDIN, Flag
from mcpi.core.flags.pairs import is_pair
from mcpi.core.flags.types import ASSIGNMENT, NAMED_FILE, PAIR
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Invalid
from mcpi.core.targets.target import as_url, is_launcher, with_interpreter

PROGRAM = "mcpi"
_OWN_SERVERS = ("mcpi-serve", "mcpi-debug-script")
_OWN_FLAGS = {"--config", "--help", "--version"}
"""The flags of these servers that mcpi has too."""
_SHORT_AT_END = lazy_pattern(r"-e [A-Z_][A-Z0-9_]*=.*|-H [\w-]+:.*", re.DOTALL)
"""The short flags that are recognized at the end of the server's command."""
NO_SUCH_FLAG = "unknown flag"
NO_METHOD = "no method given"
AFTER = "put flags of the server's command after --"
REPEATED = (PAIR, ASSIGNMENT, NAMED_FILE)
"""Types of the flags that may have several values: --tool-arg a=1 b=2."""
_METHOD_WORD = re.compile(r"ping|discover|describe|lint|lock|diff|[a-z]+/[a-zA-Z/]+")
SCRIPTS = (".json", ".jsonc")
"""The file extensions of scripts."""
RUN_SCRIPT = ("run", "script", "test")
"""Words that other tools need before a script."""
SCRIPT_HELP = (("--help",), ("-h",))
"""Words after --script that ask for help on scripts."""
CONFIGS = ("mcp.json", "mcp_settings.json", "claude_desktop_config.json")
"""The suffixes of the names of config files."""
TARGETS = ("--demo", "--config", "--server")
"""The flags that name a target."""
NAMED: Mapping[str, tuple[str, str]] = {
    "tools/call": ("--tool-name", "--tool-arg"),
    "prompts/get": ("--prompt-name", "--prompt-arg"),
    "resources/read": ("--uri", ""),
    "describe": ("--item", ""),
    **dict.fromkeys(("resources/subscribe", "resources/unsubscribe", "resources/directory/read"), ("--uri", "")),
    **dict.fromkeys(("skills/get", "skills/read"), ("--uri", "")),
    **dict.fromkeys(("tasks/get", "tasks/result", "tasks/cancel"), ("--task-id", "")),
    "logging/setLevel": ("--log-level", ""),
}
"""Methods whose required flag may be positional, with that flag, and with the flag of the arguments that may follow."""
PLACEHOLDERS: Mapping[str, str] = {"--uri": "URI", "--task-id": "ID", "--log-level": "LEVEL"}
"""Placeholders for the values of these flags; NAME for all others."""


SIDES = ("--old", "--new")
"""The flags for the positional arguments of diff."""
SELF_COMPARISON_FLAGS = ("--old-era", "--new-era", "--old-protocol-version", "--new-protocol-version")
"""The flags that compare a server with itself."""
_PLUGINS = {"lock": "diff"}
"""The plugins of methods that are not named after their plugin."""


class Roles(NamedTuple):
    """The positions of the flags, and of the words that are neither flags nor values."""

    flags: tuple[int, ...]
    bare: tuple[int, ...]


def counterpart(flag: str, method: str) -> str | None:
    """Return the method's flag for the same purpose as this flag of tools/call or prompts/get."""
    own = NAMED.get(method, ("", ""))
    for name, argument in (NAMED["tools/call"], NAMED["prompts/get"]):
        names = {name: own[0], argument: own[1], f"{argument}s": own[1] and f"{own[1]}s"}
        if names.get(flag):
            return names[flag]
    return None


def roles(words: Sequence[str], known: Mapping[str, Flag]) -> Roles:
    """Find the flags and the bare words; an unknown flag takes no value."""
    flags: list[int] = []
    bare: list[int] = []
    place = 0
    while place < len(words):
        word = words[place]
        if not word.startswith("-") or word == STDIN:
            bare.append(place)
        else:
            flags.append(place)
            flag = known.get(word)
            place += flag is not None and not flag.is_switch
        place += 1
    return Roles(tuple(flags), tuple(bare))


def named_flags(words: Sequence[str], known: Mapping[str, Flag]) -> set[str]:
    """Return the names of the known flags that are given."""
    given = (known.get(words[place].partition("=")[0]) for place in roles(words, known).flags)
    return {flag.name for flag in given if flag is not None}


def repeated_flags(words: Sequence[str], known: Mapping[str, Flag]) -> tuple[str, ...]:
    """Return the names of the known flags that are given more than once."""
    given = Counter(known.get(words[place].partition("=")[0]) for place in roles(words, known).flags)
    return tuple(flag.name for flag, number in given.items() if flag is not None and number > 1)


def normalized_line(argv: Sequence[str], known: Mapping[str, Flag]) -> tuple[str, ...]:
    """Rewrite `help METHOD`, `version`, and a leading script file as flags."""
    if tuple(argv) == ("version",):
        return ("--version",)
    if tuple(argv[:1]) == ("help",) and SEPARATOR not in argv:
        return (*argv[1:], "--help")
    if tuple(argv[:1]) == ("--script",) and argv[1:] in SCRIPT_HELP:
        return ("script", "--help")
    words = before_separator(argv)
    flags, bare = roles(words, known)
    if not bare or not words[bare[0]].endswith(SCRIPTS) or words[bare[0]].endswith(CONFIGS) or "://" in words[bare[0]]:
        return tuple(argv)
    names = {words[place].partition("=")[0] for place in flags}
    names |= {"--method"} if any(_METHOD_WORD.fullmatch(words[place]) for place in bare) else set()
    if not known.keys() >= names or names & {"--method", "-m", "--script", "--follow", "--help", "-h"}:
        return tuple(argv)
    return (*argv[: bare[0]], "--script", *argv[bare[0] :])


def with_repeated_flags(argv: Sequence[str], known: Mapping[str, Flag]) -> tuple[str, ...]:
    """Repeat a flag before each key=value word that follows its own value: --tool-arg a=1 b=2."""
    words = before_separator(argv)
    found: list[str] = []
    spelled = ""
    flags, bare = roles(words, known)
    for place, word in enumerate(words):
        if place in flags:
            name = word.partition("=")[0]
            flag = known.get(name)
            spelled = name if flag is not None and flag.repeatable and flag.flag_type in REPEATED else ""
        elif place in bare:
            spelled = spelled if is_pair(word) else ""
            found += [spelled] if spelled else []
        found.append(word)
    return (*found, *argv[len(words) :])


def subcommand_place(words: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]) -> int | None:
    """Return the place of the first bare word if it is the name of a method."""
    bare = roles(words, known).bare
    return bare[0] if bare and words[bare[0]] in methods else None


def method_group(argv: Sequence[str], known: Mapping[str, Flag]) -> str:
    """Return the first part of the method's name, if it is known without loading all plugins."""
    ours = split_line(argv).ours
    name = value_of(known["--method"].spellings, ours)
    bare = roles(ours, known).bare
    group = (name if name is not None else ours[bare[0]] if bare else "").partition("/")[0]
    return _PLUGINS.get(group, group)


def with_named_words(
    method: str, words: Sequence[str], known: Mapping[str, Flag], *, has_command: bool
) -> tuple[str, ...]:
    """Rewrite the name and the arguments that follow the method as flags, if the target is given in another way."""
    bare = roles(words, known).bare
    if method not in NAMED or not bare:
        return tuple(words)
    given = named_flags(words, known)
    name, argument = NAMED[method]
    if not has_command and not given.intersection(TARGETS):
        url = _place_of_url(words, bare, may_follow_name=name not in given)
        if url is None:
            # The item follows the server, as in: mcpi describe node server.js add.
            last = bare[-1]
            if method != "describe" or name in given or len(bare) == 1 or _is_script(words[last]):
                return tuple(words)
            return (*words[:last], f"{name}={words[last]}", *words[last + 1 :])
        bare = tuple(at for at in bare if at != url)
    names = () if name in given else bare[:1]
    arguments = bare[len(names) :]
    if argument and len(arguments) == 1 and words[arguments[0]].startswith("{"):
        # All arguments as one JSON object.
        argument = f"{argument}s"
    # If no name is expected, the words may be the beginning of the server's command.
    if arguments and not (argument and (names or all(is_pair(words[place]) for place in arguments))):
        return tuple(words)
    flags = {**dict.fromkeys(names, name), **dict.fromkeys(arguments, argument)}
    return tuple(f"{flags[place]}={word}" if place in flags else word for place, word in enumerate(words))


def _place_of_url(words: Sequence[str], bare: Sequence[int], *, may_follow_name: bool) -> int | None:
    """Return the place of the URL: the first word, or else the only URL beside a name and its arguments."""
    if is_url(words[bare[0]]):
        return bare[0]
    urls = [at for at in bare if is_url(with_scheme(words[at]))]
    name, *arguments = (*(words[at] for at in bare if at not in urls), "")
    # After the first argument, a word that is not key=value is a mistake, not the server's command.
    is_call = name and not _is_program(name) and all(is_pair(one) or one[:1] in {"{", ""} for one in arguments[:1])
    return urls[0] if may_follow_name and len(urls) == 1 and is_call else None


def _is_script(word: str) -> bool:
    return bool(with_interpreter(word)) and "://" not in word


def _is_program(word: str) -> bool:
    """Tell whether the word is the server's command rather than the name or the URI of an item."""
    return is_launcher(word) or _is_script(word) or ("/" in word and "://" not in word)


def with_sides(words: Sequence[str], known: Mapping[str, Flag]) -> tuple[str, ...]:
    """Rewrite the words after diff as flags, except the target: a URL at the end, or the command after the old side."""
    bare, given = roles(words, known).bare, named_flags(words, known)
    free = [flag for flag in SIDES if flag not in given]
    ends_in_url = bool(bare) and is_url(words[bare[-1]])
    if len(bare) > len(free) or (len(bare) == len(free) and ends_in_url):
        free = free[:-1]
    elif ends_in_url and given.intersection(SELF_COMPARISON_FLAGS):
        free = []
    flags = dict(zip(bare, free, strict=False))
    return tuple(f"{flags[place]}={word}" if place in flags else word for place, word in enumerate(words))


def stray_word(word: str, words: Sequence[str]) -> Invalid:
    """Return the fault for a word that a flag separates from the other words of the target."""
    problem = f"{word!r} is separated from {' '.join(words)!r} by a flag; keep the words of a command together"
    return Invalid("INVALID_ARGUMENT", "target", problem, ("to give several values, repeat the flag",))


def is_url(word: str) -> bool:
    """Tell whether the word is an http or https URL."""
    return word.startswith(("http://", "https://"))


def with_scheme(word: str) -> str:
    """Add the scheme to a host with a port or a path; the name of a tool may be spelled like a host alone."""
    return (as_url(word) if {*":/"} & {*word} else None) or word


def own_flags(server: Sequence[str], known: Mapping[str, Flag]) -> list[str]:
    """Return the flags in the server's command that mcpi has too, unless the server is one of mcpi.

    Of the short ones only `-o FILE` counts, and `-e NAME=VALUE` or `-H 'Name: value'` at the end: the others are common
    in commands, as is the -o NAME=VALUE of ssh.
    """
    words = [word.partition("=")[0] for word in server]
    found = {
        word
        for word, value in zip(words, server[1:], strict=False)
        if word == "-o" and (value == STDIN or not value.startswith("-")) and "=" not in value
    }
    found |= {word for word in words if word.startswith("--") and word in known}
    if _SHORT_AT_END.fullmatch(" ".join(server[-2:])):
        found.add(server[-2])
    if any(word.rpartition("/")[2] in _OWN_SERVERS for word in words):
        found -= _OWN_FLAGS
    return [word for word in dict.fromkeys(words) if word in found]

"""Complete the last word of a command line."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mcpi.core.cli.split import MODES, SEPARATOR, before_separator, split_line, value_of
from mcpi.core.cli.words import NAMED, TARGETS, is_url, named_flags, roles, subcommand_place, with_named_words
from mcpi.core.flags.declare import Flag, by_spelling, flags_of
from mcpi.core.flags.options import GROUPS, TargetOptions
from mcpi.core.plans.catalog import Catalog

DYNAMIC_VALUES = {
    "--server": "servers",
    "--tool-name": "tools",
    "--tool-arg": "arguments",
    "--prompt-name": "prompts",
    "--prompt-arg": "prompt-arguments",
    "--uri": "resources",
    "--item": "items",
}
"""Flags whose values come from a config file or a server."""
CONNECTING = ("--era", "--protocol-version")
"""Flags that affect the connection, in addition to those of the target."""

_SAFE = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_./:@%+,=-]*", re.ASCII)
"""Words that need no escaping in bash, zsh and fish, quoted or unquoted."""

_TOPICS = (("all", "all flags"), ("script", "how to write scripts"))
"""Words that may follow `help`, in addition to methods."""
_PAIR = "k=v"
"""A word that may be an argument of a tool or a name; it takes the place of the word being typed."""

_HERE = "\0"
"""A character that no word contains; it marks the word being typed."""

Words = tuple[tuple[str, str], ...]
"""Candidates, each with its description."""


class CompletionRequest(NamedTuple):
    """The candidates for a word, or the kind of names to look up first."""

    kind: str
    """words, files, folders, or one of DYNAMIC_VALUES."""
    words: Words = ()
    typed: str = ""
    """The part that is already typed."""
    before: str = ""
    """The text before it in the same word, such as --flag=."""


def with_named_flags(words: Sequence[str], catalog: Catalog) -> tuple[str, ...]:
    """Rewrite a positional name and its arguments as flags, if the words before the last one name the target."""
    *before, typed = words or ("",)
    known = _general(catalog)
    place = subcommand_place(before, known, catalog.owned)
    if place is None or typed.startswith("-") or SEPARATOR in before or before[place] not in NAMED:
        return (*before, typed)
    flags = flags_for(before, catalog)
    ours = [*before[:place], *before[place + 1 :], typed if is_url(typed) else _PAIR]
    bare = roles(ours, flags).bare
    has_target = bool(named_flags(ours[:-1], flags).intersection(TARGETS)) or is_url(ours[bare[0]] if bare else "")
    if not has_target:
        return (*before, typed)
    *spelled, last = with_named_words(before[place], ours, flags, has_command=False)
    named = (last.partition("=")[0],) if last != ours[-1] else ()
    return (*spelled[:place], before[place], *spelled[place:], *named, typed)


def completion_request(words: Sequence[str], catalog: Catalog, texts: Mapping[str, str]) -> CompletionRequest:
    """Return the candidates for the last word; `texts` has the help of each flag."""
    *before, typed = words or ("",)
    if _is_servers(before, typed, catalog):
        return CompletionRequest("files", typed=typed)
    flags = flags_for(before, catalog)
    last = before[-1] if before else ""
    if last in {"--help", "-h"} or before == ["help"]:
        return CompletionRequest("words", (*_methods(catalog), *_TOPICS), typed)
    if last in flags and not flags[last].is_switch:
        return _value(flags[last], typed, "", catalog)
    name, equals, value = typed.partition("=")
    if equals and name in flags:
        return _value(flags[name], value, f"{name}=", catalog)
    if typed.startswith("-"):
        return CompletionRequest("words", _unused(flags.values(), before, texts), typed)
    methods = () if roles(before, flags).bare or method_of(before, catalog) else _methods(catalog)
    found = CompletionRequest("words", methods, typed)
    return found if fitting(found) else CompletionRequest("files", typed=typed)


def fitting(found: CompletionRequest) -> Words:
    """Keep the candidates that begin with the typed text.

    Shells insert a candidate into the line as it is: the name of a tool or a server must not end a quotation, start a
    command or look like a flag.
    """
    ours = found.kind == "words"
    safe = ((word, text) for word, text in found.words if ours or _SAFE.fullmatch(word))
    return tuple((found.before + word, text) for word, text in safe if word.startswith(found.typed))


def method_of(words: Sequence[str], catalog: Catalog) -> str | None:
    """Return the name of the method that the words name."""
    known = _general(catalog)
    named = value_of(known["--method"].spellings, words)
    place = subcommand_place(words, known, catalog.owned)
    return named if named is not None or place is None else words[place]


def flags_for(words: Sequence[str], catalog: Catalog) -> dict[str, Flag]:
    """Return the general flags and those of the method, by spelling."""
    method = catalog.owned.get(method_of(words, catalog) or "")
    return {**_general(catalog), **(by_spelling((method.method.args,)) if method is not None else {})}


def _general(catalog: Catalog) -> dict[str, Flag]:
    return by_spelling((*GROUPS, *(responder.args for responder in catalog.responders)))


def connecting(words: Sequence[str], catalog: Catalog) -> list[str]:
    """Return the words that select the server, without the method and its flags."""
    wanted = {flag.name for flag in flags_of(TargetOptions)} | {*CONNECTING}
    flags = flags_for(words, catalog)
    place = subcommand_place(words, flags, catalog.owned)
    ours, server = split_line(words, has_method=place is not None)
    kept: list[str] = []
    rest = [word for at, word in enumerate(ours) if at != place][::-1]
    while rest:
        word = rest.pop()
        flag = flags.get(word.partition("=")[0])
        values = [rest.pop()] if flag and not flag.is_switch and "=" not in word and rest else []
        if flag is None or flag.name in wanted:
            kept += [word, *values]
    return [*kept, SEPARATOR, *server] if server else kept


def _is_servers(before: Sequence[str], typed: str, catalog: Catalog) -> bool:
    """Tell whether the typed word belongs to the server's command, so that no flag of mcpi can follow."""
    ours = before_separator(before)
    if len(ours) == len(before):
        return False
    has_method = subcommand_place(ours, _general(catalog), catalog.owned) is not None
    asked = has_method or any(word.partition("=")[0] in MODES for word in ours)
    server = split_line((*before, f"{typed}{_HERE}"), has_method=has_method).server
    return asked and server[-1:] == (f"{typed}{_HERE}",)


def _value(flag: Flag, typed: str, before: str, catalog: Catalog) -> CompletionRequest:
    name, value = flag.name, flag.flag_type.name
    if name == "--method":
        return CompletionRequest("words", _methods(catalog), typed, before)
    if name in DYNAMIC_VALUES:
        return CompletionRequest(DYNAMIC_VALUES[name], (), typed, before)
    kinds = value.split("|")
    if "FILE" in kinds or value == "DIR":
        return CompletionRequest("folders" if value == "DIR" else "files", (), typed, before)
    choices = flag.flag_type.usual or tuple(word for word in kinds if len(kinds) > 1 and not word.isupper())
    return CompletionRequest("words", tuple((word, "") for word in choices), typed, before)


def _methods(catalog: Catalog) -> Words:
    return tuple((name, owned.method.summary) for name, owned in sorted(catalog.owned.items()))


def _unused(flags: Iterable[Flag], before: Sequence[str], texts: Mapping[str, str]) -> Words:
    """Return the flags that can still be added."""
    given = {word.partition("=")[0] for word in before}
    free = {flag.name: flag for flag in flags if flag.repeatable or not given.intersection(flag.spellings)}
    return tuple((name, texts.get(name, "")) for name in sorted(free))

"""What could stand at the end of a command line that is being typed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mcpi.core.cli.help_text import FlagHelp, Help
from mcpi.core.cli.split import MODES, SEPARATOR, split_line, value_of

LEARNT = {
    "--server": "servers",
    "--tool-name": "tools",
    "--tool-arg": "arguments",
    "--prompt-name": "prompts",
    "--prompt-arg": "prompt-arguments",
    "--uri": "resources",
}
"""Flags whose values only a config file or a server knows."""
CONNECTING = ("--era", "--protocol-version")
"""Flags that matter for a connection, beside those of the target."""

_HERE = "\0"
"""What no word holds, and the one that is being typed is known by."""

Words = tuple[tuple[str, str], ...]
"""What could stand there, each with what it means."""


class CompletionRequest(NamedTuple):
    """What could stand there: words, or what must first be looked up."""

    kind: str
    """words, files, folders, or one of LEARNT."""
    words: Words = ()
    typed: str = ""
    """What has been typed of it."""
    before: str = ""
    """What stands before it in the same word, such as --flag=."""


def completion_request(words: Sequence[str], known: Help) -> CompletionRequest:
    """What could stand for the last of the words."""
    *before, typed = words or ("",)
    if _is_servers(before, typed):
        return CompletionRequest("files", typed=typed)
    flags = flags_for(before, known)
    last = before[-1] if before else ""
    if last in {"--help", "-h"}:
        return CompletionRequest("words", _methods(known), typed)
    if last in flags and flags[last]["value"]:
        return _value(flags[last], typed, "", known)
    name, equals, value = typed.partition("=")
    if equals and name in flags:
        return _value(flags[name], value, f"{name}=", known)
    if typed.startswith("-"):
        return CompletionRequest("words", _unused(flags.values(), before), typed)
    return CompletionRequest("files", typed=typed)


def fitting(found: CompletionRequest) -> Words:
    """The words that begin as it was typed."""
    return tuple((found.before + word, text) for word, text in found.words if word.startswith(found.typed))


def flags_for(words: Sequence[str], known: Help) -> dict[str, FlagHelp]:
    """The flags that there are, by each of their spellings: the general ones and those of the method."""
    method = value_of("--method", words)
    own = [flag for one in known["methods"] if one["name"] == method for flag in one["flags"]]
    general = [flag for group in known["groups"] for flag in group["flags"]]
    spelled = {flag["name"]: flag for flag in (*general, *own)}
    return spelled | {flag["short"]: flag for flag in spelled.values() if flag["short"]}


def connecting(words: Sequence[str], known: Help) -> list[str]:
    """The words that say which server is meant, and nothing of what is wanted from it."""
    general = {flag["name"] for group in known["groups"] if group["title"] == "Target" for flag in group["flags"]}
    flags = flags_for(words, known)
    ours, server = split_line(words)
    kept: list[str] = []
    rest = list(reversed(ours))
    while rest:
        word = rest.pop()
        flag = flags.get(word.partition("=")[0])
        values = [rest.pop()] if flag and flag["value"] and "=" not in word and rest else []
        if flag is None or flag["name"] in general or flag["name"] in CONNECTING:
            kept += [word, *values]
    return [*kept, SEPARATOR, *server] if server else kept


def _is_servers(before: Sequence[str], typed: str) -> bool:
    """Whether what is typed belongs to the server, and no flag of ours can follow any more."""
    ours = before[: before.index(SEPARATOR)] if SEPARATOR in before else ()
    asked = any(word.partition("=")[0] in MODES for word in ours)
    return asked and split_line((*before, f"{typed}{_HERE}")).server[-1:] == (f"{typed}{_HERE}",)


def _value(flag: FlagHelp, typed: str, before: str, known: Help) -> CompletionRequest:
    name, value = flag["name"], flag["value"]
    if name == "--method":
        return CompletionRequest("words", _methods(known), typed, before)
    if name in LEARNT:
        return CompletionRequest(LEARNT[name], (), typed, before)
    if value in {"FILE", "DIR"}:
        return CompletionRequest("files" if value == "FILE" else "folders", (), typed, before)
    choices = tuple((word, "") for word in value.split("|") if "|" in value and word != "JSON")
    return CompletionRequest("words", choices, typed, before)


def _methods(known: Help) -> Words:
    return tuple((method["name"], method["summary"]) for method in known["methods"])


def _unused(flags: Iterable[FlagHelp], before: Sequence[str]) -> Words:
    """The flags that may still be given."""
    given = {word.partition("=")[0] for word in before}
    free: Mapping[str, str] = {
        flag["name"]: flag["text"] for flag in flags if flag["repeatable"] or flag["name"] not in given
    }
    return tuple(sorted(free.items()))

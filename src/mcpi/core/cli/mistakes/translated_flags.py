"""Translate flags of other tools, and rewrite unknown flags as arguments of the tool or prompt."""

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import get_args

from mcpi.core.cli.foreign_flags import FLAGS, MEANT, ForeignFlag
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.split import SEPARATOR, before_separator, value_of
from mcpi.core.cli.words import NAMED, SCRIPTS, TARGETS, counterpart, is_url, named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import is_pair
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, parse_json_text
from mcpi.core.jsontext.values import as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.result import Failure
from mcpi.core.targets.target import is_launcher, split_command, with_interpreter
from mcpi.core.text.suggestions import is_similar
from mcpi.core.wire.urls import Transport

_FILTER = re.compile(r"[.\[{(|]")
"""The first character of a jq filter."""
_JSON = ("{", "@", "-")
"""The first characters of a JSON object, a file with one, or standard input."""
_SHORT = 2


@frozen
class _Wrong:
    """A flag that mcpi does not have, and the words around it."""

    name: str
    place: int
    argv: Sequence[str]
    known: Mapping[str, Flag]

    @property
    def words(self) -> Sequence[str]:
        """The words before the separator."""
        return before_separator(self.argv)

    @property
    def bare(self) -> Sequence[int]:
        """The places of the words that are neither flags nor values."""
        return roles(self.words, self.known).bare

    @property
    def equals(self) -> bool:
        """True if the flag is written as --flag=value."""
        return "=" in self.words[self.place]

    @property
    def value(self) -> str | None:
        """The text after the equals sign, or the next word, if it can be a value."""
        if self.equals:
            return self.words[self.place].partition("=")[2]
        after = self.words[self.place + 1 : self.place + 2]
        is_value = bool(after) and (not after[0].startswith("-") or after[0][1:2].isdigit())
        return after[0] if is_value else None

    @property
    def end(self) -> int:
        """The place after the value."""
        return self.place + (1 if self.equals else 2)

    @property
    def method(self) -> str:
        """The method, if it is the first word; other tools may have another name for it."""
        first = next((self.words[at] for at in self.bare if not is_url(self.words[at])), "")
        return MEANT.get(first, first)

    @property
    def argument(self) -> str:
        """The flag of the method's arguments, if it has any."""
        return NAMED.get(self.called, ("", ""))[1]

    @property
    def called(self) -> str:
        """The method that a flag or a word names."""
        return value_of(("--method", "-m"), self.words) or self.method

    @property
    def has_target(self) -> bool:
        """True if the target is given by the separator, a flag or a URL."""
        is_given = len(self.words) < len(self.argv) or bool(named_flags(self.words, self.known) & {*TARGETS})
        return is_given or any(is_url(self.words[at]) for at in self.bare if at != self.place + 1)

    @property
    def has_script(self) -> bool:
        """True if a word may be the file of a script."""
        return any(word.endswith(SCRIPTS) for word in self.words)

    @property
    def has_name(self) -> bool:
        """True if the name of the tool or prompt is before the flag."""
        before = [at for at in self.bare if at < self.place and not is_url(self.words[at])]
        flag = next((name for name, argument in NAMED.values() if argument and argument == self.argument), "")
        return len(before) > 1 or flag in named_flags(self.words, self.known)


def without_foreign_flag(name: str, argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Replace a flag of another tool, or one that is meant as an argument."""
    wrong = _wrong_flag(name, argv, known)
    if wrong is None:
        return None
    foreign, place = FLAGS.get(wrong.name), wrong.place
    argument = _as_argument(wrong)
    if foreign is None:
        return None if wrong.name not in known and is_similar(wrong.name, known) else argument
    if argument is not None and _is_argument(foreign, wrong):
        return argument
    if not _is_sensible(foreign, wrong):
        return None
    if not foreign.takes_value:
        has_port = foreign.kind == "hint" and not wrong.equals and (wrong.value or "").isdecimal()
        return _translated(foreign, wrong, (argv[:place], argv[place + 1 + has_port :]), "")
    if foreign.kind == "target" and wrong.value is None and wrong.has_target:
        return CorrectedLine((*argv[:place], *argv[place + 1 :]), foreign.reason)
    value = wrong.value
    if value is None or (foreign.kind in {"dropped", "hint"} and (starts_server(value) or is_url(value))):
        return None
    return _translated(foreign, wrong, (argv[:place], argv[wrong.end :]), value)


def _wrong_flag(name: str, argv: Sequence[str], known: Mapping[str, Flag]) -> _Wrong | None:
    """Find the flag, unless it belongs to a launcher; a negative number is the value of the flag before it."""
    words = before_separator(argv)
    place = next((at for at in roles(words, known).flags if words[at].partition("=")[0] == name), None)
    if place is None or (place and is_launcher(words[place - 1])):
        return None
    before = words[place - 1] if place else ""
    is_value = name[1:].isdecimal() and before.startswith("--") and "=" not in before and before not in known
    return _Wrong(before, place - 1, argv, known) if is_value else _Wrong(name, place, argv, known)


def _follows_command(wrong: _Wrong) -> bool:
    """Tell whether the server's command is before the flag."""
    before = [wrong.words[at] for at in wrong.bare if at < wrong.place]
    return len(wrong.words) == len(wrong.argv) and any(starts_server(word) for word in before)


def _is_sensible(foreign: ForeignFlag, wrong: _Wrong) -> bool:
    """Tell whether the counterpart makes sense: for a flag of mcpi, for a filter of jq, and beside certain words."""
    is_short, is_nodes = len(wrong.name) == _SHORT, foreign.kind == "hint" and foreign.may_be_the_servers
    is_the_servers = foreign.is_unneeded or foreign.kind == "target" or is_short or is_nodes
    if is_the_servers and _follows_command(wrong):
        return False
    if foreign.kind == "pipe" and wrong.name != "--jq" and (wrong.has_script or not _FILTER.match(wrong.value or "")):
        return False
    return any(re.match(foreign.needs, word) for word in wrong.words)


def _is_argument(foreign: ForeignFlag, wrong: _Wrong) -> bool:
    """Tell whether a flag that other tools have is meant as an argument here."""
    value = wrong.value or ""
    match foreign.kind:
        case "pipe":
            return _FILTER.match(value) is None
        case "target":
            return wrong.has_target
        case "script":
            return True
        case "body":
            return not is_pair(value) and not value.startswith(_JSON)
        case "hint":
            return foreign.takes_value and ":" not in value
        case "flag" if foreign.right == "--tool-args":
            return not wrong.name.endswith("-file") and not is_pair(value) and not value.startswith(_JSON)
        case "flag" if foreign.right == "--transport":
            return value not in get_args(Transport)
        case _:
            bare = [at for at in wrong.bare if at < wrong.place and not is_url(wrong.words[at])]
            return foreign.right in {"--tool-name", "--prompt-name"} and len(bare) > 1


def _as_argument(wrong: _Wrong) -> CorrectedLine | None:
    """Rewrite a flag with a value as an argument, if it follows the name of a tool or prompt."""
    value, argv = wrong.value, wrong.argv
    if value is None or not wrong.argument or not wrong.has_name or _follows_command(wrong):
        return None
    if "--breakpoint" in named_flags(wrong.words, wrong.known):
        return None
    if not wrong.has_target:
        after = [wrong.words[at] for at in wrong.bare if at >= wrong.end]
        if starts_server(value) or not any(map(starts_server, after)):
            return None
    key = wrong.name.lstrip("-")
    pair = f"{key}={value}"
    given = (pair,) if NAMED.get(wrong.method, ("", ""))[1] else (wrong.argument, pair)
    return CorrectedLine((*argv[: wrong.place], *given, *argv[wrong.end :]), f"if {key} is an argument")


def _translated(
    foreign: ForeignFlag, wrong: _Wrong, around: tuple[Sequence[str], Sequence[str]], value: str
) -> CorrectedLine | None:
    """Translate the flag between the two parts of the command line, and return the whole line."""
    head, tail = around
    match foreign.kind:
        case "flag":
            return _with_flag(foreign, wrong, around, value)
        case "method":
            return CorrectedLine((foreign.right, *((value,) if value else ()), *head, *tail))
        case "dropped" | "pipe" | "hint":
            rest = f" | jq {shlex.quote(value)}" if foreign.kind == "pipe" else ""
            reason = (wrong.has_script and foreign.in_script) or foreign.reason
            return CorrectedLine((*head, *shlex.split(foreign.right), *tail), reason, rest)
        case "body":
            return _with_body(foreign, wrong, around, value)
        case "target":
            return _with_target(foreign, wrong, around, value)
        case "script":
            return CorrectedLine((*(word for word in head if word not in MEANT), "--script", value, *tail))
        case "reports":
            return CorrectedLine((*head, "--report-junit", "junit.xml", *tail)) if "junit" in value else None


def _with_flag(
    foreign: ForeignFlag, wrong: _Wrong, around: tuple[Sequence[str], Sequence[str]], value: str
) -> CorrectedLine:
    """Return the line with mcpi's own flag."""
    head, tail = around
    right = foreign.right
    if wrong.name.endswith("args-file"):
        value = f"@{value}"
    if wrong.called == "completion/complete" and is_pair(value):
        key, _, text = value.partition("=")
        return CorrectedLine((*head, "--argument-name", key, "--argument-value", text, *tail))
    if right in {"--tool-arg", "--tool-args"}:
        right = _argument_flag(wrong.argument or "--tool-arg", value, right)
    right = counterpart(right, wrong.called) or right
    if wrong.name == "--max-time" and value.isdecimal():
        # curl counts in seconds.
        value = f"{value}s"
    pair = (right, value) if foreign.takes_value else (right,)
    return CorrectedLine((*head, *((f"{right}={value}",) if wrong.equals else pair), *tail))


def _argument_flag(argument: str, value: str, right: str) -> str:
    """Return the flag for one argument or for all of them, depending on the value."""
    is_one = is_pair(value) or (right == "--tool-arg" and not value.startswith(_JSON))
    return argument if is_one else f"{argument}s"


def _with_body(
    foreign: ForeignFlag, wrong: _Wrong, around: tuple[Sequence[str], Sequence[str]], value: str
) -> CorrectedLine:
    """Replace the body of a request by the method with its parameters, or by the arguments of a tool or prompt."""
    head, tail = around
    parsed = parse_json_text(value)
    message = as_object(parsed.value) if isinstance(parsed, Exact) else {}
    method = message.get("method")
    if "jsonrpc" not in message:
        flag = _argument_flag(wrong.argument, value, "") if wrong.argument else "--params"
        return CorrectedLine((*head, flag, value, *tail))
    if NAMED.get(wrong.method) or wrong.method == method or not isinstance(method, str):
        return CorrectedLine((*head, *tail), foreign.reason)
    params = ("--params", dump(message["params"])) if message.get("params") else ()
    return CorrectedLine((method, *head, *params, *tail))


def _with_target(
    foreign: ForeignFlag, wrong: _Wrong, around: tuple[Sequence[str], Sequence[str]], value: str
) -> CorrectedLine | None:
    """Return the line with a URL after the method, or with a command after the separator."""
    head, tail = around
    if "://" in value:
        named = next((at for at in wrong.bare if MEANT.get(wrong.words[at], wrong.words[at]) in NAMED), None)
        rest = (*head, *tail)
        place = len(head) if named is None else named + 1 - (named > wrong.place) * (wrong.end - wrong.place)
        return CorrectedLine((*rest[:place], value, *rest[place:]), foreign.reason)
    target = split_command(value)
    if isinstance(target, Failure):
        return None
    ours, more = _command_arguments(before_separator(tail))
    command = target.unwrap()
    if len(command) == 1 and not wrong.equals and not more:
        run = tuple(takewhile(lambda word: not word.startswith("-"), ours))
        end = next((at + 1 for at, word in enumerate(run) if with_interpreter(word)), is_launcher(value) * len(run))
        ours, more = ours[end:], ours[:end]
    server = tail[len(before_separator(tail)) + 1 :]
    return CorrectedLine((*head, *ours, SEPARATOR, *command, *more, *server), foreign.reason)


def _command_arguments(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split off the arguments of the command, if a flag gives them too: --command node --args server.js."""
    if "--args" not in words:
        return words, ()
    start = words.index("--args")
    end = next((at for at in range(start + 1, len(words)) if words[at].startswith("--")), len(words))
    rest, more = _command_arguments(words[end:])
    return (*words[:start], *rest), (*words[start + 1 : end], *more)

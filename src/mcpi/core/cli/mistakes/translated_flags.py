"""Translate flags of other tools, and rewrite unknown flags as arguments of the tool or prompt."""

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import get_args

from mcpi.core.cli.foreign_flags import FLAGS, MEANT, ForeignFlag
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.mistakes.split_values import EACH_ARGUMENT, member_pairs
from mcpi.core.cli.mistakes.wrong_flag import WrongFlag, find_wrong_flag
from mcpi.core.cli.split import SEPARATOR, before_separator
from mcpi.core.cli.words import NAMED, SCRIPTS, counterpart, is_url, named_flags
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import is_pair
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
_VALUES = {"--expect": re.compile(r"[/.$]"), "--transport": re.compile(rf"(?:{'|'.join(get_args(Transport))})\Z")}
"""The form of the values of these flags; a flag with another value is an argument."""
_SHORT = 2


def without_foreign_flag(name: str, argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Replace a flag of another tool, or one that is meant as an argument."""
    wrong = find_wrong_flag(name, argv, known)
    if wrong is None:
        return None
    foreign = FLAGS.get(wrong.name)
    argument = _as_argument(wrong)
    if foreign is None:
        return None if wrong.name not in known and is_similar(wrong.name, known) else argument
    if argument is not None and _is_argument(foreign, wrong):
        return argument
    if foreign.in_script and wrong.has_script:
        return _without_value(foreign, wrong)
    return _replaced(foreign, wrong) if _is_sensible(foreign, wrong) else None


def _replaced(foreign: ForeignFlag, wrong: WrongFlag) -> CorrectedLine | None:
    """Replace the flag and its value by the counterpart."""
    argv, place = wrong.argv, wrong.place
    if not foreign.takes_value:
        has_port = foreign.kind == "hint" and not wrong.equals and (wrong.value or "").isdecimal()
        return _translated(foreign, wrong, (argv[:place], argv[place + 1 + has_port :]), "")
    if foreign.kind == "target" and wrong.value is None and wrong.has_target:
        return CorrectedLine((*argv[:place], *argv[place + 1 :]), foreign.reason)
    value = wrong.value
    if value is None or (foreign.kind in {"dropped", "hint"} and (starts_server(value) or is_url(value))):
        return None
    return _translated(foreign, wrong, (argv[:place], argv[wrong.end :]), value)


def _without_value(foreign: ForeignFlag, wrong: WrongFlag) -> CorrectedLine | None:
    """Omit a flag that scripts do not need, and its value."""
    if foreign.kind == "method":
        return CorrectedLine((*wrong.argv[: wrong.place], *wrong.argv[wrong.place + 1 :]), foreign.in_script)
    value = wrong.value
    if value is None or starts_server(value) or is_url(value) or value.endswith(SCRIPTS) or wrong.follows_command:
        return None
    return CorrectedLine((*wrong.argv[: wrong.place], *wrong.argv[wrong.end :]), foreign.in_script)


def _is_sensible(foreign: ForeignFlag, wrong: WrongFlag) -> bool:
    """Tell whether the counterpart makes sense: for a flag of mcpi, for a filter of jq, and beside certain words."""
    is_short, is_nodes = len(wrong.name) == _SHORT, foreign.kind == "hint" and foreign.may_be_the_servers
    is_the_servers = foreign.is_unneeded or foreign.kind == "target" or is_short or is_nodes
    if is_the_servers and wrong.follows_command:
        return False
    if (foreign.kind == "pipe" and not _jq(foreign, wrong)) or (foreign.kind == "hint" and not foreign.right):
        return False
    return any(re.match(foreign.needs, word) for word in wrong.words)


def _jq(foreign: ForeignFlag, wrong: WrongFlag) -> str:
    """Return the arguments of jq, or an empty string if the value is not a filter and the method lists nothing."""
    value = wrong.value or ""
    if foreign.right or wrong.name == "--jq" or _FILTER.match(value):
        return foreign.right or shlex.quote(value)
    lists, _, action = wrong.called.rpartition("/")
    return shlex.quote(f".{lists}[] | select(.name | contains({dump(value)}))") if action == "list" and value else ""


def _is_argument(foreign: ForeignFlag, wrong: WrongFlag) -> bool:
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
        case "flag" if foreign.right in _VALUES:
            return _VALUES[foreign.right].match(value) is None
        case _:
            bare = [at for at in wrong.bare if at < wrong.place and not is_url(wrong.words[at])]
            return foreign.right in {"--tool-name", "--prompt-name"} and len(bare) > 1


def _as_argument(wrong: WrongFlag) -> CorrectedLine | None:
    """Rewrite a flag with a value as an argument, if it follows the name of a tool or prompt."""
    value, argv = wrong.value, wrong.argv
    if value is None or not wrong.argument or not wrong.has_name or wrong.follows_command:
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
    foreign: ForeignFlag, wrong: WrongFlag, around: tuple[Sequence[str], Sequence[str]], value: str
) -> CorrectedLine | None:
    """Translate the flag between the two parts of the command line, and return the whole line."""
    head, tail = around
    match foreign.kind:
        case "flag":
            return _with_flag(foreign, wrong, around, value)
        case "method":
            return CorrectedLine((foreign.right, *((value,) if value else ()), *head, *tail))
        case "dropped" | "pipe" | "hint":
            is_pipe = foreign.kind == "pipe"
            words, rest = ([], f" | jq {_jq(foreign, wrong)}") if is_pipe else (shlex.split(foreign.right), "")
            return CorrectedLine((*head, *words, *tail), foreign.reason, rest)
        case "body":
            return _with_body(foreign, wrong, around, value)
        case "target":
            return _with_target(foreign, wrong, around, value)
        case "script":
            return CorrectedLine((*(word for word in head if word not in MEANT), "--script", value, *tail))
        case "reports":
            return CorrectedLine((*head, "--report-junit", "junit.xml", *tail)) if "junit" in value else None


def _with_flag(
    foreign: ForeignFlag, wrong: WrongFlag, around: tuple[Sequence[str], Sequence[str]], value: str
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
    is_one = not value.startswith(_JSON) and (is_pair(value) or right == "--tool-arg")
    return argument if is_one else f"{argument}s"


def _with_body(
    foreign: ForeignFlag, wrong: WrongFlag, around: tuple[Sequence[str], Sequence[str]], value: str
) -> CorrectedLine:
    """Replace the body of a request by the method with its parameters, or by the arguments of a tool or prompt."""
    head, tail = around
    parsed = parse_json_text(value)
    message = as_object(parsed.value) if isinstance(parsed, Exact) else {}
    method = message.get("method")
    members = member_pairs(value)
    if "jsonrpc" not in message and len(members) == len(message) and _has_arguments(wrong):
        # The flag for all arguments cannot be combined with others.
        pairs = (
            members if NAMED.get(wrong.method, ("", ""))[1] else [w for one in members for w in (wrong.argument, one)]
        )
        return CorrectedLine((*head, *pairs, *tail), EACH_ARGUMENT)
    if "jsonrpc" not in message:
        flag = _argument_flag(wrong.argument, value, "") if wrong.argument else "--params"
        return CorrectedLine((*head, flag, value, *tail))
    if NAMED.get(wrong.method) or wrong.method == method or not isinstance(method, str):
        return CorrectedLine((*head, *tail), foreign.reason)
    params = ("--params", dump(message["params"])) if message.get("params") else ()
    return CorrectedLine((method, *head, *params, *tail))


def _has_arguments(wrong: WrongFlag) -> bool:
    """Tell whether other words of the line are arguments of the tool or prompt."""
    others = (wrong.words[at] for at in wrong.bare if not wrong.place < at < wrong.end)
    is_given = wrong.argument in named_flags(wrong.words, wrong.known)
    return bool(wrong.argument) and (is_given or any(is_pair(one) and not is_url(one) for one in others))


def _with_target(
    foreign: ForeignFlag, wrong: WrongFlag, around: tuple[Sequence[str], Sequence[str]], value: str
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

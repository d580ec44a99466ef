"""Correct a command line: replace wrong words and names from other tools."""

import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence

from attrs import evolve

from mcpi.core.cli import foreign_flags
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_methods import as_tool_call, as_vendor_method, with_method
from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.mistakes.split_values import (
    NAME_PLACEHOLDER,
    corrected_arguments,
    describing_hint,
    joined_flag,
    separated_flags,
)
from mcpi.core.cli.mistakes.typography import typographic_problem
from mcpi.core.cli.pasteable import pasteable
from mcpi.core.cli.split import SEPARATOR, before_separator
from mcpi.core.cli.words import AFTER, NAMED, NO_METHOD, NO_SUCH_FLAG, PROGRAM, named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import NO_PAIR
from mcpi.core.outcome.faults import (
    DID_YOU_MEAN,
    Correction,
    Fault,
    HttpFailed,
    Invalid,
    InvalidResponse,
    RpcError,
    Unreachable,
)
from mcpi.core.outcome.result import Failure
from mcpi.core.targets.target import is_launcher, split_command
from mcpi.core.text.suggestions import is_similar

MAX_MISTAKES = 4
"""Maximum number of mistakes to correct in one command line."""


def with_line(fault: Fault, argv: Sequence[str]) -> Fault:
    """Replace the hint of a fault's correction with the complete corrected command line."""
    if not isinstance(fault, Invalid | Unreachable | HttpFailed | InvalidResponse | RpcError):
        return fault
    if fault.correction is None:
        return fault
    line, plain, reason = replaced(argv, fault.correction), fault.correction.hint, fault.correction.reason
    if (line is None and reason == DID_YOU_MEAN) or line == tuple(argv):
        return fault
    told = reason if line is None else CorrectedLine(line, reason).hint
    hints = tuple(told if hint == plain else hint for hint in fault.hints)
    if isinstance(fault, RpcError):
        return evolve(fault, hints=hints, correction=None)
    return evolve(fault, hints=hints, problem=fault.problem.replace(plain, told), correction=None)


def replaced(argv: Sequence[str], correction: Correction | None) -> tuple[str, ...] | None:
    """Return the command line with the right words, or None if the wrong word is not in it."""
    line: tuple[str, ...] | None = tuple(argv)
    while correction is not None and line is not None:
        line, correction = _replaced(line, correction.wrong, correction.right), correction.also
    return line


def _replaced(argv: tuple[str, ...], wrong: str, right: tuple[str, ...]) -> tuple[str, ...] | None:
    if not wrong:
        return (*right, *argv)
    if wrong in argv:
        return _placed(argv, argv.index(wrong), right)
    whole = re.escape(wrong)
    for pattern in (rf"^(){whole}(?=:?=)", rf"^(-.*?[=,]|[^-].*?,|){whole}(?=:?=|,|$)"):
        for place, word in enumerate(argv):
            if len(right) == 1 and re.search(pattern, word, re.DOTALL):
                fixed = re.sub(pattern, lambda found: found[1] + right[0], word, count=1, flags=re.DOTALL)
                return (*argv[:place], fixed, *argv[place + 1 :])
    return None


def _placed(argv: tuple[str, ...], place: int, right: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command line with other words in that place; flags precede the separator, which may be among them."""
    end = len(before_separator(argv))
    before, after = argv[:place], argv[place + 1 :]
    if not right:
        start = place - (argv[place - 1 : place] in {("-a",), ("--tool-arg",)})
        return (*argv[:start], *after)
    if right[0] == SEPARATOR:
        # The other words are the server's command.
        ours = (*before, *argv[place + 1 : end]) if place < end else before
        return (*ours, *right[place > end :], *argv[max(place, end) + 1 :])
    if end < place and right[0].startswith("-"):
        # Put the flag before the separator; omit the separator if no word follows it.
        rest = (*argv[end + 1 : place], *after)
        return (*argv[:end], *right, *((SEPARATOR, *rest) if rest else ()))
    return (*before, *right, *after)


def suggested(
    fault: Fault,
    argv: Sequence[str],
    problem: Callable[[Sequence[str]], Fault | None],
    known: Mapping[str, Flag],
    methods: Collection[str],
) -> Fault:
    """Add the corrected command line to a fault of the command line, if all its mistakes can be corrected.

    `problem` returns the fault of a command line, so that no invalid line is suggested.
    """
    found = _suggested(fault, argv, problem, known, methods)
    typed = f": {PROGRAM} {pasteable(argv)}"
    return evolve(found, hints=tuple(hint for hint in found.hints if not hint.endswith(typed)))


def _suggested(
    fault: Fault,
    argv: Sequence[str],
    problem: Callable[[Sequence[str]], Fault | None],
    known: Mapping[str, Flag],
    methods: Collection[str],
) -> Fault:
    words = before_separator(argv)
    fault = typographic_problem((words[place] for place in roles(words, known).bare), known) or fault
    current: Fault | None = fault
    line, lines = CorrectedLine(tuple(argv)), [tuple(argv)]
    while current is not None and len(lines) <= MAX_MISTAKES:
        found = next_line(current, line.argv, known, methods)
        if found is None or found.argv in lines:
            return _without_guess(fault)
        reason = found.reason if len(lines) == 1 else line.reason
        line = CorrectedLine(found.argv, reason, line.rest or found.rest)
        lines.append(line.argv)
        current = problem(line.argv)
    if current is not None or not isinstance(fault, Invalid):
        return _without_guess(fault)
    told = (describing_hint(line.argv, known),) if any(word.startswith(NAME_PLACEHOLDER) for word in line.argv) else ()
    return evolve(fault, hints=(line.hint, *told, *_further_hints(fault, line.argv)))


def _without_guess(fault: Fault) -> Fault:
    """Drop the suggested flag if the unknown flag may belong to the server."""
    if not isinstance(fault, Invalid) or fault.correction is None or fault.problem != NO_SUCH_FLAG:
        return fault
    if not any(hint.startswith(f"{AFTER}:") for hint in fault.hints):
        return fault
    return evolve(fault, hints=tuple(hint for hint in fault.hints if hint != fault.correction.hint), correction=None)


def _further_hints(fault: Invalid, line: Sequence[str]) -> tuple[str, ...]:
    """Return the hints that are useful in addition to a corrected command line."""
    foreign = foreign_flags.FLAGS.get(fault.where.partition("=")[0]) if fault.problem == NO_SUCH_FLAG else None
    if foreign is not None:
        return tuple(hint for hint in fault.hints if foreign.may_be_the_servers and hint.startswith(f"{AFTER}:"))
    is_ours = SEPARATOR in line or fault.problem != NO_SUCH_FLAG
    replaces = ("for example", DID_YOU_MEAN, *((AFTER,) if is_ours else ()))
    plain = {AFTER, "" if fault.correction is None else fault.correction.hint}
    return tuple(hint for hint in fault.hints if hint not in plain and not hint.startswith(replaces))


def next_line(
    fault: Fault, argv: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]
) -> CorrectedLine | None:
    """Return the command line with the fault's mistake corrected, or None if that is impossible."""
    if not isinstance(fault, Invalid):
        return None
    found = _method_line(fault, argv, known, methods) or _flag_line(fault, argv, known)
    if found is not None or fault.correction is None:
        return found
    line = replaced(argv, fault.correction)
    return None if line is None else CorrectedLine(line, fault.correction.reason)


def _method_line(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]
) -> CorrectedLine | None:
    """Correct a method that is missing or unknown."""
    if fault.code == "UNKNOWN_METHOD" and fault.where:
        return _renamed_method(argv, methods)
    if fault.code != "UNKNOWN_METHOD" and fault.problem != NO_METHOD:
        return None
    found = with_method(argv, known, methods)
    has_params = "--params" in named_flags(before_separator(argv), known)
    if fault.problem == NO_METHOD or (found is not None and found.reason == DID_YOU_MEAN and not has_params):
        return found
    return as_vendor_method(argv, known) or as_tool_call(argv, known)


def _flag_line(fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Correct a flag or its value."""
    if fault.where in {"--header", "--env"}:
        return joined_flag(argv, known)
    if fault.problem.startswith(NO_PAIR) and fault.correction is None:
        return corrected_arguments(argv, known)
    if fault.problem == NO_SUCH_FLAG and (fault.correction is None or fault.correction.right != ("--uri",)):
        return _without_foreign_flag(fault.where.partition("=")[0], argv, known)
    return None


def _renamed_method(argv: Sequence[str], methods: Collection[str]) -> CorrectedLine | None:
    for place, word in enumerate(argv):
        flag, equals, name = word.partition("=")
        if flag in {"--method", "-m"}:
            wrong = name if equals else "".join(argv[place + 1 : place + 2])
            method = foreign_flags.method_named(wrong, methods)
            line = None if method is None else replaced(argv, Correction(wrong, (method,)))
            return None if line is None else CorrectedLine(line)
    return None


def _without_foreign_flag(name: str, argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Replace a flag of another tool."""
    foreign = foreign_flags.FLAGS.get(name)
    words = before_separator(argv)
    place = next((at for at in roles(words, known).flags if words[at].partition("=")[0] == name), None)
    if place is None or (place and is_launcher(words[place - 1])):
        return None
    if foreign is not None and foreign.is_unneeded and _follows_command(place, argv, words, known):
        return None
    if foreign is None:
        separated = separated_flags(place, argv, known)
        return separated if separated or is_similar(name, known) else _as_argument(name, place, argv, words)
    _, equals, value = argv[place].partition("=")
    end = place + 1
    if foreign.takes_value and not equals:
        if end >= len(words) or argv[end].startswith("--"):
            return None
        value, end = argv[end], end + 1
        if foreign.kind == "dropped" and starts_server(value):
            return None
    return _translated(foreign, (argv[:place], argv[end:]), value, equals, has_separator=len(words) < len(argv))


def _follows_command(place: int, argv: Sequence[str], words: Sequence[str], known: Mapping[str, Flag]) -> bool:
    """Tell whether the server's command is before the flag."""
    before = [words[at] for at in roles(words, known).bare if at < place]
    return len(words) == len(argv) and any(starts_server(word) for word in before)


def _as_argument(name: str, place: int, argv: Sequence[str], words: Sequence[str]) -> CorrectedLine | None:
    """Rewrite an unknown flag with a value as an argument, if the line begins with tools/call or prompts/get."""
    has_target = len(words) < len(argv) or "--demo" in words
    if not name.startswith("--") or not has_target or words[0] not in {"tools/call", "prompts/get"}:
        return None
    _, equals, value = words[place].partition("=")
    rest = words[place + 1 : place + 2]
    if not equals and (not rest or rest[0].startswith("-")):
        return None
    pair = f"{name[2:]}={value if equals else rest[0]}"
    end = place + (1 if equals else 2)
    return CorrectedLine((*argv[:place], pair, *argv[end:]), "arguments are key=value")


def _translated(
    foreign: foreign_flags.ForeignFlag,
    around: tuple[Sequence[str], Sequence[str]],
    value: str,
    equals: str,
    *,
    has_separator: bool,
) -> CorrectedLine | None:
    """Translate the flag between the two parts of the command line, and return the whole line."""
    head, tail = around
    given = (
        (f"{foreign.right}={value}",) if equals else (foreign.right, value) if foreign.takes_value else (foreign.right,)
    )
    match foreign.kind:
        case "flag":
            return CorrectedLine((*head, *given, *tail))
        case "method":
            return CorrectedLine((foreign.right, *((value,) if value else ()), *head, *tail))
        case "dropped":
            return CorrectedLine((*head, *tail), foreign.reason)
        case "body":
            flags = ("--params", value) if '"jsonrpc"' not in value else ()
            named = NAMED.get(head[0], ("", ""))[1] if head and flags else ""
            flags = (f"{named}s", value) if named else flags
            return CorrectedLine((*head, *flags, *tail), DID_YOU_MEAN if flags else foreign.reason)
        case "target":
            target = split_command(value)
            if isinstance(target, Failure):
                return None
            tail, more = _command_arguments(tail)
            separator = () if has_separator or "://" in value else (SEPARATOR,)
            return CorrectedLine((*head, *tail, *separator, *target.unwrap(), *more), foreign.reason)
        case "pipe":
            return CorrectedLine((*head, *tail), foreign.reason, f" | jq {shlex.quote(value)}")


def _command_arguments(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split off the arguments of the command, if a flag gives them too: --command node --args server.js."""
    if "--args" not in words:
        return words, ()
    start = words.index("--args")
    end = next((at for at in range(start + 1, len(words)) if words[at].startswith("--")), len(words))
    rest, more = _command_arguments(words[end:])
    return (*words[:start], *rest), (*words[start + 1 : end], *more)

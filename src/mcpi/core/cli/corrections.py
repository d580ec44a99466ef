"""Correct a command line: replace wrong words and names from other tools."""

import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence

from attrs import evolve

from mcpi.core.cli import foreign_flags
from mcpi.core.cli.mistakes.config_servers import joined_tool
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.misplaced_words import (
    DEBUGGED,
    UNQUOTED,
    unquoted_problem,
    with_debug_command,
    with_passed_flags,
    with_quoted_commands,
)
from mcpi.core.cli.mistakes.missing_methods import TO_CALL, as_tool_call, as_vendor_method, other_program, with_method
from mcpi.core.cli.mistakes.missing_names import with_placed_name
from mcpi.core.cli.mistakes.quoted_words import quoted_problem, unquoted_json
from mcpi.core.cli.mistakes.split_values import (
    corrected_arguments,
    joined_flag,
    with_singular_flag,
)
from mcpi.core.cli.mistakes.translated_flags import without_foreign_flag
from mcpi.core.cli.mistakes.typography import typographic_problem
from mcpi.core.cli.pasteable import pasteable, with_secrets_hint
from mcpi.core.cli.split import SEPARATOR, before_separator
from mcpi.core.cli.words import AFTER, NAMED, NO_METHOD, NO_SUCH_FLAG, PROGRAM, named_flags, normalized_line, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import NO_PAIR, is_pair
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

_ALL_ARGUMENTS = {name: f"{argument}s" for name, argument in NAMED.values() if argument}
"""The flags for all arguments at once, by the flag for the name of the tool or prompt."""
_NEEDS_METHOD = "requires --method"
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
    hints = with_secrets_hint([told if hint == plain else hint for hint in fault.hints], argv)
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
    if right[1:] and all(map(is_pair, right[1:])) and not right[0].startswith("-") and {"--method", "-m"} & {*argv}:
        # With --method, the arguments of a tool need a flag.
        right = (right[0], *(word for pair in right[1:] for word in ("-a", pair)))
    if wrong in argv:
        return _placed(argv, argv.index(wrong), right)
    whole = re.escape(wrong)
    for pattern in (rf"^(){whole}(?=:?=)", rf"^((?:-.*?[=,]|[^-].*?,|)@?|[^-].*?=@){whole}(?=:?=|,|$)"):
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
        start = place - (argv[place - 1 : place] in {("-a",), ("--tool-arg",), ("-o",), ("--output",)})
        return (*argv[:start], *after)
    if right[0] == SEPARATOR:
        # The other words are the server's command.
        ours = (*before, *argv[place + 1 : end]) if place < end else before
        return (*ours, *right[place > end :], *argv[max(place, end) + 1 :])
    if end < place and right[0].startswith("-") and not argv[place].startswith("-"):
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
    hints = (hint for hint in found.hints if not hint.endswith(typed))
    return evolve(found, hints=with_secrets_hint([_verified(hint, problem, known) for hint in hints], argv))


def _verified(hint: str, problem: Callable[[Sequence[str]], Fault | None], known: Mapping[str, Flag]) -> str:
    """Return the hint without its line, if the line moves flags to the server but has another mistake."""
    lead, colon, line = hint.partition(f": {PROGRAM} ")
    is_moved = bool(colon) and lead.startswith(AFTER)
    return AFTER if is_moved and problem(normalized_line(shlex.split(line), known)) is not None else hint


def _suggested(
    fault: Fault,
    argv: Sequence[str],
    problem: Callable[[Sequence[str]], Fault | None],
    known: Mapping[str, Flag],
    methods: Collection[str],
) -> Fault:
    words = before_separator(argv)
    fault = typographic_problem((words[place] for place in roles(words, known).bare), known) or fault
    fault = other_program(words, known) or joined_tool(words, known) or unquoted_json(words, known) or fault
    fault = quoted_problem(words, known, methods) or unquoted_problem(words, known) or fault
    current: Fault | None = fault
    line, lines = CorrectedLine(tuple(argv)), [tuple(argv)]
    while current is not None and len(lines) <= MAX_MISTAKES:
        found = next_line(current, line.argv, known, methods)
        if found is None or found.argv in lines:
            return _without_guess(fault)
        reason = found.reason if len(lines) == 1 else line.reason
        line = CorrectedLine(normalized_line(found.argv, known), reason, line.rest or found.rest)
        lines.append(line.argv)
        current = problem(line.argv)
    if current is not None or not isinstance(fault, Invalid):
        return _without_guess(fault)
    return evolve(fault, hints=(line.hint, *_further_hints(fault, line)))


def _without_guess(fault: Fault) -> Fault:
    """Drop the suggested flag if the unknown flag may belong to the server, and the word after another reason."""
    if not isinstance(fault, Invalid) or fault.correction is None:
        return fault
    plain, reason = fault.correction.hint, fault.correction.reason
    if reason != DID_YOU_MEAN:
        return evolve(fault, hints=tuple(reason if hint == plain else hint for hint in fault.hints), correction=None)
    if fault.problem != NO_SUCH_FLAG or not any(
        hint.startswith((f"{AFTER}:", f"{AFTER}, for example:")) for hint in fault.hints
    ):
        return fault
    return evolve(fault, hints=tuple(hint for hint in fault.hints if hint != plain), correction=None)


def _further_hints(fault: Invalid, line: CorrectedLine) -> tuple[str, ...]:
    """Return the hints that are useful in addition to a corrected command line."""
    foreign = foreign_flags.FLAGS.get(fault.where.partition("=")[0]) if fault.problem == NO_SUCH_FLAG else None
    if foreign is not None:
        return tuple(hint for hint in fault.hints if foreign.may_be_the_servers and hint.startswith(f"{AFTER}:"))
    is_ours = SEPARATOR in line.argv or fault.problem != NO_SUCH_FLAG
    replaces = ("for example", DID_YOU_MEAN, f"{line.reason}:", *((AFTER,) if is_ours else ()))
    plain = {AFTER, "" if fault.correction is None else fault.correction.hint}
    return tuple(hint for hint in fault.hints if hint not in plain and not hint.startswith(replaces))


def next_line(
    fault: Fault, argv: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]
) -> CorrectedLine | None:
    """Return the command line with the fault's mistake corrected, or None if that is impossible."""
    if not isinstance(fault, Invalid):
        return None
    found = _moved_words(fault, argv, known)
    if found is None and fault.code == "MISSING_ARGUMENT" and any(fault.where == name for name, _ in NAMED.values()):
        return with_placed_name(argv, known)
    found = found or _method_line(fault, argv, known, methods) or _flag_line(fault, argv, known, methods)
    if found is not None or fault.correction is None:
        return found
    line = replaced(argv, fault.correction)
    return None if line is None else CorrectedLine(line, fault.correction.reason)


def _moved_words(fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag]) -> CorrectedLine | None:
    """Correct words that are in the wrong place, or that need quotes."""
    if fault.problem.startswith(UNQUOTED):
        return with_quoted_commands(argv, known)
    if fault.code == "MISSING_ARGUMENT" and fault.where in argv[len(before_separator(argv)) :]:
        return with_passed_flags(argv, known)
    return with_debug_command(argv, known) if fault.where == DEBUGGED and fault.code == "MISSING_ARGUMENT" else None


def _method_line(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]
) -> CorrectedLine | None:
    """Correct a method that is missing or unknown."""
    if fault.code == "UNKNOWN_METHOD" and fault.where:
        return _renamed_method(argv, methods)
    if fault.code != "UNKNOWN_METHOD" and not fault.problem.endswith((NO_METHOD, _NEEDS_METHOD)):
        return None
    found = with_method(argv, known, methods)
    if fault.problem.endswith((f"; {NO_METHOD}", _NEEDS_METHOD)):
        return found if found is not None and found.reason == DID_YOU_MEAN else None
    words = before_separator(argv)
    is_sent = not {*words} & {*foreign_flags.MEANT} and "--params" in named_flags(words, known)
    if fault.problem == NO_METHOD or (found is not None and found.reason == DID_YOU_MEAN and not is_sent):
        return found
    return as_vendor_method(argv, known) or as_tool_call(argv, known)


def _flag_line(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], methods: Collection[str]
) -> CorrectedLine | None:
    """Correct a flag or its value."""
    if fault.where in {"--header", "--env"} or fault.problem.startswith("unexpected word"):
        found = joined_flag(argv, known, methods)
        if found is None and fault.correction is None and fault.where == "target":
            found = with_method(argv, known, methods)
        return None if found is None or found.reason in {"for example", TO_CALL} else found
    if fault.problem.startswith(NO_PAIR) and fault.correction is None:
        return corrected_arguments(argv, known)
    if fault.where in _ALL_ARGUMENTS.values():
        return with_singular_flag(fault.where, argv, known)
    if fault.where == "--params" and not re.search('"(name|arguments)"', " ".join(argv)):
        flag = _ALL_ARGUMENTS.get(fault.problem.removeprefix("cannot be combined with "))
        line = None if flag is None else replaced(argv, Correction("--params", (flag,)))
        return None if line is None else CorrectedLine(line)
    name = fault.where.partition("=")[0]
    if fault.problem == NO_SUCH_FLAG or (name in foreign_flags.FLAGS and " is a flag of " in fault.problem):
        needs_uri = fault.correction is not None and fault.correction.right == ("--uri",)
        takes_uri = any(NAMED.get(foreign_flags.MEANT.get(word, word), ("",))[0] == "--uri" for word in argv)
        return None if needs_uri and takes_uri else without_foreign_flag(name, argv, known)
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

"""Parse words with cyclopts; its exceptions become faults here, and nowhere else."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from cyclopts import App, Argument, ArgumentCollection, CoercionError, CycloptsError, MissingArgumentError

from mcpi.core.cli.words import roles
from mcpi.core.flags.declare import STDIN, Flag, GivenFlags, by_spelling
from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.types import read_switch
from mcpi.core.outcome.faults import Fault, Invalid, with_nearest
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.text.suggestions import nearest
from mcpi.shell.binding.option_view import Refused, option, option_view, with_options

T = TypeVar("T")
OTHER_NAMES = {"--port": "--http"}
"""Frequent wrong names of flags, with the right ones."""


class Silent:
    """A console that prints nothing; without it cyclopts would import rich."""


def new_app(name: str, **more: Any) -> App:  # noqa: ANN401 - whatever an App takes
    """Return an App without built-in flags, which raises exceptions for mistakes."""
    return App(
        name=name,
        help_flags=(),
        version_flags=(),
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        error_console=Silent(),  # type: ignore[arg-type]
        suppress_keyboard_interrupt=False,
        **more,
    )


def parse_options(owner: type[T], words: Sequence[str], program: str, needed_by: str = "") -> Result[T]:
    """Parse words that contain only the flags of one class."""
    known = by_spelling((owner,))

    def unknown(token: str) -> Fault:
        spelled = token.partition("=")[0]
        fault = Invalid("INVALID_ARGUMENT", token, "unknown flag")
        meant = OTHER_NAMES.get(spelled)
        return with_nearest(fault, spelled, meant if meant in known else nearest(spelled, known))

    def hook(_: App, __: tuple[str, ...], arguments: ArgumentCollection) -> None:
        check_words(arguments, words, known, unknown)

    def command(rest: tuple[str, ...], values: Mapping[str, Any]) -> Result[Any]:
        if rest:
            return Failure(Invalid("INVALID_ARGUMENT", rest[0], "unexpected argument; only flags are allowed"))
        return Success(values["options"] if "options" in values else owner())

    app = new_app(program, config=hook)
    app.default(with_options(command, [option("options", owner, option_view(owner))]))
    try:
        result: Result[T] = app(normalized_switches(words, known, unknown))
    except Refused as refused:
        return Failure(refused.fault)
    except CycloptsError as error:
        return Failure(fault_of(error, needed_by, known))
    return result


def fault_of(error: CycloptsError, needed_by: str, known: Mapping[str, Flag]) -> Invalid:
    """Return the fault for an exception of cyclopts."""
    match error:
        case MissingArgumentError(keyword=str(keyword)):
            kind = known[keyword].flag_type.name if keyword in known else ""
            hints = (f"expected {' or '.join(kind.split('|'))}",) if "|" in kind else ()
            return Invalid("INVALID_ARGUMENT", keyword, "requires a value", hints)
        case MissingArgumentError(argument=argument) if argument is not None:
            return Invalid("MISSING_ARGUMENT", argument.name, f"{needed_by or 'this'} requires {argument.name}")
        case CoercionError(token=token) if token is not None and token.keyword is not None:
            return Invalid("INVALID_ARGUMENT", token.keyword, f"invalid value {token.value!r}")
        case _:
            return Invalid("INVALID_ARGUMENT", "", " ".join(str(error).split()))


def normalized_switches(words: Sequence[str], known: Mapping[str, Flag], unknown: Callable[[str], Fault]) -> list[str]:
    """Return the words with each --switch=VALUE as cyclopts spells it; combined short flags are rejected.

    cyclopts would read -env as -e nv, but it is usually a flag of the server.
    """
    plain = list(words)
    for place in roles(words, known).flags:
        spelled, equals, value = words[place].partition("=")
        flag = known.get(spelled)
        if flag is None and not words[place].startswith("--"):
            raise Refused(unknown(words[place]), spelled=words[place])
        if flag is not None and flag.is_switch and equals:
            match read_switch(spelled, value):
                case Success(is_on):
                    plain[place] = f"{spelled}={'true' if is_on else 'false'}"
                case Failure(fault):
                    raise Refused(fault, flag.name, spelled)
    return plain


def check_words(
    arguments: ArgumentCollection, words: Sequence[str], known: Mapping[str, Flag], unknown: Callable[[str], Fault]
) -> None:
    """Reject flags as values of flags, and words that look like unknown flags, before any value is converted."""
    for argument in arguments:
        for token in argument.tokens:
            follows = token.value.partition("=")[0]
            if token.keyword and follows in known and f"{token.keyword}={token.value}" not in words:
                raise missing_value(token.keyword, token.value)
    for word in bare_words(arguments):
        if word.startswith("-") and word != STDIN:
            raise Refused(unknown(word), spelled=word)


def missing_value(spelled: str, next_flag: str) -> Refused:
    """Return the mistake of a flag that another flag follows."""
    hint = f"to use it as the value, write {spelled}=..."
    return Refused(invalid(spelled, f"requires a value, got the flag {next_flag!r}", hint).failure(), spelled=spelled)


def bare_words(arguments: ArgumentCollection) -> list[str]:
    """Return the words that belong to no flag."""
    return [token.value for argument in arguments for token in argument.tokens if token.keyword is None]


def given_flags(
    arguments: ArgumentCollection, known: Mapping[str, Flag], more: Mapping[str, str] | None = None
) -> GivenFlags:
    """Return the flags that were given, with their values; switches that are off count as not given."""
    values: dict[str, tuple[str, ...]] = {}
    origins = dict(more or {})
    for argument in arguments:
        flag = known.get(argument.name) if argument.keys else None
        if flag is None or not argument.tokens:
            continue
        if flag.is_switch:
            if flag.default is False and not argument.tokens[-1].implicit_value:
                continue
            values[flag.name] = ("true" if argument.tokens[-1].implicit_value else "false",)
        else:
            values[flag.name] = tuple(token.value for token in argument.tokens)
        if argument.tokens[0].source == "env":
            origins[flag.name] = argument.tokens[0].keyword or flag.variable
    return GivenFlags(values, tuple(bare_words(arguments)), origins)


def share_values(arguments: ArgumentCollection) -> None:
    """Assign a flag that two classes declare to both; cyclopts assigns it only to the first."""
    first: dict[str, Argument] = {}
    for argument in arguments:
        if argument.keys and first.setdefault(argument.name, argument) is not argument:
            for token in () if argument.tokens else first[argument.name].tokens:
                argument.append(token)

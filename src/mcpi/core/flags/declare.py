"""Parse words and environment variables into the attrs classes that declare the flags."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import NOTHING, Attribute, field, fields

from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.types import SWITCH, FlagType, Source, read_switch, type_of
from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Result, Success, collect

T = TypeVar("T")

STDIN = "-"
ALIASES = {"-H": "--header", "-e": "--env", "-h": "--help", "--tool-args-json": "--tool-args"}
"""Alternative spellings of flags."""


@frozen
class Flag:
    """A command-line flag."""

    name: str
    field: str
    flag_type: FlagType
    repeatable: bool
    required: bool
    default: object

    @property
    def variable(self) -> str:
        """The name of the environment variable that sets the flag."""
        return f"MCPI_{self.field.upper()}"

    @property
    def key(self) -> str:
        """The flag's name in a script step."""
        return camel_case(self.field)


def camel_case(name: str) -> str:
    """Convert a Python name to camel case: tool_name becomes toolName."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_CACHE: dict[type, tuple[Flag, ...]] = {}


def flags_of(owner: type) -> tuple[Flag, ...]:
    """Return the flags that an attrs class declares."""
    if owner not in _CACHE:
        _CACHE[owner] = tuple(_flag(attribute) for attribute in fields(owner))
    return _CACHE[owner]


def _flag(attribute: "Attribute[Any]") -> Flag:
    kind, many = type_of(attribute.type)
    default = attribute.default
    name = "--" + attribute.name.replace("_", "-")
    return Flag(name, attribute.name, kind, many, default is NOTHING, default)


@frozen
class GivenFlags:
    """The given flags as text: the values of each flag, and the other words."""

    values: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(factory=dict)

    def origin(self, flag: Flag) -> str:
        """Return the source of a flag's value for messages: the flag or its environment variable."""
        return self.origins.get(flag.name, flag.name)


def tokenize(tokens: Sequence[str], known: Mapping[str, Flag], unknown: Callable[[str], Fault]) -> Result[GivenFlags]:
    """Split the tokens into flags with their values, and other words."""
    values: dict[str, list[str]] = {}
    words: list[str] = []
    rest = list(reversed(tokens))
    ended = False
    while rest:
        token = rest.pop()
        if not token.startswith("-") or token == STDIN:
            if ended:
                return _separated_word(token, words)
            words.append(token)
            continue
        ended = bool(words)
        spelled, equals, value = token.partition("=")
        flag = known.get(ALIASES.get(spelled, spelled))
        if flag is None:
            return Failure(unknown(token))
        match _value(flag, spelled, value if equals else None, rest, known):
            case Success(text):
                values.setdefault(flag.name, []).append(text)
            case Failure() as failed:
                return failed
    return Success(GivenFlags({name: tuple(texts) for name, texts in values.items()}, tuple(words)))


def _separated_word(token: str, words: Sequence[str]) -> Failure[Invalid]:
    """Reject a word that a flag separates from the others: it would otherwise be passed to the server."""
    problem = f"{token!r} stands apart from {' '.join(words)!r}, where one target was expected"
    return invalid("target", problem, "a flag takes one value: repeat the flag for more")


def _value(flag: Flag, spelled: str, value: str | None, rest: list[str], known: Mapping[str, Flag]) -> Result[str]:
    if flag.flag_type is SWITCH:
        if value is None:
            return Success("true")
        return _checked_switch(spelled, value)
    if value is not None:
        return Success(value)
    if not rest:
        return invalid(spelled, "needs a value")
    follows = rest[-1].partition("=")[0]
    if ALIASES.get(follows, follows) in known:
        return invalid(spelled, f"needs a value, but {rest[-1]!r} follows", f"if that is the value write {spelled}=...")
    return Success(rest.pop())


def _checked_switch(spelled: str, value: str) -> Result[str]:
    match read_switch(spelled, value):
        case Success():
            return Success(value)
        case Failure() as failed:
            return failed


def with_environment(given: GivenFlags, known: Iterable[Flag], environment: Mapping[str, str]) -> GivenFlags:
    """Add the values from environment variables for flags that are not on the command line."""
    values, origins = dict(given.values), dict(given.origins)
    for flag in known:
        text = environment.get(flag.variable)
        if text is None or flag.name in values or (text == "" and flag.flag_type is not SWITCH):
            continue
        values[flag.name] = tuple(text.splitlines()) if flag.repeatable else (text,)
        origins[flag.name] = flag.variable
    return GivenFlags(values, given.words, origins)


def without_off_switches(given: GivenFlags, known: Iterable[Flag]) -> GivenFlags:
    """Remove the switches that are off."""
    off = {flag.name for flag in known if flag.default is False and _is_off(given.values.get(flag.name, ()))}
    return GivenFlags(
        {name: texts for name, texts in given.values.items() if name not in off}, given.words, given.origins
    )


def _is_off(texts: tuple[str, ...]) -> bool:
    if not texts:
        return False
    found = read_switch("", texts[-1])
    return isinstance(found, Success) and not found.unwrap()


def sources(given: GivenFlags, known: Iterable[Flag]) -> tuple[tuple[str, Source], ...]:
    """List the files and variables to read, each with the flag that refers to it."""
    found: list[tuple[str, Source]] = []
    for flag in known:
        for text in given.values.get(flag.name, ()):
            source = flag.flag_type.source(text)
            if source is not None:
                found.append((given.origin(flag), source))
    return tuple(found)


def build_options(owner: type[T], given: GivenFlags, contents: Mapping[Source, str], needed_by: str = "") -> Result[T]:
    """Build the attrs class from the given values; `contents` has the text of each source."""
    values: dict[str, Any] = {}
    for flag in flags_of(owner):
        texts = given.values.get(flag.name)
        if texts is None:
            if flag.required:
                return Failure(Invalid("MISSING_ARGUMENT", flag.name, f"{needed_by or 'this'} needs it"))
            continue
        match collect(_read(flag, given.origin(flag), text, contents) for text in texts):
            case Success(found):
                values[flag.field] = found if flag.repeatable else found[-1]
            case Failure() as failed:
                return failed
    return Success(owner(**values))


def check(owner: type, given: GivenFlags, needed_by: str = "") -> Result[None]:
    """Check the required flags and all values that can be parsed without reading a source."""
    for flag in flags_of(owner):
        texts = given.values.get(flag.name, ())
        if flag.required and not texts:
            return Failure(Invalid("MISSING_ARGUMENT", flag.name, f"{needed_by or 'this'} needs it"))
        here = [text for text in texts if flag.flag_type.source(text) is None]
        match collect(flag.flag_type.read(given.origin(flag), text) for text in here):
            case Success():
                pass
            case Failure() as failed:
                return failed
    return Success(None)


def _read(flag: Flag, origin: str, text: str, contents: Mapping[Source, str]) -> Result[Any]:
    source = flag.flag_type.source(text)
    if source is None:
        return flag.flag_type.read(origin, text)
    content = contents[source]
    if flag.flag_type.content is not None:
        return flag.flag_type.content(origin, text, content)
    return flag.flag_type.read(origin, content)

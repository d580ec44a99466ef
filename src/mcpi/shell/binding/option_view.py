"""The option classes as cyclopts sees them: each flag with its spellings, its converter, its help and its group."""

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from inspect import Parameter as Argument
from inspect import Signature
from typing import Annotated, Any

from cyclopts import Group, Parameter, Token

from mcpi.core.flags.declare import Flag, flags_of
from mcpi.core.flags.deferred import parse_value
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Success

FLAT = Parameter(name="*")
WORDS = Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]
"""The words that are not flags; those that look like flags are rejected when all flags have been read."""


class Refused(Exception):  # noqa: N818 - it contains a fault
    """A mistake on the command line."""

    def __init__(self, fault: Fault, flag: str = "", spelled: str = "") -> None:
        """Store the fault, the name of the flag with the invalid value, and the spelling of the flag."""
        super().__init__(fault)
        self.fault = fault
        self.flag = flag
        self.spelled = spelled


def option_view(
    owner: type, only: Container[str] | None = None, help_of: Mapping[str, Parameter] | None = None
) -> type:
    """Return a class that cyclopts reads instead of the option class, and that creates instances of the option class.

    Parsing time grows with the number of flags: `only` selects the flags to include besides the required ones.
    """
    wanted = {flag.field: flag for flag in flags_of(owner) if only is None or flag.name in only or flag.required}
    types = {name: _annotated(flag, (help_of or {}).get(name)) for name, flag in wanted.items()}

    def init(self: object, **values: object) -> None:
        """Never called: __new__ returns instances of the option class."""

    init.__annotations__ = types
    given = (Argument(name, Argument.KEYWORD_ONLY, annotation=kind) for name, kind in types.items())
    init.__signature__ = Signature([Argument("self", Argument.POSITIONAL_ONLY), *given])  # type: ignore[attr-defined]
    fields = tuple(one for one in owner.__attrs_attrs__ if one.name in wanted)  # type: ignore[attr-defined]
    body = {"__attrs_attrs__": fields, "__init__": init, "__new__": lambda _, **values: owner(**values)}
    return type(owner.__name__, (owner,), {**body, "__doc__": owner.__doc__})


def _annotated(flag: Flag, described: Parameter | None) -> Any:  # noqa: ANN401 - a type
    """Return the type of a flag for cyclopts, which only counts the values; the converter parses them."""
    own = Parameter(name=flag.spellings, negative=(), allow_repeating=True)
    if flag.is_switch:
        # A switch that is not given may be None, which cyclopts checks against the type once pydantic is imported.
        return Annotated[bool | None, own, described]
    reading = Parameter(
        converter=partial(_convert, flag), n_tokens=1, allow_leading_hyphen=True, json_dict=False, json_list=False
    )
    return Annotated[tuple[Any, ...] if flag.repeatable else Any, own, reading, described]


def _convert(flag: Flag, _: object, tokens: Sequence[Token]) -> object:
    """Convert the texts of a flag by its type."""
    values: list[object] = []
    for token in tokens:
        spelled = token.keyword or ""
        origin, spelled = (spelled, "") if token.source == "env" else (flag.name, spelled)
        match parse_value(flag, origin, token.value):
            case Success(value):
                values.append(value)
            case Failure(fault):
                raise Refused(fault, flag.name, spelled)
    return tuple(values) if flag.repeatable else values[-1]


def option(name: str, owner: type, seen: type, group: Group | None = None) -> Argument:
    """Return the parameter of a command for an option class; `seen` is the view of the class."""
    flat = FLAT if group is None else Parameter.combine(FLAT, Parameter(group=group))
    default = Argument.empty if any(flag.required for flag in flags_of(owner)) else owner()
    return Argument(name, Argument.KEYWORD_ONLY, default=default, annotation=Annotated[seen, flat])


def with_options(function: Callable[..., Any], options: Sequence[Argument]) -> Callable[..., Any]:
    """Return the function as a command that takes words and options."""

    def command(*words: str, **values: Any) -> Any:  # noqa: ANN401 - what the function returns
        return function(words, values)

    parameters = (Argument("words", Argument.VAR_POSITIONAL, annotation=WORDS), *options)
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command

"""The flags that attrs classes declare."""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import NOTHING, Attribute, field, fields

from mcpi.core.flags.types import JSON, SWITCH, FlagType, type_of
from mcpi.core.frozen import frozen

STDIN = "-"
ALIASES = {
    "-m": "--method",
    "-n": "--tool-name",
    "-a": "--tool-arg",
    "-H": "--header",
    "-e": "--env",
    "-o": "--output",
    "-v": "--verbose",
    "-q": "--quiet",
    "-h": "--help",
    "--tool-args-json": "--tool-args",
}
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
    def spellings(self) -> tuple[str, ...]:
        """The flag's name and its aliases."""
        return (self.name, *(alias for alias, name in ALIASES.items() if name == self.name))

    @property
    def is_switch(self) -> bool:
        """True if the flag takes no value."""
        return self.flag_type is SWITCH

    @property
    def variable(self) -> str:
        """The name of the environment variable that sets the flag."""
        return f"MCPI_{self.field.rstrip('_').upper()}"

    @property
    def key(self) -> str:
        """The flag's name in a script step."""
        return camel_case(self.field)


def camel_case(name: str) -> str:
    """Convert a Python name to camel case: tool_name becomes toolName."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_CACHE: dict[type, tuple[Flag, ...]] = {}
_SECRETS: dict[type, tuple[Flag, ...]] = {}
_JSON_FIELDS: dict[type, Mapping[str, str]] = {}


def flags_of(owner: type) -> tuple[Flag, ...]:
    """Return the flags that an attrs class declares."""
    if owner not in _CACHE:
        _CACHE[owner] = tuple(_flag(attribute) for attribute in fields(owner))
    return _CACHE[owner]


def secret_flags(owner: type) -> tuple[Flag, ...]:
    """Return the flags of the class whose values are secret."""
    if owner not in _SECRETS:
        _SECRETS[owner] = tuple(flag for flag in flags_of(owner) if flag.flag_type.secret)
    return _SECRETS[owner]


def json_fields(owner: type) -> Mapping[str, str]:
    """Return the fields of the class that take any JSON, by their keys in a script step."""
    if owner not in _JSON_FIELDS:
        found = (flag for flag in flags_of(owner) if flag.flag_type is JSON and not flag.repeatable)
        _JSON_FIELDS[owner] = {flag.key: flag.field for flag in found}
    return _JSON_FIELDS[owner]


def _flag(attribute: "Attribute[Any]") -> Flag:
    kind, many = type_of(attribute.type)
    default = attribute.default
    # A trailing underscore distinguishes the field's name from a Python keyword.
    name = "--" + attribute.name.rstrip("_").replace("_", "-")
    return Flag(name, attribute.name, kind, many, default is NOTHING, default)


def by_spelling(owners: Iterable[type]) -> dict[str, Flag]:
    """Return the flags of the classes by each of their spellings."""
    return {spelled: flag for owner in owners for flag in flags_of(owner) for spelled in flag.spellings}


@frozen
class GivenFlags:
    """The given flags as text: the values of each flag, and the other words."""

    values: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(factory=dict)
    repeated: tuple[str, ...] = ()
    """The flags that are given more than once."""

    def origin(self, flag: Flag) -> str:
        """Return the source of a flag's value for messages: the flag or its environment variable."""
        return self.origins.get(flag.name, flag.name)

"""Structure JSON into attrs classes with cattrs; all mistakes are found at once, each with its place."""

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from attrs import Attribute, fields, fields_dict, has
from cattrs import Converter
from cattrs.cols import is_mapping, list_structure_factory
from cattrs.dispatch import StructureHook
from cattrs.errors import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, make_mapping_structure_fn, override

from mcpi.core.flags.declare import camel_case
from mcpi.core.flags.foreign_names import meant_key
from mcpi.core.flags.types import FLAG_TYPES, JSON, KEY, FlagType, type_of
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.comments import repeated_key
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.pointers import meant_pointer
from mcpi.core.jsontext.values import JsonObject, type_name
from mcpi.core.jsontext.variables import NAME_PATTERN
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.explain import sentence
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, ParseResult, Success

T = TypeVar("T")

VariableName: TypeAlias = Annotated[str, "variable"]
"""The name of a script's variable, as a key of an object."""
Pointer: TypeAlias = Annotated[str, "pointer"]
"""A JSON pointer."""
Given: TypeAlias = Exact | Mapping[str, Any]

UNRESOLVED = Exact("", None)
"""Placeholder for a value that a variable provides later; it is valid everywhere."""
NAME_RULE = "a variable name consists of letters, digits and _, and does not begin with a digit"
_NOUNS = {"boolean": "true or false", "null": "null", "array": "an array", "object": "an object"}


@frozen
class Mistake:
    """A value that is invalid for its class."""

    path: tuple[str | int, ...]
    kind: Literal["unknown", "missing", "value"]
    problem: str
    """The problem; for an unknown key, the nearest known key."""
    expected: str = ""
    """The expected JSON type, if the value has another one."""
    found: str = ""

    @property
    def key(self) -> str:
        """The first key of the path."""
        return str(self.path[0]) if self.path else ""

    @property
    def place(self) -> str:
        """The place of the value, such as toolArg[1] or capture.id."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return "".join(steps).removeprefix(".")

    def sentence(self, owner: str) -> str:
        """Describe the mistake; `owner` is the object that has the keys."""
        match self.kind:
            case "unknown":
                return f"{owner} has no key {self.place!r}" + (
                    f" (did you mean {self.problem}?)" if self.problem else ""
                )
            case "missing":
                return f"{owner} requires {self.place!r}"
            case "value":
                return f"{self.place}: {self.problem}" if self.path else self.problem


class InvalidValueError(Exception):
    """Raised by a structure hook if the value is invalid."""

    def __init__(self, *problems: str, expected: str = "", found: str = "") -> None:
        """Set the problems of one value, or the expected and the found type."""
        super().__init__(*problems)
        self.expected: str = expected
        self.found: str = found


def json_key(attribute: "Attribute[Any]") -> str:
    """Return the name of a field in JSON."""
    return str(attribute.metadata.get("key", camel_case(attribute.name)))


def wrong_type(expected: str, value: Exact, noun: str = "") -> InvalidValueError:
    """Build the error for a value of another type."""
    found = type_name(value.value)
    return InvalidValueError(f"expected {noun or expected}, found {found}", expected=expected, found=found)


def exact_members(entry: JsonObject) -> dict[str, Exact]:
    """Return the members of an object whose spelling does not matter; null is the same as an absent member."""
    return {key: Exact(dump(value), value) for key, value in entry.items() if value is not None}


def structure(owner: type[T], given: Given, also: Collection[str] = ()) -> Success[T] | Failure[tuple[Mistake, ...]]:
    """Build the class from an object, or return all mistakes; `also` has more keys that the user may have meant."""
    try:
        return Success(CONVERTER.structure(given, owner))
    except (BaseValidationError, InvalidValueError) as error:
        members = given.members() if isinstance(given, Exact) else given
        order = {key: at for at, key in enumerate(members)}
        found = sorted(_mistakes(error, (), also), key=lambda one: order.get(one.key, len(order)))
        meant = {(*one.path[:-1], one.problem) for one in found if one.kind == "unknown"}
        return Failure(tuple(one for one in found if one.kind != "missing" or one.path not in meant))


def without(members: Mapping[str, Exact], mistakes: Collection[Mistake]) -> dict[str, Any]:
    """Return the members without the mistaken ones, so that the rest can be checked further."""
    rest: dict[str, Any] = {}
    for key, value in members.items():
        wrong = {one.path[1:2] for one in mistakes if one.key == key}
        if not wrong:
            rest[key] = value
        elif () not in wrong and isinstance(value.value, dict):
            rest[key] = {name: part for name, part in value.members().items() if (name,) not in wrong}
    return rest


def bind(owner: type[T], given: Given, name: str) -> ParseResult[T]:
    """Build the flags of a method, or the arguments of a tool; `name` identifies it in messages."""
    match structure(owner, given):
        case Success(built):
            return Success(built)
        case Failure(mistakes):
            return Failure(Invalid("INVALID_ARGUMENT", name, "; ".join(one.sentence(name) for one in mistakes)))


def _mistakes(error: Exception, path: tuple[str | int, ...], also: Collection[str] = ()) -> Iterator[Mistake]:
    """Yield the mistakes that an error of cattrs holds, at any depth."""
    if isinstance(error, BaseValidationError):
        # A misspelled key explains why another one is missing, so it comes first.
        for part in sorted(error.exceptions, key=lambda one: not isinstance(one, ForbiddenExtraKeysError)):
            yield from _mistakes(part, (*path, *_steps(error, part)), also)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = {*map(json_key, fields(error.cl)), *also}
        for key in sorted(error.extra_fields):
            yield Mistake((*path, key), "unknown", meant_key(key, known) or "")
    elif isinstance(error, InvalidValueError):
        for problem in error.args:
            yield Mistake(path, "value", problem, error.expected, error.found)
    else:
        assert isinstance(error, KeyError), error
        yield Mistake(path, "missing", "")


def _steps(parent: BaseValidationError, part: Exception) -> Iterator[str | int]:
    """Yield the key or the index of a part, from the note that cattrs attaches to it."""
    for note in getattr(part, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            yield json_key(fields_dict(parent.cl)[note.name])
        else:
            assert isinstance(note, IterableValidationNote)
            yield note.index


def _is_value(annotation: object) -> bool:
    return annotation in FLAG_TYPES or get_origin(annotation) is Literal


def _is_array(annotation: object) -> bool:
    return get_origin(annotation) in (list, tuple)


def _value_hook(annotation: object) -> StructureHook:
    """Read a value as the flag of this type would read its text."""
    flag_type = type_of(annotation)[0]

    def hook(value: Exact, _: object) -> object:
        if value is UNRESOLVED or flag_type is JSON:
            return value
        match flag_type.read("", _flag_text(flag_type, value)):
            case Success(found):
                return found
            case Failure(fault):
                raise InvalidValueError(sentence(fault))

    return hook


def _flag_text(flag_type: FlagType, value: Exact) -> str:
    """Return the value's text on the command line; no file or variable is read for it."""
    if type_name(value.value) not in flag_type.types:
        expected = " or ".join(_NOUNS.get(name, f"a {name}") for name in flag_type.types)
        raise wrong_type(expected, value)
    text = value.value if isinstance(value.value, str) else value.text
    if not flag_type.secret:
        if flag_type.source(text) is not None:
            raise InvalidValueError(f"{text!r} names a file, which is not allowed here")
    elif text.startswith(("env:", "file:")):
        raise InvalidValueError("env: and file: are not allowed here; use ${name} and --var name=TEXT")
    elif flag_type is KEY and not text.lstrip().startswith("-----BEGIN "):
        raise InvalidValueError("expected a key in PEM format")
    return text


def _array_hook(annotation: type, converter: Converter) -> StructureHook:
    """Read an array; a tuple, which is a repeatable flag, also accepts a single value."""
    element = get_args(annotation)[0]
    one: Any = converter.get_structure_hook(element)
    many = list_structure_factory(annotation, converter)
    repeatable = get_origin(annotation) is tuple

    def hook(value: Exact, _: object) -> object:
        if value.kind == "array":
            found = many(value.elements(), annotation)
        elif repeatable:
            found = [one(value, element)]
        else:
            raise wrong_type("an array", value)
        return tuple(found) if repeatable else found

    return hook


def _mapping_hook(annotation: type, converter: Converter) -> StructureHook:
    key = get_args(annotation)[0]
    build: Any = make_mapping_structure_fn(annotation, converter, key_type=Any if key is str else key)
    return lambda value, _: build(_members(value), annotation)


def _class_hook(owner: type, converter: Converter) -> StructureHook:
    """Build a class from an object; unknown keys are mistakes unless the class has EXTRA_KEYS."""
    overrides: Any = {one.name: override(rename=json_key(one)) for one in fields(owner)}
    build: Any = make_dict_structure_fn(
        owner,
        converter,
        _cattrs_forbid_extra_keys=not getattr(owner, "EXTRA_KEYS", False),
        _cattrs_use_linecache=False,
        **overrides,
    )
    return lambda value, _: build(_members(value), owner)


def _members(value: Given) -> Mapping[str, Any]:
    if not isinstance(value, Exact):
        return value
    if value.kind != "object":
        raise wrong_type("an object", value)
    repeated = repeated_key(value)
    if repeated is not None:
        raise InvalidValueError(repeated)
    return value.members()


def _variable_name(key: str, _: object) -> str:
    if not NAME_PATTERN.fullmatch(key):
        raise InvalidValueError(NAME_RULE)
    return key


def _pointer(value: Exact, _: object) -> str:
    if not isinstance(value.value, str) or (value.value and not value.value.startswith("/")):
        meant = meant_pointer(value.value) if isinstance(value.value, str) else ""
        raise InvalidValueError(f"a JSON pointer must start with '/'{meant}")
    return value.value


def _converter() -> Converter:
    """Build the converter; hooks that are registered later take precedence."""
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook_factory(has, _class_hook)
    converter.register_structure_hook_factory(is_mapping, _mapping_hook)
    converter.register_structure_hook_factory(_is_array, _array_hook)
    converter.register_structure_hook_factory(_is_value, _value_hook)
    # cattrs has its own hooks for these types, which take precedence over factories.
    for builtin in (bool, int, str):
        converter.register_structure_hook(builtin, _value_hook(builtin))
    converter.register_structure_hook_func(lambda kind: kind == VariableName, _variable_name)
    converter.register_structure_hook_func(lambda kind: kind == Pointer, _pointer)
    return converter


CONVERTER = _converter()

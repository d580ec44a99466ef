"""A method's flags from a JSON object: how scripts and other faces than the command line give them."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from mcpi.core.flags.declare import Flag, flags_of
from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.types import JSON, KEY, as_flag_text
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.explain import sentence
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success, collect
from mcpi.core.plans.method import AnyMethod
from mcpi.core.text.suggestions import nearest


def flags_by_key(method: AnyMethod) -> Mapping[str, Flag]:
    """The method's flags by their names in JSON."""
    owner: type = method.args
    return _by_key(owner)


@cache
def _by_key(owner: type) -> Mapping[str, Flag]:
    return {flag.key: flag for flag in flags_of(owner)}


def look_through(
    method: AnyMethod, values: Mapping[str, Exact], unsettled: Collection[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """The method's fields as the values fill them, and what is wrong with others; what a variable settles is left."""
    known = flags_by_key(method)
    fields: dict[str, Any] = {}
    wrong: list[str] = []
    for key, value in values.items():
        flag = known.get(key)
        if flag is None:
            near = nearest(key, known)
            wrong.append(f"{method.name} has no {key!r}" + (f" (did you mean {near}?)" if near else ""))
        elif key not in unsettled:
            match _read(key, flag, value):
                case Success(found):
                    fields[flag.field] = found
                case Failure(fault):
                    wrong.append(sentence(fault))
    wrong += [f"{method.name} needs {key!r}" for key, flag in known.items() if flag.required and key not in values]
    return fields, wrong


def bind(method: AnyMethod, values: Mapping[str, Exact]) -> Result[Any]:
    """The method's flags with the values."""
    fields, wrong = look_through(method, values)
    if wrong:
        return Failure(Invalid("INVALID_ARGUMENT", method.name, "; ".join(wrong)))
    return Success(method.args(**fields))


def _read(key: str, flag: Flag, value: Exact) -> Result[Any]:
    """What the flag would be, given with the value: once, or once for each element."""
    if flag.many:
        elements = value.elements() if isinstance(value.value, list) else [value]
        return collect(_one(key, flag, element) for element in elements)
    return _one(key, flag, value)


def _one(key: str, flag: Flag, value: Exact) -> Result[Any]:
    if flag.kind is JSON:
        return Success(value)
    match as_flag_text(flag.kind, key, value.value):
        case Success(written):
            if flag.kind.secret:
                return _secret(key, flag, written)
            if flag.kind.source(written) is not None:
                return invalid(key, f"{written!r} names a file, which has no place here")
            return flag.kind.read(key, written)
        case Failure() as failed:
            return failed


def _secret(key: str, flag: Flag, written: str) -> Result[Any]:
    """The secret itself: no message quotes it, and nothing is read on its behalf."""
    if written.startswith(("env:", "file:")):
        return invalid(key, "env: and file: have no place here, give it as ${name} with --var name=VALUE")
    if flag.kind is KEY and not written.lstrip().startswith("-----BEGIN "):
        return invalid(key, "expected the text of a key in PEM form")
    return flag.kind.read(key, written)

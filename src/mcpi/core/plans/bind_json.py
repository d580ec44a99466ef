"""Bind a JSON object to a method's flags, for scripts and other callers besides the command line."""

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
    """Return the method's flags by their JSON names."""
    owner: type = method.args
    return _by_key(owner)


@cache
def _by_key(owner: type) -> Mapping[str, Flag]:
    return {flag.key: flag for flag in flags_of(owner)}


def read_fields(
    method: AnyMethod, values: Mapping[str, Exact], unsettled: Collection[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return the fields read from the values, and the problems found; the keys in `unsettled` are not read yet."""
    known = flags_by_key(method)
    fields: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in values.items():
        flag = known.get(key)
        if flag is None:
            suggestion = nearest(key, known)
            problems.append(f"{method.name} has no {key!r}" + (f" (did you mean {suggestion}?)" if suggestion else ""))
        elif key not in unsettled:
            match _read(key, flag, value):
                case Success(found):
                    fields[flag.field] = found
                case Failure(fault):
                    problems.append(sentence(fault))
    problems += [f"{method.name} needs {key!r}" for key, flag in known.items() if flag.required and key not in values]
    return fields, problems


def bind(method: AnyMethod, values: Mapping[str, Exact]) -> Result[Any]:
    """Build the method's flags from the values."""
    fields, problems = read_fields(method, values)
    if problems:
        return Failure(Invalid("INVALID_ARGUMENT", method.name, "; ".join(problems)))
    return Success(method.args(**fields))


def _read(key: str, flag: Flag, value: Exact) -> Result[Any]:
    """Read the value as the flag would: once, or once per element for a repeatable flag."""
    if flag.repeatable:
        elements = value.elements() if isinstance(value.value, list) else [value]
        return collect(_read_one(key, flag, element) for element in elements)
    return _read_one(key, flag, value)


def _read_one(key: str, flag: Flag, value: Exact) -> Result[Any]:
    if flag.flag_type is JSON:
        return Success(value)
    match as_flag_text(flag.flag_type, key, value.value):
        case Success(text):
            if flag.flag_type.secret:
                return _secret(key, flag, text)
            if flag.flag_type.source(text) is not None:
                return invalid(key, f"{text!r} names a file, which has no place here")
            return flag.flag_type.read(key, text)
        case Failure() as failed:
            return failed


def _secret(key: str, flag: Flag, text: str) -> Result[Any]:
    """Read a secret given as plain text; messages do not quote it, and no file or variable is read for it."""
    if text.startswith(("env:", "file:")):
        return invalid(key, "env: and file: have no place here, give it as ${name} with --var name=VALUE")
    if flag.flag_type is KEY and not text.lstrip().startswith("-----BEGIN "):
        return invalid(key, "expected the text of a key in PEM form")
    return flag.flag_type.read(key, text)

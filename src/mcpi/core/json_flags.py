"""A method's flags from a JSON object: how scripts and other faces than the command line give them."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from mcpi.core.exact import Exact
from mcpi.core.explain import sentence
from mcpi.core.faults import Invalid, nearest
from mcpi.core.flags import Flag, Given, fill, flags_of
from mcpi.core.kinds import JSON, as_flag_text
from mcpi.core.method import AnyMethod
from mcpi.core.outcome import Failure, Outcome, Success, collect
from mcpi.core.pairs import invalid


def flags_by_key(method: AnyMethod) -> Mapping[str, Flag]:
    """The method's flags by their names in JSON."""
    owner: type = method.args
    return _by_key(owner)


@cache
def _by_key(owner: type) -> Mapping[str, Flag]:
    return {flag.key: flag for flag in flags_of(owner)}


def problems(method: AnyMethod, values: Mapping[str, Exact], unsettled: Collection[str]) -> list[str]:
    """What is wrong with the values; those that a variable will settle are not looked at."""
    known = flags_by_key(method)
    found: list[str] = []
    for key, value in values.items():
        if key not in known:
            near = nearest(key, known)
            found.append(f"{method.name} has no {key!r}" + (f" (did you mean {near}?)" if near else ""))
        elif key not in unsettled:
            match collect(_checked(known[key], text) for text in _texts(known[key], value)):
                case Success():
                    pass
                case Failure(fault):
                    found.append(sentence(fault))
    missing = [key for key, flag in known.items() if flag.required and key not in values]
    return [*found, *(f"{method.name} needs {key!r}" for key in missing)]


def bind(method: AnyMethod, values: Mapping[str, Exact]) -> Outcome[Any]:
    """The method's flags with the values."""
    wrong = problems(method, values, ())
    if wrong:
        return Failure(Invalid("INVALID_ARGUMENT", method.name, "; ".join(wrong)))
    return bind_checked(method, values)


def bind_checked(method: AnyMethod, values: Mapping[str, Exact]) -> Outcome[Any]:
    """The method's flags with values in which nothing is wrong."""
    known = flags_by_key(method)
    texts = {known[key].name: collect(_texts(known[key], value)).unwrap() for key, value in values.items()}
    return fill(method.args, Given(texts), {})


def _texts(flag: Flag, value: Exact) -> list[Outcome[str]]:
    """What one would write on the command line, one for each time that the flag is given."""
    if flag.kind is JSON:
        return [Success(value.text)]
    if flag.many and isinstance(value.value, list):
        return [as_flag_text(flag.kind, flag.key, element.value) for element in value.elements()]
    return [as_flag_text(flag.kind, flag.key, value.value)]


def _checked(flag: Flag, text: Outcome[str]) -> Outcome[Any]:
    match text:
        case Success(written):
            if flag.kind.source(written) is not None and flag.kind is not JSON:
                return invalid(flag.key, f"{written!r} names a file, which has no place here")
            return flag.kind.read(flag.key, written)
        case Failure() as failed:
            return failed

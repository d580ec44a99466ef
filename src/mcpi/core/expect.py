"""Expectations about a result: JSON pointers and what should be there."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard, cast

from attrs import evolve

from mcpi.core.exact import Exact, Unreadable, pointer, read
from mcpi.core.explain import sentence
from mcpi.core.faults import nearest
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.pairs import Expectation, invalid
from mcpi.core.render import dump
from mcpi.core.steps import Validate
from mcpi.core.values import Json, same, type_name
from mcpi.core.variables import fill_in, fill_in_text, named
from mcpi.core.wire.violations import quote

OPERATORS = ("equals", "contains", "matches", "exists", "type", "length", "schema", "lessThan", "greaterThan")
WHOLE = "the result"
"""How a message calls what the empty pointer names."""
_TEXTUAL = ("matches", "type")
"""The operators that want a text, also one that looks like something else."""
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")

Verdicts: TypeAlias = Generator[Validate, Any, tuple[str, ...]]


def parse(place: str, wanted: Json) -> Outcome[tuple[Expectation, ...]]:
    """The expectations that a script has about one place: a value to equal, or operators with their operands."""
    if place and not place.startswith("/"):
        return invalid("expect", f"{place!r} is no JSON pointer: it starts with '/'")
    if not isinstance(wanted, dict) or not wanted or not all(name in OPERATORS for name in wanted):
        return Success((Expectation(place, "equals", wanted),))
    found = tuple(Expectation(place, operator, operand) for operator, operand in wanted.items())
    for one in found:
        problem = _wrong_operand(one)
        if problem is not None and not any(named(one.wanted)):
            return invalid("expect", f"{place or WHOLE}: {problem}")
    return Success(found)


def parse_flag(flag: str, text: str) -> Outcome[Expectation]:
    """POINTER=VALUE or POINTER:OPERATOR=VALUE; what is no JSON is a string."""
    left, equals, right = text.partition("=")
    if not equals or (left and not left.startswith("/")):
        return invalid(flag, f"expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got {text!r}")
    place, colon, operator = left.rpartition(":")
    if not colon or operator not in OPERATORS:
        place, operator = left, "equals"
    expectation = Expectation(place, operator, _operand(operator, right))
    problem = _wrong_operand(expectation)
    return Success(expectation) if problem is None else invalid(flag, f"{text!r}: {problem}")


def _operand(operator: str, text: str) -> Json:
    found = read(text)
    if isinstance(found, Unreadable) or (operator in _TEXTUAL and not isinstance(found.value, str)):
        return text
    return found.value


def settled(expectations: Sequence[Expectation], values: Mapping[str, Exact]) -> Outcome[tuple[Expectation, ...]]:
    """The expectations with the variables in what they want filled in."""
    found = tuple(
        evolve(one, pointer=fill_in_text(one.pointer, values), wanted=_with_variables(one.wanted, values))
        for one in expectations
    )
    for one in found:
        problem = _wrong_operand(one)
        if problem is not None:
            return invalid("expect", f"{one.pointer or WHOLE}: {problem}, found {quote(dump(one.wanted))}")
    return Success(found)


def _with_variables(wanted: Json, values: Mapping[str, Exact]) -> Json:
    return fill_in(Exact(dump(wanted), wanted), values).value if any(named(wanted)) else wanted


def _wrong_operand(one: Expectation) -> str | None:
    checks: Mapping[str, Callable[[Json], str | None]] = {
        "matches": _wrong_pattern,
        "exists": lambda wanted: None if isinstance(wanted, bool) else "exists is true or false",
        "type": lambda wanted: None if wanted in TYPES else f"type is one of {', '.join(TYPES)}",
        "length": lambda wanted: None if _is_number(wanted) else "length is a number",
        "lessThan": lambda wanted: None if _is_number(wanted) else "lessThan is a number",
        "greaterThan": lambda wanted: None if _is_number(wanted) else "greaterThan is a number",
        "schema": lambda wanted: None if isinstance(wanted, dict | bool) else "schema is an object or a boolean",
    }
    check = checks.get(one.operator)
    return None if check is None else check(one.wanted)


def _wrong_pattern(wanted: Json) -> str | None:
    if not isinstance(wanted, str):
        return "matches is a string"
    try:
        re.compile(wanted)
    except (re.error, RecursionError, OverflowError, ValueError) as error:
        return f"{wanted!r} is no regular expression: {error}"
    return None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def judge(expectations: tuple[Expectation, ...], value: Json) -> Verdicts:
    """A sentence for each expectation that does not hold."""
    failures: list[str] = []
    for one in expectations:
        place = one.pointer or WHOLE
        try:
            found = pointer(value, one.pointer)
        except KeyError:
            if one.operator != "exists" or one.wanted is True:
                slip = _slip((one.pointer.rpartition(":")[2],)) if ":" in one.pointer else ""
                failures.append(f"{place}: nothing is there, expected {_described(one)}{slip}")
            continue
        problem = yield from _problem(one, found)
        if problem is not None:
            failures.append(f"{place}: {problem}")
    return tuple(failures)


def _problem(one: Expectation, found: Json) -> Generator[Validate, Any, str | None]:
    if one.operator == "schema":
        problems: tuple[tuple[str, str], ...] = yield Validate(found, one.wanted)
        return "; ".join(f"{where or '/'} {problem}" for where, problem in problems) or None
    if _HOLDS[one.operator](found, one.wanted):
        return None
    shown = f"length {len(found)}" if one.operator == "length" and _is_long(found) else quote(dump(found))
    members = one.wanted if one.operator == "equals" and isinstance(one.wanted, dict) else ()
    slip = "" if isinstance(found, dict) else _slip(members)
    return f"expected {_described(one)}, found {shown}{slip}"


def _slip(words: Iterable[str]) -> str:
    """What was probably meant by a word that is no operator, and was taken for a part of a value or of a place."""
    for word in words:
        near = None if word in OPERATORS else nearest(word, OPERATORS)
        if near is not None:
            return f"; {word!r} is no operator, did you mean {near}?"
    return ""


def _described(one: Expectation) -> str:
    return dump(one.wanted) if one.operator == "equals" else f"{one.operator} {dump(one.wanted)}"


def _contains(found: Json, wanted: Json) -> bool:
    match found:
        case str():
            return isinstance(wanted, str) and wanted in found
        case list():
            return any(same(element, wanted) for element in found)
        case dict():
            wishes = wanted if isinstance(wanted, dict) else {}
            if isinstance(wanted, str):
                return wanted in found
            return bool(wishes) and all(name in found and same(found[name], one) for name, one in wishes.items())
        case _:
            return False


def _has_type(found: Json, wanted: Json) -> bool:
    if wanted == "integer":
        return type_name(found) == "number" and (isinstance(found, int) or cast("float", found).is_integer())
    return type_name(found) == wanted


def _is_long(found: Json) -> TypeGuard[str | list[Json] | dict[str, Json]]:
    return isinstance(found, str | list | dict)


def _length(found: Json, wanted: Json) -> bool:
    return _is_long(found) and len(found) == wanted


def _less(found: Json, wanted: Json) -> bool:
    return _is_number(found) and found < wanted  # type: ignore[operator] # both are numbers


def _greater(found: Json, wanted: Json) -> bool:
    return _is_number(found) and found > wanted  # type: ignore[operator] # both are numbers


_HOLDS: Mapping[str, Callable[[Json, Json], bool]] = {
    "equals": same,
    "contains": _contains,
    "matches": lambda found, wanted: isinstance(found, str) and re.search(str(wanted), found) is not None,
    "exists": lambda _, wanted: wanted is True,
    "type": _has_type,
    "length": _length,
    "lessThan": _less,
    "greaterThan": _greater,
}


def parse_all(wanted: Mapping[str, Json]) -> tuple[tuple[Expectation, ...], tuple[str, ...]]:
    """The expectations of an object, and what is wrong with the rest."""
    found: list[Expectation] = []
    wrong: list[str] = []
    for place, one in wanted.items():
        match parse(place, one):
            case Success(expectations):
                found += expectations
            case Failure(fault):
                wrong.append(sentence(fault))
    return tuple(found), tuple(wrong)

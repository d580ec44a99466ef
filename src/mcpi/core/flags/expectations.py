"""Parse expectations about a result: JSON pointers, operators and values."""

import shlex
from collections.abc import Callable, Mapping, Sequence

from attrs import evolve

from mcpi.core.flags.foreign_operators import (
    comparison_problem,
    meant_form,
    meant_operator,
    parse_operand,
    short_operand,
)
from mcpi.core.flags.pairs import Expectation, invalid
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.pointers import meant_pointer, pointer_of_path
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.jsontext.variables import substitute, substitute_text, variables_in
from mcpi.core.jsontext.writing import dump
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Invalid, with_nearest
from mcpi.core.outcome.result import Failure, ParseResult, Result, Success
from mcpi.core.text.linear_patterns import compile_pattern
from mcpi.core.wire.violations import quote

OPERATORS = ("equals", "contains", "matches", "exists", "type", "length", "schema", "lessThan", "greaterThan")
WHOLE_RESULT = "the result"
"""The name of the whole result in messages, for the empty pointer."""
_STRING_OPERATORS = ("matches", "type")
"""Operators whose operand is always a string, even if it looks like another type."""
_PATH = lazy_pattern(r"[\w/$-]+")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


def parse(place: str, wanted: Json) -> ParseResult[tuple[Expectation, ...]]:
    """Parse a script's expectations about one pointer: a value to equal, or operators with their operands."""
    pointer, colon, operator = place.rpartition(":")
    if colon and operator in OPERATORS:
        shown = "..." if isinstance(wanted, dict) else short_operand(wanted)
        corrected = f'{{{dump(pointer)}: {{"{operator}": {shown}}}}}'
        return invalid("expect", f"{place}: in a script, an operator is not part of the pointer; write {corrected}")
    if place and not place.startswith("/"):
        meant = meant_pointer(place)
        is_object = isinstance(wanted, dict) and not any(
            meant_operator(name, wanted[name], OPERATORS) for name in wanted
        )
        if meant and is_object:
            corrected = f'{dump(pointer_of_path(place))}: {{"equals": {short_operand(wanted)}}}'
            meant = f"; to compare with an object, write {corrected}"
        return invalid("expect", f"{place!r} is not a JSON pointer; it must start with '/'{meant}")
    if not isinstance(wanted, dict):
        return Success((Expectation(place, "equals", wanted),))
    unknown = [name for name in wanted if name not in OPERATORS]
    if unknown or not wanted:
        return invalid("expect", f"{place or WHOLE_RESULT}: {_operator_mistake(wanted, unknown)}")
    found = tuple(Expectation(place, operator, operand) for operator, operand in wanted.items())
    for one in found:
        problem = _wrong_operand(one)
        if problem is not None and not any(variables_in(one.expected)):
            return invalid("expect", f"{place or WHOLE_RESULT}: {problem}")
    return Success(found)


def _operator_mistake(wanted: JsonObject, unknown: Sequence[str]) -> str:
    """Explain the unknown operators, or that there is none, and how to compare with an object, if that is meant."""
    hints = {name: meant_operator(name, wanted[name], OPERATORS) for name in unknown}
    unclear = next((name for name, hint in hints.items() if not hint), None)
    if unclear is not None:
        problem = f"unknown operator {unclear!r} (mcpi help script lists the operators)"
    else:
        meant = ", ".join(f"{name!r}{hint}" for name, hint in hints.items())
        problem = f"unknown operator {meant}" if unknown else "no operator given"
    is_literal = (unclear is not None or not unknown) and len(unknown) == len(wanted)
    operand = short_operand(wanted) if is_literal else "{...}"
    return f'{problem}; to compare with an object, use {{"equals": {operand}}}'


def parse_flag(flag: str, text: str) -> Result[Expectation]:
    """Parse POINTER=VALUE or POINTER:OPERATOR=VALUE; a value that is not JSON is a string."""
    comparison = comparison_problem(text)
    if comparison is not None:
        return invalid(flag, comparison)
    left, equals, right = text.partition("=")
    place, colon, operator = left.rpartition(":")
    if right.startswith("=") and right.strip("= ") and not (colon and operator in OPERATORS):
        return _double_equals(flag, text)
    if not equals or (left and not left.startswith("/")):
        fault = invalid(flag, f"expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got {text!r}").failure()
        pointer = pointer_of_path(left.strip()) if "*" not in left else ""
        meant = f"{pointer}={right.removeprefix('=').strip()}" if equals else _condition(pointer)
        # The whole result has no path, as in $:exists.
        return Failure(with_nearest(fault, text, meant if pointer[1:2] not in {"", ":"} else None))
    if not colon or operator not in OPERATORS:
        form = meant_form(operator, right, OPERATORS) if colon and "/" not in operator else ""
        if form:
            member = f"for a member of this name, write {left}:equals={right}"
            fault = invalid(flag, f"{text!r}: {operator!r} is not an operator", member).failure()
            return Failure(with_nearest(fault, text, f"{place}:{form}"))
        place, operator = left, "equals"
    expectation = Expectation(place, operator, _operand(operator, right))
    problem = _wrong_operand(expectation)
    return Success(expectation) if problem is None else invalid(flag, f"{text!r}: {problem}")


def _condition(pointer: str) -> str | None:
    """Return the expectation that is meant by a pointer without a value, if it is plain."""
    if pointer.endswith(("/isError", ":exists")):
        return f"{pointer}=true"
    return f"{pointer}:exists=true" if _PATH.fullmatch(pointer) else None


def _double_equals(flag: str, text: str) -> Failure[Invalid]:
    """Return the fault for POINTER==VALUE, with the correction unless the path has wildcards."""
    left, _, right = text.partition("=")
    path, value = left.strip(), right.lstrip("=").strip()
    is_pointer = path.startswith("/") or not path
    pointer = path if is_pointer else pointer_of_path(path)
    literal = f"for a string that begins with =, write {shlex.quote(f'{pointer}:equals={right}')}"
    fault = invalid(flag, f"{text!r}: there is no comparison '=='", *((literal,) if is_pointer else ())).failure()
    return Failure(with_nearest(fault, text, None if "*" in pointer else f"{pointer}={value}"))


def _operand(operator: str, text: str) -> Json:
    found = parse_operand(text)
    return text if operator in _STRING_OPERATORS and not isinstance(found, str) else found


def substitute_variables(
    expectations: Sequence[Expectation], values: Mapping[str, Exact]
) -> Result[tuple[Expectation, ...]]:
    """Substitute the variables in the expectations."""
    found = tuple(
        evolve(one, pointer=substitute_text(one.pointer, values), expected=_with_variables(one.expected, values))
        for one in expectations
    )
    for one in found:
        problem = _wrong_operand(one)
        if problem is not None:
            operand = quote(dump(one.expected))
            return invalid("expect", f"{one.pointer or WHOLE_RESULT}: {problem}, found {operand}")
    return Success(found)


def _with_variables(wanted: Json, values: Mapping[str, Exact]) -> Json:
    return substitute(Exact(dump(wanted), wanted), values).value if any(variables_in(wanted)) else wanted


def _wrong_operand(one: Expectation) -> str | None:
    checks: Mapping[str, Callable[[Json], str | None]] = {
        "matches": _wrong_pattern,
        "exists": lambda wanted: None if isinstance(wanted, bool) else "exists must be true or false",
        "type": lambda wanted: None if wanted in TYPES else f"type must be one of {', '.join(TYPES)}",
        "length": lambda wanted: None if is_number(wanted) else "length must be a number",
        "lessThan": lambda wanted: None if is_number(wanted) else "lessThan must be a number",
        "greaterThan": lambda wanted: None if is_number(wanted) else "greaterThan must be a number",
        "schema": lambda wanted: None if isinstance(wanted, dict | bool) else "schema must be an object or a boolean",
    }
    check = checks.get(one.operator)
    return None if check is None else check(one.expected)


def _wrong_pattern(wanted: Json) -> str | None:
    if not isinstance(wanted, str):
        return "matches must be a string"
    compiled = compile_pattern(wanted)
    return f"the pattern {quote(wanted)!r} cannot be used: {compiled}" if isinstance(compiled, str) else None


def is_number(value: Json) -> bool:
    """Tell whether the value is a JSON number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def parse_all(wanted: Mapping[str, Json]) -> tuple[tuple[Expectation, ...], tuple[str, ...]]:
    """Parse an object of expectations; return them, and the problems of the invalid ones."""
    found: list[Expectation] = []
    wrong: list[str] = []
    for place, one in wanted.items():
        match parse(place, one):
            case Success(expectations):
                found += expectations
            case Failure(fault):
                wrong.append(fault.problem)
    return tuple(found), tuple(wrong)

"""Check results against expectations."""

from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias, TypeGuard, cast

from attrs import evolve

from mcpi.core.flags.expectations import WHOLE_RESULT, is_number
from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.exact import Exact, parse_json_text, to_plain
from mcpi.core.jsontext.pointers import resolve_pointer
from mcpi.core.jsontext.values import Json, as_object, as_text, json_equal, type_name
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Validate
from mcpi.core.scripts.pointer_hints import ERROR, expectation_hint, is_about_error, operator_hint, path_hint
from mcpi.core.session.effects import Effects
from mcpi.core.text.linear_patterns import compile_pattern
from mcpi.core.wire.violations import MAX_QUOTED, quote

IS_ERROR = "/isError"
"""Pointer to the member that tells whether a tool failed."""
EXPECT_ERROR = 'the server sent a JSON-RPC error rather than a result with isError; to expect it, use "/error/code"'

EXPECT_TOOL_ERROR = f'to expect a tool error, add "{IS_ERROR}": true to expect'

_NAMES = ("name", "uri", "uriTemplate")
"""Members that identify the elements of an array."""
Verdicts: TypeAlias = Generator[Validate, Any, tuple[str, ...]]


def unmet_expectations(expectations: tuple[Expectation, ...], value: Json) -> Verdicts:
    """Return a message for each expectation that is not met."""
    failures: list[str] = []
    for one in expectations:
        place = one.pointer or WHOLE_RESULT
        try:
            found = _resolved(one, value)
        except KeyError:
            if one.operator != "exists" or one.expected is True:
                failures.append(f"{place}: not found (expected {_described(one)}){expectation_hint(one, value)}")
            continue
        problem = yield from _problem(one, found)
        if problem is not None:
            failures.append(f"{place}: {problem}")
    return tuple(failures)


def _resolved(one: Expectation, value: Json) -> Json:
    """Return the value at the pointer; raise KeyError if it is not found."""
    # MCP 2025-11-25, CallToolResult: "If not set, this is assumed to be false (the call was successful)."
    if one.pointer == IS_ERROR and one.operator != "exists" and isinstance(value, dict) and "content" in value:
        return value.get("isError", False)
    return resolve_pointer(value, one.pointer)


def _problem(one: Expectation, found: Json) -> Generator[Validate, Any, str | None]:
    if one.operator == "schema":
        problems: tuple[tuple[str | None, str], ...] = yield Validate(found, one.expected)
        return "; ".join(f"{where or '/'} {problem}" for where, problem in problems) or None
    if _CHECKS[one.operator](found, one.expected):
        return None
    shown = f"length {len(found)}" if one.operator == "length" and _has_length(found) else _shown(one, found)
    meant = _meant_string(one, found)
    if meant is not None:
        place = one.pointer if one.operator == "equals" else f"{one.pointer}:{one.operator}"
        written = f"write {dump(meant)} with its quotes (in a shell, '{place}={dump(meant)}')"
        return f"expected {_described(one)}, got the string {shown}; to expect a string, {written}"
    members = one.expected if one.operator == "equals" and isinstance(one.expected, dict) else {}
    hint = "" if isinstance(found, dict) else operator_hint(members)
    return f"expected {_described(one)}, got {shown}{hint}{_element_hint(one, found)}"


def _shown(one: Expectation, found: Json) -> str:
    """Return the value, shortened; of a long array that lacks an element, return the names or URIs of its elements."""
    whole = dump(found)
    if one.operator != "contains" or not isinstance(found, list) or len(whole) <= MAX_QUOTED:
        return quote(whole)
    wanted, elements = as_object(one.expected), [*map(as_object, found)]
    keys = sorted(_NAMES, key=lambda key: key not in wanted)
    key = next((key for key in keys if all(isinstance(element.get(key), str) for element in elements)), None)
    if key is None:
        return quote(whole)
    alike: list[Json] = [element for element in elements if element[key] == wanted.get(key)]
    names = quote(", ".join(as_text(element[key]) for element in elements))
    return quote(dump(alike)) if alike else f"{len(elements)} element{'s' if len(elements) > 1 else ''}: {names}"


def _meant_string(one: Expectation, found: Json) -> str | None:
    """Return the string that is meant if the expected number, boolean or null is the text of a string, or in it."""
    if not isinstance(found, str) or isinstance(one.expected, str | list | dict):
        return None
    if one.operator == "contains":
        text = dump(one.expected)
        return text if text in found else None
    parsed = parse_json_text(found)
    is_equal = one.operator == "equals" and isinstance(parsed, Exact) and json_equal(parsed.value, one.expected)
    return found if is_equal else None


def _element_hint(one: Expectation, found: Json) -> str:
    """Suggest an object if contains has a string, but the elements are objects."""
    if one.operator != "contains" or not isinstance(one.expected, str) or not isinstance(found, list):
        return ""
    names = [name for element in found for name, value in as_object(element).items() if value == one.expected]
    names += ["name"] if any("name" in as_object(element) for element in found) else []
    return f"; the elements are objects: use contains {dump({names[0]: one.expected})}" if names else ""


def _described(one: Expectation) -> str:
    return dump(one.expected) if one.operator == "equals" else f"{one.operator} {dump(one.expected)}"


def _contains(found: Json, wanted: Json) -> bool:
    match found:
        case str():
            return isinstance(wanted, str) and wanted in found
        case list():
            return any(json_equal(element, wanted) or _has_members(element, wanted) for element in found)
        case dict():
            return wanted in found if isinstance(wanted, str) else _has_members(found, wanted)
        case _:
            return False


def _has_members(found: Json, wanted: Json) -> bool:
    """Tell whether both are objects, and the first has all members of the second."""
    if not isinstance(found, dict) or not isinstance(wanted, dict) or not wanted:
        return False
    return all(name in found and json_equal(found[name], one) for name, one in wanted.items())


def _matches(wanted: str, found: str) -> bool:
    """Tell whether the text matches; a pattern or a text that would need too much work never does."""
    pattern = compile_pattern(wanted)
    return not isinstance(pattern, str) and bool(pattern.matches(found))


def _has_type(found: Json, wanted: Json) -> bool:
    if wanted == "integer":
        return type_name(found) == "number" and (isinstance(found, int) or cast("float", found).is_integer())
    return type_name(found) == wanted


def _has_length(found: Json) -> TypeGuard[str | list[Json] | dict[str, Json]]:
    return isinstance(found, str | list | dict)


def _length(found: Json, wanted: Json) -> bool:
    return _has_length(found) and len(found) == wanted


def _less(found: Json, wanted: Json) -> bool:
    return is_number(found) and found < wanted  # type: ignore[operator] # both are numbers


def _greater(found: Json, wanted: Json) -> bool:
    return is_number(found) and found > wanted  # type: ignore[operator] # both are numbers


_CHECKS: Mapping[str, Callable[[Json, Json], bool]] = {
    "equals": json_equal,
    "contains": _contains,
    "matches": lambda found, wanted: isinstance(found, str) and _matches(str(wanted), found),
    "exists": lambda _, wanted: wanted is True,
    "type": _has_type,
    "length": _length,
    "lessThan": _less,
    "greaterThan": _greater,
}


def check_expectations(what: str, expected: tuple[Expectation, ...], ended: PlanResult) -> Effects[PlanResult]:
    """Check a result against the expectations; an error is a success if it is expected."""
    is_error_expected = any(
        one.pointer == IS_ERROR and one.operator == "equals" and one.expected is True for one in expected
    )
    if ended.result is None:
        return (yield from _check_error(what, expected, ended, hint=is_error_expected))
    broken = yield from unmet_expectations(expected, to_plain(ended.result))
    if broken:
        problem = f"{what}: {len(broken)} of {len(expected)} expectations failed"
        unknown = (ended.fault.problem,) if isinstance(ended.fault, Invalid) else ()
        reasons = () if is_error_expected else (*_tool_error(ended.fault), *unknown)
        return evolve(ended, fault=expectation_failed(problem, (*reasons, *broken)))
    # With a result, an Invalid fault names the unknown tool that isError is about.
    is_about_error = isinstance(ended.fault, Invalid) or bool(_tool_error(ended.fault))
    return evolve(ended, fault=None) if is_error_expected and is_about_error else ended


def _check_error(what: str, expected: tuple[Expectation, ...], ended: PlanResult, *, hint: bool) -> Effects[PlanResult]:
    """Check a JSON-RPC error, which fails unless an expectation is about it."""
    if ended.document is None or not expected:
        return ended
    if not any(map(is_about_error, expected)):
        document = to_plain(ended.document)
        inside = [one.pointer for one in expected if one.pointer and path_hint(f"{ERROR}{one.pointer}", document)]
        told = tuple(f"the JSON-RPC error is at {ERROR}: write {ERROR}{one} instead of {one}" for one in inside[:1])
        return ended.with_hints(lambda _: (EXPECT_ERROR,) if hint else told)
    broken = yield from unmet_expectations(expected, to_plain(ended.document))
    if not broken:
        return evolve(ended, result=ended.document, fault=None)
    problem = f"{what}: {len(broken)} of {len(expected)} expectations failed"
    return evolve(ended, result=ended.document, fault=expectation_failed(problem, broken))


def expectation_failed(problem: str, broken: tuple[str, ...]) -> OperationFailed:
    """Build the fault for failed expectations; a tool's unexpected error comes before them."""
    return OperationFailed("EXPECTATION_FAILED", problem, broken, {"failures": list(broken)})


def tool_error_hint(expected: tuple[Expectation, ...], ended: PlanResult) -> tuple[str, ...]:
    """Return a hint if a step appears to expect a tool error, but not isError."""
    is_tool_error = as_object(to_plain(ended.result)).get("isError") is True
    if not expected or not is_tool_error or any(one.pointer == IS_ERROR for one in expected):
        return ()
    is_meant = not is_expectation_failed(ended.fault) or any(map(is_about_error, expected))
    return (EXPECT_TOOL_ERROR,) if is_meant else ()


def _tool_error(fault: Fault | None) -> tuple[str, ...]:
    """Return a line with the error that a tool reported, shortened; empty for any other fault."""
    if not isinstance(fault, OperationFailed) or fault.code != "TOOL_ERROR":
        return ()
    text = " ".join(" ".join(fault.evidence).split())
    return (f"{fault.problem}: {quote(text)}" if text else fault.problem,)


def is_expectation_failed(fault: Fault | None) -> bool:
    """Tell whether expectations failed."""
    return isinstance(fault, OperationFailed) and fault.code == "EXPECTATION_FAILED"

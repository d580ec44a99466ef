"""Variables of the command line that are strings where JSON of another type was meant."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from mcpi.core.flags.expectations import substitute_variables
from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.exact import Exact, parse_json_text, to_plain
from mcpi.core.jsontext.values import type_name
from mcpi.core.jsontext.variables import variables_in
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Validate
from mcpi.core.scripts.judge import Verdicts, is_expectation_failed, unmet_expectations

NOUNS = {"boolean": "true or false", "null": "null", "array": "an array", "object": "an object", "number": "a number"}


def typed_texts(given: Mapping[str, Exact]) -> dict[str, Exact]:
    """Return the variables whose text is JSON of another type, with that JSON."""
    found = {name: parse_json_text(one.value) for name, one in given.items() if isinstance(one.value, str)}
    return {name: one for name, one in found.items() if isinstance(one, Exact) and not isinstance(one.value, str)}


def string_hints(
    expected: Sequence[Expectation], ended: PlanResult, values: Mapping[str, Exact], typed: Mapping[str, Exact]
) -> Verdicts:
    """Return a hint for each variable whose expectations fail only because it is a string."""
    if not typed or not (is_expectation_failed(ended.fault) or isinstance(ended.fault, Invalid)):
        return ()
    names: dict[str, None] = {}
    for one in expected:
        used = [name for name in variables_in(one.expected) if name in typed and _is_text(values[name], typed[name])]
        if used and not (yield from _holds(one, ended, values)):
            changed = {**values, **{name: typed[name] for name in used}}
            names |= dict.fromkeys(used) if (yield from _holds(one, ended, changed)) else {}
    return tuple(_hint(name, typed[name]) for name in names)


def _is_text(value: Exact, typed: Exact) -> bool:
    """Tell whether the variable still has the text of the command line, and no captured value."""
    return isinstance(value.value, str) and value.value.strip() == typed.text


def _holds(one: Expectation, ended: PlanResult, values: Mapping[str, Exact]) -> Generator[Validate, Any, bool]:
    """Tell whether the expectation holds with these values; without a result, whether it is valid."""
    match substitute_variables((one,), values):
        case Success(filled):
            return ended.result is None or not (yield from unmet_expectations(filled, to_plain(ended.result)))
        case Failure():
            return False


def _hint(name: str, typed: Exact) -> str:
    noun = NOUNS[type_name(typed.value)]
    return f"--var {name}={typed.text} is a string; for {noun}, write --var {name}:={typed.text}"

"""Names that other tools have for the operators of expectations."""

import re
import shlex
from collections.abc import Collection, Mapping
from typing import TypeGuard

from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.pointers import pointer_of_path
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.text.suggestions import nearest

MAX_OPERAND = 60
"""Maximum number of characters of an operand in a correction."""
NO_TEXT = '"schema": {"not": {"pattern": OPERAND}}'
OPERATOR_NAMES: Mapping[str, tuple[str, ...]] = {
    "equals": ("eq", "is", "tobe", "const", "==", "==="),
    "contains": ("includes", "has"),
    "matches": ("regex", "regexp", "pattern", "like"),
    '"matches": "^OPERAND"': ("startswith",),
    '"matches": "OPERAND$"': ("endswith",),
    "exists": ("defined", "tobedefined", "present", "required"),
    "length": ("count", "size"),
    "lessThan": ("lt", "<"),
    "greaterThan": ("gt", ">"),
    '"schema": {"minimum": OPERAND}': ("min", "minimum", "gte", ">=", "greaterthanorequal", "tobegreaterthanorequal"),
    '"schema": {"maximum": OPERAND}': ("max", "maximum", "lte", "<=", "lessthanorequal", "tobelessthanorequal"),
    **{f'"schema": {{"{name}": OPERAND}}': (name.lower(),) for name in ("minLength", "maxLength")},
    **{f'"schema": {{"{name}": OPERAND}}': (name.lower(),) for name in ("minItems", "maxItems")},
    '"schema": {"enum": OPERAND}': ("in", "enum"),
    '"schema": {"not": {"enum": OPERAND}}': ("nin", "notin"),
    '"schema": {"not": {"const": OPERAND}}': ("ne", "neq", "!=", "!==", "not", "notequal", "notequals", "isnot"),
    '"schema": {"not": {"contains": {"const": OPERAND}}}': ("notcontains", "notcontain", "notincludes", "excludes"),
    NO_TEXT: ("notmatches", "notmatch", "notregex", "notpattern"),
    '"exists": false': ("notexists", "notexist", "undefined", "tobeundefined", "missing", "absent"),
    '"length": 0': ("empty", "isempty"),
    '"type": "null"': ("null", "isnull", "tobenull"),
}
"""The other names of operators, in lower case, and of what replaces the operators of other tools."""
_CLOSE = ("approx", "approximately", "about", "closeto", "tobecloseto", "near", "almost", "almostequals")
_DIGITS = "tobecloseto"
"""The operator whose integer after the number is a number of digits, not a tolerance."""
_TOLERANCE, _MAX_LIMIT = 0.001, 1e300
_OPPOSITES: Mapping[str, str] = {
    '"exists": false': '"exists": true',
    '"length": 0': '"schema": {"minLength": 1, "minItems": 1}',
    '"type": "null"': '"schema": {"not": {"type": "null"}}',
}
"""Replacements for operators of other tools whose operand is false."""
LENGTHS = ("length", *OPERATOR_NAMES["length"])
_STRING_LENGTHS = " (for a string, minLength or maxLength)"
_NEGATION = re.compile(r"(?:not|doesNot|does_not)(?=[A-Z_])")
_SPECIAL, _ESCAPED = re.compile(r"[\\^$.|?*+()\[\]{}]"), r"\\\g<0>"


def meant_operator(word: str, operand: Json, known: Collection[str]) -> str:
    """Return a hint about the operator that the word means, or an empty string."""
    member = _meant_member(word, operand, known)
    if member in known:
        return f" (did you mean {member}?)"
    return f"; use {{{member}}}" if member else ""


def meant_form(word: str, operand: str, known: Collection[str]) -> str:
    """Return the OPERATOR=VALUE of --expect that the word and its operand mean, or an empty string."""
    member = _meant_member(word, parse_operand(operand), known)
    if member in known:
        return f"{member}={operand}"
    operator, _, value = member.partition(": ")
    return f"{operator[1:-1]}={value}" if value and "..." not in value else ""


def parse_operand(text: str) -> Json:
    """Return the JSON value; a text that is not JSON is a string."""
    found = parse_json_text(text)
    return text if isinstance(found, JsonSyntaxProblem) else found.value


def _meant_member(word: str, operand: Json, known: Collection[str]) -> str:
    """Return the operator that the word means, or the operator with its operand, or an empty string."""
    if word == "not" and isinstance(operand, dict) and len(operand) == 1:
        ((negated, operand),) = operand.items()
        word = f"not_{negated}"
    name = word.lower().lstrip("$").replace("_", "").replace("doesnot", "not")
    if name in _CLOSE and (limits := _limits(name, operand)):
        return f'"schema": {limits}'
    meant = next((own for own, others in OPERATOR_NAMES.items() if name in others), None)
    if meant is None:
        return '"schema": {"not": {...}}' if _NEGATION.match(word) else nearest(word, known) or ""
    if operand is False:
        meant = _OPPOSITES.get(meant, meant)
    if '"matches"' in meant:
        pattern = meant.partition(": ")[2].strip('"')
        text = operand if isinstance(operand, str) else dump(operand)
        return f'"matches": {short_operand(pattern.replace("OPERAND", _SPECIAL.sub(_ESCAPED, text)))}'
    if '"enum"' in meant and not isinstance(operand, list):
        return meant.replace("OPERAND", "[...]")
    if isinstance(operand, str) and '"contains"' in meant:
        meant, operand = NO_TEXT, _SPECIAL.sub(_ESCAPED, operand)
    return meant.replace("OPERAND", short_operand(operand))


def _limits(name: str, operand: Json) -> str:
    """Return the schema of numbers close to the operand, which may be a list with a tolerance, or an empty string."""
    number, tolerance, *_ = (*operand, None) if isinstance(operand, list) and operand else (operand, None)
    if not _is_finite(number):
        return ""
    margin: float = _TOLERANCE * max(1, abs(number))
    if _is_finite(tolerance) and not (isinstance(tolerance, int) and name == _DIGITS):
        margin = abs(tolerance)
    low, high = (float(f"{limit:.15g}") for limit in (number - margin, number + margin))
    return dump({"minimum": low, "maximum": high})


def _is_finite(value: Json) -> TypeGuard[int | float]:
    """Tell whether the value is a number from which limits can be calculated."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MAX_LIMIT


def short_operand(operand: Json) -> str:
    """Return the operand as a correction shows it: as JSON, unless it is long."""
    shown = dump(operand)
    return shown if len(shown) <= MAX_OPERAND else "{...}" if isinstance(operand, dict) else "..."


def comparison_problem(text: str) -> str | None:
    """Explain a comparison such as /a>=3, which --expect does not have; return None if there is none."""
    left, equals, right = text.partition("=")
    if not equals:
        at = min((place for sign in "<>" if (place := text.find(sign)) >= 0), default=-1)
        left, right = (text[: at + 1], text[at + 1 :]) if at >= 0 else ("", "")
    # A member may have a name such as <b>.
    if not left[:-1] or left[-1] not in "<>!" or any(sign in left[:-1] for sign in "<>!"):
        return None
    problem = f"{text!r}: there is no comparison {left[-1] + equals!r}"
    path = left[:-1] if left.startswith("/") else pointer_of_path(left[:-1])
    pointer, colon, word = path.rpartition(":")
    is_length = bool(colon) and word in LENGTHS
    operand = parse_operand(right)
    form = _length_form(left[-1] + equals, operand) if is_length else _value_form(left[-1] + equals, operand)
    if form is None:
        return f"{problem} with {right!r}; only numbers can be compared"
    written = shlex.quote(f"{pointer if is_length else path}:{form}")
    return f"{problem}; write {written}{_STRING_LENGTHS if is_length else ''}"


def _value_form(sign: str, operand: Json) -> str | None:
    """Return the operator and the operand that compare a value; only numbers have an order."""
    if sign == "!=":
        return f"schema={dump({'not': {'const': operand}})}"
    if isinstance(operand, bool) or not isinstance(operand, int | float):
        return None
    schemas = {"<=": "maximum", ">=": "minimum"}
    operators = {"<": "lessThan", ">": "greaterThan"}
    return f"schema={dump({schemas[sign]: operand})}" if sign in schemas else f"{operators[sign]}={dump(operand)}"


def _length_form(sign: str, operand: Json) -> str | None:
    """Return the operator and the operand that compare the length of an array."""
    if isinstance(operand, bool) or not isinstance(operand, int) or operand < (sign == "<"):
        return None
    schemas: Mapping[str, Json] = {
        "<": {"maxItems": operand - 1},
        "<=": {"maxItems": operand},
        ">": {"minItems": operand + 1},
        ">=": {"minItems": operand},
        "!=": {"not": {"minItems": operand, "maxItems": operand}},
    }
    return f"schema={dump(schemas[sign])}"

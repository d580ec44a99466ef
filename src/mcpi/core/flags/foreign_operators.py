"""Names that other tools have for the operators of expectations."""

import re
from collections.abc import Collection, Mapping

from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.text.suggestions import did_you_mean

MAX_OPERAND = 60
"""Maximum number of characters of an operand in a correction."""
NO_TEXT = '"schema": {"not": {"pattern": OPERAND}}'
OPERATOR_NAMES: Mapping[str, tuple[str, ...]] = {
    "equals": ("eq", "is", "tobe", "const", "==", "==="),
    "contains": ("includes", "has"),
    "matches": ("regex", "regexp", "pattern", "like", "startswith", "endswith"),
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
_NEGATION = re.compile(r"(?:not|doesNot|does_not)(?=[A-Z_])")
_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")


def meant_operator(word: str, operand: Json, known: Collection[str]) -> str:
    """Return a hint about the operator that the word means, or an empty string."""
    if word == "not" and isinstance(operand, dict) and len(operand) == 1:
        ((negated, operand),) = operand.items()
        word = f"not_{negated}"
    name = word.lower().lstrip("$").replace("_", "").replace("doesnot", "not")
    meant = next((own for own, others in OPERATOR_NAMES.items() if name in others), None)
    if meant is None and not _NEGATION.match(word):
        return did_you_mean(word, known)
    if meant in known:
        return f" (did you mean {meant}?)"
    if isinstance(operand, str) and meant is not None and '"contains"' in meant:
        meant, operand = NO_TEXT, _SPECIAL.sub(r"\\\1", operand)
    if meant is None:
        return '; use {"schema": {"not": {...}}}'
    return f"; use {{{meant.replace('OPERAND', short_operand(operand))}}}"


def short_operand(operand: Json) -> str:
    """Return the operand as a correction shows it: as JSON, unless it is long."""
    shown = dump(operand)
    return "..." if len(shown) > MAX_OPERAND else shown

"""Explain JSON pointers that are not found: another syntax, a misplaced operator, or a member that is missing."""

import shlex
from collections.abc import Mapping, Sequence
from itertools import islice

from attrs import evolve

from mcpi.core.flags.expectations import OPERATORS, WHOLE_RESULT
from mcpi.core.flags.foreign_operators import LENGTHS, MAX_OPERAND, meant_operator
from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.pointers import escape_token, pointer_of_path, resolve_pointer, unescape_token
from mcpi.core.jsontext.values import Json, JsonObject, type_name
from mcpi.core.jsontext.writing import dump
from mcpi.core.text.suggestions import nearest
from mcpi.core.wire.violations import quote

ERROR = "/error"
"""Pointer to the JSON-RPC error in the document that a failed request prints."""
_NOTIFICATIONS = (["notifications"], ["progress"], ["logs"])
"""First tokens of pointers to the notifications that arrived during a call."""
_NO_WILDCARDS = "; JSON pointers have no wildcards: to match any element"
_KEYWORDS = {
    "equals": "const",
    "matches": "pattern",
    "type": "type",
    "lessThan": "exclusiveMaximum",
    "greaterThan": "exclusiveMinimum",
}
"""The keywords of schemas that correspond to operators."""
_MOST = 8
"""Maximum number of members that a message names."""
_MOST_COMPARED = 1000
"""Maximum number of members that are compared with a misspelled one."""


def expectation_hint(one: Expectation, value: Json) -> str:
    """Explain the mistakes that are read as part of a pointer, or else name the members that the value has."""
    meant = path_hint(one.pointer, value)
    if meant:
        return meant
    one = evolve(one, pointer=pointer_of_path(one.pointer)) if "[*]" in one.pointer else one
    parent, _, last = one.pointer.rpartition("/")
    if last in LENGTHS and isinstance(found(value, parent), list | str):
        operand = f" {dump(one.expected)}" if one.operator == "equals" else ""
        return f"; to check the length, use {parent or WHOLE_RESULT} with length{operand}"
    if is_about_error(one) and isinstance(value, dict) and "error" not in value:
        return "; the server sent a result, not a JSON-RPC error"
    hint = _wildcard_hint(one) or _member_hint(one.pointer, value)
    if one.pointer.split("/")[1:2] in _NOTIFICATIONS and "did you mean" not in hint:
        return '; a result does not contain notifications: in a script, use a step with "wait"'
    return hint


def is_about_error(one: Expectation) -> bool:
    """Tell whether the expectation is about the JSON-RPC error in the document that a failed request prints."""
    return one.pointer == ERROR or one.pointer.startswith(f"{ERROR}/")


def path_hint(path: str, value: Json) -> str:
    """Suggest the JSON pointer that a path in another syntax means, if it is found in the value."""
    pointer = pointer_of_path(path)
    return f"; did you mean {pointer}?" if pointer and found(value, pointer) is not None else ""


def capture_hint(pointer: str, value: Json) -> str:
    """Explain why a pointer of a capture is not found."""
    return path_hint(pointer, value) or _member_hint(pointer, value)


def _member_hint(pointer: str, value: Json) -> str:
    """Suggest the pointer that was meant, or tell what the value has where the pointer ends."""
    pointer = pointer_of_path(pointer) if "[" in pointer else pointer
    # The result is a member of the envelope, and the structured content is one of the result.
    moved = (pointer.removeprefix("/result"), f"/structuredContent{pointer}")
    near = next((one for one in moved if one not in {"", pointer} and found(value, one) is not None), None)
    if near is not None:
        return f"; did you mean {near}?"
    return _missing_member(pointer, value)


def _missing_member(pointer: str, value: Json) -> str:
    """Name the members of the last value on the way to the pointer, or the one that is spelled most similarly."""
    parent = pointer.rpartition("/")[0]
    while not _exists(value, parent):
        parent = parent.rpartition("/")[0]
    value = resolve_pointer(value, parent)
    token, slash, below = pointer.removeprefix(f"{parent}/").partition("/")
    near = nearest(unescape_token(token), islice(value, _MOST_COMPARED)) if isinstance(value, dict) else None
    if near is not None:
        meant = f"/{escape_token(near)}"
        whole = f"{meant}{slash}{below}"
        return f"; did you mean {parent}{meant if found(value, whole) is None else whole}?"
    return f"; {parent or WHOLE_RESULT} {_description(value)}"


def _description(value: Json) -> str:
    """Describe what a value has."""
    match value:
        case {} | [] if not value:
            return "is empty"
        case dict():
            more = f" and {len(value) - _MOST} more" if len(value) > _MOST else ""
            return f"has {', '.join(quote(dump(name)[1:-1]) for name in islice(value, _MOST))}{more}"
        case list():
            return f"has {len(value)} element{'' if len(value) == 1 else 's'}"
        case _:
            return f"is {dump(value)}" if value is None or isinstance(value, bool) else f"is a {type_name(value)}"


def found(value: Json, pointer: str) -> Json:
    """Return the value at the pointer, or None."""
    try:
        return resolve_pointer(value, pointer)
    except KeyError:
        return None


def _exists(value: Json, pointer: str) -> bool:
    try:
        resolve_pointer(value, pointer)
    except KeyError:
        return False
    return True


def _wildcard_hint(one: Expectation) -> str:
    array, wildcard, member = one.pointer.partition("/*")
    if not wildcard or member[:1] not in {"", "/"}:
        return operator_hint({one.pointer.rpartition(":")[2]: one.expected}) if ":" in one.pointer else ""
    tokens = [unescape_token(token) for token in member.split("/")[1:]]
    meant = _any_element(tokens, one)
    if meant is None:
        return f"{_NO_WILDCARDS}, use {array or WHOLE_RESULT} with contains"
    operator, operand = meant[0], dump(meant[1])
    if not array:
        return f"{_NO_WILDCARDS}, use {WHOLE_RESULT} with {operator} {operand}"
    in_shell = shlex.quote(f"{array}:{operator}={operand}")
    return f'{_NO_WILDCARDS}, write {dump(array)}: {{"{operator}": {operand}}} (in a shell, {in_shell})'


def _any_element(tokens: Sequence[str], one: Expectation) -> tuple[str, Json] | None:
    """Return the operator and the operand that match an array with such an element, if they exist."""
    expected = "..." if len(dump(one.expected)) > MAX_OPERAND else one.expected
    if one.operator in {"equals", "contains"} and len(tokens) < 2:  # noqa: PLR2004 - the operand has the members of one object
        return "contains", {tokens[0]: expected} if tokens else expected
    keyword = _KEYWORDS.get(one.operator)
    schema: Json = expected if one.operator == "schema" else {} if keyword is None else {keyword: expected}
    if keyword is None and one.operator not in {"schema", "exists"}:
        return None
    for name in reversed(tokens):
        properties: JsonObject = {"properties": {name: schema}} if schema != {} else {}
        schema = {"contains": schema} if name == "*" else {"required": [name], **properties}
    return "schema", {"contains": schema}


def operator_hint(words: Mapping[str, Json]) -> str:
    """Suggest an operator for a misspelled one, which was read as part of the value or the pointer."""
    for word, operand in words.items():
        meant = "" if word in OPERATORS else meant_operator(word, operand, OPERATORS)
        if meant:
            return f"; {word!r} is not an operator{meant}"
    return ""

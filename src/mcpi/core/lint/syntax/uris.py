"""Check URIs (RFC 3986) and URI templates (RFC 6570)."""

import re

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
# RFC 3986, 2.2 and 2.3; characters beyond ASCII are those of an IRI (RFC 3987), which clients accept.
_FORBIDDEN = re.compile(r"""[\x00-\x20\x7f"<>\\^`{|}]""")
_HOST = re.compile(
    r"[A-Za-z][A-Za-z0-9+.\-]*://(?:[^/?#@]*@)?(?:\[[0-9A-Fa-f:.vV]+\]|[^/?#\[\]:]*)(?::[0-9]*)?(?=[/?#]|$)"
)
_EXPRESSION = re.compile(r"([^{}]*)(?:\{([^{}]*)\})?")
_OPERATORS = frozenset("+#./;?&")
_RESERVED_OPERATORS = frozenset("=,!@|")
_VARIABLE = re.compile(
    r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*(?:\*|:[1-9][0-9]{0,3})?"
)
# RFC 6570, 2.1: literals exclude these characters.
_NOT_LITERAL = re.compile(r"""[\x00-\x20\x7f"'<>\\^`|]""")


def uri_problem(uri: str) -> str:
    """Return the problem of an absolute URI, or an empty string."""
    if _SCHEME.match(uri) is None:
        return "it has no scheme such as file: or https:"
    found = _FORBIDDEN.search(uri)
    if found is not None:
        return f"{_character(found[0])} is not allowed in a URI"
    if _ESCAPE.search(uri) is not None:
        return "% is not followed by two hexadecimal digits"
    if uri.partition(":")[2] == "":
        return "it ends after the scheme"
    if "://" in uri and "[" in uri.partition("://")[2].split("/")[0] and _HOST.match(uri) is None:
        return "the host is invalid"
    return ""


def template_problem(template: str) -> str:
    """Return the problem of a URI template, or an empty string."""
    at = 0
    literals = ""
    while at < len(template):
        found = _EXPRESSION.match(template, at)
        assert found is not None
        if found.end() == at:
            return f"unbalanced {template[at]} at position {at}"
        literals += found[1]
        problem = "" if found[2] is None else _expression_problem(found[2])
        if problem:
            return problem
        at = found.end()
    return _literal_problem(template, literals)


def template_variables(template: str) -> tuple[str, ...]:
    """Return the names of the variables of a valid template, in order."""
    inside = (one.lstrip("+#./;?&") for one in re.findall(r"\{([^{}]*)\}", template))
    return tuple(name.partition(":")[0].rstrip("*") for one in inside for name in one.split(","))


def _expression_problem(expression: str) -> str:
    if not expression:
        return "{} names no variable"
    if expression[0] in _RESERVED_OPERATORS:
        return f"{{{expression}}} has the operator {expression[0]}, which RFC 6570 reserves"
    names = expression[1:] if expression[0] in _OPERATORS else expression
    for name in names.split(","):
        if _VARIABLE.fullmatch(name) is None:
            return f"{{{expression}}} has the invalid variable name {name!r}"
    return ""


def _literal_problem(template: str, literals: str) -> str:
    found = _NOT_LITERAL.search(literals)
    if found is not None:
        return f"{_character(found[0])} is not allowed outside of {{}}"
    if _ESCAPE.search(literals) is not None:
        return "% is not followed by two hexadecimal digits"
    if _SCHEME.match(template) is None and not template.startswith("{"):
        return "it has no scheme such as file: or https:"
    return ""


def _character(char: str) -> str:
    return {" ": "a space"}.get(char, char if char.isprintable() else f"U+{ord(char):04X}")

"""Rules about types, enums, and other constraints of a value."""

from collections.abc import Iterator

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, VALIDATION, DiffRule

_TYPE = f"{VALIDATION}#section-6.1.1"
_DEFAULT = f"{VALIDATION}#section-9.2"


_COMPARED = ("added", "removed", "narrowed", "widened")
"""The ways in which a constraint can change if the old and the new one can be compared."""


def _constraint(name: str, noun: str, evidence: str, *ways: str, article: str = "a") -> Iterator[DiffRule]:
    """Yield the rules for the ways in which a constraint can change."""
    rules = (
        DiffRule(f"{name}-added", "tighter", f"{article} {noun} was added", evidence),
        DiffRule(f"{name}-removed", "looser", f"the {noun} was removed", evidence),
        DiffRule(f"{name}-narrowed", "tighter", f"the {noun} now allows fewer values", evidence),
        DiffRule(f"{name}-widened", "looser", f"the {noun} now allows more values", evidence),
        DiffRule(f"{name}-changed", "either", f"the {noun} changed", evidence),
    )
    return (one for one in rules if one.name.removeprefix(f"{name}-") in ways)


RULES = (
    DiffRule("type-narrowed", "tighter", "fewer types are now allowed", _TYPE),
    DiffRule("type-widened", "looser", "more types are now allowed", _TYPE),
    DiffRule("type-changed", "either", "the type changed", _TYPE),
    *_constraint("enum", "enum", f"{VALIDATION}#section-6.1.2", *_COMPARED, article="an"),
    DiffRule("const-changed", "either", "the only allowed value changed", f"{VALIDATION}#section-6.1.3"),
    *_constraint("multiple-of", '"multipleOf" constraint', f"{VALIDATION}#section-6.2.1", *_COMPARED, "changed"),
    *_constraint("pattern", "pattern", f"{VALIDATION}#section-6.3.3", *_COMPARED, "changed"),
    *_constraint("format", "format", f"{VALIDATION}#section-7", *_COMPARED, "changed"),
    *_constraint(
        "encoding", "content encoding or media type", f"{VALIDATION}#section-8", "added", "removed", "changed"
    ),
    *_constraint(
        "unique-items", '"uniqueItems" constraint', f"{VALIDATION}#section-6.4.3", "added", "removed", "changed"
    ),
    *_constraint("contains", '"contains" constraint', f"{JSON_SCHEMA}#section-10.3.1.3", "added", "removed", "changed"),
    *_constraint(
        "dependency", "constraint on dependent properties", f"{VALIDATION}#section-6.5.4", "added", "removed", "changed"
    ),
    *_constraint(
        "condition",
        'condition ("if", "not", "anyOf" or "oneOf")',
        f"{JSON_SCHEMA}#section-10.2.2",
        *_COMPARED,
        "changed",
    ),
    DiffRule(
        "default-added",
        "additive",
        "a default was added: clients now know which value is used if none is given",
        _DEFAULT,
    ),
    DiffRule("default-removed", "default", "the default was removed", _DEFAULT),
    DiffRule("default-changed", "default", "the default changed", _DEFAULT),
)

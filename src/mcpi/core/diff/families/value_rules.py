"""Rules about types, enums, and other constraints of a value."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, VALIDATION, DiffRule

_TYPE = f"{VALIDATION}#section-6.1.1"
_DEFAULT = f"{VALIDATION}#section-9.2"


def _constraint(name: str, noun: str, evidence: str) -> tuple[DiffRule, ...]:
    """Rules for a constraint that can be added, removed, or replaced by a stricter, looser or unrelated one."""
    return (
        DiffRule(f"{name}-added", "tighter", f"{noun} was added", evidence),
        DiffRule(f"{name}-removed", "looser", f"{noun} was removed", evidence),
        DiffRule(f"{name}-narrowed", "tighter", f"{noun} allows fewer values", evidence),
        DiffRule(f"{name}-widened", "looser", f"{noun} allows more values", evidence),
        DiffRule(f"{name}-changed", "either", f"{noun} allows different values", evidence),
    )


RULES = (
    DiffRule("type-narrowed", "tighter", "fewer types are allowed", _TYPE),
    DiffRule("type-widened", "looser", "more types are allowed", _TYPE),
    DiffRule("type-changed", "either", "the type changed", _TYPE),
    *_constraint("enum", "the enum", f"{VALIDATION}#section-6.1.2"),
    DiffRule("const-changed", "either", "the constant changed", f"{VALIDATION}#section-6.1.3"),
    *_constraint("multiple-of", "the multipleOf constraint", f"{VALIDATION}#section-6.2.1"),
    *_constraint("pattern", "the pattern", f"{VALIDATION}#section-6.3.3"),
    *_constraint("format", "the format", f"{VALIDATION}#section-7"),
    *_constraint("encoding", "the content encoding or media type", f"{VALIDATION}#section-8"),
    *_constraint("unique-items", "the uniqueItems constraint", f"{VALIDATION}#section-6.4.3"),
    *_constraint("contains", "the contains constraint", f"{JSON_SCHEMA}#section-10.3.1.3"),
    *_constraint("dependency", "the constraint on dependent properties", f"{VALIDATION}#section-6.5.4"),
    *_constraint("condition", "the condition", f"{JSON_SCHEMA}#section-10.2.2"),
    DiffRule("default-added", "additive", "clients now know the default", _DEFAULT),
    DiffRule("default-removed", "default", "the default was removed", _DEFAULT),
    DiffRule("default-changed", "default", "the default was changed", _DEFAULT),
)

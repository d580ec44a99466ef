"""Rules about alternatives and references of a schema."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, DiffRule

_ALTERNATIVES = f"{JSON_SCHEMA}#section-10.2.1"

RULES = (
    DiffRule("alternative-added", "looser", "an alternative was added", _ALTERNATIVES),
    DiffRule("alternative-removed", "tighter", "an alternative was removed", _ALTERNATIVES),
    DiffRule(
        "alternatives-overlap",
        "either",
        "an alternative of oneOf changed and may overlap with another one; oneOf rejects values that match both",
        f"{JSON_SCHEMA}#section-10.2.1.3",
        "Use anyOf, or give each alternative a required property with a different constant.",
    ),
    DiffRule(
        "reference-changed",
        "either",
        "the reference has a new target that cannot be resolved",
        f"{JSON_SCHEMA}#section-8.2.3",
        "Add the schema to $defs of the same definition, so that clients can resolve it.",
    ),
)

"""Rules about alternatives and references of a schema."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, DiffRule

_ALTERNATIVES = f"{JSON_SCHEMA}#section-10.2.1"

RULES = (
    DiffRule("alternative-added", "looser", "an alternative was added", _ALTERNATIVES),
    DiffRule("alternative-removed", "tighter", "an alternative was removed", _ALTERNATIVES),
    DiffRule(
        "alternatives-overlap",
        "either",
        "an alternative of oneOf changed, and may match the same values as another one, which oneOf refuses",
        f"{JSON_SCHEMA}#section-10.2.1.3",
        "Use anyOf, or give each alternative a required property with a constant of its own.",
    ),
    DiffRule(
        "reference-changed",
        "either",
        "the reference leads to another schema, which cannot be resolved",
        f"{JSON_SCHEMA}#section-8.2.3",
        "Put the schema into $defs of the same definition, so that clients can resolve it.",
    ),
)

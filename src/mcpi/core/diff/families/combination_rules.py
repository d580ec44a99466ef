"""Rules about alternatives and references of a schema."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, DiffRule

_ALTERNATIVES = f"{JSON_SCHEMA}#section-10.2.1"

RULES = (
    DiffRule("alternative-added", "looser", 'an alternative of "anyOf" or "oneOf" was added', _ALTERNATIVES),
    DiffRule("alternative-removed", "tighter", 'an alternative of "anyOf" or "oneOf" was removed', _ALTERNATIVES),
    DiffRule(
        "alternatives-overlap",
        "either",
        'a changed alternative of "oneOf" may overlap with another one, and "oneOf" rejects values that match both',
        f"{JSON_SCHEMA}#section-10.2.1.3",
        'Use "anyOf", or require the same property in each alternative, with a different constant in each.',
    ),
    DiffRule(
        "reference-changed",
        "either",
        'a "$ref" that cannot be resolved was changed',
        f"{JSON_SCHEMA}#section-8.2.3",
        'Add the target to "$defs" of the same schema, so that clients can resolve the reference.',
    ),
)

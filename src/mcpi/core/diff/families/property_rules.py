"""Rules about the properties of a schema."""

from mcpi.core.diff.families.diff_rule import JSON_SCHEMA, VALIDATION, DiffRule

_REQUIRED = f"{VALIDATION}#section-6.5.3"
_PROPERTIES = f"{JSON_SCHEMA}#section-10.3.2.1"
_PATTERNS = f"{JSON_SCHEMA}#section-10.3.2.2"
_FURTHER = f"{JSON_SCHEMA}#section-10.3.2.3"

RULES = (
    DiffRule(
        "property-removed",
        "breaking",
        "the property was removed: clients that send or read it may fail",
        _PROPERTIES,
        'Keep the property, and mark it with "deprecated": true.',
    ),
    DiffRule("property-added", "additive", "a property was added: clients that do not use it still work", _PROPERTIES),
    DiffRule(
        "property-added-to-closed",
        "breaking",
        "a property was added to an output schema that forbids additional properties: clients may reject results "
        "that contain it",
        _FURTHER,
        'Return the property only from a new tool. Omit "additionalProperties": false from its output schema, so '
        "that you can add properties later.",
    ),
    DiffRule(
        "required-property-added",
        "breaking",
        "a required property was added: arguments that used to be valid may be rejected",
        _REQUIRED,
        "Make the property optional, and use a default value if it is missing.",
    ),
    DiffRule(
        "required-added",
        "tighter",
        "a property became required",
        _REQUIRED,
        "Leave the property optional, and use a default value if it is missing.",
    ),
    DiffRule(
        "required-removed",
        "looser",
        "a property became optional",
        _REQUIRED,
        "Continue to require the property, and always return it.",
    ),
    DiffRule(
        "additional-properties-forbidden",
        "tighter",
        "additional properties are no longer allowed",
        _FURTHER,
        "Continue to allow additional properties, and ignore them.",
    ),
    DiffRule(
        "additional-properties-allowed",
        "looser",
        "additional properties are now allowed",
        _FURTHER,
        "Continue to return only the properties of the old schema.",
    ),
    DiffRule(
        "pattern-property-added", "tighter", "properties whose names match a pattern are now constrained", _PATTERNS
    ),
    DiffRule(
        "pattern-property-removed",
        "looser",
        "properties whose names match a pattern are no longer constrained",
        _PATTERNS,
    ),
)

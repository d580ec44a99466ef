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
        "clients that use the property fail or lose its value",
        _PROPERTIES,
        "Keep the property, and mark it as deprecated.",
    ),
    DiffRule("property-added", "additive", "clients that do not use the property still work", _PROPERTIES),
    DiffRule(
        "property-added-to-closed",
        "breaking",
        "the old schema forbids additional properties, so clients may reject the new property",
        _FURTHER,
        'Omit "additionalProperties" from output schemas, so that later versions can add properties.',
    ),
    DiffRule(
        "required-property-added",
        "tighter",
        "a new property is required",
        _REQUIRED,
        "Make the property optional, with a default.",
    ),
    DiffRule(
        "required-added",
        "tighter",
        "a property became required",
        _REQUIRED,
        "Leave the property optional, with a default.",
    ),
    DiffRule("required-removed", "looser", "a property became optional", _REQUIRED, "Always return the property."),
    DiffRule(
        "additional-properties-forbidden",
        "tighter",
        "additional properties are now forbidden",
        _FURTHER,
        "Continue to ignore additional properties.",
    ),
    DiffRule(
        "additional-properties-allowed",
        "looser",
        "additional properties are now allowed",
        _FURTHER,
        "Add the new properties to the schema, or return only those in the old schema.",
    ),
    DiffRule("pattern-property-added", "tighter", "properties that match a pattern are now constrained", _PATTERNS),
    DiffRule(
        "pattern-property-removed", "looser", "properties that match a pattern are no longer constrained", _PATTERNS
    ),
)

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
        "Keep the property, and call it deprecated.",
    ),
    DiffRule("property-added", "additive", "clients that do not know the property stay valid", _PROPERTIES),
    DiffRule(
        "property-added-to-closed",
        "breaking",
        "clients that know a closed schema refuse the new property",
        _FURTHER,
        'Leave "additionalProperties" out of output schemas, so that later versions can add properties.',
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
    DiffRule(
        "required-removed", "looser", "a property became optional", _REQUIRED, "Go on returning the property always."
    ),
    DiffRule(
        "additional-properties-forbidden",
        "tighter",
        "properties that the schema does not name are refused",
        _FURTHER,
        "Go on ignoring properties that the schema does not name.",
    ),
    DiffRule(
        "additional-properties-allowed",
        "looser",
        "properties that the schema does not name are allowed",
        _FURTHER,
        "Name the new properties, or return only those that the old schema names.",
    ),
    DiffRule("pattern-property-added", "tighter", "properties that match a pattern are constrained", _PATTERNS),
    DiffRule(
        "pattern-property-removed", "looser", "properties that match a pattern are no longer constrained", _PATTERNS
    ),
)

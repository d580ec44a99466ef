"""All rules, by family and by id."""

from collections.abc import Mapping

from mcpi.core.lint.families import (
    client_limits,
    client_schemas,
    cost,
    hidden_text,
    instructions,
    protocol,
    schema_values,
    schemas,
    style,
)
from mcpi.core.lint.rule import Rule
from mcpi.core.version import DOCS

UNUSED_IGNORE = Rule(
    "unused-ignore",
    "warning",
    "Each entry of the ignore list should match a finding.",
    "An entry that matches no finding is misspelled or outdated, and can hide a new finding later.",
    "Remove the entry, or correct it.",
    f"{DOCS}/lint.md#ignoring-findings",
)
FAMILIES: Mapping[str, tuple[Rule, ...]] = {
    "clients": (*client_schemas.RULES, *client_limits.RULES),
    "schema": (*schemas.RULES, *schema_values.RULES),
    "protocol": protocol.RULES,
    "hidden": hidden_text.RULES,
    "instructions": instructions.RULES,
    "cost": cost.RULES,
    "ignores": (UNUSED_IGNORE,),
    "pedantic": style.RULES,
}
"""The rules of each family, in the order of the documentation."""
RULES: Mapping[str, Rule] = {rule.id: rule for rules in FAMILIES.values() for rule in rules}

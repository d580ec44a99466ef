"""Diff rules by family and by name, and classified changes."""

from collections import Counter
from collections.abc import Iterable, Mapping

from mcpi.core.diff.families import (
    combination_rules,
    definition_rules,
    limit_rules,
    promise_rules,
    property_rules,
    server_rules,
    text_rules,
    value_rules,
)
from mcpi.core.diff.families.diff_rule import CLASSES, ChangeClass, DiffRule, Side
from mcpi.core.diff.schema_node import SchemaChange
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject

FAMILIES: Mapping[str, tuple[DiffRule, ...]] = {
    "definitions": definition_rules.RULES,
    "texts": text_rules.RULES,
    "promises": promise_rules.RULES,
    "server": server_rules.RULES,
    "properties": property_rules.RULES,
    "values": value_rules.RULES,
    "limits": limit_rules.RULES,
    "combinations": combination_rules.RULES,
}
"""The rules of each family, in the order of the documentation."""
RULES: Mapping[str, DiffRule] = {rule.name: rule for rules in FAMILIES.values() for rule in rules}


@frozen
class Change:
    """A classified change between two snapshots."""

    rule: str
    change_class: ChangeClass
    pointer: str
    """The place in the definition; without a subject, in the lock document."""
    old: Json
    new: Json
    why: str
    subject: str = ""
    """The kind of definition: tool, prompt, resource or template."""
    name: str = ""
    side: Side = ""
    schema: SchemaChange | None = None

    def document(self) -> JsonObject:
        """Return the change as JSON."""
        about: JsonObject = {self.subject: self.name} if self.subject else {}
        return {
            "rule": self.rule,
            "class": self.change_class,
            **about,
            "pointer": self.pointer,
            "old": self.old,
            "new": self.new,
            "why": self.why,
        }


def summary(changes: Iterable[JsonObject]) -> JsonObject:
    """Count the changes of each class."""
    counts = Counter(one["class"] for one in changes)
    return {name: counts[name] for name in CLASSES}

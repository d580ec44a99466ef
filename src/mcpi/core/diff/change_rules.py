"""The rules of a diff as data: what each kind of change means for the clients of a server."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from mcpi.core.diff.schema_node import SchemaChange
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject

ChangeClass: TypeAlias = Literal["breaking", "additive", "routing", "cosmetic"]
Side: TypeAlias = Literal["input", "output", ""]
Effect: TypeAlias = Literal["tighter", "looser", "either", "default", "breaking", "additive", "routing", "cosmetic"]
"""How a rule is judged: the first four depend on the side of the schema."""

CLASSES: tuple[ChangeClass, ...] = ("breaking", "additive", "routing", "cosmetic")
_JUDGED: Mapping[tuple[Effect, Side], tuple[ChangeClass, str]] = {
    ("tighter", "input"): ("breaking", "arguments that were valid before can be refused"),
    ("looser", "input"): ("additive", "all arguments that were valid before still are"),
    ("either", "input"): ("breaking", "arguments that were valid before can be refused"),
    ("default", "input"): ("breaking", "calls without the argument mean something else"),
    ("default", "output"): ("cosmetic", "results are not checked by it"),
    ("tighter", "output"): ("additive", "all results still match the schema that clients know"),
    ("looser", "output"): ("breaking", "results can have values that clients do not expect"),
    ("either", "output"): ("breaking", "results can have values that clients do not expect"),
}


@frozen
class DiffRule:
    """A kind of change."""

    name: str
    effect: Effect
    sentence: str

    def judge(self, side: Side) -> tuple[ChangeClass, str]:
        """Return the class of such a change on this side, and the reason."""
        if self.effect in ("breaking", "additive", "routing", "cosmetic"):
            return self.effect, self.sentence
        found, consequence = _JUDGED[self.effect, side]
        return found, f"{self.sentence}: {consequence}"


def _family(name: str, noun: str) -> tuple[DiffRule, ...]:
    """Rules of a constraint that can be added, removed, and replaced by a narrower, wider or unrelated one."""
    return (
        DiffRule(f"{name}-added", "tighter", f"{noun} was added"),
        DiffRule(f"{name}-removed", "looser", f"{noun} was removed"),
        DiffRule(f"{name}-narrowed", "tighter", f"{noun} allows less"),
        DiffRule(f"{name}-widened", "looser", f"{noun} allows more"),
        DiffRule(f"{name}-changed", "either", f"{noun} allows other values"),
    )


def _bound(name: str, noun: str, *, lower: bool) -> tuple[DiffRule, ...]:
    """Rules of a limit."""
    raised: Effect = "tighter" if lower else "looser"
    lowered: Effect = "looser" if lower else "tighter"
    return (
        DiffRule(f"{name}-added", "tighter", f"{noun} was added"),
        DiffRule(f"{name}-removed", "looser", f"{noun} was removed"),
        DiffRule(f"{name}-raised", raised, f"{noun} was raised"),
        DiffRule(f"{name}-lowered", lowered, f"{noun} was lowered"),
    )


def _definition(noun: str, removed: str) -> tuple[DiffRule, ...]:
    return (
        DiffRule(f"{noun}-removed", "breaking", f"{removed} it fail"),
        DiffRule(f"{noun}-renamed", "breaking", f"{removed} the old name fail"),
        DiffRule(f"{noun}-added", "additive", f"a new {noun} does not affect existing clients"),
    )


_HINTS = {
    "read-only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open-world": "openWorldHint",
}

_ALL = (
    *_definition("tool", "calls of"),
    *_definition("prompt", "requests for"),
    *_definition("resource", "reads of"),
    *_definition("template", "reads through"),
    DiffRule("title-changed", "routing", "a title is among what a model or a user chooses by"),
    DiffRule("description-changed", "routing", "a description is among what a model chooses by"),
    DiffRule("instructions-changed", "routing", "the instructions tell a model how to use the server"),
    DiffRule("name-changed", "routing", "a resource's name is among what a user chooses by"),
    DiffRule("examples-changed", "routing", "examples are among what a model fills arguments by"),
    DiffRule("deprecation-changed", "routing", "a deprecation tells clients to prefer something else"),
    DiffRule("audience-changed", "routing", "audience and priority tell a client whom to show the resource"),
    DiffRule("metadata-changed", "cosmetic", "clients do not depend on it"),
    DiffRule("schema-rewritten", "cosmetic", "the schema is written in another way and means the same"),
    DiffRule("server-info-changed", "cosmetic", "the server's name and version are for display"),
    DiffRule("mime-type-changed", "breaking", "clients that read it expect the old type"),
    DiffRule("mime-type-removed", "breaking", "clients that read it no longer know its type"),
    DiffRule("mime-type-added", "additive", "clients now know its type"),
    DiffRule("argument-removed", "breaking", "clients that send the argument are refused or ignored"),
    DiffRule("argument-added", "additive", "the new argument is optional"),
    DiffRule("required-argument-added", "breaking", "requests without the new argument fail"),
    DiffRule("argument-required", "breaking", "requests without the argument fail"),
    DiffRule("argument-optional", "additive", "requests with the argument stay valid"),
    DiffRule("capability-removed", "breaking", "clients that use the capability fail"),
    DiffRule("capability-added", "additive", "a new capability does not affect existing clients"),
    DiffRule("capability-changed", "breaking", "clients may depend on the setting"),
    DiffRule("protocol-version-removed", "breaking", "clients that speak only the old version cannot connect"),
    DiffRule("protocol-version-lowered", "breaking", "the server no longer negotiates the newer version"),
    DiffRule("protocol-version-added", "additive", "the server speaks one more version"),
    DiffRule("protocol-version-raised", "additive", "the server negotiates a newer version"),
    DiffRule("output-schema-removed", "breaking", "clients that read structured content are promised nothing any more"),
    DiffRule("output-schema-added", "additive", "results are described now"),
    DiffRule("task-support-removed", "breaking", "calls as a task fail"),
    DiffRule("task-support-required", "breaking", "calls without a task fail"),
    DiffRule("task-support-added", "additive", "more ways to call the tool"),
    *(
        DiffRule(f"{name}-hint-weakened", "breaking", f"{hint}: the tool can do more than clients were promised")
        for name, hint in _HINTS.items()
    ),
    *(
        DiffRule(f"{name}-hint-strengthened", "additive", f"{hint}: the tool promises more than before")
        for name, hint in _HINTS.items()
    ),
    DiffRule("property-removed", "breaking", "clients that use the property fail or lose its value"),
    DiffRule("property-added", "additive", "clients that do not know the property stay valid"),
    DiffRule("property-added-to-closed", "breaking", "clients that know a closed schema refuse the new property"),
    DiffRule("required-property-added", "tighter", "a new property is required"),
    DiffRule("required-added", "tighter", "a property became required"),
    DiffRule("required-removed", "looser", "a property became optional"),
    DiffRule("additional-properties-forbidden", "tighter", "properties that the schema does not name are refused"),
    DiffRule("additional-properties-allowed", "looser", "properties that the schema does not name are allowed"),
    DiffRule("pattern-property-added", "tighter", "properties that match a pattern are constrained"),
    DiffRule("pattern-property-removed", "looser", "properties that match a pattern are no longer constrained"),
    DiffRule("type-narrowed", "tighter", "fewer types are allowed"),
    DiffRule("type-widened", "looser", "more types are allowed"),
    DiffRule("type-changed", "either", "another type is expected"),
    *_family("enum", "the list of values"),
    DiffRule("const-changed", "either", "another constant is expected"),
    *_bound("minimum", "the minimum", lower=True),
    *_bound("maximum", "the maximum", lower=False),
    *_bound("min-length", "the minimum length", lower=True),
    *_bound("max-length", "the maximum length", lower=False),
    *_bound("min-items", "the minimum number of items", lower=True),
    *_bound("max-items", "the maximum number of items", lower=False),
    *_bound("min-properties", "the minimum number of properties", lower=True),
    *_bound("max-properties", "the maximum number of properties", lower=False),
    *_family("multiple-of", "the step"),
    *_family("pattern", "the pattern"),
    *_family("format", "the format"),
    *_family("encoding", "the content encoding or type"),
    *_family("unique-items", "the rule that items are unique"),
    *_family("contains", "the rule on contained items"),
    *_family("dependency", "the rule on properties that belong together"),
    *_family("condition", "the condition"),
    DiffRule("default-added", "additive", "clients now know what leaving it out means"),
    DiffRule("default-removed", "default", "a default was removed"),
    DiffRule("default-changed", "default", "a default was changed"),
    DiffRule("alternative-added", "looser", "an alternative was added"),
    DiffRule("alternative-removed", "tighter", "an alternative was removed"),
    DiffRule(
        "alternatives-overlap",
        "either",
        "an alternative of oneOf changed, and may match the same values as another one, which oneOf refuses",
    ),
    DiffRule("reference-changed", "either", "the reference leads to another schema, which cannot be resolved"),
)
RULES: Mapping[str, DiffRule] = {rule.name: rule for rule in _ALL}


@frozen
class Change:
    """A change between two snapshots, judged."""

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

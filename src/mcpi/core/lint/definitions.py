"""The definitions that a server lists, and the schemas inside them."""

from collections.abc import Iterator, Mapping

from attrs import field

from mcpi.core.findings.finding import SubjectKind
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from mcpi.core.wire.notifications import PROMPTS, RESOURCES, TEMPLATES, TOOLS
from mcpi.core.wire.versions import Era

KINDS: Mapping[SubjectKind, tuple[str, str]] = {
    "tool": (TOOLS.key, TOOLS.identifier),
    "resource": (RESOURCES.key, RESOURCES.identifier),
    "template": (TEMPLATES.key, TEMPLATES.identifier),
    "prompt": (PROMPTS.key, PROMPTS.identifier),
}
"""The list of each kind of definition, and the member that identifies a definition."""


@frozen
class Definition:
    """One entry of a list."""

    kind: SubjectKind
    name: str
    """The name or URI, or the position, such as #3, if it has neither."""
    value: JsonObject


@frozen
class ServerLists:
    """Everything that a server lists."""

    lists: Mapping[str, list[Json]]
    """The entries by the key of the list; a list that was not requested is absent."""
    capabilities: JsonObject = field(factory=dict)
    instructions: str = ""
    era: Era = "handshake"
    problems: tuple[tuple[str, str], ...] = ()
    """Problems while listing, each with the rule that names it."""

    def definitions(self) -> Iterator[Definition]:
        """Yield the definitions of all kinds; an entry that is not an object has no members."""
        for kind, (key, identifier) in KINDS.items():
            for number, entry in enumerate(self.lists.get(key, ()), 1):
                value = as_object(entry)
                name = value.get(identifier)
                yield Definition(kind, name if isinstance(name, str) and name else f"#{number}", value)


def escape_token(name: str) -> str:
    """Encode a name as one token of a JSON pointer."""
    return name if "/" not in name and "~" not in name else name.replace("~", "~0").replace("/", "~1")


@frozen
class SchemaNode:
    """A schema at any place in a definition's schema."""

    pointer: str
    schema: JsonObject
    keyword: str
    """The keyword that holds it: properties, items, anyOf; empty for the whole schema."""
    level: int
    """The number of objects and arrays around it."""
    root: JsonObject
    is_output: bool


@frozen
class BooleanNode:
    """A schema that is true or false."""

    pointer: str
    value: bool
    keyword: str
    is_output: bool


SINGLE = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems"),
)
"""The keywords that hold one schema."""
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
"""The keywords that hold an array of schemas."""
NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
"""The keywords that hold schemas by name."""
_HOLDERS = frozenset((*SINGLE, *LISTED, *NAMED))
_DEEPER = frozenset({"properties", "patternProperties", "items", "prefixItems", "additionalProperties", "contains"})


def schema_nodes(schema: JsonObject, pointer: str, *, is_output: bool) -> list[SchemaNode | BooleanNode]:
    """List all schemas inside a schema, itself included, in the author's order."""
    found: list[SchemaNode | BooleanNode] = []
    stack: list[tuple[str, Json, str, int]] = [(pointer, schema, "", 1)]
    while stack:
        place, node, keyword, level = stack.pop()
        if isinstance(node, dict):
            found.append(SchemaNode(place, node, keyword, level, schema, is_output))
            inner: list[tuple[str, Json, str, int]] = []
            for name in node:
                if name in _HOLDERS:
                    inner += _held(f"{place}/{name}", name, node[name], level + (name in _DEEPER))
            stack += reversed(inner)
        elif isinstance(node, bool):
            found.append(BooleanNode(place, node, keyword, is_output))
    return found


def _held(place: str, keyword: str, value: Json, level: int) -> list[tuple[str, Json, str, int]]:
    if isinstance(value, list):
        return [(f"{place}/{at}", one, keyword, level) for at, one in enumerate(value)] if keyword in LISTED else []
    if keyword in NAMED:
        members = as_object(value).items()
        return [(f"{place}/{escape_token(name)}", one, keyword, level) for name, one in members]
    return [(place, value, keyword, level)] if keyword in SINGLE else []


def unused_definitions(schema: JsonObject, pointer: str) -> tuple[str, ...]:
    """Return the pointers of definitions that no $ref in the rest of the schema refers to."""
    names = [(key, name) for key in ("$defs", "definitions") for name in as_object(schema.get(key))]
    if not names:
        return ()
    targets = {f"#/{key}/{escape_token(name)}": (key, name) for key, name in names}
    waiting = [one for key, one in schema.items() if key not in {"$defs", "definitions"}]
    used: set[str] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            reference = node.get("$ref")
            found = next((one for one in targets if reference == one or str(reference).startswith(f"{one}/")), None)
            if found is not None and found not in used:
                used.add(found)
                waiting.append(as_object(schema[targets[found][0]])[targets[found][1]])
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return tuple(f"{pointer}{one[1:]}" for one in targets if one not in used)

"""Read JSON schemas: references inside the document, alternatives, properties."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from urllib.parse import unquote

from attrs import define

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.pointers import resolve_pointer
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object
from mcpi.core.jsontext.writing import dump

_TYPING = frozenset({"type", "enum", "const", "format", "title", "description", "default", "examples", "deprecated"})
"""Keywords that constrain nothing beyond a value's type and choices."""
_ADDITIONAL = frozenset(
    {"additionalProperties", "patternProperties", "unevaluatedProperties", "if", "dependentSchemas", "dependencies"}
)
"""Keywords that can describe properties other than those in `properties`."""
_CHOICES = ("anyOf", "oneOf")
_MAX_DEPTH = 40
_MAX_ALTERNATIVES = 1000
"""Maximum number of alternatives to expand; a schema of a few lines can have a huge number."""
_MAX_MEMBERS = 100_000
"""Maximum number of members to merge; a few large alternatives cost as much as many small ones."""
_MAX_CHARACTERS = 4_000_000
"""Maximum number of characters to compare when looking for identical property schemas."""


@define
class _Budget:
    """The number of members that may still be merged."""

    left: int = _MAX_MEMBERS

    def deduct(self, *schemas: JsonObject) -> None:
        """Deduct the cost of merging the schemas."""
        for one in schemas:
            self.left -= 1 + len(one) + len(as_object(one.get("properties"))) + len(as_list(one.get("required")))


def resolve(schema: Json, root: Json) -> JsonObject:
    """Merge the schema with its $ref and allOf; a reference that cannot be resolved allows anything."""
    return _resolved(schema, root, set(), 0, _Budget())


def _resolved(schema: Json, root: Json, visited: set[str], depth: int, budget: _Budget) -> JsonObject:
    members = as_object(schema)
    whole = {name: value for name, value in members.items() if name not in {"$ref", "allOf"}}
    if depth > _MAX_DEPTH:
        return whole
    for part in (*_referenced(members.get("$ref"), root, visited), *as_list(members.get("allOf"))):
        if budget.left <= 0:
            break
        whole = _merged(whole, _resolved(part, root, visited, depth + 1, budget), budget)
    return whole


def _referenced(reference: Json, root: Json, visited: set[str]) -> Iterator[Json]:
    """Yield the target of a reference inside the document, unless it was followed before."""
    if not isinstance(reference, str) or not reference.startswith("#") or reference in visited:
        return
    visited.add(reference)
    try:
        yield resolve_pointer(root, unquote(reference[1:]))
    except KeyError:
        return


def _merged(strong: JsonObject, weak: JsonObject, budget: _Budget) -> JsonObject:
    """Merge two schemas: `strong` wins, shared properties must fit both, and required lists are combined."""
    budget.deduct(strong, weak)
    merged = {**weak, **strong}
    ours, theirs = as_object(strong.get("properties")), as_object(weak.get("properties"))
    if ours and theirs:
        differ = [name for name in ours if name in theirs and ours[name] is not theirs[name]]
        both: JsonObject = {name: {"allOf": [ours[name], theirs[name]]} for name in differ}
        merged["properties"] = {**ours, **theirs, **both}
    if "required" in strong and "required" in weak:
        merged["required"] = [*as_list(strong["required"]), *as_list(weak["required"])]
    return merged


def alternatives(schema: Json, root: Json) -> Iterator[JsonObject]:
    """Yield the alternative schemas (anyOf, oneOf) in the author's order."""
    return islice(_alternatives(schema, root, 0, _Budget()), _MAX_ALTERNATIVES)


def _alternatives(schema: Json, root: Json, depth: int, budget: _Budget) -> Iterator[JsonObject]:
    members = _resolved(schema, root, set(), 0, budget)
    choice = next((name for name in ("anyOf", "oneOf") if as_list(members.get(name))), None)
    if choice is None or depth > _MAX_DEPTH or budget.left <= 0:
        yield members
        return
    siblings = {name: value for name, value in members.items() if name != choice}
    for branch in as_list(members[choice]):
        yield from _alternatives(
            _merged(_resolved(branch, root, set(), 0, budget), siblings, budget), root, depth + 1, budget
        )
        if budget.left <= 0:
            return


def types(schema: Mapping[str, Json]) -> list[str]:
    """List the JSON types that the schema allows, in the author's order; the list is empty if it names none."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    return [name for name in as_list(named) if isinstance(name, str)]


@frozen
class Outline:
    """The properties that an object schema describes."""

    properties: JsonObject
    """The named properties; where alternatives differ, a value may match any of them."""
    additional: Json
    """The schema of additional properties."""
    required: list[str]
    """The properties that every alternative requires."""
    closed: bool
    """True if additional properties are not allowed."""
    says_nothing: bool = False
    """True if additional properties are allowed only because the schema does not mention them."""


def outline(schema: Json) -> Outline:
    """Combine the properties of all alternatives of the schema."""
    found = tuple(alternatives(schema, schema))
    return Outline(
        _properties(found),
        _additional(found),
        _required(found),
        all(_is_closed(one) for one in found),
        all(_ADDITIONAL.isdisjoint(one) for one in found),
    )


def _properties(found: Sequence[JsonObject]) -> JsonObject:
    characters_left, spelled = _MAX_CHARACTERS, dict[int, str]()
    named: dict[str, dict[str, Json]] = {}
    for alternative in found:
        for name, one in as_object(alternative.get("properties")).items():
            # Serialize each schema once: alternatives share most of their properties.
            if id(one) not in spelled:
                spelled[id(one)] = _fingerprint(one) if characters_left > 0 else f"id {id(one)}"
                characters_left -= len(spelled[id(one)])
            named.setdefault(name, {}).setdefault(spelled[id(one)], one)
    return {
        name: next(iter(ones.values())) if len(ones) == 1 else {"anyOf": [*ones.values()]}
        for name, ones in named.items()
    }


def _fingerprint(schema: Json) -> str:
    """Return a text that identifies the schema; a merged schema is identified by the ids of its parts."""
    parts = as_list(as_object(schema).get("allOf"))
    if parts and len(as_object(schema)) == 1:
        return f"allOf {' '.join(str(id(part)) for part in parts)}"
    return dump(schema)


def _additional(found: Sequence[JsonObject]) -> Json:
    for one in found:
        if isinstance(one.get("additionalProperties"), dict) and not one.get("patternProperties"):
            return one["additionalProperties"]
    return {}


def _required(found: Sequence[JsonObject]) -> list[str]:
    first, *others = ([name for name in as_list(one.get("required")) if isinstance(name, str)] for one in found)
    always = set(first).intersection(*others)
    return [name for name in dict.fromkeys(first) if name in always]


def _is_closed(one: JsonObject) -> bool:
    return one.get("additionalProperties") is False and not one.get("patternProperties")


def has_constraints(schema: Json, depth: int = 0) -> bool:
    """Tell whether the schema constrains a value beyond its type or a list of choices."""
    members = as_object(schema)
    if members.keys() - _TYPING - {*_CHOICES, "x-mcp-header"} or depth > _MAX_DEPTH:
        return True
    return any(has_constraints(one, depth + 1) for name in _CHOICES for one in as_list(members.get(name)))

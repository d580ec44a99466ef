"""Reading JSON schemas: references inside the document, alternatives, properties."""

from collections.abc import Iterator, Mapping

from mcpi.core.exact import pointer
from mcpi.core.values import Json, JsonObject, as_list, as_object

_DEPTH = 40


def resolve(schema: Json, root: Json, depth: int = 0) -> JsonObject:
    """The schema with its own reference followed; what cannot be followed allows anything."""
    members = as_object(schema)
    reference = members.get("$ref")
    if not isinstance(reference, str):
        return members
    if not reference.startswith("#") or depth > _DEPTH:
        return {}
    try:
        found = pointer(root, reference[1:])
    except KeyError:
        return {}
    beside = {name: value for name, value in members.items() if name != "$ref"}
    return {**resolve(found, root, depth + 1), **beside}


def alternatives(schema: Json, root: Json, depth: int = 0) -> Iterator[JsonObject]:
    """The schemas of which the value has to fit one, in the author's order."""
    members = resolve(schema, root)
    branches = as_list(members.get("anyOf")) or as_list(members.get("oneOf"))
    if not branches or depth > _DEPTH:
        yield _merged(members, root)
        return
    beside = {name: value for name, value in members.items() if name not in {"anyOf", "oneOf"}}
    for branch in branches:
        for alternative in alternatives(branch, root, depth + 1):
            yield {**beside, **alternative}


def _merged(members: JsonObject, root: Json) -> JsonObject:
    """The schema with the parts of its allOf taken in."""
    merged = dict(members)
    for part in as_list(merged.pop("allOf", None)):
        inner = resolve(part, root)
        properties = {**as_object(merged.get("properties")), **as_object(inner.get("properties"))}
        required = [*as_list(merged.get("required")), *as_list(inner.get("required"))]
        merged = {**inner, **merged}
        if properties:
            merged["properties"] = properties
        if required:
            merged["required"] = required
    return merged


def types(schema: Mapping[str, Json]) -> list[str]:
    """The JSON types that the schema allows, in the author's order; none where it does not say."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    return [name for name in as_list(named) if isinstance(name, str)]


def properties(schema: Json) -> JsonObject:
    """The properties that an object schema names."""
    found: JsonObject = {}
    for alternative in alternatives(schema, schema):
        found = {**as_object(alternative.get("properties")), **found}
    return found


def required(schema: Json) -> list[str]:
    """The properties that no value may lack."""
    sets = [as_list(one.get("required")) for one in alternatives(schema, schema)]
    return [name for name in sets[0] if isinstance(name, str) and all(name in other for other in sets)]


def closed(schema: Json) -> bool:
    """Whether properties beside the named ones are refused."""
    return all(
        one.get("additionalProperties") is False and not one.get("patternProperties")
        for one in alternatives(schema, schema)
    )

"""Reading JSON schemas: references inside the document, alternatives, properties."""

from collections.abc import Iterator, Mapping
from itertools import islice
from urllib.parse import unquote

from mcpi.core.exact import pointer
from mcpi.core.values import Json, JsonObject, as_list, as_object, same

_DEPTH = 40
_MOST = 1000
"""So many alternatives are looked at: a schema of a few lines can have more than there is time for."""


def resolve(schema: Json, root: Json) -> JsonObject:
    """The schema with its reference and its allOf taken in; what cannot be followed allows anything."""
    return _whole(schema, root, set(), 0)


def _whole(schema: Json, root: Json, taken: set[str], depth: int) -> JsonObject:
    members = as_object(schema)
    whole = {name: value for name, value in members.items() if name not in {"$ref", "allOf"}}
    if depth > _DEPTH:
        return whole
    for part in (*_referred(members.get("$ref"), root, taken), *as_list(members.get("allOf"))):
        whole = _joined(whole, _whole(part, root, taken, depth + 1))
    return whole


def _referred(reference: Json, root: Json, taken: set[str]) -> Iterator[Json]:
    """What a reference inside the document points at, unless it has been taken in already."""
    if not isinstance(reference, str) or not reference.startswith("#") or reference in taken:
        return
    taken.add(reference)
    try:
        yield pointer(root, unquote(reference[1:]))
    except KeyError:
        return


def _joined(strong: JsonObject, weak: JsonObject) -> JsonObject:
    """Both schemas in one; where they differ the strong one counts, and what both require is required."""
    joined = {**weak, **strong}
    ours, theirs = as_object(strong.get("properties")), as_object(weak.get("properties"))
    if ours and theirs:
        both: JsonObject = {name: {"allOf": [ours[name], theirs[name]]} for name in ours if name in theirs}
        joined["properties"] = {**ours, **theirs, **both}
    if "required" in strong and "required" in weak:
        joined["required"] = [*as_list(strong["required"]), *as_list(weak["required"])]
    return joined


def alternatives(schema: Json, root: Json) -> Iterator[JsonObject]:
    """The schemas of which the value has to fit one, in the author's order."""
    return islice(_alternatives(schema, root, 0), _MOST)


def _alternatives(schema: Json, root: Json, depth: int) -> Iterator[JsonObject]:
    members = resolve(schema, root)
    choice = next((name for name in ("anyOf", "oneOf") if as_list(members.get(name))), None)
    if choice is None or depth > _DEPTH:
        yield members
        return
    beside = {name: value for name, value in members.items() if name != choice}
    for branch in as_list(members[choice]):
        yield from _alternatives(_joined(resolve(branch, root), beside), root, depth + 1)


def types(schema: Mapping[str, Json]) -> list[str]:
    """The JSON types that the schema allows, in the author's order; none where it does not say."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    return [name for name in as_list(named) if isinstance(name, str)]


def properties(schema: Json) -> JsonObject:
    """The properties that an object schema names; where alternatives differ the value may fit any."""
    found: dict[str, list[Json]] = {}
    for alternative in alternatives(schema, schema):
        for name, one in as_object(alternative.get("properties")).items():
            known = found.setdefault(name, [])
            if not any(same(one, other) for other in known):
                known.append(one)
    return {name: ones[0] if len(ones) == 1 else {"anyOf": ones} for name, ones in found.items()}


def additional(schema: Json) -> Json:
    """What the properties beside the named ones have to fit."""
    for one in alternatives(schema, schema):
        if isinstance(one.get("additionalProperties"), dict) and not one.get("patternProperties"):
            return one["additionalProperties"]
    return {}


def required(schema: Json) -> list[str]:
    """The properties that no value may lack."""
    sets = [as_list(one.get("required")) for one in alternatives(schema, schema)]
    always = [name for name in sets[0] if isinstance(name, str) and all(name in other for other in sets)]
    return list(dict.fromkeys(always))


def closed(schema: Json) -> bool:
    """Whether properties beside the named ones are refused."""
    return all(
        one.get("additionalProperties") is False and not one.get("patternProperties")
        for one in alternatives(schema, schema)
    )

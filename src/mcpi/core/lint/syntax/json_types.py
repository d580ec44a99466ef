"""JSON Schema types: which a value has, and which a schema allows."""

from urllib.parse import unquote

from mcpi.core.jsontext.pointers import resolve_pointer
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
_MAX_DEPTH = 20


def has_type(value: Json, kind: str) -> bool:
    """Tell whether a value is of a JSON Schema type."""
    match value:
        case bool():
            return kind == "boolean"
        case None:
            return kind == "null"
        case int():
            return kind in {"integer", "number"}
        case float():
            return kind == "number" or (kind == "integer" and value.is_integer())
        case str():
            return kind == "string"
        case list():
            return kind == "array"
        case dict():
            return kind == "object"


def allowed_types(schema: Json, root: JsonObject, depth: int = 0) -> set[str] | None:
    """Collect the types that a schema allows; None if it does not restrict them, or if that cannot be determined."""
    node = as_object(schema)
    named = node.get("type")
    if isinstance(named, str | list):
        names = {named} if isinstance(named, str) else {one for one in named if isinstance(one, str)}
        return names if names.issubset(TYPES) else None
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node.get("$ref"), str):
        return allowed_types(resolve_reference(str(node["$ref"]), root), root, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        branches = [allowed_types(one, root, depth + 1) for one in as_list(node.get(keyword))]
        known = [one for one in branches if one is not None]
        if branches and len(known) == len(branches):
            return {kind for one in known for kind in one}
    return None


def resolve_reference(reference: str, root: JsonObject) -> Json:
    """Return the target of a local $ref; None if it is not local or there is no target."""
    if not reference.startswith("#"):
        return None
    fragment = unquote(reference[1:])
    if fragment and not fragment.startswith("/"):
        return _anchored(fragment, root)
    try:
        return resolve_pointer(root, fragment)
    except KeyError:
        return None


def _anchored(name: str, root: JsonObject) -> Json:
    """Find the schema with an $anchor, or with an $id of that fragment."""
    stack: list[Json] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if name in (node.get("$anchor"), node.get("$dynamicAnchor")) or node.get("$id") == f"#{name}":
                return node
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return None

"""Reading JSON schemas: references inside the document, alternatives, properties."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from urllib.parse import unquote

from attrs import define

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.pointers import pointer
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object
from mcpi.core.jsontext.writing import dump

_TYPING = frozenset({"type", "enum", "const", "format", "title", "description", "default", "examples", "deprecated"})
"""What says no more than a value's type."""
_CHOICES = ("anyOf", "oneOf")
_DEPTH = 40
_MOST = 1000
"""So many alternatives are looked at: a schema of a few lines can have more than there is time for."""
_MEMBERS = 100_000
"""So many members are put together: a few alternatives can have as many as a thousand."""
_CHARACTERS = 4_000_000
"""So many are compared to find that two properties are one."""


@define
class _Budget:
    """How many members may still be put together."""

    left: int = _MEMBERS

    def pay(self, *schemas: JsonObject) -> None:
        """What it costs to put the schemas together."""
        for one in schemas:
            self.left -= 1 + len(one) + len(as_object(one.get("properties"))) + len(as_list(one.get("required")))


def resolve(schema: Json, root: Json) -> JsonObject:
    """The schema with its reference and its allOf taken in; what cannot be followed allows anything."""
    return _whole(schema, root, set(), 0, _Budget())


def _whole(schema: Json, root: Json, taken: set[str], depth: int, purse: _Budget) -> JsonObject:
    members = as_object(schema)
    whole = {name: value for name, value in members.items() if name not in {"$ref", "allOf"}}
    if depth > _DEPTH:
        return whole
    for part in (*_referred(members.get("$ref"), root, taken), *as_list(members.get("allOf"))):
        if purse.left <= 0:
            break
        whole = _joined(whole, _whole(part, root, taken, depth + 1, purse), purse)
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


def _joined(strong: JsonObject, weak: JsonObject, purse: _Budget) -> JsonObject:
    """Both schemas in one; where they differ the strong one counts, and what both require is required."""
    purse.pay(strong, weak)
    joined = {**weak, **strong}
    ours, theirs = as_object(strong.get("properties")), as_object(weak.get("properties"))
    if ours and theirs:
        differ = [name for name in ours if name in theirs and ours[name] is not theirs[name]]
        both: JsonObject = {name: {"allOf": [ours[name], theirs[name]]} for name in differ}
        joined["properties"] = {**ours, **theirs, **both}
    if "required" in strong and "required" in weak:
        joined["required"] = [*as_list(strong["required"]), *as_list(weak["required"])]
    return joined


def alternatives(schema: Json, root: Json) -> Iterator[JsonObject]:
    """The schemas of which the value has to fit one, in the author's order."""
    return islice(_alternatives(schema, root, 0, _Budget()), _MOST)


def _alternatives(schema: Json, root: Json, depth: int, purse: _Budget) -> Iterator[JsonObject]:
    members = _whole(schema, root, set(), 0, purse)
    choice = next((name for name in ("anyOf", "oneOf") if as_list(members.get(name))), None)
    if choice is None or depth > _DEPTH or purse.left <= 0:
        yield members
        return
    beside = {name: value for name, value in members.items() if name != choice}
    for branch in as_list(members[choice]):
        yield from _alternatives(_joined(_whole(branch, root, set(), 0, purse), beside, purse), root, depth + 1, purse)
        if purse.left <= 0:
            return


def types(schema: Mapping[str, Json]) -> list[str]:
    """The JSON types that the schema allows, in the author's order; none where it does not say."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    return [name for name in as_list(named) if isinstance(name, str)]


@frozen
class Outline:
    """What an object schema says of the properties."""

    properties: JsonObject
    """Those that it names; where alternatives differ the value may fit any."""
    additional: Json
    """What the properties beside them have to fit."""
    required: list[str]
    """Those that no value may lack."""
    closed: bool
    """Whether properties beside the named ones are refused."""


def outline(schema: Json) -> Outline:
    """What all alternatives of the schema say of the properties."""
    found = tuple(alternatives(schema, schema))
    return Outline(_properties(found), _additional(found), _required(found), all(_is_closed(one) for one in found))


def _properties(found: Sequence[JsonObject]) -> JsonObject:
    room, spelled = _CHARACTERS, dict[int, str]()
    named: dict[str, dict[str, Json]] = {}
    for alternative in found:
        for name, one in as_object(alternative.get("properties")).items():
            # Each is written once: alternatives share most of what they say.
            if id(one) not in spelled:
                spelled[id(one)] = _told(one) if room > 0 else f"id {id(one)}"
                room -= len(spelled[id(one)])
            named.setdefault(name, {}).setdefault(spelled[id(one)], one)
    return {
        name: next(iter(ones.values())) if len(ones) == 1 else {"anyOf": [*ones.values()]}
        for name, ones in named.items()
    }


def _told(schema: Json) -> str:
    """What tells the schema from others; what was joined is told by its parts, which are written often enough."""
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


def has_rules(schema: Json, depth: int = 0) -> bool:
    """Whether it says more of a value than what type it has, or which of a few it is."""
    members = as_object(schema)
    if members.keys() - _TYPING - {*_CHOICES, "x-mcp-header"} or depth > _DEPTH:
        return True
    return any(has_rules(one, depth + 1) for name in _CHOICES for one in as_list(members.get(name)))

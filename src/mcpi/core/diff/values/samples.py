"""Sample values of a schema: the simplest one that is likely to be valid, and those at the limits."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from math import ceil

from mcpi.core.diff.normal_form import child, normal_form, property_names
from mcpi.core.diff.schema_node import Asked, Node, contains, is_whole
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object
from mcpi.core.text.regular_language import samples

SPARE = "unexpected"
"""The name of an additional property."""
_MAX_DEPTH = 8
_MAX_LENGTH = 4000
_MAX_ITEMS = 200
_MAX_NUMBER = 10**15
_FORMATS = {
    "date-time": "2024-01-31T12:00:00Z",
    "date": "2024-01-31",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "user@example.com",
    "idn-email": "user@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uri-reference": "/path",
    "iri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "regex": "a",
    "json-pointer": "/a",
}
_ORDER = ("object", "string", "number", "array", "boolean", "null")
_TEXTS: tuple[Json, ...] = ("a", "", "0", "A", " ", "a b", "example")
_ANYTHING: tuple[Json, ...] = (0, "a", None, True, [], {})
_NUMBERS: tuple[Json, ...] = (0, 1, -1, 2, 10, 0.5, 1.5, 1_000_000)


def interesting(accepting: Node, refusing: Node) -> Iterator[Json]:
    """Yield values at the limits of both schemas."""
    yield sample(accepting)
    for node in (accepting, refusing):
        for name in ("examples", "default"):
            if name in node.notes:
                given = node.notes[name].json
                yield from as_list(given) if name == "examples" else [given]
        for _, branches in node.choices:
            yield from (sample(branch) for branch in branches)
        for condition in node.others.values():
            yield sample(normal_form(node.root, condition.json, condition.pointer))
    for kind in _ORDER:
        if kind in accepting.kinds:
            yield from _of_kind(kind, accepting, refusing)


def _of_kind(kind: str, accepting: Node, refusing: Node) -> Iterator[Json]:
    mine, other = accepting.kinds[kind], refusing.kinds.get(kind, {})
    for asked in (mine, other):
        yield from as_list(asked["enum"].json) if "enum" in asked else ()
    match kind:
        case "object":
            yield from _objects(accepting, refusing)
        case "string":
            yield from _strings(mine, other)
        case "number":
            yield from _numbers(mine, other)
        case "array":
            yield from _arrays(accepting, mine, other)
        case "boolean":
            yield from (True, False)
        case _:
            yield None


def _objects(accepting: Node, refusing: Node) -> Iterator[Json]:
    """Yield objects with and without each property, and with an unknown property."""
    base = as_object(sample_object(accepting))
    yield base
    owners = {name: node for node in (refusing, accepting) for name in property_names(node)}
    for name in base:
        yield {key: value for key, value in base.items() if key != name}
    for name, node in owners.items():
        if name not in base:
            yield from ({**base, name: value} for value in (sample(child(node, name)), *_ANYTHING))
    yield {**base, SPARE: _further(accepting)}
    full: JsonObject = {**{name: sample(child(node, name)) for name, node in owners.items()}, **base}
    yield full
    for node in (accepting, refusing):
        yield from _patterned(base, full, node)


def _further(node: Node) -> Json:
    """Return the value of an additional property."""
    found = node.kinds.get("object", {}).get("additionalProperties")
    return sample(normal_form(node.root, found.json, found.pointer)) if found and found.json is not False else "a"


def _patterned(base: JsonObject, full: JsonObject, node: Node) -> Iterator[Json]:
    """Yield objects with names that match patterns, and with numbers of properties at and next to the limits."""
    asked, rest = node.kinds.get("object", {}), _further(node)
    for pattern in as_object(asked["patternProperties"].json) if "patternProperties" in asked else ():
        for name in samples(pattern):
            yield from ({**base, name: value} for value in _ANYTHING)
    for limit in ("minProperties", "maxProperties"):
        for size in (limit_of(asked, limit) - 1, limit_of(asked, limit), limit_of(asked, limit) + 1):
            extra: JsonObject = {f"{SPARE}{at}": rest for at in range(min(size, _MAX_ITEMS) - len(base))}
            yield {**dict(islice(full.items(), max(size, 0))), **base, **extra}


def _strings(mine: Asked, other: Asked) -> Iterator[Json]:
    pattern, against = (_text(asked, "pattern") for asked in (mine, other))
    sizes = {
        limit_of(asked, name) + more
        for asked in (mine, other)
        for name in ("minLength", "maxLength")
        for more in (-1, 0, 1)
    }
    if pattern or against:
        yield from samples(pattern or "", against, limit_of(mine, "minLength"))
    for size in sorted(size for size in sizes if 0 <= size <= _MAX_LENGTH):
        yield from samples(pattern, None, size) if pattern else ["a" * size]
    if _text(mine, "format") in _FORMATS:
        yield _FORMATS[_text(mine, "format")]
    yield from _TEXTS


def _numbers(mine: Asked, other: Asked) -> Iterator[Json]:
    steps = [asked["multipleOf"].json for asked in (mine, other) if "multipleOf" in asked]
    for limit in (_bound(asked, name) for asked in (mine, other) for name in ("lower", "upper")):
        # Larger numbers cannot be distinguished from their neighbors.
        if limit is not None and abs(limit) < _MAX_NUMBER:
            whole = int(limit) if is_whole(limit) else limit
            yield from (whole, whole + 1, whole - 1, whole + 0.5, whole - 0.5, whole + 0.25)
            for step in steps:
                if isinstance(step, int | float) and step > 0:
                    yield from ((whole // step + more) * step for more in (0, 1, 2, 3))
    yield from steps
    yield from _NUMBERS


def _arrays(node: Node, mine: Asked, other: Asked) -> Iterator[Json]:
    sizes = {
        limit_of(asked, name) + more
        for asked in (mine, other)
        for name in ("minItems", "maxItems")
        for more in (-1, 0, 1)
    }
    for size in sorted({1, 2, *sizes}):
        if 0 <= size <= _MAX_ITEMS:
            yield sample_array(mine, node, size, 0)
            if size > 1:
                yield [*sample_array(mine, node, 1, 0)] * size
    for asked in (mine, other):
        if "contains" in asked:
            held = sample(normal_form(node.root, asked["contains"].json, asked["contains"].pointer))
            yield [held] * min(limit_of(asked, "minContains", 1), _MAX_ITEMS)


def sample(node: Node, depth: int = 0) -> Json:
    """Return a value that is likely to be valid."""
    for _, branches in node.choices:
        if depth < _MAX_DEPTH:
            value = sample(branches[0], depth + 1)
            return {**as_object(sample_object(node, depth + 1)), **value} if isinstance(value, dict) else value
    kind = next((one for one in _ORDER if one in node.kinds), "null")
    asked = node.kinds.get(kind, {})
    if "enum" in asked:
        return as_list(asked["enum"].json)[0]
    return _SAMPLES[kind](node, asked, depth)


def sample_object(node: Node, depth: int = 0) -> Json:
    """Return an object with the required properties."""
    asked = node.kinds.get("object", {})
    named = {*property_names(node)} if depth < _MAX_DEPTH else set()
    value: JsonObject = {}
    for name in as_list(asked["required"].json) if "required" in asked else ():
        if isinstance(name, str):
            value[name] = sample(child(node, name), depth + 1) if name in named else "a"
    return value


def _string(asked: Asked) -> str:
    pattern, shortest = _text(asked, "pattern"), min(limit_of(asked, "minLength"), _MAX_LENGTH)
    for one in samples(pattern, None, shortest) if pattern else ():
        return one
    shown = _FORMATS.get(_text(asked, "format"), "")
    longest = limit_of(asked, "maxLength", _MAX_LENGTH)
    return shown if shown and shortest <= len(shown) <= longest else "a" * max(shortest, min(1, longest))


def _number(asked: Asked) -> Json:
    lower, upper = _bound(asked, "lower"), _bound(asked, "upper")
    step = asked["multipleOf"].json if "multipleOf" in asked else None
    if isinstance(step, int | float) and 0 < step < _MAX_NUMBER and abs(lower or 0) < _MAX_NUMBER:
        # Fractions, because 0.1 * 3 is not 0.3.
        whole = Fraction(str(+step))
        value = whole * ceil(Fraction(str(lower or 0)) / whole)
        return int(value) if value.denominator == 1 else float(value)
    excluded = [bool(as_list(asked[name].json)[1]) for name in ("lower", "upper") if name in asked]
    if lower is not None and upper is not None and any(excluded):
        return (lower + upper) / 2
    if lower is not None and lower >= 0:
        return lower + 1 if excluded[0] else lower
    if upper is not None and upper <= 0:
        return upper - 1 if excluded[-1] else upper
    return 0


def sample_array(asked: Asked, node: Node, size: int, depth: int) -> list[Json]:
    """Return an array of that size; the items differ if they must be unique."""
    if depth >= _MAX_DEPTH:
        return []
    first = as_list(asked["prefixItems"].json) if "prefixItems" in asked else []
    nodes = [normal_form(node.root, one, f"{asked['prefixItems'].pointer}/{at}") for at, one in enumerate(first)]
    items = normal_form(node.root, asked["items"].json, asked["items"].pointer) if "items" in asked else None
    found: list[Json] = [sample(one, depth + 1) for one in nodes[:size]]
    varied = iter(interesting(items, items)) if items is not None and "uniqueItems" in asked else iter(())
    while len(found) < min(size, _MAX_ITEMS):
        other = next((one for one in varied if not contains(found, one)), None)
        value = sample(items, depth + 1) if items is not None else len(found)
        found.append(value if other is None else other)
    return found


def limit_of(asked: Asked, name: str, default: int = 0) -> int:
    """Return the value of a keyword that limits a size."""
    value = asked[name].json if name in asked else default
    return int(value) if isinstance(value, int | float) else default


def _bound(asked: Asked, name: str) -> float | None:
    value = as_list(asked[name].json)[0] if name in asked else None
    return value if isinstance(value, int | float) else None


def _text(asked: Asked, name: str) -> str:
    value = asked[name].json if name in asked else ""
    return value if isinstance(value, str) else ""


_SAMPLES: Mapping[str, Callable[[Node, Asked, int], Json]] = {
    "object": lambda node, _, depth: sample_object(node, depth),
    "string": lambda _, asked, __: _string(asked),
    "number": lambda _, asked, __: _number(asked),
    "array": lambda node, asked, depth: sample_array(asked, node, limit_of(asked, "minItems"), depth),
    "boolean": lambda *_: True,
    "null": lambda *_: None,
}

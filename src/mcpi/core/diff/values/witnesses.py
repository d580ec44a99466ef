"""Find values that prove a breaking change of a schema: valid under one schema and invalid under the other."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from mcpi.core.diff.change_rules import Change
from mcpi.core.diff.evaluation import evaluate
from mcpi.core.diff.normal_form import children, normal_form
from mcpi.core.diff.schema_node import FURTHER, NAMES, Asked, Level, Node, SchemaChange, contains, is_whole
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object
from mcpi.core.text.regular_language import samples

MAX_CANDIDATES = 120
MAX_UNDECIDED = 6
_MAX_DEPTH = 8
_MAX_LENGTH = 4000
_MAX_ITEMS = 200
_MAX_NUMBER = 10**15
_SPARE = "unexpected"
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


@frozen
class Search:
    """The values to try for one change, and the schemas that must accept and reject them."""

    accepting: Json
    refusing: Json
    found: Json = None
    undecided: tuple[Json, ...] = ()
    """Values whose validity only the library can determine."""
    is_found: bool = False


def search(change: Change) -> Search | None:
    """Search for a witness of a breaking change; return None if the change is not about the values of a schema."""
    if change.schema is None or change.change_class != "breaking":
        return None
    whole = change.schema.levels[0]
    is_input = change.side == "input"
    accepting, refusing = (whole.old, whole.new) if is_input else (whole.new, whole.old)
    schemas = accepting.root.json, refusing.root.json
    undecided: list[Json] = []
    for value in islice(_candidates(change.schema, is_input=is_input), MAX_CANDIDATES):
        if is_input and not isinstance(value, dict):
            continue
        accepted = evaluate(value, schemas[0])
        refused = None if accepted is False else evaluate(value, schemas[1])
        if accepted and refused is False:
            return Search(*schemas, found=value, is_found=True)
        if accepted is not False and refused is not True and len(undecided) < MAX_UNDECIDED:
            undecided.append(value)
    return Search(*schemas, undecided=tuple(undecided))


def _candidates(change: SchemaChange, *, is_input: bool) -> Iterator[Json]:
    """Yield values of the whole schema that differ in the part that changed."""
    sides = [(one.old, one.new) if is_input else (one.new, one.old) for one in change.levels]
    seen: list[Json] = []
    for value in _interesting(*sides[-1]):
        whole = value
        for (accepting, _), level in zip(sides[-2::-1], change.levels[:0:-1], strict=True):
            whole = _embedded(whole, accepting, level)
        if not contains(seen, whole):
            seen.append(whole)
            yield whole


def _embedded(value: Json, around: Node, level: Level) -> Json:
    """Put the value into a value of the schema around it."""
    if level.step is None:
        return {**as_object(_object(around)), **value} if isinstance(value, dict) else value
    if level.step == NAMES:
        return {**as_object(_object(around)), value: None} if isinstance(value, str) else None
    if isinstance(level.step, str) or level.step == FURTHER:
        name = level.step if isinstance(level.step, str) else _SPARE
        return {**as_object(_object(around)), name: value}
    asked = around.kinds.get("array", {})
    needed = max(_limit(asked, "minItems"), level.step + 1)
    items: list[Json] = [*_array(asked, around, needed, 0)]
    items[level.step] = value
    return items


def _interesting(accepting: Node, refusing: Node) -> Iterator[Json]:
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
    base = as_object(_object(accepting))
    yield base
    named = {**dict(children(refusing)), **dict(children(accepting))}
    for name in dict.fromkeys((*base, *named)):
        yield {key: value for key, value in base.items() if key != name}
    for name, node in named.items():
        if name not in base:
            yield from ({**base, name: value} for value in (sample(node), *_ANYTHING))
    yield {**base, _SPARE: "a"}
    full: JsonObject = {**{name: sample(node) for name, node in named.items()}, **base}
    yield full
    for node in (accepting, refusing):
        yield from _patterned(base, full, node.kinds.get("object", {}))


def _patterned(base: JsonObject, full: JsonObject, asked: Asked) -> Iterator[Json]:
    """Yield objects with names that match patterns, and with numbers of properties at and next to the limits."""
    for pattern in as_object(asked["patternProperties"].json) if "patternProperties" in asked else ():
        for name in samples(pattern):
            yield from ({**base, name: value} for value in _ANYTHING)
    for limit in ("minProperties", "maxProperties"):
        for size in (_limit(asked, limit) - 1, _limit(asked, limit), _limit(asked, limit) + 1):
            extra: JsonObject = {f"{_SPARE}{at}": "a" for at in range(min(size, _MAX_ITEMS) - len(base))}
            yield {**dict(islice(full.items(), max(size, 0))), **base, **extra}


def _strings(mine: Asked, other: Asked) -> Iterator[Json]:
    pattern, against = (_text(asked, "pattern") for asked in (mine, other))
    sizes = {
        _limit(asked, name) + more
        for asked in (mine, other)
        for name in ("minLength", "maxLength")
        for more in (-1, 0, 1)
    }
    if pattern or against:
        yield from samples(pattern or "", against, _limit(mine, "minLength"))
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
        _limit(asked, name) + more
        for asked in (mine, other)
        for name in ("minItems", "maxItems")
        for more in (-1, 0, 1)
    }
    for size in sorted({1, 2, *sizes}):
        if 0 <= size <= _MAX_ITEMS:
            yield _array(mine, node, size, 0)
            if size > 1:
                yield [*_array(mine, node, 1, 0)] * size


def sample(node: Node, depth: int = 0) -> Json:
    """Return a value that is likely to be valid."""
    for _, branches in node.choices:
        if depth < _MAX_DEPTH:
            value = sample(branches[0], depth + 1)
            return {**as_object(_object(node, depth + 1)), **value} if isinstance(value, dict) else value
    kind = next((one for one in _ORDER if one in node.kinds), "null")
    asked = node.kinds.get(kind, {})
    if "enum" in asked:
        return as_list(asked["enum"].json)[0]
    return _SAMPLES[kind](node, asked, depth)


def _object(node: Node, depth: int = 0) -> Json:
    """Return an object with the required properties."""
    asked = node.kinds.get("object", {})
    named = dict(children(node)) if depth < _MAX_DEPTH else {}
    value: JsonObject = {}
    for name in as_list(asked["required"].json) if "required" in asked else ():
        if isinstance(name, str):
            value[name] = sample(named[name], depth + 1) if name in named else "a"
    return value


def _string(asked: Asked) -> str:
    pattern, shortest = _text(asked, "pattern"), min(_limit(asked, "minLength"), _MAX_LENGTH)
    for one in samples(pattern, None, shortest) if pattern else ():
        return one
    shown = _FORMATS.get(_text(asked, "format"), "")
    return shown if len(shown) > shortest else "a" * max(shortest, min(1, _limit(asked, "maxLength", 1)))


def _number(asked: Asked) -> Json:
    lower, upper = _bound(asked, "lower"), _bound(asked, "upper")
    step = asked["multipleOf"].json if "multipleOf" in asked else None
    if isinstance(step, int | float) and step > 0:
        return step * -(-(lower or 0) // step)
    excluded = [bool(as_list(asked[name].json)[1]) for name in ("lower", "upper") if name in asked]
    if lower is not None and upper is not None and any(excluded):
        return (lower + upper) / 2
    if lower is not None and lower >= 0:
        return lower + 1 if excluded[0] else lower
    if upper is not None and upper <= 0:
        return upper - 1 if excluded[-1] else upper
    return 0


def _array(asked: Asked, node: Node, size: int, depth: int) -> list[Json]:
    """Return an array of that size; the items differ if they must be unique."""
    if depth >= _MAX_DEPTH:
        return []
    first = as_list(asked["prefixItems"].json) if "prefixItems" in asked else []
    nodes = [normal_form(node.root, one, f"{asked['prefixItems'].pointer}/{at}") for at, one in enumerate(first)]
    items = normal_form(node.root, asked["items"].json, asked["items"].pointer) if "items" in asked else None
    found: list[Json] = [sample(one, depth + 1) for one in nodes[:size]]
    varied = iter(_interesting(items, items)) if items is not None and "uniqueItems" in asked else iter(())
    while len(found) < min(size, _MAX_ITEMS):
        other = next((one for one in varied if not contains(found, one)), None)
        value = sample(items, depth + 1) if items is not None else len(found)
        found.append(value if other is None else other)
    return found


def _limit(asked: Asked, name: str, default: int = 0) -> int:
    value = asked[name].json if name in asked else default
    return int(value) if isinstance(value, int | float) else default


def _bound(asked: Asked, name: str) -> float | None:
    value = as_list(asked[name].json)[0] if name in asked else None
    return value if isinstance(value, int | float) else None


def _text(asked: Asked, name: str) -> str:
    value = asked[name].json if name in asked else ""
    return value if isinstance(value, str) else ""


_SAMPLES: Mapping[str, Callable[[Node, Asked, int], Json]] = {
    "object": lambda node, _, depth: _object(node, depth),
    "string": lambda _, asked, __: _string(asked),
    "number": lambda _, asked, __: _number(asked),
    "array": lambda node, asked, depth: _array(asked, node, _limit(asked, "minItems"), depth),
    "boolean": lambda *_: True,
    "null": lambda *_: None,
}

"""Find values that prove a breaking change of a schema: valid under one schema and invalid under the other."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from mcpi.core.diff.change_rules import Change
from mcpi.core.diff.schema_node import FURTHER, NAMES, Level, Node, SchemaChange, contains
from mcpi.core.diff.values.evaluation import evaluate
from mcpi.core.diff.values.samples import SPARE, interesting, limit_of, sample_array, sample_object
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from mcpi.core.jsontext.writing import dump

MAX_SEARCHES = 200
"""Maximum number of changes for which a witness is searched."""
MAX_COST = 4_000_000
"""Maximum total length of the values that are tried as witnesses, in characters of JSON."""
MAX_CANDIDATES = 120
MAX_UNDECIDED = 6


@frozen
class Search:
    """The values to try for one change, and the schemas that must accept and reject them."""

    accepting: Json
    refusing: Json
    found: Json = None
    undecided: tuple[Json, ...] = ()
    """Values whose validity only the library can determine."""
    is_found: bool = False
    cost: int = 0
    """Total length of the values that were tried, as JSON."""


def searched(changes: Iterable[Change]) -> Iterator[tuple[Change, Search | None]]:
    """Yield each change with the result of its search, until a limit is reached; later changes have no result."""
    number = cost = 0
    for change in changes:
        found = search(change) if number < MAX_SEARCHES and cost < MAX_COST else None
        if found is not None:
            number, cost = number + 1, cost + found.cost
        yield change, found


def search(change: Change) -> Search | None:
    """Search for a witness of a breaking change; return None if the change is not about the values of a schema."""
    if change.schema is None or change.change_class != "breaking":
        return None
    whole = change.schema.levels[0]
    is_input = change.side == "input"
    accepting, refusing = (whole.old, whole.new) if is_input else (whole.new, whole.old)
    schemas = accepting.root.json, refusing.root.json
    undecided: list[Json] = []
    cost = 0
    for value in islice(_candidates(change.schema, is_input=is_input), MAX_CANDIDATES):
        if is_input and not isinstance(value, dict):
            continue
        cost += len(dump(value))
        accepted = evaluate(value, schemas[0])
        refused = None if accepted is False else evaluate(value, schemas[1])
        if accepted and refused is False:
            return Search(*schemas, found=value, is_found=True, cost=cost)
        if accepted is not False and refused is not True and len(undecided) < MAX_UNDECIDED:
            undecided.append(value)
    return Search(*schemas, undecided=tuple(undecided), cost=cost)


def _candidates(change: SchemaChange, *, is_input: bool) -> Iterator[Json]:
    """Yield values of the whole schema that differ in the part that changed."""
    sides = [(one.old, one.new) if is_input else (one.new, one.old) for one in change.levels]
    seen: list[Json] = []
    for value in interesting(*sides[-1]):
        whole = value
        for (accepting, _), level in zip(sides[-2::-1], change.levels[:0:-1], strict=True):
            whole = _embedded(whole, accepting, level)
        if not contains(seen, whole):
            seen.append(whole)
            yield whole


@lru_cache(maxsize=16)
def _base(node: Node) -> JsonObject:
    """Return an object with the required properties; many changes have the same object around them."""
    return as_object(sample_object(node))


def _embedded(value: Json, around: Node, level: Level) -> Json:
    """Put the value into a value of the schema around it."""
    if level.step is None:
        return {**_base(around), **value} if isinstance(value, dict) else value
    if level.step == NAMES:
        return {**_base(around), value: None} if isinstance(value, str) else None
    if isinstance(level.step, str) or level.step == FURTHER:
        name = level.step if isinstance(level.step, str) else SPARE
        return {**_base(around), name: value}
    asked = around.kinds.get("array", {})
    needed = max(limit_of(asked, "minItems"), level.step + 1)
    items: list[Json] = [*sample_array(asked, around, needed, 0)]
    items[level.step] = value
    return items

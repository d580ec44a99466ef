"""Compare two schemas: each difference with its rule and its place."""

from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field

from mcpi.core.diff.alternatives import (
    PairedAlternatives,
    are_disjoint,
    overlaps,
    pair_alternatives,
    required_names,
)
from mcpi.core.diff.families.diff_rule import Side
from mcpi.core.diff.keyword_changes import (
    Difference,
    added_or_removed,
    are_compared_by_list,
    differ,
    keyword_differences,
    note_differences,
    type_differences,
)
from mcpi.core.diff.normal_form import children, normal_form, whole_schema
from mcpi.core.diff.schema_node import (
    FURTHER,
    NAMES,
    TEXTS,
    Asked,
    Level,
    Node,
    SchemaChange,
    SchemaRoot,
    Value,
    token,
    written,
)
from mcpi.core.jsontext.values import Json, as_list, as_object, json_equal

_MAX_CHANGES = 1000
_OPEN: Json = True
Levels = tuple[Level, ...]


def schema_changes(old: Json, new: Json, pointer: str, side: Side) -> tuple[SchemaChange, ...]:
    """Compare two schemas of one definition."""
    nodes = whole_schema(SchemaRoot(old, pointer)), whole_schema(SchemaRoot(new, pointer))
    comparison = _Comparison(side)
    comparison.compare(*nodes, ())
    if comparison.found or json_equal(old, new):
        return tuple(comparison.found.values())
    rule = "schema-rewritten" if sorted(_texts(old)) == sorted(_texts(new)) else "description-changed"
    return (SchemaChange(rule, pointer, old, new, (Level(*nodes),)),)


def _texts(schema: Json) -> Iterator[str]:
    """Yield the titles and descriptions at any depth."""
    if isinstance(schema, list):
        for one in schema:
            yield from _texts(one)
    for name, value in as_object(schema).items():
        if name in TEXTS and isinstance(value, str):
            yield value
        else:
            yield from _texts(value)


@define
class _Comparison:
    """The differences that were found so far."""

    side: Side
    found: dict[tuple[str, str], SchemaChange] = field(factory=dict)
    _seen: set[tuple[str, str]] = field(factory=lambda: {("", "")})

    def compare(self, old: Node, new: Node, above: Levels, step: str | int | None = None) -> None:
        """Compare two parts of the schemas."""
        # A schema that allows any value has infinitely many parts, which are all the same.
        pair = ("" if old.is_open else old.pointer, "" if new.is_open else new.pointer)
        if pair in self._seen or len(self.found) >= _MAX_CHANGES:
            return
        self._seen.add(pair)
        levels = (*above, Level(old, new, step))
        self._add_all(note_differences(old, new), levels)
        if self._choices(old, new, levels):
            return
        self._add_as_written(type_differences(old, new), levels)
        has_list = are_compared_by_list(old, new)
        for kind, asked in old.kinds.items():
            if kind in new.kinds:
                self._add_as_written(keyword_differences(asked, new.kinds[kind], has_list=has_list), levels)
        if "array" in old.kinds and "array" in new.kinds:
            self._items(old.kinds["array"], new.kinds["array"], levels)
        if "object" in old.kinds and "object" in new.kinds:
            self._properties(old.kinds["object"], new.kinds["object"], levels)
            self._further_properties(old.kinds["object"], new.kinds["object"], levels)
            self._pattern_properties(old.kinds["object"], new.kinds["object"], levels)
        self._conditions(old, new, levels)

    def _add(self, rule: str, old: Value | None, new: Value | None, levels: Levels) -> None:
        place = new or old
        assert place is not None
        change = SchemaChange(rule, place.pointer, old.json if old else None, new.json if new else None, levels)
        self.found.setdefault((rule, place.pointer), change)

    def _add_all(self, differences: Iterable[Difference], levels: Levels) -> None:
        for rule, old, new in differences:
            self._add(rule, old, new, levels)

    def _add_as_written(self, differences: Iterable[Difference], levels: Levels) -> None:
        """Add differences with the values at their places; if a keyword has the same value, with its schemas."""
        before, after = levels[-1].old, levels[-1].new
        for rule, old, new in differences:
            mine, other = old and (before.root.at(old.pointer) or old), new and (after.root.at(new.pointer) or new)
            is_same = mine and other and _keyword(mine) == _keyword(other) and not differ(mine, other)
            self._add(rule, *((written(before), written(after)) if is_same else (mine, other)), levels)

    def _items(self, old: Asked, new: Asked, levels: Levels) -> None:
        """Compare the schemas of the items."""
        level = levels[-1]
        mine, other = _item_schemas(old, level.old), _item_schemas(new, level.new)
        for at in range(max(len(mine), len(other))):
            self.compare(mine[min(at, len(mine) - 1)], other[min(at, len(other) - 1)], levels, at)

    def _properties(self, old: Asked, new: Asked, levels: Levels) -> None:
        level = levels[-1]
        mine, other = dict(children(level.old)), dict(children(level.new))
        needed, needs = required_names(old), required_names(new)
        for name, node in mine.items():
            if name in other:
                self.compare(node, other[name], levels, name)
            else:
                self._add("property-removed", written(node), None, levels)
        for name in (one for one in other if one not in mine):
            self._new_property(name, other[name], levels, is_required=name in needs)
        # A change of a property that was added or removed is already reported, so `required` is not compared for it.
        for name in (one for one in needs if one not in needed and (one in mine or one not in other)):
            self._add("required-added", None, _required_entry(new, name), levels)
        for name in (one for one in needed if one not in needs and (one in other or one not in mine)):
            self._add("required-removed", _required_entry(old, name), None, levels)

    def _new_property(self, name: str, node: Node, levels: Levels, *, is_required: bool) -> None:
        """Classify a new property; it matters if it is required in the input, or if the output was closed."""
        rule = "property-added"
        if self.side == "input" and is_required:
            rule = "required-property-added"
        elif self.side == "output":
            rest = _part(levels[-1].old, "additionalProperties")
            if rest.kinds and not rest.is_open:
                self.compare(rest, node, levels, name)
                return
            rule = rule if rest.kinds else "property-added-to-closed"
        self._add(rule, None, written(node), levels)

    def _further_properties(self, old: Asked, new: Asked, levels: Levels) -> None:
        """Compare the schemas of additional properties and of property names."""
        level = levels[-1]
        mine, other = _part(level.old, "additionalProperties"), _part(level.new, "additionalProperties")
        if bool(mine.kinds) != bool(other.kinds):
            rule = "additional-properties-allowed" if other.kinds else "additional-properties-forbidden"
            self._add(rule, Value(_rest(old), mine.pointer), Value(_rest(new), other.pointer), levels)
        else:
            self.compare(mine, other, levels, FURTHER)
        self.compare(_part(level.old, "propertyNames"), _part(level.new, "propertyNames"), levels, NAMES)

    def _pattern_properties(self, old: Asked, new: Asked, levels: Levels) -> None:
        level = levels[-1]
        mine, other = _patterns(old), _patterns(new)
        for pattern in dict.fromkeys((*mine, *other)):
            before, after = mine.get(pattern), other.get(pattern)
            if before and after:
                nodes = (
                    normal_form(level.old.root, before.json, before.pointer),
                    normal_form(level.new.root, after.json, after.pointer),
                )
                self.compare(*nodes, levels, FURTHER)
            else:
                self._add_all([added_or_removed("pattern-property", before, after)], levels)

    def _conditions(self, old: Node, new: Node, levels: Levels) -> None:
        """Compare the conditions, which have no normal form."""
        for name in dict.fromkeys((*old.others, *new.others)):
            mine, other = old.others.get(name), new.others.get(name)
            if differ(*(one and Value(node.root.inlined(one.json), "") for one, node in ((mine, old), (other, new)))):
                if name == "$ref" and mine and other:
                    self._add("reference-changed", mine, other, levels)
                else:
                    self._add_all([added_or_removed("condition", mine, other)], levels)

    def _choices(self, old: Node, new: Node, levels: Levels) -> bool:
        """Compare the alternatives; tell whether nothing else is left to compare."""
        for (keyword, mine), (other_keyword, other) in zip(old.choices, new.choices, strict=False):
            paired = self._alternatives(mine, other, levels)
            if keyword == other_keyword == "oneOf":
                self._overlaps(paired, levels)
            elif keyword != other_keyword and not are_disjoint(other if other_keyword == "oneOf" else mine):
                rule = f"condition-{'narrowed' if other_keyword == 'oneOf' else 'widened'}"
                self._add(rule, Value(keyword, old.pointer), Value(other_keyword, new.pointer), levels)
        if not old.choices and _is_choice(new):
            self._alternatives([old], new.choices[0][1], levels)
            self._add_all(_exclusion("added", new), levels)
            return True
        if not new.choices and _is_choice(old):
            self._alternatives(old.choices[0][1], [new], levels)
            self._add_all(_exclusion("removed", old), levels)
            return True
        for keyword, branches in old.choices[len(new.choices) :]:
            self._add("condition-removed", Value(keyword, _around(branches)), None, levels)
        for keyword, branches in new.choices[len(old.choices) :]:
            self._add("condition-added", None, Value(keyword, _around(branches)), levels)
        return False

    def _alternatives(self, old: Sequence[Node], new: Sequence[Node], levels: Levels) -> PairedAlternatives:
        """Compare the most similar alternatives; the rest were added or removed."""
        paired = pair_alternatives(old, new)
        for before, after in paired.pairs:
            self.compare(before, after, levels)
        for node in paired.lost:
            self._add("alternative-removed", written(node), None, (*levels, Level(node, node)))
        for node in paired.gained:
            self._add("alternative-added", None, written(node), (*levels, Level(node, node)))
        return paired

    def _overlaps(self, paired: PairedAlternatives, levels: Levels) -> None:
        """Find the changed alternatives of a oneOf that may overlap with another one."""
        for old, new, both in overlaps(paired, in_new=self.side == "input"):
            before, after = (None if one is None else written(one) for one in (old, new))
            self._add("alternatives-overlap", before, after, (*levels, Level(both, both)))


def _is_choice(node: Node) -> bool:
    """Tell whether the schema consists only of alternatives."""
    return len(node.choices) == 1 and not any(node.kinds.values()) and not node.others


def _exclusion(verb: str, node: Node) -> Iterator[Difference]:
    """Yield the difference caused by the exclusivity of a oneOf, which rejects values that match two alternatives."""
    keyword, branches = node.choices[0]
    if keyword == "oneOf" and not are_disjoint(branches):
        value = Value(keyword, _around(branches))
        yield Difference(f"condition-{verb}", *((None, value) if verb == "added" else (value, None)))


def _keyword(value: Value) -> str:
    return value.pointer.rpartition("/")[2]


def _around(branches: Sequence[Node]) -> str:
    return branches[0].pointer.rpartition("/")[0]


def _required_entry(asked: Asked, name: str) -> Value:
    required = asked["required"]
    return Value(name, f"{required.pointer}/{as_list(required.json).index(name)}")


def _part(node: Node, name: str) -> Node:
    """Return the schema of an object's keyword; without the keyword, any value is allowed."""
    asked = node.kinds["object"]
    found = asked.get(name)
    if found is None and name == "additionalProperties" and not node.choices and not node.others:
        found = asked.get("unevaluatedProperties")
    return normal_form(node.root, *((found.json, found.pointer) if found else (_OPEN, f"{node.pointer}/{name}")))


def _rest(asked: Asked) -> Json:
    found = asked.get("additionalProperties") or asked.get("unevaluatedProperties")
    return found.json if found else None


def _patterns(asked: Asked) -> dict[str, Value]:
    found = asked.get("patternProperties")
    schemas = as_object(found.json) if found else {}
    return {name: Value(schema, f"{found.pointer if found else ''}{token(name)}") for name, schema in schemas.items()}


def _item_schemas(asked: Asked, node: Node) -> list[Node]:
    """Return the schemas of the first items, followed by the schema of all further items."""
    items = asked.get("items")
    is_tuple = items is not None and isinstance(items.json, list)
    first = items if is_tuple else asked.get("prefixItems")
    rest = (asked.get("additionalItems") if is_tuple else items) or Value(_OPEN, f"{node.pointer}/items")
    nodes: list[Node] = []
    if first is not None:
        nodes = [normal_form(node.root, one, f"{first.pointer}/{at}") for at, one in enumerate(as_list(first.json))]
    return [*nodes, normal_form(node.root, rest.json, rest.pointer)]

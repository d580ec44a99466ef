"""The keywords of JSON schemas that match regular expressions, without Python's backtracking engine."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from jsonschema.exceptions import ValidationError

from mcpi.core.text.linear_patterns import compile_pattern
from mcpi.core.wire.violations import quote

Part: TypeAlias = Any
"""A validator, a schema or a value: the library passes all of them without types."""
Keyword: TypeAlias = Callable[[Part, Part, Part, Part], Iterator[ValidationError]]
"""A keyword of the jsonschema library: it gets the validator, the keyword's value, the instance, and the schema."""


class SchemaPatterns:
    """The keywords that match regular expressions; a pattern that is not supported allows anything."""

    def __init__(self, unchecked: Callable[[str], None]) -> None:
        """Set up; `unchecked` is called with a sentence for each pattern that is not checked."""
        self._unchecked = unchecked
        self._told: set[str] = set()

    def keywords(self, known: Mapping[str, Any]) -> dict[str, Keyword]:
        """Return the replacements for the keywords that the validator knows."""
        ours: dict[str, Keyword] = {
            "pattern": self.pattern,
            "patternProperties": self.pattern_properties,
            "additionalProperties": self.additional_properties,
        }
        if "unevaluatedProperties" in known:
            ours["unevaluatedProperties"] = self._unevaluated(known["unevaluatedProperties"])
        return ours

    def matches(self, pattern: str, text: str) -> bool | None:
        """Tell whether the pattern occurs in the text; None if it is not checked."""
        compiled = compile_pattern(pattern)
        found = None if isinstance(compiled, str) else compiled.matches(text)
        if found is None:
            why = compiled if isinstance(compiled, str) else "matching would take too long"
            self._tell(f"the pattern {quote(pattern)!r} of a schema is not checked: {why}")
        return found

    def _tell(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._unchecked(sentence)

    def pattern(self, validator: Part, pattern: Part, instance: Part, _: Part) -> Iterator[ValidationError]:
        """Check a string."""
        if validator.is_type(instance, "string") and self.matches(pattern, instance) is False:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")

    def pattern_properties(self, validator: Part, patterns: Part, instance: Part, _: Part) -> Iterator[ValidationError]:
        """Check the members whose names match."""
        if validator.is_type(instance, "object"):
            for pattern, subschema in patterns.items():
                for name, member in instance.items():
                    if self.matches(pattern, name):
                        yield from validator.descend(member, subschema, path=name, schema_path=pattern)

    def additional_properties(
        self, validator: Part, allowed: Part, instance: Part, schema: Part
    ) -> Iterator[ValidationError]:
        """Check the members that no other keyword describes."""
        if not validator.is_type(instance, "object"):
            return
        described, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        extras = [
            name
            for name in instance
            if name not in described and all(self.matches(pattern, name) is False for pattern in patterns)
        ]
        if validator.is_type(allowed, "object"):
            for name in extras:
                yield from validator.descend(instance[name], allowed, path=name)
        elif not allowed and extras:
            listed = ", ".join(map(repr, sorted(extras, key=str)))
            was = "was" if len(extras) == 1 else "were"
            yield ValidationError(f"Additional properties are not allowed ({listed} {was} unexpected)")

    def _unevaluated(self, original: Keyword) -> Keyword:
        def unevaluated(validator: Part, allowed: Part, instance: Part, schema: Part) -> Iterator[ValidationError]:
            # The library looks for patternProperties by itself, also in subschemas and behind references.
            if "patternProperties" in _keys(validator.schema) or "$ref" in _keys(schema):
                self._tell(
                    "unevaluatedProperties of a schema is not checked in combination with patternProperties or $ref"
                )
            else:
                yield from original(validator, allowed, instance, schema)

        return unevaluated


def _keys(schema: Part) -> Iterator[str]:
    """Yield the names in a schema, at any depth."""
    stack = [schema]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            yield from one
            stack += one.values()
        elif isinstance(one, list):
            stack += one

"""Examples: values that are valid against a schema."""

from collections.abc import Iterable
from itertools import chain, islice

from mcpi.core.diff.normal_form import normal_form
from mcpi.core.diff.schema_node import SchemaRoot
from mcpi.core.diff.values.evaluation import evaluate
from mcpi.core.diff.values.samples import interesting
from mcpi.core.jsontext.values import Json, as_object

_MAX_CANDIDATES = 60


def valid_example(schema: Json, root: Json, preferred: Iterable[Json]) -> Json:
    """Return the first preferred value that is valid, or else another valid value, if a short search finds one.

    `root` is the document that contains the schema. Its `$schema` is ignored, as most keywords have the same meaning
    in all versions.
    """
    document: Json = {name: value for name, value in as_object(root).items() if name != "$schema"}
    node = normal_form(SchemaRoot(document, ""), schema, "")
    best: dict[bool, Json] = {}
    for value in islice(chain(preferred, interesting(node, node)), _MAX_CANDIDATES):
        verdict = evaluate(value, schema, document)
        if verdict:
            return value
        best.setdefault(verdict is None, value)
    return best[max(best)]

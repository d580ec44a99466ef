"""Lock documents: everything a server offers, in a form that is byte-identical for the same server."""

from collections.abc import Iterator, Mapping

from attrs import field

from mcpi.core.diff.schema_node import SCHEMA_MAPS
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.comments import located
from mcpi.core.jsontext.exact import JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text, json_equal, type_name
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, ParseResult, Success

LOCK_VERSION = 1
WRITE_ONE = "write a lock file with: mcpi lock SERVER --output FILE"


@frozen
class DefinitionKind:
    """One kind of definition that a server lists."""

    key: str
    """The member of the lock document that holds the definitions."""
    subject: str
    """The member of a change that names the definition."""
    identifier: str


TOOL = DefinitionKind("tools", "tool", "name")
PROMPT = DefinitionKind("prompts", "prompt", "name")
RESOURCE = DefinitionKind("resources", "resource", "uri")
TEMPLATE = DefinitionKind("resourceTemplates", "template", "uriTemplate")
DEFINITION_KINDS = (TOOL, PROMPT, RESOURCE, TEMPLATE)

_SCHEMAS = frozenset({"inputSchema", "outputSchema"})
_SUBSCHEMAS = frozenset(
    {
        *("items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"),
        *("additionalProperties", "propertyNames", "unevaluatedProperties"),
        *("anyOf", "oneOf", "allOf", "not", "if", "then", "else"),
    }
)
_SETS = frozenset({"type", "enum", "required"})
_VOLATILE: Mapping[str, frozenset[str]] = {
    "resources": frozenset({"size"}),
    "annotations": frozenset({"lastModified"}),
}
"""Members of a resource that change with its contents, not with the server."""

_FACTS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("protocolVersion", "era", "instructions"), ("string", "a string")),
    **dict.fromkeys(("serverInfo", "capabilities"), ("object", "an object")),
    "supportedVersions": ("array", "an array"),
}
"""The types of the members that describe the server."""


@frozen
class Snapshot:
    """The definitions of a server that its clients can see."""

    protocol_version: str = ""
    supported_versions: tuple[str, ...] = ()
    server: JsonObject = field(factory=dict)
    capabilities: JsonObject = field(factory=dict)
    instructions: str = ""
    definitions: Mapping[str, Mapping[str, JsonObject]] = field(factory=dict)
    """The definitions by the key of their kind, then by identifier."""
    era: str = ""
    is_file: bool = field(default=False, eq=False)
    """True if the definitions come from a lock file, not from a running server."""


def lock_document(facts: JsonObject, lists: Mapping[str, list[Json]]) -> JsonObject:
    """Build the lock document: sorted, without members that change independently of the server."""
    document: JsonObject = {"lockVersion": LOCK_VERSION}
    document |= {name: _sorted(value) for name, value in sorted(facts.items())}
    for kind in DEFINITION_KINDS:
        found = [_definition(kind, as_object(one)) for one in lists.get(kind.key, [])]
        document[kind.key] = [*sorted(found, key=lambda one: (as_text(as_object(one).get(kind.identifier)), dump(one)))]
    return document


def _definition(kind: DefinitionKind, given: JsonObject) -> JsonObject:
    volatile = _VOLATILE.get(kind.key, frozenset())
    document: JsonObject = {}
    for name, value in sorted(given.items()):
        if name == "annotations":
            kept: JsonObject = {key: one for key, one in as_object(value).items() if key not in _VOLATILE[name]}
            document[name] = _sorted(kept)
        elif name not in volatile:
            document[name] = _sorted_schema(value) if name in _SCHEMAS else _sorted(value)
    return document


def _sorted(value: Json) -> Json:
    """Sort the members of all objects."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


def _sorted_schema(schema: Json) -> Json:
    """Sort the members of a schema, and the arrays whose order has no meaning."""
    if isinstance(schema, list):
        return [_sorted_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    document: JsonObject = {}
    for name, value in sorted(schema.items()):
        if name in SCHEMA_MAPS and isinstance(value, dict):
            document[name] = {key: _sorted_schema(value[key]) for key in sorted(value)}
        elif name in _SUBSCHEMAS:
            document[name] = _sorted_schema(value)
        elif name in _SETS and isinstance(value, list):
            document[name] = sorted((_sorted(one) for one in value), key=dump)
        else:
            document[name] = _sorted(value)
    return document


def parse_lock(where: str, text: str) -> ParseResult[Snapshot]:
    """Parse a lock file; `where` names it in messages."""
    text = text.removeprefix("\ufeff")
    found = parse_json_text(text)
    if isinstance(found, JsonSyntaxProblem):
        return _unreadable(where, located(found, text))
    return read_lock(where, found.value)


def read_lock(where: str, document: Json) -> ParseResult[Snapshot]:
    """Read a lock document; unknown members are ignored."""
    if not isinstance(document, dict):
        return _unreadable(where, f"expected a lock document, found {type_name(document)}")
    failure = _check_facts(where, document)
    if failure is not None:
        return failure
    lists: dict[str, Mapping[str, JsonObject]] = {}
    for kind in DEFINITION_KINDS:
        value = document.get(kind.key, [])
        if not isinstance(value, list):
            return _unreadable(where, f"{kind.key}: expected an array, found {type_name(value)}")
        for number, one in enumerate(value):
            if not isinstance(as_object(one).get(kind.identifier), str):
                return _unreadable(
                    where, f"{kind.key}[{number}]: expected an object with the string '{kind.identifier}'"
                )
        lists[kind.key] = dict(_named(kind, value))
    versions = tuple(as_text(one) for one in as_list(document.get("supportedVersions")))
    return Success(
        Snapshot(
            as_text(document.get("protocolVersion")),
            versions,
            as_object(document.get("serverInfo")),
            as_object(document.get("capabilities")),
            as_text(document.get("instructions")),
            lists,
            as_text(document.get("era")),
        )
    )


def _check_facts(where: str, document: JsonObject) -> Failure[Invalid] | None:
    """Check the members that describe the server."""
    version = document.get("lockVersion")
    if version is None:
        return _unreadable(where, "not a lock file: it has no 'lockVersion'")
    if not json_equal(version, LOCK_VERSION):
        return _unreadable(where, f"lockVersion is {dump(version)}; this version of mcpi supports only {LOCK_VERSION}")
    if not document.get("protocolVersion"):
        return _unreadable(where, "protocolVersion is missing")
    for name, (kind, noun) in _FACTS.items():
        if name in document and type_name(document[name]) != kind:
            return _unreadable(where, f"{name}: expected {noun}, found {type_name(document[name])}")
    return None


def _named(kind: DefinitionKind, definitions: list[Json]) -> Iterator[tuple[str, JsonObject]]:
    """Yield each definition with its identifier; repeated identifiers get a number from the second one on."""
    seen: dict[str, int] = {}
    for one in definitions:
        definition = as_object(one)
        name = as_text(definition[kind.identifier])
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} #{seen[name]}", definition


def _unreadable(where: str, problem: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", where, problem, (WRITE_ONE,)))

"""Rules about definitions that contradict the MCP specification or each other."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from mcpi.core.findings.finding import Severity, SubjectKind
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text, type_name
from mcpi.core.lint.definitions import KINDS, Definition, ServerLists
from mcpi.core.lint.rule import SPECIFICATION, Rule, RuleViolation
from mcpi.core.lint.syntax.uris import template_problem, template_variables, uri_problem
from mcpi.core.wire.http_headers import header_annotation_problem
from mcpi.core.wire.violations import quote

INVALID_DEFINITION = Rule(
    "invalid-definition",
    "error",
    "A definition must have all required members, and each member must have the correct type.",
    "Clients that validate a list reject the whole list, even if only one definition is invalid.",
    "Add or correct the member.",
    f"{SPECIFICATION}/schema",
    ("claude", "vscode", "cursor"),
)
INPUT_SCHEMA_TYPE = Rule(
    "input-schema-type",
    "error",
    'The "type" of an input schema must be "object".',
    "The arguments of a tool are always an object, and the MCP specification requires this type.",
    'Add "type": "object"; if the tool takes another type of value, make the value a property of the object.',
    "https://github.com/Piotr1215/mcp-obsidian/issues/17",
    ("claude", "openai", "gemini", "vscode", "cursor"),
)
OUTPUT_SCHEMA_TYPE = Rule(
    "output-schema-type",
    "error",
    'The "type" of an output schema must be "object".',
    "MCP versions before 2026-07-28 require this type, and clients that validate the tool list reject the whole "
    "list. Version 2026-07-28 allows any schema; if the server uses that version, the severity is warning.",
    "Return an object that has the current result as a property, and describe that object in the output schema.",
    "https://github.com/kenn-io/msgvault/issues/626",
    ("claude", "vscode", "cursor"),
)
DUPLICATE_NAME = Rule(
    "duplicate-name",
    "error",
    "The names or URIs in a list must be unique, as must the names of a prompt's arguments.",
    "A client requests an item by its name or URI, so it cannot choose between two items with the same name or URI.",
    "Rename or remove one of the duplicates.",
    "https://github.com/baguskto/threads-mcp/issues/2",
    ("claude",),
)
INVALID_ANNOTATION = Rule(
    "invalid-annotation",
    "error",
    "The hints in a tool's annotations must be true or false.",
    "Clients that validate a list reject the whole list, even if only one hint is invalid.",
    "Use true or false without quotes.",
    f"{SPECIFICATION}/schema#toolannotations",
    ("claude", "vscode", "cursor"),
)
CONTRADICTING_ANNOTATIONS = Rule(
    "contradicting-annotations",
    "warning",
    "A read-only tool should not be marked as destructive.",
    "If a tool is marked as read-only, clients can run it without asking the user.",
    "Remove destructiveHint if the tool only reads; otherwise, remove readOnlyHint.",
    f"{SPECIFICATION}/schema#toolannotations",
)
MISLEADING_ANNOTATION = Rule(
    "misleading-annotation",
    "info",
    'A tool whose name begins with a verb such as "delete" or "write" should not be marked as read-only.',
    "If a tool is marked as read-only, clients can run it without asking the user.",
    "Set readOnlyHint to false if the tool changes something; otherwise, rename the tool.",
    f"{SPECIFICATION}/schema#toolannotations",
)
INVALID_URI = Rule(
    "invalid-uri",
    "error",
    "The URI of a resource must be an absolute URI (RFC 3986).",
    "A client that parses the URIs can reject the whole list.",
    "Add a scheme such as file:, and percent-encode characters that are not allowed (a space as %20). List a URI "
    "with {variables} as a resource template.",
    "https://github.com/modelcontextprotocol/python-sdk/issues/1574",
)
INVALID_TEMPLATE = Rule(
    "invalid-uri-template",
    "error",
    "A URI template must be valid (RFC 6570).",
    "Clients cannot build URIs from an invalid template.",
    'Correct the template. Write a variable as {name}, and use only letters, digits, "_" and dots in its name.',
    "https://datatracker.ietf.org/doc/html/rfc6570#section-2",
)
TEMPLATE_VARIABLES = Rule(
    "template-variables",
    "info",
    "A URI template should have at least one variable, and use each variable only once.",
    "A template without variables is the URI of one resource. A variable that occurs twice has the same value in "
    "both places, which is rarely intended.",
    "If the template has no variables, list it as a resource. If a variable occurs twice, rename one of the two.",
    f"{SPECIFICATION}/server/resources#resource-templates",
)
EMPTY_CAPABILITY = Rule(
    "empty-capability",
    "info",
    'If the capability "tools", "resources" or "prompts" is declared, its list should not be empty.',
    "Clients request the list for each declared capability. If the list is empty, these requests are useless.",
    "Declare the capability only if the server has something to list.",
    "https://github.com/mozilla/firefox-devtools-mcp/pull/147",
)
LIST_FAILED = Rule(
    "list-failed",
    "error",
    "The list requests for each declared capability must succeed.",
    "Some clients end the session if one of these requests fails.",
    "Correct the error. If the server has nothing to list, return an empty list, or do not declare the capability.",
    "https://github.com/charmbracelet/crush/issues/2227",
)
PAGINATION = Rule(
    "pagination",
    "error",
    "A list must end with a page that has no nextCursor.",
    "Otherwise, a client that fetches all pages never finishes.",
    "Omit nextCursor on the last page, and return a different nextCursor on each of the pages before it.",
    f"{SPECIFICATION}/server/utilities/pagination",
)
INVALID_HEADER = Rule(
    "invalid-header-parameter",
    "error",
    'The value of "x-mcp-header" must be a unique header name, and the parameter that has this keyword must be a '
    "string, an integer or a boolean.",
    'Clients copy the argument into the HTTP header Mcp-Param-NAME, where NAME is the value of "x-mcp-header". MCP '
    "2026-07-28 requires clients to drop a tool for which they cannot do this.",
    'Correct the name or the type of the parameter, or remove "x-mcp-header".',
    "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports",
)
RULES = (
    *(INVALID_DEFINITION, INPUT_SCHEMA_TYPE, OUTPUT_SCHEMA_TYPE, DUPLICATE_NAME, INVALID_ANNOTATION),
    *(CONTRADICTING_ANNOTATIONS, MISLEADING_ANNOTATION, INVALID_URI, INVALID_TEMPLATE, TEMPLATE_VARIABLES),
    *(EMPTY_CAPABILITY, LIST_FAILED, PAGINATION, INVALID_HEADER),
)

_Checked: TypeAlias = Iterator[RuleViolation]
_REQUIRED: Mapping[SubjectKind, tuple[tuple[str, str], ...]] = {
    "tool": (("name", "string"), ("inputSchema", "object")),
    "resource": (("uri", "string"), ("name", "string")),
    "template": (("uriTemplate", "string"), ("name", "string")),
    "prompt": (("name", "string"),),
}
_OPTIONAL = {
    **dict.fromkeys(("title", "description", "mimeType"), "string"),
    "outputSchema": "object",
    "annotations": "object",
    "_meta": "object",
    "arguments": "array",
    "icons": "array",
    "size": "number",
}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_CHANGING = frozenset(str.split("delete remove destroy drop write create update insert overwrite truncate purge kill"))


def check_definition(definition: Definition) -> _Checked:
    """Check the members of a definition."""
    value = definition.value
    for name, kind in _REQUIRED[definition.kind]:
        found = value.get(name)
        if type_name(found) != kind or found == "":
            wrong = "is empty" if found == "" else f"is of type {type_name(found)}"
            problem = wrong if name in value else "is missing"
            yield RuleViolation(INVALID_DEFINITION, f"/{name}", f"{name} {problem}; expected {kind}")
    for name in value:
        if name in _OPTIONAL and type_name(value[name]) != _OPTIONAL[name]:
            message = f"{name} is of type {type_name(value[name])}; expected {_OPTIONAL[name]}"
            yield RuleViolation(INVALID_DEFINITION, f"/{name}", message)
    match definition.kind:
        case "tool":
            yield from _check_tool(value)
        case "resource":
            yield from _check_resource(as_text(value.get("uri")))
        case "template":
            yield from _check_template(as_text(value.get("uriTemplate")))
        case _:
            yield from _check_arguments(as_list(value.get("arguments")))


def _check_tool(tool: JsonObject) -> _Checked:
    schema = tool.get("inputSchema")
    if isinstance(schema, dict) and schema.get("type") != "object":
        yield RuleViolation(INPUT_SCHEMA_TYPE, "/inputSchema", _type_message("input", schema))
    annotations = as_object(tool.get("annotations"))
    if annotations:
        yield from _check_annotations(annotations, as_text(tool.get("name")))


def check_headers(tool: Definition) -> _Checked:
    """Check the x-mcp-header annotations of an input schema."""
    problem = header_annotation_problem(tool.value.get("inputSchema"))
    if problem:
        yield RuleViolation(INVALID_HEADER, "/inputSchema", problem)


def check_output_schema(tool: Definition, server: ServerLists) -> _Checked:
    """Check the type of an output schema."""
    schema = tool.value.get("outputSchema")
    if isinstance(schema, dict) and schema.get("type") != "object":
        # MCP 2026-07-28, schema: an output schema "can be any valid JSON Schema 2020-12".
        severity: Severity | None = "warning" if server.era == "modern" else None
        yield RuleViolation(OUTPUT_SCHEMA_TYPE, "/outputSchema", _type_message("output", schema), severity)


def _type_message(part: str, schema: JsonObject) -> str:
    found = f"is {quote(str(schema['type']))}" if "type" in schema else "is missing"
    return f"the type of the {part} schema {found}; expected object"


def _check_annotations(annotations: JsonObject, name: str) -> _Checked:
    for hint in _HINTS:
        if hint in annotations and not isinstance(annotations[hint], bool):
            message = f"{hint} is of type {type_name(annotations[hint])}; expected true or false"
            yield RuleViolation(INVALID_ANNOTATION, f"/annotations/{hint}", message)
    if annotations.get("readOnlyHint") is not True:
        return
    if annotations.get("destructiveHint") is True:
        message = "readOnlyHint and destructiveHint are both true"
        yield RuleViolation(CONTRADICTING_ANNOTATIONS, "/annotations/destructiveHint", message)
    verb = next((word for word in name.lower().replace("-", "_").split("_") if word), "")
    if verb in _CHANGING:
        message = f"readOnlyHint is true, but the name begins with {verb!r}"
        yield RuleViolation(MISLEADING_ANNOTATION, "/annotations/readOnlyHint", message)


def _check_resource(uri: str) -> _Checked:
    problem = uri_problem(uri) if uri else ""
    if problem:
        yield RuleViolation(INVALID_URI, "/uri", f"{quote(uri)!r} is not a valid URI: {problem}")


def _check_template(template: str) -> _Checked:
    if not template:
        return
    problem = template_problem(template)
    if problem:
        yield RuleViolation(
            INVALID_TEMPLATE, "/uriTemplate", f"{quote(template)!r} is not a valid URI template: {problem}"
        )
        return
    names = template_variables(template)
    if not names:
        yield RuleViolation(TEMPLATE_VARIABLES, "/uriTemplate", "the template has no variables")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        yield RuleViolation(
            TEMPLATE_VARIABLES, "/uriTemplate", f"the template contains the variable {twice[0]!r} more than once"
        )


def _check_arguments(arguments: list[Json]) -> _Checked:
    seen: set[str] = set()
    for at, one in enumerate(arguments):
        name = as_object(one).get("name")
        if not isinstance(name, str) or not name:
            yield RuleViolation(INVALID_DEFINITION, f"/arguments/{at}/name", "the argument has no name")
        elif name in seen:
            yield RuleViolation(DUPLICATE_NAME, f"/arguments/{at}/name", f"two arguments are named {quote(name)!r}")
        else:
            seen.add(name)


def find_duplicates(definitions: list[Definition]) -> Iterator[tuple[Definition, RuleViolation]]:
    """Find the definitions that have the same name or URI as an earlier one."""
    seen: set[tuple[str, str]] = set()
    for one in definitions:
        key = (one.kind, one.name)
        if key in seen:
            member = KINDS[one.kind][1]
            violated = RuleViolation(
                DUPLICATE_NAME, f"/{member}", f"an earlier {one.kind} has the same {member} {quote(one.name)!r}"
            )
            yield one, violated
        seen.add(key)


def check_lists(server: ServerLists) -> _Checked:
    """Check the capabilities against the lists."""
    for capability in ("tools", "resources", "prompts"):
        if not isinstance(server.capabilities.get(capability), dict):
            continue
        keys = ("resources", "resourceTemplates") if capability == "resources" else (capability,)
        found = [server.lists[key] for key in keys if key in server.lists]
        if found and not any(found):
            message = f"the server declares {capability}, but lists none"
            yield RuleViolation(EMPTY_CAPABILITY, f"/capabilities/{capability}", message)
    for name, problem in server.problems:
        rule = PAGINATION if name == PAGINATION.id else LIST_FAILED
        yield RuleViolation(rule, "", problem)

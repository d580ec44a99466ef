"""Style rules, which are checked only with --pedantic."""

import re
from collections import Counter
from collections.abc import Iterator

from mcpi.core.jsontext.values import as_list, as_object, as_text
from mcpi.core.lint.definitions import Definition, ServerLists, escape_token
from mcpi.core.lint.rule import SPECIFICATION, Rule, RuleViolation
from mcpi.core.wire.violations import quote

_GUIDE = "https://www.anthropic.com/engineering/writing-tools-for-agents"

MISSING_DESCRIPTION = Rule(
    "missing-description",
    "info",
    "Tools, prompts and resource templates should have a description.",
    "Models and users read the description to decide what to use.",
    "Add a description that states what the tool, prompt or template does and when to use it.",
    _GUIDE,
    pedantic=True,
)
MISSING_PARAMETER_DESCRIPTION = Rule(
    "missing-parameter-description",
    "info",
    "Each parameter of a tool should have a description.",
    "Without a description, a model knows only the name and the type when it chooses a value.",
    "Describe the parameter, with its unit or an example.",
    _GUIDE,
    pedantic=True,
    grouped=True,
)
REDUNDANT_HINT = Rule(
    "redundant-hint",
    "info",
    "A read-only tool should set neither destructiveHint nor idempotentHint to false.",
    "Both hints describe what a tool changes, so they have no meaning if readOnlyHint is true.",
    "Remove the hint.",
    f"{SPECIFICATION}/schema#toolannotations",
    pedantic=True,
)
MISSING_ANNOTATIONS = Rule(
    "missing-annotations",
    "info",
    "A tool should declare whether it is read-only.",
    "Without readOnlyHint, clients must assume that the tool changes something.",
    "Add readOnlyHint to the annotations: true if the tool only reads, otherwise false.",
    f"{SPECIFICATION}/schema#toolannotations",
    pedantic=True,
)
MIXED_NAMES = Rule(
    "mixed-name-styles",
    "info",
    "All tool names of a server should have the same style.",
    "Models and users can misspell a name if its style differs from that of the other names.",
    "Use one style for all names, such as snake_case.",
    _GUIDE,
    pedantic=True,
)
REPEATED_REQUIRED = Rule(
    "repeated-required",
    "info",
    'The names in "required" should be unique.',
    "JSON Schema requires this, and a strict validator can reject the schema.",
    "Remove the repeated name.",
    "https://json-schema.org/draft/2020-12/json-schema-validation#section-6.5.3",
    pedantic=True,
)
DIFFERING_TITLES = Rule(
    "differing-titles",
    "info",
    "The title in a tool's annotations should not differ from the tool's title.",
    "Clients show one of the two titles, so users of different clients see different titles.",
    "Remove the title from the annotations.",
    f"{SPECIFICATION}/schema#tool",
    pedantic=True,
)
RULES = (
    *(MISSING_DESCRIPTION, MISSING_PARAMETER_DESCRIPTION, REDUNDANT_HINT, MISSING_ANNOTATIONS, MIXED_NAMES),
    *(REPEATED_REQUIRED, DIFFERING_TITLES),
)

_STYLES = {
    "snake_case": re.compile(r"[a-z0-9]+(_[a-z0-9]+)+"),
    "kebab-case": re.compile(r"[a-z0-9]+(-[a-z0-9]+)+"),
    "camelCase": re.compile(r"[a-z0-9]+([A-Z][a-z0-9]*)+"),
    "PascalCase": re.compile(r"([A-Z][a-z0-9]*)+"),
}


def check_definition(definition: Definition) -> Iterator[RuleViolation]:
    """Check one definition."""
    value = definition.value
    if definition.kind != "resource" and not as_text(value.get("description")).strip():
        yield RuleViolation(MISSING_DESCRIPTION, "", f"the {definition.kind} has no description")
    if definition.kind != "tool":
        return
    schema = as_object(value.get("inputSchema"))
    for name, one in as_object(schema.get("properties")).items():
        if not as_text(as_object(one).get("description")) and "$ref" not in as_object(one):
            place = f"/inputSchema/properties/{escape_token(name)}"
            yield RuleViolation(MISSING_PARAMETER_DESCRIPTION, place, f"the parameter {name!r} has no description")
    required = [name for name in as_list(schema.get("required")) if isinstance(name, str)]
    if len(set(required)) < len(required):
        name = Counter(required).most_common(1)[0][0]
        message = f'"required" contains {quote(name)!r} more than once'
        yield RuleViolation(REPEATED_REQUIRED, "/inputSchema/required", message)
    yield from _check_annotations(definition)


def _check_annotations(tool: Definition) -> Iterator[RuleViolation]:
    annotations, title = as_object(tool.value.get("annotations")), tool.value.get("title")
    if "readOnlyHint" not in annotations:
        yield RuleViolation(MISSING_ANNOTATIONS, "", "the tool does not declare whether it is read-only")
    elif annotations["readOnlyHint"] is True:
        for hint in ("idempotentHint", "destructiveHint"):
            if annotations.get(hint) is False:
                yield RuleViolation(
                    REDUNDANT_HINT, f"/annotations/{hint}", f"{hint} has no meaning if readOnlyHint is true"
                )
    if title and annotations.get("title") and title != annotations["title"]:
        yield RuleViolation(
            DIFFERING_TITLES, "/annotations/title", "the title in the annotations differs from the tool's title"
        )


def check_lists(server: ServerLists) -> Iterator[RuleViolation]:
    """Check the names of the tools together."""
    names = [as_text(as_object(tool).get("name")) for tool in server.lists.get("tools", ())]
    used = {style: next((name for name in names if form.fullmatch(name)), "") for style, form in _STYLES.items()}
    examples = [f"{style} ({name})" for style, name in used.items() if name]
    if len(examples) > 1:
        yield RuleViolation(MIXED_NAMES, "/tools", f"the tool names have different styles: {', '.join(examples)}")

"""Rules about parts of a definition other than schemas: annotations, prompt arguments, MIME types, tasks."""

from collections.abc import Iterator

from mcpi.core.diff.families.diff_rule import SPECIFICATION, DiffRule

_ARGUMENTS = f"{SPECIFICATION}/schema#promptargument"
_RESOURCES = f"{SPECIFICATION}/server/resources#resource"
_OUTPUT = f"{SPECIFICATION}/server/tools#output-schema"
_TASKS = f"{SPECIFICATION}/basic/utilities/tasks"
_ANNOTATIONS = f"{SPECIFICATION}/schema#toolannotations"
_KEEP_TYPE = "Continue to serve the old type at the old URI, and offer the new type at a new URI."
_OPTIONAL = "Make the argument optional, or add a new prompt and keep the old one."
_BOTH_WAYS = 'Set "taskSupport" to "optional".'
_NEW_TOOL = "Offer the new behaviour as a separate tool, and leave the old tool unchanged."
_HINTS = (
    ("read-only", "readOnlyHint", "true", "the tool may change something", "the tool changes nothing"),
    ("destructive", "destructiveHint", "false", "the tool may delete or overwrite data", "the tool only adds data"),
    (
        *("idempotent", "idempotentHint", "true"),
        *("repeating a call may have a further effect", "repeating a call has no further effect"),
    ),
    (
        *("open-world", "openWorldHint", "false"),
        *("the tool may interact with external systems", "the tool interacts with no external systems"),
    ),
)
"""Each hint with its stronger value, and the meaning of the weaker and of the stronger value."""


def _hints() -> Iterator[DiffRule]:
    for name, hint, better, weak, _ in _HINTS:
        sentence = f"the {hint} is no longer {better}: {weak}"
        yield DiffRule(f"{name}-hint-weakened", "breaking", sentence, _ANNOTATIONS, _NEW_TOOL)
    for name, hint, better, _, strong in _HINTS:
        yield DiffRule(f"{name}-hint-strengthened", "additive", f"the {hint} is now {better}: {strong}", _ANNOTATIONS)


RULES = (
    DiffRule(
        "mime-type-changed", "breaking", "the MIME type changed: clients expect the old one", _RESOURCES, _KEEP_TYPE
    ),
    DiffRule(
        "mime-type-removed",
        "breaking",
        "the MIME type was removed: clients may no longer know how to show the content",
        _RESOURCES,
        "Continue to declare the MIME type.",
    ),
    DiffRule(
        "mime-type-added", "additive", "a MIME type was added: clients now know the type of the content", _RESOURCES
    ),
    DiffRule(
        "argument-removed",
        "breaking",
        "an argument of the prompt was removed: servers may reject requests that contain the argument, or ignore it",
        _ARGUMENTS,
        "Keep the argument, and ignore it if it is no longer needed.",
    ),
    DiffRule(
        "argument-added",
        "additive",
        "an optional argument was added to the prompt: requests without it are still valid",
        _ARGUMENTS,
    ),
    DiffRule(
        "required-argument-added",
        "breaking",
        "a required argument was added to the prompt: requests without it fail",
        _ARGUMENTS,
        _OPTIONAL,
    ),
    DiffRule(
        "argument-required",
        "breaking",
        "an argument of the prompt became required: requests without it fail",
        _ARGUMENTS,
        _OPTIONAL,
    ),
    DiffRule(
        "argument-optional",
        "additive",
        "an argument of the prompt became optional: requests with it are still valid",
        _ARGUMENTS,
    ),
    DiffRule(
        "output-schema-removed",
        "breaking",
        "the output schema was removed: results may no longer have structured content",
        _OUTPUT,
        "Keep the output schema, and continue to return structured content that matches it.",
    ),
    DiffRule(
        "output-schema-added",
        "additive",
        "an output schema was added: clients now know the structure of the results",
        _OUTPUT,
    ),
    DiffRule(
        "task-support-removed",
        "breaking",
        "the tool no longer supports tasks: calls that run as a task fail",
        _TASKS,
        _BOTH_WAYS,
    ),
    DiffRule(
        "task-support-required",
        "breaking",
        "the tool now requires tasks: calls that do not run as a task fail",
        _TASKS,
        _BOTH_WAYS,
    ),
    DiffRule("task-support-added", "additive", "the tool can now be called both with and without a task", _TASKS),
    *_hints(),
)

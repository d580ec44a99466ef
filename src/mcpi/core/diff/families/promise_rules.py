"""Rules about parts of a definition other than schemas: annotations, prompt arguments, MIME types, tasks."""

from mcpi.core.diff.families.diff_rule import SPECIFICATION, DiffRule, Effect

_ARGUMENTS = f"{SPECIFICATION}/schema#promptargument"
_RESOURCES = f"{SPECIFICATION}/server/resources#resource"
_OUTPUT = f"{SPECIFICATION}/server/tools#output-schema"
_TASKS = f"{SPECIFICATION}/basic/utilities/tasks"
_ANNOTATIONS = f"{SPECIFICATION}/schema#toolannotations"
_KEEP_TYPE = "Continue to serve the old type at the old URI."
_OPTIONAL = "Make the argument optional, or add a new prompt and keep the old one."
_BOTH_WAYS = 'Set "taskSupport" to "optional".'
_NEW_TOOL = "Add the new behaviour as a separate tool, and leave the old tool unchanged."
_HINTS = {
    "read-only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open-world": "openWorldHint",
}


def _hints(change: str, effect: Effect, consequence: str, fix: str = "") -> tuple[DiffRule, ...]:
    return tuple(
        DiffRule(f"{name}-hint-{change}", effect, f"the {hint} is {consequence}", _ANNOTATIONS, fix)
        for name, hint in _HINTS.items()
    )


RULES = (
    DiffRule("mime-type-changed", "breaking", "clients expect the old MIME type", _RESOURCES, _KEEP_TYPE),
    DiffRule("mime-type-removed", "breaking", "clients no longer know the MIME type", _RESOURCES, _KEEP_TYPE),
    DiffRule("mime-type-added", "additive", "clients now know the MIME type", _RESOURCES),
    DiffRule(
        "argument-removed",
        "breaking",
        "requests with the argument may be rejected, or the argument ignored",
        _ARGUMENTS,
        "Keep the argument, and ignore it if it is no longer needed.",
    ),
    DiffRule("argument-added", "additive", "the new argument is optional", _ARGUMENTS),
    DiffRule("required-argument-added", "breaking", "requests without the new argument fail", _ARGUMENTS, _OPTIONAL),
    DiffRule("argument-required", "breaking", "requests without the argument fail", _ARGUMENTS, _OPTIONAL),
    DiffRule("argument-optional", "additive", "requests with the argument are still valid", _ARGUMENTS),
    DiffRule(
        "output-schema-removed",
        "breaking",
        "structured content is no longer guaranteed",
        _OUTPUT,
        "Keep the output schema, and return structured content.",
    ),
    DiffRule("output-schema-added", "additive", "the structure of results is now documented", _OUTPUT),
    DiffRule("task-support-removed", "breaking", "calls that run as a task fail", _TASKS, _BOTH_WAYS),
    DiffRule("task-support-required", "breaking", "calls that do not run as a task fail", _TASKS, _BOTH_WAYS),
    DiffRule("task-support-added", "additive", "the tool can be called in more ways", _TASKS),
    *_hints("weakened", "breaking", "weaker: the tool may do more than before", _NEW_TOOL),
    *_hints("strengthened", "additive", "stronger: the tool guarantees more than before"),
)

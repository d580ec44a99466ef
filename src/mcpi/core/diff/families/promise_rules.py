"""Rules about what a definition promises beside its schemas: annotations, prompt arguments, content types, tasks."""

from mcpi.core.diff.families.diff_rule import SPECIFICATION, DiffRule, Effect

_ARGUMENTS = f"{SPECIFICATION}/schema#promptargument"
_RESOURCES = f"{SPECIFICATION}/server/resources#resource"
_OUTPUT = f"{SPECIFICATION}/server/tools#output-schema"
_TASKS = f"{SPECIFICATION}/basic/utilities/tasks"
_ANNOTATIONS = f"{SPECIFICATION}/schema#toolannotations"
_KEEP_TYPE = "Serve the old type too, at its old URI."
_OPTIONAL = "Make the argument optional, or offer a new prompt and keep the old one."
_BOTH_WAYS = 'Set "taskSupport" to "optional".'
_NEW_TOOL = "Offer what the tool can now do as a new tool, and keep the promise of the old one."
_HINTS = {
    "read-only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open-world": "openWorldHint",
}


def _hints(change: str, effect: Effect, consequence: str, fix: str = "") -> tuple[DiffRule, ...]:
    return tuple(
        DiffRule(f"{name}-hint-{change}", effect, f"{hint}: {consequence}", _ANNOTATIONS, fix)
        for name, hint in _HINTS.items()
    )


RULES = (
    DiffRule("mime-type-changed", "breaking", "clients that read it expect the old type", _RESOURCES, _KEEP_TYPE),
    DiffRule("mime-type-removed", "breaking", "clients that read it no longer know its type", _RESOURCES, _KEEP_TYPE),
    DiffRule("mime-type-added", "additive", "clients now know its type", _RESOURCES),
    DiffRule(
        "argument-removed",
        "breaking",
        "clients that send the argument are refused or ignored",
        _ARGUMENTS,
        "Keep the argument, and ignore it if it has no use any more.",
    ),
    DiffRule("argument-added", "additive", "the new argument is optional", _ARGUMENTS),
    DiffRule("required-argument-added", "breaking", "requests without the new argument fail", _ARGUMENTS, _OPTIONAL),
    DiffRule("argument-required", "breaking", "requests without the argument fail", _ARGUMENTS, _OPTIONAL),
    DiffRule("argument-optional", "additive", "requests with the argument stay valid", _ARGUMENTS),
    DiffRule(
        "output-schema-removed",
        "breaking",
        "clients that read structured content are promised nothing any more",
        _OUTPUT,
        "Keep the output schema, and return structured content.",
    ),
    DiffRule("output-schema-added", "additive", "results are described now", _OUTPUT),
    DiffRule("task-support-removed", "breaking", "calls as a task fail", _TASKS, _BOTH_WAYS),
    DiffRule("task-support-required", "breaking", "calls without a task fail", _TASKS, _BOTH_WAYS),
    DiffRule("task-support-added", "additive", "more ways to call the tool", _TASKS),
    *_hints("weakened", "breaking", "the tool can do more than clients were promised", _NEW_TOOL),
    *_hints("strengthened", "additive", "the tool promises more than before"),
)

"""Rules about texts that models and users read to decide what to use."""

from mcpi.core.diff.families.diff_rule import SPECIFICATION, TOOLS, VALIDATION, DiffRule

_LIFECYCLE = f"{SPECIFICATION}/basic/lifecycle#initialization"
_ANNOTATIONS = f"{SPECIFICATION}/server/resources#annotations"
_CHECK = "Check how clients now show the resource."

RULES = (
    DiffRule("title-changed", "routing", "the title changed: models and users read it to decide what to use", TOOLS),
    DiffRule("description-changed", "routing", "the description changed: models read it to decide what to use", TOOLS),
    DiffRule(
        "instructions-changed",
        "routing",
        "the instructions changed: they tell models how to use the server",
        _LIFECYCLE,
    ),
    DiffRule(
        "name-changed",
        "routing",
        "the name changed: users read it to decide which resource to use",
        f"{SPECIFICATION}/server/resources#resource",
        _CHECK,
    ),
    DiffRule(
        "examples-changed",
        "routing",
        "the examples changed: models follow them when they fill in arguments",
        f"{VALIDATION}#section-9.5",
    ),
    DiffRule(
        "deprecation-changed",
        "routing",
        'the value of "deprecated" changed: models may now choose something else',
        f"{VALIDATION}#section-9.3",
    ),
    DiffRule(
        "audience-changed",
        "routing",
        "the annotations changed: clients use audience and priority to decide where to show the resource",
        _ANNOTATIONS,
        _CHECK,
    ),
)

"""Rules about texts that models and users read to decide what to use."""

from mcpi.core.diff.families.diff_rule import SPECIFICATION, TOOLS, VALIDATION, DiffRule

_LIFECYCLE = f"{SPECIFICATION}/basic/lifecycle#initialization"
_ANNOTATIONS = f"{SPECIFICATION}/server/resources#annotations"

RULES = (
    DiffRule("title-changed", "routing", "models and users read the title to decide what to use", TOOLS),
    DiffRule("description-changed", "routing", "models read the description to decide what to use", TOOLS),
    DiffRule("instructions-changed", "routing", "the instructions tell models how to use the server", _LIFECYCLE),
    DiffRule(
        "name-changed",
        "routing",
        "users read the name of a resource to decide what to use",
        f"{SPECIFICATION}/server/resources#resource",
    ),
    DiffRule(
        "examples-changed",
        "routing",
        "models follow the examples when they fill in arguments",
        f"{VALIDATION}#section-9.5",
    ),
    DiffRule(
        "deprecation-changed",
        "routing",
        "a deprecation tells clients to use something else",
        f"{VALIDATION}#section-9.3",
    ),
    DiffRule(
        "audience-changed",
        "routing",
        "clients use audience and priority to decide where to show the resource",
        _ANNOTATIONS,
    ),
)

"""Rules about texts by which a model or a user chooses."""

from mcpi.core.diff.families.diff_rule import SPECIFICATION, TOOLS, VALIDATION, DiffRule

_LIFECYCLE = f"{SPECIFICATION}/basic/lifecycle#initialization"
_ANNOTATIONS = f"{SPECIFICATION}/server/resources#annotations"

RULES = (
    DiffRule("title-changed", "routing", "a title is among what a model or a user chooses by", TOOLS),
    DiffRule("description-changed", "routing", "a description is among what a model chooses by", TOOLS),
    DiffRule("instructions-changed", "routing", "the instructions tell a model how to use the server", _LIFECYCLE),
    DiffRule(
        "name-changed",
        "routing",
        "a resource's name is among what a user chooses by",
        f"{SPECIFICATION}/server/resources#resource",
    ),
    DiffRule(
        "examples-changed",
        "routing",
        "examples are among what a model fills arguments by",
        f"{VALIDATION}#section-9.5",
    ),
    DiffRule(
        "deprecation-changed",
        "routing",
        "a deprecation tells clients to prefer something else",
        f"{VALIDATION}#section-9.3",
    ),
    DiffRule(
        "audience-changed",
        "routing",
        "audience and priority tell a client whom to show the resource",
        _ANNOTATIONS,
    ),
)

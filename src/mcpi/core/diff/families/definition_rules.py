"""Rules about tools, prompts, resources and templates as a whole."""

from mcpi.core.diff.families.diff_rule import SPECIFICATION, TOOLS, DiffRule

_PROMPTS = f"{SPECIFICATION}/server/prompts#prompt"
_RESOURCES = f"{SPECIFICATION}/server/resources#resource"
_TEMPLATES = f"{SPECIFICATION}/server/resources#resource-templates"


def _definition(noun: str, removed: str, evidence: str) -> tuple[DiffRule, ...]:
    keep = f"Keep the {noun} until clients have migrated"
    both = f"Offer the {noun} under both names until clients have migrated."
    return (
        DiffRule(
            f"{noun}-removed", "breaking", f"{removed} the {noun} fail", evidence, f"{keep}, and mark it as deprecated."
        ),
        DiffRule(f"{noun}-renamed", "breaking", f"{removed} the old name fail", evidence, both),
        DiffRule(f"{noun}-added", "additive", f"a new {noun} does not affect existing clients", evidence),
    )


RULES = (
    *_definition("tool", "calls to", TOOLS),
    *_definition("prompt", "requests for", _PROMPTS),
    *_definition("resource", "reads of", _RESOURCES),
    *_definition("template", "reads through", _TEMPLATES),
)

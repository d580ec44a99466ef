"""Rules about tools, prompts, resources and templates as a whole."""

from mcpi.core.diff.families.diff_rule import SPECIFICATION, TOOLS, DiffRule

_PROMPTS = f"{SPECIFICATION}/server/prompts#prompt"
_RESOURCES = f"{SPECIFICATION}/server/resources#resource"
_TEMPLATES = f"{SPECIFICATION}/server/resources#resource-templates"


def _definition(noun: str, identifier: str, requests: tuple[str, str], evidence: str) -> tuple[DiffRule, ...]:
    """Rules for a kind of definition; `requests` are those for a removed and for a renamed definition."""
    keep = f"Keep the {noun} until clients have migrated, and state in its description that it is deprecated."
    both = f"Offer the {noun} under the old {identifier}, too, until clients have migrated."
    removed, renamed = requests
    return (
        DiffRule(f"{noun}-removed", "breaking", f"the {noun} was removed: {removed} fail", evidence, keep),
        DiffRule(f"{noun}-renamed", "breaking", f"the {noun} has a new {identifier}: {renamed} fail", evidence, both),
        DiffRule(f"{noun}-added", "additive", f"a {noun} was added: existing clients are not affected", evidence),
    )


RULES = (
    *_definition("tool", "name", ("calls to it", "calls with the old name"), TOOLS),
    *_definition("prompt", "name", ("requests for it", "requests with the old name"), _PROMPTS),
    *_definition("resource", "URI", ("reads of it", "reads of the old URI"), _RESOURCES),
    *_definition("template", "URI template", ("reads of its URIs", "reads of the old URIs"), _TEMPLATES),
)

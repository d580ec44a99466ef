"""A rule of a diff as data: a kind of change, and what it means for the clients of a server."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen

ChangeClass: TypeAlias = Literal["breaking", "additive", "routing", "cosmetic"]
Side: TypeAlias = Literal["input", "output", ""]
Effect: TypeAlias = Literal["tighter", "looser", "either", "default", "breaking", "additive", "routing", "cosmetic"]
"""How a rule is judged: the first four depend on the side of the schema."""

CLASSES: tuple[ChangeClass, ...] = ("breaking", "additive", "routing", "cosmetic")
SPECIFICATION = "https://modelcontextprotocol.io/specification/2025-11-25"
TOOLS = f"{SPECIFICATION}/server/tools#tool"
SCHEMA = f"{SPECIFICATION}/schema#tool"
JSON_SCHEMA = "https://json-schema.org/draft/2020-12/json-schema-core"
VALIDATION = "https://json-schema.org/draft/2020-12/json-schema-validation"
_JUDGED: Mapping[tuple[Effect, Side], tuple[ChangeClass, str]] = {
    ("tighter", "input"): ("breaking", "arguments that were valid before can be refused"),
    ("looser", "input"): ("additive", "all arguments that were valid before still are"),
    ("either", "input"): ("breaking", "arguments that were valid before can be refused"),
    ("default", "input"): ("breaking", "calls without the argument mean something else"),
    ("default", "output"): ("cosmetic", "results are not checked by it"),
    ("tighter", "output"): ("additive", "all results still match the schema that clients know"),
    ("looser", "output"): ("breaking", "results can have values that clients do not expect"),
    ("either", "output"): ("breaking", "results can have values that clients do not expect"),
}
_FIXES: Mapping[Effect, str] = {
    "tighter": "Accept the old arguments too, or put the new constraint into a new tool and keep the old one.",
    "looser": "Return only what the old schema allows, or put the new values into a new property.",
    "either": "Accept and return the old values too, or offer a new tool and keep the old one.",
    "default": "Keep the old default, or make the argument required in a new tool.",
    "breaking": "Keep the old form beside the new one until its clients have changed.",
    "additive": "Existing clients need no change.",
    "routing": "Run the evaluations of the server again, as models may now choose differently.",
    "cosmetic": "Clients need no change.",
}


@frozen
class DiffRule:
    """A kind of change."""

    name: str
    effect: Effect
    sentence: str
    evidence: str
    """A link to what clients rely on."""
    own_fix: str = ""
    """How to avoid that clients break, if the effect does not say it."""

    @property
    def fix(self) -> str:
        """How to avoid that clients break."""
        return self.own_fix or _FIXES[self.effect]

    def judge(self, side: Side) -> tuple[ChangeClass, str]:
        """Return the class of such a change on this side, and the reason."""
        if self.effect in ("breaking", "additive", "routing", "cosmetic"):
            return self.effect, self.sentence
        found, consequence = _JUDGED[self.effect, side]
        return found, f"{self.sentence}: {consequence}"

    @property
    def classes(self) -> str:
        """The classes for people: one, or one for each side of a schema."""
        if self.effect in ("breaking", "additive", "routing", "cosmetic"):
            return self.effect
        mine, other = self.judge("input")[0], self.judge("output")[0]
        return mine if mine == other else f"{mine} in an input, {other} in an output"

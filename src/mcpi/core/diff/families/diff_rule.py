"""A diff rule as data: a kind of change, and its effect on the clients of a server."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen

ChangeClass: TypeAlias = Literal["breaking", "additive", "routing", "cosmetic"]
Side: TypeAlias = Literal["input", "output", ""]
Effect: TypeAlias = Literal["tighter", "looser", "either", "default", "breaking", "additive", "routing", "cosmetic"]
"""The effect of a change; for the first four, the class depends on the side of the schema."""

CLASSES: tuple[ChangeClass, ...] = ("breaking", "additive", "routing", "cosmetic")
SPECIFICATION = "https://modelcontextprotocol.io/specification/2025-11-25"
TOOLS = f"{SPECIFICATION}/server/tools#tool"
SCHEMA = f"{SPECIFICATION}/schema#tool"
JSON_SCHEMA = "https://json-schema.org/draft/2020-12/json-schema-core"
VALIDATION = "https://json-schema.org/draft/2020-12/json-schema-validation"
_JUDGED: Mapping[tuple[Effect, Side], tuple[ChangeClass, str]] = {
    ("tighter", "input"): ("breaking", "arguments that used to be valid may be rejected"),
    ("looser", "input"): ("additive", "all arguments that used to be valid are still valid"),
    ("either", "input"): ("breaking", "arguments that used to be valid may be rejected"),
    ("default", "input"): ("breaking", "calls without the argument can have a different meaning"),
    ("default", "output"): ("cosmetic", "results do not depend on the default"),
    ("tighter", "output"): ("additive", "all results still match the old schema"),
    ("looser", "output"): ("breaking", "results may contain values that clients do not expect"),
    ("either", "output"): ("breaking", "results may contain values that clients do not expect"),
}
_FIXES: Mapping[Effect, str] = {
    "tighter": "Continue to accept the old arguments, or add a new tool with the constraint.",
    "looser": "Continue to return only values that the old schema allows, or return other values in a new property.",
    "either": "Keep the values that the old schema allows, or add a new tool and keep the old one.",
    "default": "Keep the old default, or add a new tool in which the argument is required.",
    "breaking": "Keep the old version in addition to the new one until clients have migrated.",
    "additive": "No fix is needed, as existing clients continue to work.",
    "routing": "If you evaluate the server with models, repeat the evaluation, because models may choose differently.",
    "cosmetic": "No fix is needed, as clients do not notice the change.",
}


@frozen
class DiffRule:
    """A kind of change."""

    name: str
    effect: Effect
    sentence: str
    evidence: str
    """A link to the documentation that clients rely on."""
    own_fix: str = ""
    """The change that does not break clients, if it differs from the usual one for the effect."""

    @property
    def fix(self) -> str:
        """The change that does not break clients."""
        return self.own_fix or _FIXES[self.effect]

    @property
    def title(self) -> str:
        """The sentence with a capital letter and a full stop."""
        return f"{self.sentence[0].upper()}{self.sentence[1:]}."

    @property
    def depends_on_side(self) -> bool:
        """True if the reason depends on whether the schema is that of the input or of the output."""
        return self.effect not in ("breaking", "additive", "routing", "cosmetic")

    def judge(self, side: Side) -> tuple[ChangeClass, str]:
        """Return the class of a change on this side, and the reason."""
        if self.effect in ("breaking", "additive", "routing", "cosmetic"):
            return self.effect, self.sentence
        found, consequence = _JUDGED[self.effect, side]
        return found, f"{self.sentence}: {consequence}"

    @property
    def classes(self) -> str:
        """The class for the documentation, or the classes of both sides if they differ."""
        if self.effect in ("breaking", "additive", "routing", "cosmetic"):
            return self.effect
        mine, other = self.judge("input")[0], self.judge("output")[0]
        return mine if mine == other else f"{mine} in input schemas, {other} in output schemas"

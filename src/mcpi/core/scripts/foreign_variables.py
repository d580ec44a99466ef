"""Find variables in the syntax of other programs, which a script does not replace."""

import re
from collections.abc import Collection, Iterator
from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen

_REFERENCE = re.compile(
    r"\$\{(?P<environment>(?:process\.)?env[.:])(?P<variable>\w+)\}"
    r"|\$\{(?P<name>[A-Za-z_]\w*)(?P<member>[.\[][^{}\"]*)\}"
    r"|\$\{\s*(?P<strange>[A-Za-z_]\w*)(?:\s+|:[^{}\"]*)\}|\$\{\s+(?P<spaced>[A-Za-z_]\w*)\s*\}"
    r"|\$?\{\{\s*(?P<braces>[A-Za-z_]\w*)\s*\}\}|\$(?P<bare>[A-Za-z_]\w*)"
)
_OWN = re.compile(r"\$\{([A-Za-z_]\w*)\}")

Mistake: TypeAlias = Literal["always", "if known", "if unused"]


@frozen
class ForeignReference:
    """A reference to a variable in the syntax of another program."""

    place: str
    name: str
    text: str
    problem: str
    mistake: Mistake
    """The scripts in which it is a mistake: all; those that have the variable; those that have it and do not use it."""

    def is_mistake(self, known: Collection[str], used: Collection[str]) -> bool:
        """Tell whether the text is a mistake in a script with these variables."""
        return self.mistake == "always" or (
            self.name in known and not (self.mistake == "if unused" and self.name in used)
        )


def references_in_step(place: str, text: str) -> Iterator[ForeignReference]:
    """Yield the references in the text of a step."""
    for found in _REFERENCE.finditer(text) if "$" in text or "{{" in text else ():
        if found["environment"]:
            name = found["variable"]
            how = f'is not replaced in a script; write ${{{name}}}, and pass --var {name}="${name}"'
            yield ForeignReference(place, name, found[0], how, "always")
        elif found["member"]:
            how = "is not replaced, as a variable has no members; capture the member as a variable of its own"
            yield ForeignReference(place, found["name"], found[0], how, "if known")
        else:
            name = found["strange"] or found["spaced"] or found["braces"] or found["bare"]
            mistake: Mistake = "if known" if found["strange"] or found["spaced"] else "if unused"
            yield ForeignReference(place, name, found[0], f"is not replaced; write ${{{name}}}", mistake)


def references_in_value(name: str, text: str) -> Iterator[ForeignReference]:
    """Yield the references in the value of the script's own variable, in which none is replaced."""
    place = f"vars.{name}"
    for found in _REFERENCE.finditer(text) if "$" in text else ():
        if found["environment"]:
            how = f"is not replaced in a script; pass the value with --var {name}=VALUE"
            yield ForeignReference(place, found["variable"], found[0], how, "always")
    for found in _OWN.finditer(text):
        yield ForeignReference(place, found[1], found[0], "is not replaced in vars; write its value", "if known")

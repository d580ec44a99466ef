"""Parse a script and check all of it before the first step runs."""

import re
from collections.abc import Mapping

from attrs import evolve, field

from mcpi.core.flags.structure import NAME_RULE, VariableName, structure
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import type_name
from mcpi.core.jsontext.variables import NAME_PATTERN, exact_text
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.scripts.step import Problems, ScriptStep, parse_step
from mcpi.core.text.suggestions import nearest


@frozen(kw_only=True)
class ScriptDocument:
    """A script as an object; an array has only the steps."""

    vars: Mapping[VariableName, Exact] = field(factory=dict)
    steps: list[Exact]


@frozen
class Script:
    """Steps of a script, and the initial variables."""

    steps: tuple[ScriptStep, ...]
    variables: Mapping[str, Exact] = field(factory=dict)

    @property
    def connects(self) -> bool:
        """Return True if a step needs a server; a script without steps does, too."""
        return not self.steps or any(step.method is None or step.method.connects for step in self.steps)


def parse(path: str, text: str, catalog: Catalog, given: Mapping[str, str]) -> Result[Script]:
    """Parse a script; the failure lists all problems."""
    problems = Problems()
    steps, variables = _document(text, problems)
    for name in given:
        if not NAME_PATTERN.fullmatch(name):
            problems.add(f"--var {name}", NAME_RULE)
    known = {**variables, **{name: exact_text(value) for name, value in given.items()}}
    parsed = tuple(parse_step(index, exact, catalog, problems) for index, exact in enumerate(steps))
    names = _names(parsed, problems)
    linked = tuple(_with_target(step, names, problems) for step in parsed)
    _check_jumps(linked, problems)
    _check_variables(linked, set(known), problems)
    if problems.found:
        first, *rest = problems.found
        more = f" (and {len(rest)} more)" if rest else ""
        return Failure(Invalid("INVALID_SCRIPT", path, f"{first}{more}", tuple(rest)))
    return Success(Script(linked, known))


def _document(text: str, problems: Problems) -> tuple[list[Exact], Mapping[str, Exact]]:
    found = parse_json_text(text)
    if isinstance(found, JsonSyntaxProblem):
        line = text.count("\n", 0, found.position) + 1
        problems.add("", f"not JSON: {found.problem} on line {line}" if text.strip() else "the script is empty")
        return [], {}
    members = {"steps": found} if isinstance(found.value, list) else found.members()
    match structure(ScriptDocument, members):
        case Success(document):
            return document.steps, document.vars
        case Failure(mistakes):
            for one in mistakes:
                if one.key == "steps":
                    kind = type_name(found.value)
                    problems.add("", f"expected an array of steps, or an object with 'steps', found {kind}")
                elif one.kind == "unknown":
                    hint = f" (did you mean {one.problem}?)" if one.problem else ""
                    problems.add(one.place, f"only 'vars' and 'steps' have a place here{hint}")
                else:
                    problems.add(one.place, one.problem)
            nothing = Exact("null", None)
            return members.get("steps", nothing).elements(), members.get("vars", nothing).members()


def _names(steps: tuple[ScriptStep, ...], problems: Problems) -> dict[str, int]:
    names: dict[str, int] = {}
    for step in steps:
        if step.name is not None and names.setdefault(step.name, step.index) != step.index:
            problems.add(f"step {step.index}, name", f"{step.name!r} is the name of step {names[step.name]} too")
    return names


def _with_target(step: ScriptStep, names: Mapping[str, int], problems: Problems) -> ScriptStep:
    """Replace the name of the step to skip to by its index."""
    action = str(step.on_error)
    place, wanted = f"step {step.index}, onError", action.removeprefix("skip-to:")
    if wanted == action:
        return step
    target = names.get(wanted, int(wanted) if re.fullmatch(r"\d{1,9}", wanted) else None)
    if target is None:
        near = nearest(wanted, names)
        problems.add(place, f"there is no step {wanted!r}" + (f" (did you mean {near}?)" if near else ""))
        return step
    if target <= step.index:
        problems.add(place, f"{action} jumps back; only a later step can be skipped to")
    return evolve(step, on_error=target)


def _check_jumps(steps: tuple[ScriptStep, ...], problems: Problems) -> None:
    for step in steps:
        if isinstance(step.on_error, int) and step.on_error > len(steps):
            problems.add(
                f"step {step.index}, onError", f"there is no step {step.on_error}, the last is {len(steps) - 1}"
            )


def _check_variables(steps: tuple[ScriptStep, ...], known: set[str], problems: Problems) -> None:
    for step in steps:
        for name in step.variables:
            if name not in known:
                near = nearest(name, known)
                hint = f" (did you mean {near}?)" if near else ""
                problems.add(f"step {step.index}", f"the variable ${{{name}}} is defined by nothing before it{hint}")
        known |= set(step.capture)


def next_index(step: ScriptStep, *, failed: bool, count: int) -> int:
    """Return the index of the next step, or the number of steps at the end."""
    if not failed or step.on_error == "continue":
        return step.index + 1
    return count if step.on_error == "stop" else int(step.on_error)

"""Parse a script and check all of it before the first step runs."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from attrs import evolve, field

from mcpi.core.flags.structure import NAME_RULE, VariableName, structure, without
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.comments import located, repeated_key
from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, parse_json_text
from mcpi.core.jsontext.values import type_name
from mcpi.core.jsontext.variables import NAME_PATTERN, exact_text
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.scripts.foreign_variables import ForeignReference, references_in_step, references_in_value
from mcpi.core.scripts.step import Problems, ScriptStep
from mcpi.core.scripts.step_parser import StepParser
from mcpi.core.scripts.text_variables import NOUNS, typed_texts
from mcpi.core.text.suggestions import did_you_mean

NO_STEPS = Exact("[]", [])
NOT_YAML = "; scripts are JSON, not YAML (see mcpi help script)"
_YAML = re.compile(r"(?:\s*#[^\n]*\n)*+\s*(?:%YAML|---|- |[A-Za-z_]\w*:\s)")
COUNTING = " (skip-to counts from 0)"


@frozen(kw_only=True)
class ScriptDocument:
    """A script as an object; an array has only the steps."""

    vars: Mapping[VariableName, Exact] = field(factory=dict)
    """Variables and their values, which steps use as ${name}; --var NAME=VALUE overrides them."""
    fail_on_error: bool = True
    """True if isError fails a step; a step's own value and the flag override it."""
    on_error: Literal["stop", "continue"] = "stop"
    """Action after a failed step: stop (default) or continue; a step's own value overrides it."""
    steps: list[Exact]
    """The steps, in order."""


@frozen
class Script:
    """Steps of a script, and the initial variables."""

    steps: tuple[ScriptStep, ...]
    variables: Mapping[str, Exact] = field(factory=dict)
    fail_on_error: bool = True
    """True if isError fails the steps that do not set their own value."""
    typed_texts: Mapping[str, Exact] = field(factory=dict)
    """Command-line variables that are strings, but would be JSON of another type if written with :=."""

    @property
    def connects(self) -> bool:
        """Return True if a step needs a server."""
        return any(step.method is None or step.method.connects_with(step.bound_args) for step in self.steps)


def parse(path: str, text: str, catalog: Catalog, given: Mapping[str, str | Exact]) -> Result[Script]:
    """Parse a script; `given` has the variables of the command line. The failure lists all problems."""
    problems = Problems()
    document = _document(path, text, problems)
    if not document.steps and not problems.found:
        problems.add("", "the script has no steps")
    for name in given:
        if not NAME_PATTERN.fullmatch(name):
            problems.add(f"--var {name}", NAME_RULE)
    own = {name: _own_value(name, value, document.vars.get(name), problems) for name, value in given.items()}
    known = {**document.vars, **own}
    parser = StepParser(catalog, problems, document.on_error)
    # The text of a step is freed when the step is parsed.
    texts = document.steps[::-1]
    references = [
        *(
            one
            for name, value in document.vars.items()
            if name not in own
            for one in references_in_value(name, value.text)
        ),
        *(one for at, step in enumerate(document.steps) for one in references_in_step(f"step {at + 1}", step.text)),
    ]
    document.steps.clear()
    parsed = tuple([parser.parse(index, texts.pop()) for index in range(len(texts))])
    names = _names(parsed, problems)
    linked = tuple(_with_target(step, names, problems) for step in parsed)
    _check_jumps(linked, problems)
    foreign = _check_references(references, linked, known, problems)
    _check_variables(linked, set(known), problems)
    _check_given(given, linked, {*document.vars, *foreign}, problems)
    if problems.found:
        problem, *rest = problems.found
        more = f" (and {len(rest)} more mistake{'s' if len(rest) > 1 else ''})" if rest else ""
        return Failure(Invalid("INVALID_SCRIPT", path, f"{problem}{more}", tuple(rest)))
    return Success(Script(linked, known, document.fail_on_error, typed_texts(own)))


def _document(path: str, text: str, problems: Problems) -> ScriptDocument:
    found = parse_json_text(text)
    if isinstance(found, JsonSyntaxProblem):
        is_yaml = path.endswith((".yaml", ".yml")) or _YAML.match(text) is not None
        problem = located(found, text) + (NOT_YAML if is_yaml else "")
        problems.add("", problem if text.strip() else "the script is empty")
        return ScriptDocument(steps=[])
    members = {"steps": found} if found.kind == "array" else found.members()
    repeated = repeated_key(found) if found.kind == "object" else None
    if repeated is not None:
        problems.add("", repeated)
    match structure(ScriptDocument, members):
        case Success(document):
            return document
        case Failure(mistakes):
            for one in mistakes:
                if one.key == "steps" and one.kind == "missing":
                    kind = type_name(found.value)
                    problems.add("", f"expected an array of steps, or an object with 'steps', found {kind}")
                else:
                    problems.add(
                        *(("", one.sentence("a script")) if one.kind == "unknown" else (one.place, one.problem))
                    )
            return structure(ScriptDocument, {"steps": NO_STEPS, **without(members, mistakes)}).unwrap()


def _own_value(name: str, given: str | Exact, default: Exact | None, problems: Problems) -> Exact:
    """Return the value of a variable of the command line; a text takes the type of the script's own value."""
    if isinstance(given, Exact):
        return given
    if default is None or default.kind in {"string", "null"}:
        return exact_text(given)
    found = parse_json_text(given)
    if isinstance(found, Exact) and found.kind == default.kind:
        return found
    kinds = f"expected {NOUNS[default.kind]}, as in the script's vars, got {given!r}"
    problems.add(f"--var {name}", f"{kinds}; for a value of another type, write --var {name}:=JSON")
    return default


def _names(steps: tuple[ScriptStep, ...], problems: Problems) -> dict[str, int]:
    names: dict[str, int] = {}
    for step in steps:
        if step.name is not None and names.setdefault(step.name, step.index) != step.index:
            problems.add(
                f"step {step.number}, name", f"{step.name!r} is already the name of step {names[step.name] + 1}"
            )
    return names


def _with_target(step: ScriptStep, names: Mapping[str, int], problems: Problems) -> ScriptStep:
    """Replace the name of the step to skip to with its index."""
    action = str(step.on_error)
    place, wanted = f"step {step.number}, onError", action.removeprefix("skip-to:")
    if wanted == action:
        return step
    target = names.get(wanted, int(wanted) if re.fullmatch(r"\d{1,9}", wanted) else None)
    if target is None:
        problems.add(place, f"unknown step {wanted!r}{did_you_mean(wanted, names)}")
        return step
    if target <= step.index:
        problems.add(place, f"{action} is not a later step{COUNTING}")
    return evolve(step, on_error=target)


def _check_jumps(steps: tuple[ScriptStep, ...], problems: Problems) -> None:
    for step in steps:
        if isinstance(step.on_error, int) and step.on_error > len(steps):
            last = f"the last step is {len(steps) - 1}{COUNTING}"
            problems.add(f"step {step.number}, onError", f"skip-to:{step.on_error} is past the end; {last}")


def _check_variables(steps: tuple[ScriptStep, ...], known: set[str], problems: Problems) -> None:
    captured = {name for step in steps for name in step.capture}
    for step in steps:
        for name in step.variables:
            if name not in known:
                near = did_you_mean(name, known)
                hint = near if near or name in captured else f'; define it with --var {name}=VALUE or in "vars"'
                problems.add(f"step {step.number}", f"the variable ${{{name}}} is not defined before this step{hint}")
        known |= set(step.capture)


def _check_references(
    references: Iterable[ForeignReference], steps: tuple[ScriptStep, ...], known: Iterable[str], problems: Problems
) -> set[str]:
    """Report references in the syntax of other programs; return the names of their variables."""
    used = {name for step in steps for name in step.variables}
    names = {*known, *(name for step in steps for name in step.capture)}
    mistakes = [one for one in references if one.is_mistake(names, used)]
    for one in dict.fromkeys(mistakes):
        problems.add(one.place, f"{one.text} {one.problem}")
    return {one.name for one in mistakes}


def _check_given(
    given: Iterable[str], steps: tuple[ScriptStep, ...], variables: Iterable[str], problems: Problems
) -> None:
    """Report the variables of the command line that the script does not use, if it has steps."""
    used = [name for step in steps for name in (*step.variables, *step.capture)]
    known = {*variables, *used}
    for name in given if steps else ():
        if name not in known and NAME_PATTERN.fullmatch(name):
            problems.add(f"--var {name}", f"the script has no variable {name!r}{did_you_mean(name, known)}")


def next_index(step: ScriptStep, *, failed: bool, count: int) -> int:
    """Return the index of the next step, or the number of steps at the end."""
    if not failed or step.on_error == "continue":
        return step.index + 1
    return count if step.on_error == "stop" else int(step.on_error)

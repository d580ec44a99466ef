"""A script: steps on one connection, checked whole before anything starts."""

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve, field

from mcpi.core import explain
from mcpi.core.catalog import Catalog
from mcpi.core.exact import Exact, Unreadable, read
from mcpi.core.expect import parse_all
from mcpi.core.faults import Invalid, nearest
from mcpi.core.frozen import frozen
from mcpi.core.json_flags import look_through
from mcpi.core.kinds import DURATION, as_flag_text, read_duration
from mcpi.core.method import AnyMethod, vendor
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.pairs import Expectation
from mcpi.core.values import as_object, type_name
from mcpi.core.variables import NAME, exact_text, named

COMMON = ("method", "wait", "name", "timeout", "onError", "allowFailure", "capture", "expect", "params")
_JUMP = re.compile(r"skip-to:(.+)")


@frozen
class ScriptStep:
    """One step: a method with its flags, or a notification to wait for."""

    index: int
    method: AnyMethod | None
    wait: str | None
    flags: Mapping[str, Exact]
    params: Exact | None = None
    name: str | None = None
    timeout: float | None = None
    on_error: str | int = "stop"
    """stop, continue, or the index of the step to go on with."""
    allow_failure: bool = False
    capture: Mapping[str, str] = field(factory=dict)
    expect: tuple[Expectation, ...] = ()
    wants: tuple[str, ...] = field(default=(), eq=False)
    """The variables in it, each once."""
    bound: Any = field(default=None, eq=False)
    """The method's arguments, if no variable has a part in them."""

    @property
    def title(self) -> str:
        """The step as a message calls it."""
        what = self.method.name if self.method is not None else f"wait {self.wait}"
        return f"step {self.index} ({self.name or what})"


@frozen
class Script:
    """All steps, and the variables they start with."""

    steps: tuple[ScriptStep, ...]
    variables: Mapping[str, Exact] = field(factory=dict)


@frozen
class Problems:
    """What is wrong with a script, each with its place."""

    found: list[str] = field(factory=list)

    def add(self, place: str, problem: str) -> None:
        """One more."""
        self.found.append(f"{place}: {problem}" if place else problem)


def parse(path: str, text: str, catalog: Catalog, given: Mapping[str, str]) -> Outcome[Script]:
    """The script, or all that is wrong with it."""
    problems = Problems()
    steps, variables = _document(text, problems)
    known = {**variables, **{name: exact_text(value) for name, value in given.items()}}
    parsed = tuple(_step(index, exact, catalog, problems) for index, exact in enumerate(steps))
    names = _names(parsed, problems)
    linked = tuple(_linked(step, exact, names, problems) for step, exact in zip(parsed, steps, strict=True))
    _check_jumps(linked, problems)
    _check_variables(linked, set(known), problems)
    if problems.found:
        first, *rest = problems.found
        more = f" (and {len(rest)} more)" if rest else ""
        return Failure(Invalid("INVALID_SCRIPT", path, f"{first}{more}", tuple(rest)))
    return Success(Script(linked, known))


def _document(text: str, problems: Problems) -> tuple[list[Exact], dict[str, Exact]]:
    found = read(text)
    if isinstance(found, Unreadable):
        line = text.count("\n", 0, found.position) + 1
        problems.add("", f"not JSON: {found.problem} on line {line}" if text.strip() else "the script is empty")
        return [], {}
    if isinstance(found.value, list):
        return found.elements(), {}
    members = found.members()
    steps = members.get("steps")
    if steps is None or not isinstance(steps.value, list):
        problems.add("", f"expected an array of steps, or an object with 'steps', found {type_name(found.value)}")
        return [], {}
    for name in members:
        if name not in {"vars", "steps"}:
            problems.add(name, "only 'vars' and 'steps' have a place here")
    return steps.elements(), _variables(members["vars"], problems) if "vars" in members else {}


def _variables(given: Exact, problems: Problems) -> dict[str, Exact]:
    if not isinstance(given.value, dict):
        problems.add("vars", f"expected an object, found {type_name(given.value)}")
    variables = given.members()
    for name in variables:
        if not NAME.fullmatch(name):
            problems.add(f"vars.{name}", "a variable's name has letters, digits and _")
    return dict(variables)


def _step(index: int, exact: Exact, catalog: Catalog, problems: Problems) -> ScriptStep:
    place, members = f"step {index}", exact.members()
    if not isinstance(exact.value, dict):
        problems.add(place, f"expected an object, found {type_name(exact.value)}")
        return ScriptStep(index, None, None, {})
    method, wait = _what(place, members, catalog, problems)
    flags = {name: one for name, one in members.items() if name not in COMMON}
    params, expect = members.get("params"), _expect(place, members, problems)
    # An escape may be how the dollar is spelled.
    wants = _wanted(flags, expect, params) if "$" in exact.text or "\\" in exact.text else ()
    step = ScriptStep(
        index,
        method,
        wait,
        flags,
        params=params,
        name=_text(place, "name", members, problems),
        timeout=_timeout(place, members, problems),
        allow_failure=_switch(place, "allowFailure", members, problems),
        capture=_capture(place, members, problems),
        expect=expect,
        wants=wants,
    )
    return _checked(place, step, problems)


def _wanted(flags: Mapping[str, Exact], expect: tuple[Expectation, ...], params: Exact | None) -> tuple[str, ...]:
    values = [one.value for one in flags.values()] + [one.wanted for one in expect]
    values += [] if params is None else [params.value]
    return tuple(dict.fromkeys(name for value in values for name in named(value)))


def _what(
    place: str, members: Mapping[str, Exact], catalog: Catalog, problems: Problems
) -> tuple[AnyMethod | None, str | None]:
    wait = _text(place, "wait", members, problems)
    name = _text(place, "method", members, problems)
    if name is None:
        if wait is None and "method" not in members and "wait" not in members:
            problems.add(place, "it has neither 'method' nor 'wait'")
        return None, wait
    if wait is not None:
        problems.add(place, "it has both 'method' and 'wait'")
    match catalog.find(name):
        case Success(method):
            return method, None
        case Failure(Invalid(code="UNKNOWN_METHOD")) if "params" in members:
            return vendor(name), None
        case Failure(fault):
            hints = "; ".join(fault.hints[:1])
            told = explain.sentence(fault).removeprefix("--method: ")
            problems.add(f"{place}, method", told + (f" ({hints})" if hints else ""))
            return None, None


def _text(place: str, key: str, members: Mapping[str, Exact], problems: Problems) -> str | None:
    value = members[key].value if key in members else None
    if key in members and not isinstance(value, str):
        problems.add(f"{place}, {key}", f"expected a string, found {type_name(value)}")
    return value if isinstance(value, str) else None


def _switch(place: str, key: str, members: Mapping[str, Exact], problems: Problems) -> bool:
    value = members[key].value if key in members else False
    if not isinstance(value, bool):
        problems.add(f"{place}, {key}", f"expected true or false, found {type_name(value)}")
    return value is True


def _timeout(place: str, members: Mapping[str, Exact], problems: Problems) -> float | None:
    if "timeout" not in members:
        return None
    text = as_flag_text(DURATION, "timeout", members["timeout"].value)
    match read_duration("timeout", text.unwrap()) if isinstance(text, Success) else text:
        case Success(seconds):
            return seconds
        case Failure(fault):
            problems.add(place, explain.sentence(fault))
            return None


def _capture(place: str, members: Mapping[str, Exact], problems: Problems) -> dict[str, str]:
    if "capture" not in members:
        return {}
    wanted = members["capture"].value
    if not isinstance(wanted, dict):
        problems.add(f"{place}, capture", f"expected an object, found {type_name(wanted)}")
    captured: dict[str, str] = {}
    for name, pointer in as_object(wanted).items():
        if not NAME.fullmatch(name):
            problems.add(f"{place}, capture", f"{name!r} is no variable's name")
        elif not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
            problems.add(f"{place}, capture.{name}", "a JSON pointer starts with '/'")
        else:
            captured[name] = pointer
    return captured


def _expect(place: str, members: Mapping[str, Exact], problems: Problems) -> tuple[Expectation, ...]:
    if "expect" not in members:
        return ()
    wanted = members["expect"].value
    if not isinstance(wanted, dict):
        problems.add(f"{place}, expect", f"expected an object of JSON pointers, found {type_name(wanted)}")
    found, wrong = parse_all(as_object(wanted))
    for problem in wrong:
        problems.add(place, problem)
    return found


def _checked(place: str, step: ScriptStep, problems: Problems) -> ScriptStep:
    """The step, with its method's arguments where they are settled."""
    if step.method is None:
        beside = [*step.flags, *(["params"] if step.params is not None else [])]
        for key in beside if step.wait is not None else ():
            problems.add(f"{place}, {key}", "a step that waits has no such key")
        return step
    if step.params is not None:
        for key in step.flags:
            problems.add(f"{place}, {key}", "'params' says it all, nothing has a place beside it")
        if not step.method.wire:
            problems.add(f"{place}, params", f"{step.method.name} is no method of the protocol")
        return step
    unsettled = {key for key, value in step.flags.items() if any(named(value.value))} if step.wants else ()
    fields, wrong = look_through(step.method, step.flags, unsettled)
    for problem in wrong:
        problems.add(place, problem)
    return step if wrong or unsettled else evolve(step, bound=step.method.args(**fields))


def _names(steps: tuple[ScriptStep, ...], problems: Problems) -> dict[str, int]:
    names: dict[str, int] = {}
    for step in steps:
        if step.name is not None and names.setdefault(step.name, step.index) != step.index:
            problems.add(f"step {step.index}, name", f"{step.name!r} is the name of step {names[step.name]} too")
    return names


def _linked(step: ScriptStep, exact: Exact, names: Mapping[str, int], problems: Problems) -> ScriptStep:
    """The step, with the place to go to on an error."""
    wish = as_object(exact.value).get("onError", "continue" if step.allow_failure else "stop")
    place = f"step {step.index}, onError"
    if wish == step.on_error:
        return step
    if wish in ("stop", "continue"):
        return evolve(step, on_error=str(wish))
    jump = _JUMP.fullmatch(wish) if isinstance(wish, str) else None
    if jump is None:
        problems.add(place, f"expected stop, continue or skip-to:STEP, found {exact.members()['onError'].text}")
        return step
    target = names.get(jump[1], int(jump[1]) if re.fullmatch(r"\d{1,9}", jump[1]) else None)
    if target is None:
        near = nearest(jump[1], names)
        problems.add(place, f"there is no step {jump[1]!r}" + (f" (did you mean {near}?)" if near else ""))
        return step
    if target <= step.index:
        problems.add(place, f"{wish} jumps back; only a later step can be skipped to")
    return evolve(step, on_error=target)


def _check_jumps(steps: tuple[ScriptStep, ...], problems: Problems) -> None:
    for step in steps:
        if isinstance(step.on_error, int) and step.on_error > len(steps):
            problems.add(
                f"step {step.index}, onError", f"there is no step {step.on_error}, the last is {len(steps) - 1}"
            )


def _check_variables(steps: tuple[ScriptStep, ...], known: set[str], problems: Problems) -> None:
    for step in steps:
        for name in step.wants:
            if name not in known:
                near = nearest(name, known)
                hint = f" (did you mean {near}?)" if near else ""
                problems.add(f"step {step.index}", f"the variable ${{{name}}} is defined by nothing before it{hint}")
        known |= set(step.capture)


def next_index(step: ScriptStep, *, failed: bool, count: int) -> int:
    """The step after this one; the number of steps when there is none."""
    if not failed or step.on_error == "continue":
        return step.index + 1
    return count if step.on_error == "stop" else int(step.on_error)

"""Parse one step of a script and collect its problems."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, field

from mcpi.core.flags.expectations import parse_all, substitute_variables
from mcpi.core.flags.pairs import Expectation
from mcpi.core.flags.types import DURATION, as_flag_text, read_duration
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import as_object, type_name
from mcpi.core.jsontext.variables import NAME_PATTERN, substitute, variables_in
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.bind_json import bind, read_fields
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod, vendor_method
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Plan, request

COMMON_KEYS = ("method", "wait", "name", "timeout", "onError", "allowFailure", "capture", "expect", "params")


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
    """stop, continue, or the index of the step to continue with."""
    allow_failure: bool = False
    capture: Mapping[str, str] = field(factory=dict)
    expect: tuple[Expectation, ...] = ()
    variables: tuple[str, ...] = field(default=(), eq=False)
    """Names of the variables that the step uses, without duplicates."""
    bound_args: Any = field(default=None, eq=False)
    """Arguments of the method if they contain no variables."""

    @property
    def title(self) -> str:
        """Name of the step in messages."""
        what = self.method.name if self.method is not None else f"wait {self.wait}"
        return f"step {self.index} ({self.name or what})"


@frozen
class Problems:
    """Problems found in a script, each with its location."""

    found: list[str] = field(factory=list)

    def add(self, place: str, problem: str) -> None:
        """Add a problem."""
        self.found.append(f"{place}: {problem}" if place else problem)


def parse_step(index: int, exact: Exact, catalog: Catalog, problems: Problems) -> ScriptStep:
    """Parse a step, and add its problems to the list."""
    place, members = f"step {index}", exact.members()
    if not isinstance(exact.value, dict):
        problems.add(place, f"expected an object, found {type_name(exact.value)}")
        return ScriptStep(index, None, None, {})
    method, wait = _method_or_wait(place, members, catalog, problems)
    flags = {name: one for name, one in members.items() if name not in COMMON_KEYS}
    params, expect = members.get("params"), _expect(place, members, problems)
    # The dollar sign may be written as an escape.
    capture = _capture(place, members, problems)
    places = [*(one.pointer for one in expect), *capture.values()]
    wants = _variable_names(flags, expect, params, places) if "$" in exact.text or "\\" in exact.text else ()
    step = ScriptStep(
        index,
        method,
        wait,
        flags,
        params=params,
        name=_text(place, "name", members, problems),
        timeout=_timeout(place, members, problems),
        allow_failure=_boolean(place, "allowFailure", members, problems),
        capture=capture,
        expect=expect,
        variables=wants,
        bound_args=_bind_if_constant(place, method, flags, wants, problems)
        if method is not None and params is None
        else None,
    )
    for key, problem in _disallowed_keys(step):
        problems.add(f"{place}, {key}", problem)
    return step


def _variable_names(
    flags: Mapping[str, Exact], expect: tuple[Expectation, ...], params: Exact | None, places: list[str]
) -> tuple[str, ...]:
    values = [*(one.value for one in flags.values()), *(one.expected for one in expect), *places]
    values += [] if params is None else [params.value]
    return tuple(dict.fromkeys(name for value in values for name in variables_in(value)))


def _method_or_wait(
    place: str, members: Mapping[str, Exact], catalog: Catalog, problems: Problems
) -> tuple[AnyMethod | None, str | None]:
    wait = _text(place, "wait", members, problems)
    if wait == "":
        problems.add(f"{place}, wait", "a notification has a name")
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
            return vendor_method(name), None
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


def _boolean(place: str, key: str, members: Mapping[str, Exact], problems: Problems) -> bool:
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
        if not NAME_PATTERN.fullmatch(name):
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


def _disallowed_keys(step: ScriptStep) -> Iterator[tuple[str, str]]:
    """Yield each key that is not allowed in this kind of step, with the reason."""
    if step.wait is not None:
        for key in [*step.flags, *(["params"] if step.params is not None else [])]:
            yield key, "a step that waits has no such key"
    elif step.params is not None and step.method is not None:
        for key in step.flags:
            yield key, "'params' says it all, nothing has a place beside it"
        if not step.method.is_protocol_method:
            yield "params", f"{step.method.name} is no method of the protocol"


def _bind_if_constant(
    place: str, method: AnyMethod, flags: Mapping[str, Exact], wants: tuple[str, ...], problems: Problems
) -> Any:  # noqa: ANN401 - each method has its own class of arguments
    """Bind and check the method's arguments if they contain no variables."""
    variable_keys = {key for key, value in flags.items() if any(variables_in(value.value))} if wants else ()
    fields, wrong = read_fields(method, flags, variable_keys)
    for problem in wrong:
        problems.add(place, problem)
    if wrong or variable_keys:
        return None
    bound = method.args(**fields)
    begun = begin(method.start(bound))
    if not isinstance(begun, PlanResult):
        begun.plan.close()
    elif begun.fault is not None:
        problems.add(place, explain.sentence(begun.fault))
    return bound


def fill_step(step: ScriptStep, variables: Mapping[str, Exact]) -> Result[ScriptStep]:
    """Fill in the step's variables."""
    wants = step.variables
    if not wants:
        return Success(step)
    missing = [name for name in wants if name not in variables]
    if missing:
        problem = f"the variable ${{{missing[0]}}} has no value: the step that captures it did not succeed"
        return Failure(Invalid("INVALID_ARGUMENT", step.title, problem))
    flags = {key: substitute(value, variables) for key, value in step.flags.items()}
    params = None if step.params is None else substitute(step.params, variables)
    match substitute_variables(step.expect, variables):
        case Success(expect):
            return Success(evolve(step, flags=flags, params=params, expect=expect))
        case Failure(fault):
            return Failure(Invalid("INVALID_ARGUMENT", step.title, explain.sentence(fault)))


def step_plan(step: ScriptStep, method: AnyMethod) -> Result[Plan]:
    """Build the plan of a step whose variables are filled in."""
    if step.params is not None:
        return Success(request(method.name, step.params))
    if step.bound_args is not None:
        return Success(method.start(step.bound_args))
    match bind(method, step.flags):
        case Success(args):
            return Success(method.start(args))
        case Failure() as failed:
            return failed

"""One step of a script, its variables, and its plan."""

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve, field

from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.expectations import substitute_variables
from mcpi.core.flags.pairs import Expectation
from mcpi.core.flags.structure import bind
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import as_text
from mcpi.core.jsontext.variables import substitute
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Fault, Invalid, MissingCapability, OperationFailed, RpcError
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.steps import Plan, request
from mcpi.core.scripts.step_keys import Retry

DURATIONS = ("timeout", "maxDuration")
"""Keys whose bare numbers are milliseconds."""
_ARGUMENTS = re.compile(r"\badd(?: \S+=VALUE)+$")
_FLAG = re.compile(r"--[a-z][a-z-]*")


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
    fail_on_error: bool | None = None
    """True if isError fails the step; None leaves it to the script."""
    retry: Retry | None = None
    max_duration: float | None = None
    capture: Mapping[str, str] = field(factory=dict)
    expect: tuple[Expectation, ...] = ()
    variables: tuple[str, ...] = field(default=(), eq=False)
    """Names of the variables that the step uses, without duplicates."""
    bare_numbers: Mapping[str, str] = field(factory=dict, eq=False)
    """Durations of less than a second without a unit, by key."""
    bound_args: Any = field(default=None, eq=False)
    """Arguments of the method if they contain no variables."""

    def unit_hints(self, key: str) -> tuple[str, ...]:
        """Return a hint if the duration of this key has no unit and may have been meant as seconds."""
        number = self.bare_numbers.get(key)
        return () if number is None else (f'{key} {number} means {number} ms; write "{number}s" for seconds',)

    @property
    def number(self) -> int:
        """Position of the step in messages, counted from 1."""
        return self.index + 1

    @property
    def label(self) -> str:
        """The step's name, else its method and tool."""
        if self.name is not None:
            return self.name
        if self.method is None:
            return f"wait {self.wait}"
        return f"{self.method.name} {self.tool}".rstrip()

    @property
    def tool(self) -> str:
        """Name of the tool that the step calls, or an empty string."""
        if self.method is None or self.method.name != "tools/call":
            return ""
        name = self.flags.get("toolName") if self.params is None else self.params.members().get("name")
        return "" if name is None else as_text(name.value)

    @property
    def title(self) -> str:
        """Name of the step in messages."""
        return f"step {self.number} ({self.label})"


@frozen
class Problems:
    """Problems found in a script, each with its location."""

    found: list[str] = field(factory=list)

    def add(self, place: str, problem: str) -> None:
        """Add a problem."""
        self.found.append(f"{place}: {problem}" if place else problem)


def with_step_keys(fault: Fault, method: AnyMethod) -> Fault:
    """Return the fault of a method with the keys of a step instead of flags and arguments of the command line."""
    if not isinstance(fault, Invalid | MissingCapability | OperationFailed | RpcError):
        return fault
    keys = {spelled: flag.key for spelled, flag in by_spelling((method.args,)).items() if spelled.startswith("--")}

    def worded(text: str) -> str:
        text = _ARGUMENTS.sub(lambda found: f"add {'it' if found[0].count('=') == 1 else 'them'} to toolArgs", text)
        return _FLAG.sub(lambda found: keys.get(found[0], found[0]), text)

    fault = evolve(fault, hints=tuple(map(worded, fault.hints)))
    if not isinstance(fault, Invalid | MissingCapability):
        # The problem quotes the server.
        return fault
    fault = evolve(fault, problem=worded(fault.problem))
    return evolve(fault, where=worded(fault.where)) if isinstance(fault, Invalid) else fault


def fill_step(step: ScriptStep, variables: Mapping[str, Exact]) -> Result[ScriptStep]:
    """Fill in the step's variables."""
    missing = [name for name in step.variables if name not in variables]
    if missing:
        problem = f"the variable ${{{missing[0]}}} has no value because the step that captures it failed or was skipped"
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
    match bind(method.args, step.flags, method.name):
        case Success(args):
            return Success(method.start(args))
        case Failure() as failed:
            return failed

"""Parse the steps of a script and collect their problems."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from attrs import evolve, fields

from mcpi.core.flags.declare import flags_of, json_fields
from mcpi.core.flags.foreign_names import KEY_NAMES, NO_PAUSE, PAUSES, meant_key
from mcpi.core.flags.foreign_operators import short_operand
from mcpi.core.flags.structure import UNRESOLVED, Mistake, json_key, structure, without
from mcpi.core.flags.types import is_below_second
from mcpi.core.jsontext.comments import repeated_key
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, as_object, type_name
from mcpi.core.jsontext.variables import NAME_PATTERN, variables_in
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod, vendor_method
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.scripts.step import DURATIONS, Problems, ScriptStep, with_step_keys
from mcpi.core.scripts.step_keys import COMMON_KEYS, StepKeys
from mcpi.core.secrets.detection import secrets_in_pairs
from mcpi.core.text.suggestions import did_you_mean, nearest
from mcpi.core.wire.violations import quote

Head: TypeAlias = tuple[StepKeys, AnyMethod | None]
"""The common keys of a step, and its method."""
REQUIRED = "'method' or 'wait' is required"
_METHOD_KEYS = {
    "tools/call": ("toolName", "toolArgs"),
    "prompts/get": ("promptName", "promptArgs"),
    "resources/read": ("uri",),
}
"""Keys that show which method is meant if a step has none."""
_MOST_KEPT = 1000
"""Maximum number of different heads, values and arguments that are kept for later steps."""


class StepParser:
    """A parser for the steps of one script; parts that equal those of earlier steps are not parsed again."""

    def __init__(self, catalog: Catalog, problems: Problems, on_error: str = "stop") -> None:
        """Start without steps; the problems of all steps are added to the list. `on_error` is the script's default."""
        self._catalog = catalog
        self._problems = problems
        self._on_error = on_error
        self._heads: dict[tuple[str, ...], Head] = {}
        self._values: dict[str, Exact] = {}
        self._arguments: dict[tuple[str, ...], dict[str, Any]] = {}

    def parse(self, index: int, exact: Exact) -> ScriptStep:
        """Parse a step, and add its problems to the list."""
        problems, place, members = self._problems, f"step {index + 1}", exact.members()
        if exact.kind != "object":
            problems.add(place, f"expected an object, found {type_name(exact.value)}")
            return ScriptStep(index, None, None, {})
        repeated = repeated_key(exact)
        if repeated is not None:
            problems.add(place, repeated)
        keys, method = self._head(place, members)
        flags = {key: self._kept(value) for key, value in members.items() if key not in COMMON_KEYS}
        # The dollar sign may be written as an escape.
        variables = _variable_names(flags, keys) if "$" in exact.text or "\\" in exact.text else ()
        step = ScriptStep(
            index,
            method,
            keys.wait if keys.method is None else None,
            flags,
            params=keys.params,
            name=keys.name,
            timeout=keys.timeout,
            on_error=keys.on_error or ("continue" if keys.allow_failure else self._on_error),
            allow_failure=keys.allow_failure,
            fail_on_error=keys.fail_on_error,
            retry=keys.retry,
            max_duration=keys.max_duration,
            capture=_captured(keys.capture, flags, method),
            expect=keys.expect,
            variables=variables,
            bare_numbers={key: text for key in DURATIONS if is_below_second(text := _bare_text(members.get(key)))},
            bound_args=None
            if method is None or keys.params is not None
            else self._bound(place, method, flags, keys, variables),
        )
        for key, problem in _disallowed_keys(step):
            problems.add(f"{place}, {key}", problem)
        return step

    def _head(self, place: str, members: Mapping[str, Exact]) -> Head:
        """Return the common keys and the method; most steps have those of an earlier one."""
        given = {key: value for key, value in members.items() if key in COMMON_KEYS}
        spelled = tuple([text for key, value in given.items() for text in (key, value.text)])
        head = self._heads.get(spelled)
        if head is None:
            count = len(self._problems.found)
            keys = _keys(place, given, self._problems)
            head = (keys, _method(place, keys, members, self._catalog, self._problems))
            if count == len(self._problems.found) and len(self._heads) < _MOST_KEPT:
                self._heads[spelled] = head
        return head

    def _kept(self, value: Exact) -> Exact:
        """Return the value to keep: an object or array as its text, a scalar as the equal one of an earlier step."""
        if value.kind in {"object", "array"}:
            return Exact(value.text)
        kept = self._values.get(value.text)
        if kept is None and len(self._values) < _MOST_KEPT:
            self._values[value.text] = value
        return kept or value

    def _bound(
        self, place: str, method: AnyMethod, flags: Mapping[str, Exact], keys: StepKeys, variables: tuple[str, ...]
    ) -> Any:  # noqa: ANN401 - each method has its own class of arguments
        """Bind and check the method's arguments; return None if they contain variables."""
        unsettled = [key for key, value in flags.items() if any(variables_in(value.value))] if variables else ()
        bound = self._structured(place, method, {**flags, **dict.fromkeys(unsettled, UNRESOLVED)}, keys)
        if unsettled or bound is None:
            return None
        begun = begin(method.start(bound))
        if not isinstance(begun, PlanResult):
            begun.plan.close()
        elif begun.fault is not None:
            _add_fault(place, with_step_keys(begun.fault, method), flags, self._problems)
        return bound

    def _structured(self, place: str, method: AnyMethod, flags: Mapping[str, Exact], keys: StepKeys) -> Any:  # noqa: ANN401 - see above
        """Bind the arguments; if they differ from an earlier step's only in JSON values, the others are reused."""
        json = {key: field for key, field in json_fields(method.args).items() if key in flags}
        shape = (method.name, *flags, *[value.text for key, value in flags.items() if key not in json])
        others = self._arguments.get(shape) if json else None
        if others is not None:
            return method.args(**others, **{field: flags[key] for key, field in json.items()})
        match structure(method.args, flags, COMMON_KEYS):
            case Success(bound):
                if json and len(self._arguments) < _MOST_KEPT:
                    self._arguments[shape] = {
                        flag.field: getattr(bound, flag.field)
                        for flag in flags_of(method.args)
                        if flag.key in flags and flag.key not in json
                    }
                return bound
            case Failure(mistakes):
                for one in mistakes:
                    if one.kind == "value":
                        self._problems.add(f"{place}, {one.place}", one.problem + _meant_object(one, method))
                    else:
                        self._problems.add(place, one.sentence(method.name) + _meant_name(one, keys))
                return None


def _keys(place: str, members: Mapping[str, Exact], problems: Problems) -> StepKeys:
    """Return the common keys; those with mistakes are omitted."""
    match structure(StepKeys, members):
        case Success(keys):
            return keys
        case Failure(mistakes):
            for one in mistakes:
                problems.add(f"{place}, {one.place}" if one.kind == "value" else place, _sentence(one, members))
            # Keep the valid captures, as they define variables; other objects may require a member that is left out.
            wrong = {one.key for one in mistakes} - {"capture"}
            rest = {key: value for key, value in without(members, mistakes).items() if key not in wrong}
            return structure(StepKeys, rest).unwrap()


def _sentence(mistake: Mistake, members: Mapping[str, Exact]) -> str:
    """Describe a mistake in the keys; only keys with an object as value have unknown or missing members."""
    if mistake.key == "capture" and (pointer := str(mistake.path[-1])).startswith("/"):
        name = members["capture"].members()[pointer].value
        valid = name if isinstance(name, str) and NAME_PATTERN.fullmatch(name) else "NAME"
        return f"the name comes before the pointer; write {dump({valid: pointer})}"
    if mistake.path == ("retry",) and mistake.expected:
        times = value if type(value := members["retry"].value) is int else 3
        return f'{mistake.problem}; write {{"times": {times}, "interval": "1s"}}'
    return mistake.problem if mistake.kind == "value" else evolve(mistake, path=mistake.path[1:]).sentence(mistake.key)


def _meant_object(mistake: Mistake, method: AnyMethod) -> str:
    """Suggest the plural key, whose value is an object, such as toolArgs."""
    plural = f"{mistake.key}s"
    return f" (did you mean {plural}?)" if mistake.found == "object" and plural in json_fields(method.args) else ""


def _meant_name(mistake: Mistake, keys: StepKeys) -> str:
    """Explain a missing flag whose value may be in the key of the step's name, or an unknown key for a pause."""
    if mistake.kind == "unknown":
        return f"; {NO_PAUSE}" if mistake.key in PAUSES else ""
    is_meant = keys.name is not None and mistake.key in KEY_NAMES["item"]
    return f"; 'name' is the name of the step (did you mean {mistake.key}?)" if is_meant else ""


def _bare_text(value: Exact | None) -> str:
    """Return the text of a duration, which may be a number or a string."""
    return "" if value is None else value.text.strip('" ')


def _add_fault(place: str, fault: Fault, flags: Mapping[str, Exact], problems: Problems) -> None:
    """Add a fault that a method reported before its first request."""
    if isinstance(fault, Invalid) and fault.where in flags:
        problems.add(f"{place}, {fault.where}", fault.problem)
    else:
        problems.add(place, explain.sentence(fault))


def _variable_names(flags: Mapping[str, Exact], keys: StepKeys) -> tuple[str, ...]:
    values = [*(one.value for one in flags.values()), *(one.expected for one in keys.expect)]
    values += [*(one.pointer for one in keys.expect), *keys.capture.values()]
    values += [] if keys.params is None else [keys.params.value]
    return tuple(dict.fromkeys(name for value in values for name in variables_in(value)))


def _method(
    place: str, keys: StepKeys, members: Mapping[str, Exact], catalog: Catalog, problems: Problems
) -> AnyMethod | None:
    if keys.method is None:
        if "method" not in members and "wait" not in members:
            return _meant_method(place, members, catalog, problems)
        return None
    if keys.wait is not None:
        problems.add(place, "'method' and 'wait' cannot be combined")
    match catalog.find(keys.method):
        case Success(method):
            return method
        case Failure(Invalid(code="UNKNOWN_METHOD")) if keys.params is not None:
            return vendor_method(keys.method)
        case Failure(fault):
            hints = "; ".join(fault.hints[:1]).replace("--params", "params")
            message = explain.sentence(fault).removeprefix("--method: ")
            problems.add(f"{place}, method", message + (f" ({hints})" if hints else ""))
            return None


def _meant_method(place: str, members: Mapping[str, Exact], catalog: Catalog, problems: Problems) -> AnyMethod | None:
    """Report that the method is missing or misspelled; return the one whose keys the step has, to check them too."""
    slips = [key for key in members if key not in COMMON_KEYS and nearest(key, ("method", "wait"))]
    for key in slips:
        problems.add(place, f"unknown key {key!r}{did_you_mean(key, ('method', 'wait'))}")
    pauses = [key for key in members if key in PAUSES]
    for key in pauses:
        problems.add(place, f"unknown key {key!r}; {NO_PAUSE}")
    if slips or pauses:
        return None
    known = {key: name for name, keys in _METHOD_KEYS.items() for key in keys}
    meant = {key if key in known else meant_key(key, known): key for key in members if key not in COMMON_KEYS}
    name = next((known[key] for key in meant if key is not None), None)
    if name is None:
        problems.add(place, REQUIRED)
        return None
    own = {key: members[meant[key]].value for key in _METHOD_KEYS[name] if key in meant}
    shown = ", ".join(f'"{key}": {_shown(value)}' for key, value in {"method": name, **own}.items())
    problems.add(place, f"{REQUIRED}; write {shown}")
    return catalog.find(name).value_or(None)


def _shown(value: Json, key: str = "") -> str:
    """Return the value of the key as JSON, unless it is long or contains a secret."""
    texts = ((name, text) for name, text in {key: value, **as_object(value)}.items() if isinstance(text, str))
    hidden = "..." if isinstance(value, str) else "{...}"
    return hidden if secrets_in_pairs(texts) else short_operand(value)


def _captured(capture: Mapping[str, str], flags: Mapping[str, Exact], method: AnyMethod | None) -> Mapping[str, str]:
    """Return the captured variables; if they are under a wrong key, only the key is reported, not each variable."""
    wrong = [key for key in flags if key in KEY_NAMES["capture"] and flags[key].kind == "object"]
    if capture or not wrong:
        return capture
    own = set() if method is None else {json_key(one) for one in fields(method.args)}
    return {name: "" for key in wrong if key not in own for name in flags[key].members()}


def _disallowed_keys(step: ScriptStep) -> Iterator[tuple[str, str]]:
    """Yield each key that is not allowed in this kind of step, with the reason."""
    if step.wait is not None:
        for key in [*step.flags, *(["params"] if step.params is not None else [])]:
            yield key, f"not allowed in a step that waits{did_you_mean(key, COMMON_KEYS.keys() - {key})}"
    elif step.params is not None and step.method is not None:
        own = {json_key(one) for one in fields(step.method.args)}
        for key in step.flags:
            hint = "" if key in own else did_you_mean(key, COMMON_KEYS)
            yield key, f"not allowed with 'params'{hint}"
        if not step.method.is_protocol_method:
            params = as_object(step.params.value).items()
            shown = ", ".join(f"{dump(key)}: {_shown(value, key)}" for key, value in params)
            where = f"; write its flags as keys of the step: {quote(shown)}" if shown else ""
            yield "params", f"not allowed here, as {step.method.name} is not a protocol method{where}"

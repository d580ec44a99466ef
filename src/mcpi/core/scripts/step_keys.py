"""The keys that every step of a script may have."""

import re
from collections.abc import Mapping
from typing import NewType

from attrs import field, fields

from mcpi.core.flags.expectations import WHOLE_RESULT, parse_all
from mcpi.core.flags.foreign_names import NO_PAUSE
from mcpi.core.flags.pairs import Expectation
from mcpi.core.flags.structure import CONVERTER, InvalidValueError, Pointer, VariableName, json_key, wrong_type
from mcpi.core.flags.types import Duration
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.comments import repeated_key
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.variables import variables_in
from mcpi.core.text.suggestions import CUTOFF, did_you_mean, nearest
from mcpi.core.wire.notifications import SERVER_NOTIFICATIONS

StepName = NewType("StepName", str)
"""A text with at least one visible character."""
NotificationName = NewType("NotificationName", str)
"""The name of a notification of the protocol, or of a vendor's notification, which contains a slash."""
OnError = NewType("OnError", str)
"""stop, continue, or skip-to: with the name or the index of a later step."""
Expectations = NewType("Expectations", tuple[Expectation, ...])
"""Expectations about a result, by JSON pointer."""
PREFIX, NEARLY = "notifications/", 0.85
"""Prefix of the protocol's notifications, and the minimum similarity of a misspelled name."""
DURATION = re.compile(r"[\d.]+ ?(ms|s|m|h)?")
ON_ERROR = re.compile(r"stop|continue|skip-to:.+")


@frozen(kw_only=True)
class Retry:
    """Further attempts of a step that fails."""

    times: int
    """Maximum number of further attempts."""
    interval: Duration = Duration(1.0)
    """Pause before each further attempt (default 1s)."""


@frozen(kw_only=True)
class StepKeys:
    """The keys that every step may have, besides the flags of its method."""

    method: str | None = None
    """Method to call; its flags are further keys, in camelCase."""
    wait: NotificationName | None = None
    """Instead of method: the name of a notification to wait for."""
    name: StepName | None = None
    """Name of the step in output, in reports and for skip-to."""
    timeout: Duration | None = None
    """Response timeout of the step, such as 500ms, 30s or 2m; a number without a unit is in milliseconds. Progress
    notifications reset the timeout; to limit the duration of the whole step, use maxDuration."""
    on_error: OnError | None = None
    """Action after a failure: stop, continue, or skip-to:NAME of a later step (default: the script's onError, or
    stop)."""
    allow_failure: bool = False
    """True if the step may fail without changing the exit code; the default of onError is then continue."""
    fail_on_error: bool | None = None
    """True if isError fails the step; overrides the script's failOnError, --fail-on-error and --no-fail-on-error."""
    retry: Retry | None = None
    """Further attempts while the step fails: {"times": 5, "interval": "200ms"}."""
    max_duration: Duration | None = None
    """Maximum duration; a step that takes longer fails. With retry, each attempt is measured separately."""
    params: Exact | None = None
    """The method's parameters, sent unchanged."""
    capture: Mapping[VariableName, Pointer] = field(factory=dict)
    """Variable names with JSON pointers into the result; later steps can use ${name}."""
    expect: Expectations = Expectations(())
    """JSON pointers into the result with expected values or operators; /error/code is the code of a JSON-RPC error.
    To compare with an object, use {"equals": {...}}."""


COMMON_KEYS = dict.fromkeys(json_key(one) for one in fields(StepKeys))


def _step_name(value: Exact, _: object) -> StepName:
    if not isinstance(value.value, str):
        raise wrong_type("a string", value)
    if not value.value.strip():
        raise InvalidValueError("expected a name, got an empty string")
    used = next(variables_in(value.value), None)
    if used is not None:
        raise InvalidValueError(f"${{{used}}} is not replaced in a name")
    return StepName(value.value)


def _notification_name(value: Exact, _: object) -> NotificationName:
    """Return the name, unless it looks like a misspelled protocol name; a vendor's name contains a slash."""
    name = value.value
    if DURATION.fullmatch(str(name)):
        raise InvalidValueError(f"expected the name of a notification, got the duration {value.text}; {NO_PAUSE}")
    if not isinstance(name, str):
        raise wrong_type("a string", value)
    if not name:
        raise InvalidValueError("expected the name of a notification, got an empty string")
    known = {one.removeprefix(PREFIX): one for one in SERVER_NOTIFICATIONS}
    is_known, is_vendors = name in known.values(), "/" in name and not name.startswith(PREFIX) and name not in known
    if is_known or is_vendors:
        return NotificationName(name)
    near = nearest(name.removeprefix(PREFIX), known, NEARLY if "/" in name else CUTOFF)
    if near is not None:
        raise InvalidValueError(f"unknown notification {name!r} (did you mean {known[near]}?)")
    if "/" not in name:
        raise InvalidValueError(f"unknown notification {name!r}; a name has a slash, as in notifications/message")
    return NotificationName(name)


def _on_error(value: Exact, _: object) -> OnError:
    if not isinstance(value.value, str) or not ON_ERROR.fullmatch(value.value):
        near = did_you_mean(value.value, ("stop", "continue")) if isinstance(value.value, str) else ""
        raise InvalidValueError(f"expected stop, continue or skip-to:STEP, got {value.text}{near}")
    return OnError(value.value)


def _expectations(value: Exact, _: object) -> Expectations:
    if not isinstance(value.value, dict):
        raise wrong_type("an object", value, "an object of JSON pointers")
    found, wrong = parse_all(value.value)
    objects = {f"{place or WHOLE_RESULT}: ": one for place, one in value.members().items() if one.kind == "object"}
    repeated = [(place, repeated_key(one)) for place, one in {"": value, **objects}.items()]
    wrong += tuple(f"{place}{problem}" for place, problem in repeated if problem is not None)
    if wrong:
        raise InvalidValueError(*wrong)
    return Expectations(found)


CONVERTER.register_structure_hook(StepName, _step_name)
CONVERTER.register_structure_hook(NotificationName, _notification_name)
CONVERTER.register_structure_hook(OnError, _on_error)
CONVERTER.register_structure_hook(Expectations, _expectations)

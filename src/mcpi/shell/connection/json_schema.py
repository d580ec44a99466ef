"""JSON schemas as the jsonschema library reads them; references to the network are never followed."""

import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import FrameType
from typing import TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, UnknownType
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from mcpi.core.jsontext.values import Json
from mcpi.core.wire.violations import MAX_QUOTED, quote

Problems: TypeAlias = tuple[tuple[str, str], ...]
"""What is wrong, each with its JSON pointer."""

MOST = 100
"""How many problems are told."""
SECONDS = 5.0
"""How long a schema may keep us busy: a pattern of a few characters can take until the end of time."""


class _DeadlineError(Exception):
    """The time was up."""


def schema_problems(value: Json, schema: Json, now: Callable[[], float]) -> Problems:
    """What is wrong with the value, each with its JSON pointer."""
    try:
        return _judged(value, schema, now)
    except RecursionError:
        return (("", "the value or the schema is nested too deep to be checked"),)


def _judged(value: Json, schema: Json, now: Callable[[], float]) -> Problems:
    """The same, where nothing is nested too deep: neither for the library nor for its exceptions' words."""
    if not isinstance(schema, dict | bool):
        return (("", "the schema is neither an object nor a boolean"),)
    try:
        with _bounded(now):
            law = validator_for(schema, default=Draft202012Validator)
            law.check_schema(schema)  # type: ignore[arg-type] # the stubs forget boolean schemas
            # Each exception's words quote its part of the value: of a large one only one at a time can be had.
            errors = islice(law(schema, registry=Registry()).iter_errors(value), MOST)
            return tuple((_pointer(error.absolute_path), _short(error.message)) for error in errors)
    except SchemaError as error:
        return (("", f"the schema itself is invalid: {_short(error.message)}"),)
    except UnknownType as error:
        return (("", f"the schema itself is invalid: there is no type {error.type!r}"),)
    except Unresolvable as error:
        return (("", f"the schema refers to something that is not in it: {quote(str(error))}"),)
    except _DeadlineError:
        return (("", f"the value could not be checked within {SECONDS:g} s"),)
    except (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, re.error) as error:
        # The library checks no part that only a reference makes a schema, and floats end before JSON's numbers do.
        return (("", f"the schema cannot be applied: {_short(str(error))}"),)


def _short(said: str) -> str:
    """What is wrong, without most of what it is wrong with: that stands first, its fault last."""
    return said if len(said) <= MAX_QUOTED else f"{said[: MAX_QUOTED // 2]} … {said[-MAX_QUOTED // 2 :]}"


@contextmanager
def _bounded(now: Callable[[], float]) -> Iterator[None]:
    """A signal ends what takes too long; a regular expression looks out for those. Only the main thread gets any."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def overdue(_: int, __: FrameType | None) -> None:
        raise _DeadlineError

    before = signal.signal(signal.SIGALRM, overdue)
    # Somebody else's alarm, such as a test's, is due when it was.
    left, every = signal.setitimer(signal.ITIMER_REAL, SECONDS)
    began = now()
    try:
        yield
    finally:
        # Ours is called off before its handler goes: the default one ends the process.
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        passed = now() - began
        signal.setitimer(signal.ITIMER_REAL, max(left - passed, 0.001) if left else 0.0, every)


def _pointer(path: Iterable[str | int]) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)

"""Validate JSON with the jsonschema library; remote references are never fetched."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, UnknownType, ValidationError
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from mcpi.core.jsontext.pointers import escape_token
from mcpi.core.jsontext.values import Json, is_multiple
from mcpi.core.wire.violations import quote
from mcpi.shell.connection.schema_form import DIALECTS, unverified_parts
from mcpi.shell.connection.schema_messages import causes, problem_message, shortened
from mcpi.shell.connection.schema_patterns import Keyword, Part, SchemaPatterns
from mcpi.shell.process.time_limit import TimeLimitError, time_limit

Problems: TypeAlias = tuple[tuple[str | None, str], ...]
"""The JSON pointer and the message of each problem; no pointer if a limit ended the validation."""

MAX_PROBLEMS = 100
"""Maximum number of problems to report."""
REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
VALIDATION_TIMEOUT = 5.0
"""Timeout of a validation: a few nested references can take practically forever."""


def schema_problems(
    value: Json, schema: Json, now: Callable[[], float], unchecked: Callable[[str], None] = lambda _: None
) -> Problems:
    """Validate the value against the schema; return the problems, each with its JSON pointer.

    `unchecked` gets a sentence for each regular expression that cannot be matched in linear time.
    """
    try:
        return _validate(value, schema, now, SchemaPatterns(unchecked))
    except RecursionError:
        return ((None, "the value or the schema is nested too deeply to be checked"),)


def _validate(value: Json, schema: Json, now: Callable[[], float], patterns: SchemaPatterns) -> Problems:
    """Validate; raise RecursionError if the nesting is too deep for the library or its error messages."""
    if not isinstance(schema, dict | bool):
        return (("", "the schema is neither an object nor a boolean"),)
    try:
        with time_limit(VALIDATION_TIMEOUT, now):
            base: Any = validator_for(schema, default=Draft202012Validator)
            # Without formats: the library would try each pattern with Python's engine.
            base.check_schema(
                unverified_parts(schema) if base in DIALECTS else schema, format_checker=FormatChecker(())
            )
            keywords = {**patterns.keywords(base.VALIDATORS), **_limited_references(base.VALIDATORS, now)}
            keywords["multipleOf"] = _multiple_of
            validator: Any = extend(base, keywords)  # type: ignore[no-untyped-call]
            # Each error message quotes its part of the value, which may be large: keep only one error at a time.
            found = validator(schema, registry=Registry()).iter_errors(value)
            errors = islice((cause for error in found for cause in causes(error)), MAX_PROBLEMS)
            return tuple((_pointer(error.absolute_path), problem_message(error)) for error in errors)
    except SchemaError as error:
        return (("", f"the schema itself is invalid: {problem_message(error)}"),)
    except UnknownType as error:
        return (("", f"the schema itself is invalid: unknown type {error.type!r}"),)
    except Unresolvable as error:
        return (("", f"the schema has an unresolvable reference: {quote(str(error))}"),)
    except TimeLimitError:
        return ((None, f"the value could not be checked within {VALIDATION_TIMEOUT:g} s"),)
    except (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, re.error) as error:
        # The library does not check subschemas that only a reference reaches, and JSON numbers can exceed floats.
        return (("", f"the schema cannot be applied: {shortened(str(error))}"),)


def _limited_references(known: Mapping[str, Any], now: Callable[[], float]) -> dict[str, Keyword]:
    """Let references stop after the timeout: no signal interrupts a thread, and only nested references take so long."""
    deadline = now() + VALIDATION_TIMEOUT

    def limited(original: Keyword) -> Keyword:
        def reference(validator: Part, target: Part, instance: Part, schema: Part) -> Iterator[ValidationError]:
            if now() > deadline:
                raise TimeLimitError
            yield from original(validator, target, instance, schema)

        return reference

    return {name: limited(known[name]) for name in REFERENCES & known.keys()}


def _multiple_of(validator: Part, step: Part, instance: Part, _: Part) -> Iterator[ValidationError]:
    """Check a number; the library divides binary fractions, so it would reject 0.3 for a step of 0.1."""
    if validator.is_type(instance, "number") and not is_multiple(instance, step):
        yield ValidationError(f"{instance!r} is not a multiple of {step!r}")


def _pointer(path: Iterable[str | int]) -> str:
    return "".join(f"/{escape_token(part)}" for part in path)

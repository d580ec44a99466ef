"""JSON schemas as the jsonschema library reads them; references to the network are never followed."""

from collections.abc import Iterable

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from mcpi.core.values import Json

MOST = 100
"""How many problems are told."""


def problems(value: Json, schema: Json) -> tuple[tuple[str, str], ...]:
    """What is wrong with the value, each with its JSON pointer."""
    if not isinstance(schema, dict | bool):
        return (("", "the schema is neither an object nor a boolean"),)
    law = validator_for(schema, default=Draft202012Validator)
    try:
        law.check_schema(schema)  # type: ignore[arg-type] # the stubs forget boolean schemas
        errors = list(law(schema, registry=Registry()).iter_errors(value))
    except SchemaError as error:
        return (("", f"the schema itself is invalid: {error.message}"),)
    except Unresolvable as error:
        return (("", f"the schema refers to something that is not in it: {error}"),)
    except RecursionError:
        return (("", "the value or the schema is nested too deep to be checked"),)
    return tuple((_pointer(error.absolute_path), error.message) for error in errors[:MOST])


def _pointer(path: Iterable[str | int]) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)

"""Schema validation stops at its limits."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

from mcpi.core.jsontext.values import Json
from mcpi.shell.connection.json_schema import schema_problems


def test_nested_references_stop_at_the_time_limit_in_a_thread() -> None:
    doubled: dict[str, Json] = {
        f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}, {"$ref": f"#/$defs/d{level + 1}"}]}
        for level in range(40)
    }
    schema: Json = {"$defs": {**doubled, "d40": True}, "$ref": "#/$defs/d0"}
    seconds = count(step=0.01)

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(schema_problems, 1, schema, lambda: next(seconds)).result(timeout=60)

    assert found == ((None, "the value could not be checked within 5 s"),)


def test_deeply_nested_schema_is_not_checked() -> None:
    schema: Json = True
    for _ in range(2000):
        schema = {"items": schema}

    found = schema_problems([], schema, lambda: 0.0)

    assert found == ((None, "the value or the schema is nested too deeply to be checked"),)


def test_fraction_is_a_multiple_as_it_is_written() -> None:
    found = [schema_problems(one, {"multipleOf": 0.01}, lambda: 0.0) for one in (19.99, "a", 0.005)]

    assert found == [(), (), (("", "0.005 is not a multiple of 0.01"),)]

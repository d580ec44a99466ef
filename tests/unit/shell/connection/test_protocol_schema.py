"""Problems of messages that violate the schema of the protocol."""

import pytest
from mcp_types import methods
from pydantic import BaseModel

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.shell.connection.protocol_schema import MAX_PROBLEMS, model_of, model_problems

TYPES = "Input should be 'text' or 'image' or 'audio' or 'resource_link' or 'resource'"
REQUIRED = "Field required"


def problems(method: str, result: Json, version: str = "2025-11-25") -> list[tuple[str, str]]:
    exact = Exact(dump(result))
    model = model_of(methods.SERVER_RESULTS[method, version], exact)
    return [] if model is None else list(model_problems(model, exact.text))


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("block", "found"),
    [
        ({"type": "text", "text": "a"}, []),
        ({"type": "text"}, [("/text", REQUIRED)]),
        ({"type": "image", "mimeType": "image/png"}, [("/data", REQUIRED)]),
        ({"type": "audio", "data": 5, "mimeType": "a/b"}, [("/data", "Input should be a valid string")]),
        ({"type": "audio"}, [("/data", REQUIRED), ("/mimeType", REQUIRED)]),
        ({"type": "resource", "resource": {"uri": "a://b"}}, [("/resource", f"{REQUIRED}: text or blob")]),
        (
            {"type": "resource", "resource": {"uri": "a://b", "blob": 5}},
            [("/resource/blob", "Input should be a valid string")],
        ),
        ({"type": "imge", "data": "a"}, [("/type", TYPES)]),
        ({"type": 5}, [("/type", TYPES)]),
        ({"text": "a"}, [("/type", REQUIRED)]),
        ({"data": "a", "mimeType": "a/b"}, [("/type", REQUIRED)]),
        ("a", [("", "Input should be an object")]),
    ],
)
def test_problem_of_a_content_block_is_that_of_its_type(
    block: Json, found: list[tuple[str, str]], version: str
) -> None:
    result: Json = {"content": [{"type": "text", "text": "a"}, block], "resultType": "complete"}

    assert problems("tools/call", result, version) == [(f"/content/1{pointer}", problem) for pointer, problem in found]


def test_problems_outside_unions_are_all_reported() -> None:
    assert problems("tools/call", {"content": "a", "isError": "yes"}) == [
        ("/content", "Input should be a valid array"),
        ("/isError", "Input should be a valid boolean"),
    ]
    assert problems("tools/call", []) == [("", "Input should be an object")]


def test_number_of_problems_is_limited() -> None:
    assert len(problems("tools/call", {"content": [{"type": "text"}] * 5000})) == MAX_PROBLEMS


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"resultType": "complete"}, [("/content", REQUIRED)]),
        ({"content": []}, [("/resultType", REQUIRED)]),
        ({"resultType": "input_required", "requestState": 5}, [("/requestState", "Input should be a valid string")]),
        ({"resultType": "task", "taskId": "a"}, []),
    ],
)
def test_result_of_the_modern_era_is_validated_by_its_type(result: Json, found: list[tuple[str, str]]) -> None:
    assert problems("tools/call", result, "2026-07-28") == found


def test_method_without_a_schema_has_no_model() -> None:
    assert model_of(None, Exact("{}")) is None


def test_text_that_is_not_json_is_a_problem() -> None:
    ((pointer, problem),) = model_problems(BaseModel, "{")

    assert (pointer, problem.partition(":")[0]) == ("", "Invalid JSON")

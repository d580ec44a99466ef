"""Extraction of media from tool output, and paging of long output."""

import json

import pytest

from mcpi.core.client.agent_answers import Media, Page, StoredAnswers, take_media
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

IMAGE: Json = {"type": "image", "mimeType": "image/png", "data": "iVBORw0K"}
SOUND: Json = {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}
BLOB: Json = {"uri": "a:b", "mimeType": "image/png", "blob": "AAAA"}


def test_images_and_audio_are_extracted_in_order() -> None:
    document, media = take_media({"result": {"content": [IMAGE, {"type": "text", "text": "x"}, SOUND]}, "n": BLOB})

    assert media == [
        Media("image", "image/png", "iVBORw0K"),
        Media("audio", "audio/wav", "UklGRg=="),
        Media("image", "image/png", "AAAA"),
    ]
    assert document == {
        "result": {
            "content": [
                {"type": "image", "mimeType": "image/png", "data": "[image, 6 bytes: content block 2 of this answer]"},
                {"type": "text", "text": "x"},
                {"type": "audio", "mimeType": "audio/wav", "data": "[audio, 6 bytes: content block 3 of this answer]"},
            ]
        },
        "n": {"uri": "a:b", "mimeType": "image/png", "blob": "[image, 3 bytes: content block 4 of this answer]"},
    }


@pytest.mark.parametrize(
    "value",
    [
        {"mimeType": "application/pdf", "blob": "AAAA"},
        {"mimeType": "image/png", "data": "not base64"},
        {"mimeType": "image/png", "data": "AAA"},
        {"mimeType": "image/png", "data": "\u00e9"},
        {"mimeType": "image/png", "data": ""},
        {"mimeType": 5, "data": "AAAA"},
        {"mimeType": "image/png", "data": {"a": [1, None]}},
        "image/png",
    ],
)
def test_other_content_is_unchanged(value: Json) -> None:
    assert take_media(value) == (value, [])


def test_media_beyond_the_size_limit_is_not_extracted() -> None:
    document, media = take_media([IMAGE, SOUND, BLOB], room=12)

    assert [one.data for one in media] == ["iVBORw0K", "AAAA"]
    assert json.loads(json.dumps(document))[1] == SOUND


def test_short_output_is_not_stored() -> None:
    stored = StoredAnswers(limit=5)

    assert stored.first_page("12345") is None
    assert stored.read("answer-1", 0) == Failure(
        Invalid("INVALID_ARGUMENT", "answer", "unknown answer 'answer-1'", ("no answer was truncated",))
    )


def test_long_output_is_read_in_pages() -> None:
    stored = StoredAnswers(limit=4)

    first = stored.first_page("1234567890")
    assert first == Page("1234", "answer-1", 0, 10)
    assert first.document() == {
        "truncated": True,
        "answer": "answer-1",
        "nextOffset": 4,
        "part": "1234",
        "offset": 0,
        "characters": 10,
    }
    assert first.text() == ('1234\n[truncated: characters 0 to 4 of 10; read_more {"answer": "answer-1", "offset": 4}]')
    last = stored.read("answer-1", 8)
    assert last == Success(Page("90", "answer-1", 8, 10))
    assert last.unwrap().document() == {"part": "90", "offset": 8, "characters": 10}
    assert last.unwrap().text() == "90"


def test_offset_after_the_end_is_rejected() -> None:
    stored = StoredAnswers(limit=1)
    stored.first_page("12")

    problem = "answer-1 has 2 characters; the offset 2 is past the end"
    assert stored.read("answer-1", 2) == Failure(Invalid("INVALID_ARGUMENT", "offset", problem))


def test_oldest_outputs_are_evicted_first() -> None:
    stored = StoredAnswers(limit=1, capacity=10)
    for text in ("aaaaaa", "bbbb", "ccc", "d" * 20):
        stored.first_page(text)

    assert stored.read("answer-4", 0) == Success(Page("d", "answer-4", 0, 10))
    assert stored.read("answer-3", 0) == Failure(
        Invalid("INVALID_ARGUMENT", "answer", "unknown answer 'answer-3'", ("available: answer-4",))
    )

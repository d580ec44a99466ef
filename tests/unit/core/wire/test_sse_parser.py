"""Server-sent events are parsed as the HTML standard specifies, independently of chunk boundaries."""

import re
from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpi.core.wire.sse_parser import SseDecoder, SseEvent

PIECES = [
    *(b"data", b"data:", b"data: ", b"event: ", b"id", b"id: ", b"retry: ", b"20", b":", b" ", b"x", b"\0", b"\xff"),
    *(b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"\xef\xbb\xbf", b"\xef", b"data: {}\n\n", b"id: 1\ndata: a\n\n"),
]
CHUNKS = st.lists(st.sampled_from(PIECES) | st.binary(max_size=4), max_size=14)
LINE = st.binary(max_size=6).map(lambda line: re.sub(rb"[\r\n]", b"", line))
NAME = st.text(st.characters(exclude_characters="\0\r\n", codec="utf-8"), min_size=1, max_size=5)
END = st.sampled_from([b"\n", b"\r", b"\r\n"])


def decoded(chunks: Iterable[bytes], limit: int = 1000) -> list[SseEvent | None]:
    """The events of the stream; None replaces an oversized event."""
    decoder = SseDecoder(limit)
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*events, None] if decoder.too_long else [*events]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        # The examples of the standard, section 9.2.6.
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", [SseEvent(b"YHOO\n+2\n10")]),
        (
            b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [SseEvent(b"first event", id="1"), SseEvent(b"second event"), SseEvent(b" third event")],
        ),
        (b"data\n\ndata\ndata\n\ndata:", [SseEvent(b""), SseEvent(b"\n")]),
        (b"data:test\n\ndata: test\n\n", [SseEvent(b"test"), SseEvent(b"test")]),
        # Other rules of the standard.
        (b"\xef\xbb\xbfdata: a\n\n", [SseEvent(b"a")]),
        (b"\n\xef\xbb\xbfdata: a\n\n", []),
        (b"event: endpoint\ndata: /post\n\ndata: a\n\n", [SseEvent(b"/post", "endpoint"), SseEvent(b"a")]),
        (b"event: lost\n\ndata: a\n\n", [SseEvent(b"a")]),
        (b"event:\ndata: a\n\n", [SseEvent(b"a", "message")]),
        (b"id: 7\n\ndata: a\n\ndata: b\n\n", [SseEvent(b"a", id="7"), SseEvent(b"b", id="7")]),
        (b"id: 7\nid: 8\0\ndata: a\n\n", [SseEvent(b"a", id="7")]),
        (b"id: \xff\nevent: \xff\ndata: \xff\n\n", [SseEvent(b"\xff", "\ufffd", "\ufffd")]),
        (b"data: a:b\nDATA: c\nother: d\ndata : e\n\n", [SseEvent(b"a:b")]),
        (b"data: a\r\rdata: b\r\n\r\ndata: c\n\r\n", [SseEvent(b"a"), SseEvent(b"b"), SseEvent(b"c")]),
        (b"data: a\n", []),
    ],
)
def test_stream_is_parsed_as_the_standard_specifies(stream: bytes, events: list[SseEvent]) -> None:
    assert decoded([stream]) == events


@given(CHUNKS)
@example([b"data: a\r", b"\n", b"\r", b"\n"])
@example([b"data: a\r", b"", b"\ndata: b\r\r"])
@example([b"\xef", b"\xbb", b"\xbfdata: a\n\n"])
def test_any_chunking_gives_the_same_events(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)

    assert decoded(chunks) == decoded([whole]) == decoded(whole[at : at + 1] for at in range(len(whole)))


@given(CHUNKS, st.integers(0, 12))
@example([b"data: ", b"123456", b"7\n\n"], 12)
@example([b"data: 1234567\n", b"data: 1234\n\n"], 12)
@example([b"data: 1234567\n", b"data: 12345\n\n"], 12)
@example([b"data: 1\n\ndata: 2\n\ndata: 1234567", b"89\n\ndata: 3\n\n"], 6)
def test_any_chunking_gives_the_same_rejections(chunks: list[bytes], limit: int) -> None:
    whole = b"".join(chunks)

    assert decoded(chunks, limit) == decoded([whole], limit)


@given(st.lists(st.tuples(st.lists(LINE, min_size=1, max_size=3), NAME, NAME), max_size=4), END)
def test_any_event_is_parsed_as_it_was_sent(sent: list[tuple[list[bytes], str, str]], end: bytes) -> None:
    stream = b""
    for lines, event, name in sent:
        fields = [b"data: " + line for line in lines] + [b"event: " + event.encode(), b"id: " + name.encode(), b""]
        stream += b"".join(field + end for field in fields)

    assert decoded([stream]) == [SseEvent(b"\n".join(lines), event, name) for lines, event, name in sent]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_event_is_returned_at_the_end_of_its_empty_line(end: bytes) -> None:
    decoder = SseDecoder(100)

    assert [decoder.feed(b"data: a" + end), decoder.feed(end), decoder.feed(b"data: b" + end + end)] == [
        [],
        [SseEvent(b"a")],
        [SseEvent(b"b")],
    ]


@pytest.mark.parametrize(
    ("stream", "refused"),
    [
        (b"data: 1234567890\n\n", False),
        (b"data: 12345678901\n\n", True),
        (b"data:12345678901\n\n", True),
        (b"data: 1234\ndata: 56789\n\n", False),
        (b"data: 1234\ndata: 567890\n\n", True),
        (b"data: 1234567890\n\ndata: 1234567890\n\n", False),
        (b"data\n" * 11, False),
        (b"data\n" * 12, True),
        (b":23456789 123456\n" * 10, False),
        (b":23456789 1234567\n", True),
        (b"event: 234567890 1234567", True),
    ],
)
def test_oversized_event_is_rejected(stream: bytes, refused: bool) -> None:  # noqa: FBT001 - a table
    assert (None in decoded([stream], 10)) is refused


@pytest.mark.parametrize("longer", [b"data: 12345\ndata: 123456\n\n", b"data: 12345678901\n\n", b":" * 99])
def test_events_before_an_oversized_event_are_returned(longer: bytes) -> None:
    assert decoded([b"data: 1\n\n" + longer + b"data: 2\n\n", b"data: 3\n\n"], 10) == [SseEvent(b"1"), None]


@pytest.mark.parametrize(
    ("stream", "seconds"),
    [
        (b"", None),
        (b"retry: 1500\n", 1.5),
        (b"retry:0\n", 0.0),
        (b"retry: 1500\nretry: soon\n", 1.5),
        (b"retry: -1\n", None),
        (b"retry: 1.5\n", None),
        (b"retry\n", None),
        (b"retry: \xd9\xa1\n", None),
        (b"retry: " + b"9" * 5000 + b"\n", 60.0),
        (b"retry: 60001\n", 60.0),
    ],
)
def test_retry_field_sets_the_reconnection_delay(stream: bytes, seconds: float | None) -> None:
    decoder = SseDecoder(10_000)
    decoder.feed(stream)

    assert decoder.retry == seconds


@pytest.mark.parametrize(
    ("stream", "last"),
    [
        (b"data: a\n\n", None),
        (b"id: 1\ndata: a\n\n", "1"),
        (b"id: 1\n\n", "1"),
        (b"id: 1\ndata: a\n\ndata: b\n\n", "1"),
        (b"id: 1\ndata: a\n\nid: 2\ndata: b", "1"),
        (b"id: 1\ndata: a\n\nid: 2\ndata: b\n", "1"),
        (b"id: 1\ndata: a\n\nid\n\n", None),
    ],
)
def test_last_id_belongs_to_the_last_complete_event(stream: bytes, last: str | None) -> None:
    decoder = SseDecoder(100)
    decoder.feed(stream)

    assert decoder.last_id == last


def test_restart_discards_a_partial_event() -> None:
    decoder = SseDecoder(100)
    decoder.feed(b"retry: 10\nid: 1\ndata: a\n\nid: 2\nevent: other\ndata: b\ndata: c\r")
    decoder.restart()

    assert decoder.feed(b"\xef\xbb\xbfdata: d\n\n") == [SseEvent(b"d", id="1")]
    assert (decoder.last_id, decoder.retry) == ("1", 0.01)


def test_restart_discards_a_partial_line() -> None:
    decoder = SseDecoder(20)
    decoder.feed(b"data: 12345")
    decoder.restart()

    assert decoder.feed(b"\ndata: 1234567890\n\n") == [SseEvent(b"1234567890")]

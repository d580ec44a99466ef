"""Bytes are split into lines independently of chunk boundaries."""

from collections.abc import Iterable

from hypothesis import example, given
from hypothesis import strategies as st

from mcpi.core.wire.lines import LineSplitter, LogLineSplitter

CHUNKS = st.lists(st.binary(max_size=4) | st.sampled_from([b"\n", b"\r\n", b"ab\ncd", b"12345\n"]), max_size=8)


def split_lines(chunks: Iterable[bytes], limit: int) -> list[bytes | None]:
    """The lines and the rest after the last one; None replaces an oversized line."""
    lines = LineSplitter(limit)
    found: list[bytes | None] = []
    for chunk in chunks:
        found += lines.feed(chunk)
    rest = lines.finish()
    return [*found, None if lines.too_long else rest]


def truncated_lines(lines: list[bytes], limit: int) -> list[bytes | None]:
    """The lines up to the first oversized one, which is replaced by None."""
    first = next((place for place, line in enumerate(lines) if len(line) > limit), len(lines))
    return [*lines[:first], *[None][: len(lines) - first]]


@given(CHUNKS)
def test_any_chunking_gives_the_same_lines(chunks: list[bytes]) -> None:
    assert split_lines(chunks, 100) == b"".join(chunks).split(b"\n")


@given(CHUNKS, st.integers(0, 8))
@example([b"123456", b"123456\n"], 8)
@example([b"12345678\n"], 8)
@example([b"1\n23\n456789012\n3"], 8)
@example([b"1\n", b"23456789", b"0"], 8)
@example([b"1\n2\n3456", b"789", b"\n1\n"], 6)
def test_any_chunking_gives_the_lines_before_an_oversized_line(chunks: list[bytes], limit: int) -> None:
    assert split_lines(chunks, limit) == truncated_lines(b"".join(chunks).split(b"\n"), limit)


def test_small_and_large_chunks_are_joined_to_one_line() -> None:
    pieces = [b"a", b"b" * 5000, b"c", b"d", b"e" * 4000, b"f" * 4000, b"g", b"h" * 9000]
    lines = LineSplitter(1 << 20)

    assert [lines.feed(piece) for piece in pieces] == [[]] * len(pieces)
    assert lines.partial_line == b"".join(pieces)
    assert (lines.feed(b"\ni"), lines.partial_line) == ([b"".join(pieces)], b"i")


def test_line_is_returned_when_its_newline_arrives() -> None:
    lines = LineSplitter(100)

    assert [lines.feed(b"a"), lines.feed(b"b\nc\n\nd"), lines.feed(b"e"), lines.feed(b"\r\n")] == [
        [],
        [b"ab", b"c", b""],
        [],
        [b"de\r"],
    ]


def test_finish_returns_an_unterminated_line_once() -> None:
    lines = LineSplitter(100)
    lines.feed(b"a\nhalf ")
    lines.feed(b"a line")

    assert [lines.finish(), lines.finish()] == [b"half a line", b""]


def test_finish_resets_the_line_length() -> None:
    lines = LineSplitter(4)
    lines.feed(b"1234")
    lines.finish()

    assert lines.feed(b"5678\n") == [b"5678"]


def test_unterminated_line_is_rejected_as_soon_as_it_is_too_long() -> None:
    lines = LineSplitter(10)

    assert [(lines.feed(chunk), lines.too_long) for chunk in (b"1234567890", b"1", b"\n2\n")] == [
        ([], False),
        ([], True),
        ([], True),
    ]
    assert lines.finish() == b""


LEFT_OUT = b"(a line of more than 8 bytes is left out)"


@given(CHUNKS)
@example([b"123456789", b"abc\nnext\n"])
@example([b"123456789\nnext\n123", b"456789\n\nlast"])
@example([b"12345678\n12345678"])
def test_log_continues_after_an_oversized_line(chunks: list[bytes]) -> None:
    log = LogLineSplitter(8)
    found = [line for chunk in chunks for line in log.feed(chunk)]

    *ended, begun = b"".join(chunks).split(b"\n")
    assert found == [line if len(line) <= 8 else LEFT_OUT for line in ended] + [LEFT_OUT] * (len(begun) > 8)
    assert log.finish() == (begun if len(begun) <= 8 else b"")


def test_omitted_log_line_is_reported_once_and_immediately() -> None:
    log = LogLineSplitter(8)

    assert [log.feed(chunk) for chunk in (b"12345678", b"9", b"1\n2\n")] == [[], [LEFT_OUT], [b"2"]]


def test_partial_line_can_be_inspected() -> None:
    lines = LineSplitter(10)
    lines.feed(b"a\nb")

    assert (lines.partial_line, lines.partial_line, lines.finish(), lines.partial_line) == (b"b", b"b", b"b", b"")

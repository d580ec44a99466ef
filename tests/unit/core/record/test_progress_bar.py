"""How far the work is fits on one line, and is not told faster than anybody reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, exact, nested
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.record.progress_bar import ProgressLine


def told(**params: object) -> JsonObject:
    return {"progressToken": 1, **params}  # type: ignore[dict-item]


def test_the_line_has_a_bar_the_figures_the_rate_and_the_message() -> None:
    progress = ProgressLine(100)

    assert (
        progress.format(told(progress=1, total=4, message="One."), 10.0) == "[######------------------]  25%  1/4  One."
    )
    assert progress.format(told(progress=3, total=4), 11.0) == "[##################------]  75%  3/4  2/s"


def test_without_a_total_there_is_no_bar() -> None:
    assert ProgressLine(100).format(told(progress=2.5), 0.0) == "2.5 done"
    assert ProgressLine(100).format(told(progress=2, total=0), 0.0) == "2 done"


@pytest.mark.parametrize("value", [None, "1", True, [1], 1e400])
def test_what_is_no_number_is_no_progress(value: object) -> None:
    assert ProgressLine(100).format(told(progress=value, total=4), 0.0) is None


def test_a_line_that_comes_too_soon_is_left_out_unless_it_is_the_last() -> None:
    progress = ProgressLine(100)

    assert progress.format(told(progress=1, total=3), 1.0) is not None
    assert progress.format(told(progress=2, total=3), 1.05) is None
    assert progress.format(told(progress=3, total=3), 1.06) is not None


def test_a_token_may_be_nested_deep() -> None:
    progress = ProgressLine(100)

    assert progress.format(told(progressToken=exact(nested(DEEP)).value, progress=1), 1.0) == "1 done"
    assert progress.format(told(progressToken=exact(nested(DEEP)).value, progress=3), 2.0) == "3 done  2/s"


def test_another_request_starts_anew() -> None:
    progress = ProgressLine(100)

    assert progress.format(told(progress=50), 1.0) == "50 done"
    assert progress.format({"progressToken": 2, "progress": 10}, 1.01) == "10 done"
    assert progress.format({"progressToken": 2, "progress": 20}, 2.01) == "20 done  10/s"


def test_progress_that_goes_back_has_no_rate() -> None:
    progress = ProgressLine(100)

    assert progress.format(told(progress=5), 1.0) == "5 done"
    assert progress.format(told(progress=4), 2.0) == "4 done"


def test_what_lies_beyond_the_total_fills_the_bar() -> None:
    assert ProgressLine(100).format(told(progress=9, total=4), 0.0) == "[########################] 100%  9/4"
    assert ProgressLine(100).format(told(progress=-9, total=4), 0.0) == "[------------------------]   0%  -9/4"


def test_a_message_steers_no_terminal_and_takes_one_line() -> None:
    assert ProgressLine(100).format(told(progress=1, message="a\x1b[2J\nb"), 0.0) == "1 done  a\\x1b[2J b"


@given(st.integers(0, 200), st.text())
def test_no_line_is_wider_than_the_terminal(width: int, message: str) -> None:
    line = ProgressLine(width).format(told(progress=1, total=9, message=message), 0.0)

    assert line is not None
    assert len(line) < max(width, 20)

"""Progress is shown on one line and updated at a limited rate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, exact, nested
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.record.progress_bar import ProgressLine


def told_progress(**params: object) -> JsonObject:
    return {"progressToken": 1, **params}  # type: ignore[dict-item]


def test_line_has_bar_counts_rate_and_message() -> None:
    progress = ProgressLine(100)

    assert (
        progress.format(told_progress(progress=1, total=4, message="One."), 10.0)
        == "[######------------------]  25%  1/4  One."
    )
    assert progress.format(told_progress(progress=3, total=4), 11.0) == "[##################------]  75%  3/4  2/s"


def test_progress_without_a_total_has_no_bar() -> None:
    assert ProgressLine(100).format(told_progress(progress=2.5), 0.0) == "2.5 done"
    assert ProgressLine(100).format(told_progress(progress=2, total=0), 0.0) == "2 done"


@pytest.mark.parametrize("value", [None, "1", True, [1], 1e400])
def test_non_numeric_progress_is_ignored(value: object) -> None:
    assert ProgressLine(100).format(told_progress(progress=value, total=4), 0.0) is None


def test_update_within_the_minimum_interval_is_skipped_unless_final() -> None:
    progress = ProgressLine(100)

    assert progress.format(told_progress(progress=1, total=3), 1.0) is not None
    assert progress.format(told_progress(progress=2, total=3), 1.05) is None
    assert progress.format(told_progress(progress=3, total=3), 1.06) is not None


def test_deeply_nested_progress_token_is_accepted() -> None:
    progress = ProgressLine(100)

    assert progress.format(told_progress(progressToken=exact(nested(DEEP)).value, progress=1), 1.0) == "1 done"
    assert progress.format(told_progress(progressToken=exact(nested(DEEP)).value, progress=3), 2.0) == "3 done  2/s"


def test_new_progress_token_resets_the_rate() -> None:
    progress = ProgressLine(100)

    assert progress.format(told_progress(progress=50), 1.0) == "50 done"
    assert progress.format({"progressToken": 2, "progress": 10}, 1.01) == "10 done"
    assert progress.format({"progressToken": 2, "progress": 20}, 2.01) == "20 done  10/s"


def test_decreasing_progress_has_no_rate() -> None:
    progress = ProgressLine(100)

    assert progress.format(told_progress(progress=5), 1.0) == "5 done"
    assert progress.format(told_progress(progress=4), 2.0) == "4 done"


def test_progress_out_of_range_is_clamped_in_the_bar() -> None:
    assert ProgressLine(100).format(told_progress(progress=9, total=4), 0.0) == "[########################] 100%  9/4"
    assert ProgressLine(100).format(told_progress(progress=-9, total=4), 0.0) == "[------------------------]   0%  -9/4"


def test_message_is_escaped_and_kept_on_one_line() -> None:
    assert ProgressLine(100).format(told_progress(progress=1, message="a\x1b[2J\nb"), 0.0) == "1 done  a\\x1b[2J b"


@given(st.integers(0, 200), st.text())
def test_line_fits_the_terminal_width(width: int, message: str) -> None:
    line = ProgressLine(width).format(told_progress(progress=1, total=9, message=message), 0.0)

    assert line is not None
    assert len(line) < max(width, 20)

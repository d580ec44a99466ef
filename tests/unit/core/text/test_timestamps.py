"""Formatting of timestamps and durations."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.timestamps import iso, milliseconds

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST = 253_402_300_799_999
"""The last millisecond of the year 9999."""


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (0.0004, "1970-01-01T00:00:00.000Z"),
        (0.0006, "1970-01-01T00:00:00.001Z"),
        (59.9996, "1970-01-01T00:01:00.000Z"),
        (86_399, "1970-01-01T23:59:59.000Z"),
        (31_535_999.999, "1970-12-31T23:59:59.999Z"),
        (31_536_000, "1971-01-01T00:00:00.000Z"),
        (68_169_600, "1972-02-29T00:00:00.000Z"),
        (68_256_000, "1972-03-01T00:00:00.000Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"),
        (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        (1_769_774_400, "2026-01-30T12:00:00.000Z"),
        (1_769_774_400.123, "2026-01-30T12:00:00.123Z"),
    ],
)
def test_timestamp_is_formatted_as_iso_8601(seconds: float, written: str) -> None:
    assert iso(seconds) == written


@given(st.integers(0, LAST))
def test_timestamp_agrees_with_datetime(since: int) -> None:
    moment = EPOCH + timedelta(milliseconds=since)

    assert iso(since / 1000) == f"{moment:%Y-%m-%dT%H:%M:%S}.{since % 1000:03}Z"


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, 0.0), (0.25, 250.0), (1.1, 1100.0), (0.00012, 0.1), (0.00016, 0.2), (30, 30_000.0)]
)
def test_duration_is_rounded_to_a_tenth_of_a_millisecond(seconds: float, shown: float) -> None:
    assert milliseconds(seconds) == shown

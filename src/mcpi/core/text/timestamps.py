"""Format Unix timestamps and durations."""

from functools import lru_cache


def iso(seconds: float) -> str:
    """Format a Unix timestamp as 2026-01-30T12:00:00.000Z."""
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{_second(whole)}.{thousandths:03}Z"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    """Format a whole second; cached, as thousands of messages may fall into the same second."""
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415 - most runs format no timestamp

    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="seconds").removesuffix("+00:00")


def milliseconds(seconds: float) -> float:
    """Convert seconds to milliseconds with one decimal."""
    return round(seconds * 1000, 1)

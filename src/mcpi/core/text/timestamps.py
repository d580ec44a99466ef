"""Format Unix timestamps and durations."""


def iso(seconds: float) -> str:
    """Format a Unix timestamp as 2026-01-30T12:00:00.000Z."""
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415 - most runs format no timestamp

    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=round(seconds * 1000))
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(seconds: float) -> float:
    """Convert seconds to milliseconds with one decimal."""
    return round(seconds * 1000, 1)

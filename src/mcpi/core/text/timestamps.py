"""Format Unix timestamps and durations."""


def iso(seconds: float) -> str:
    """Format a Unix timestamp as 2026-01-30T12:00:00.000Z."""
    from datetime import UTC, datetime  # noqa: PLC0415 - most runs format no timestamp

    text = datetime.fromtimestamp(round(seconds, 3), UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def milliseconds(seconds: float) -> float:
    """Convert seconds to milliseconds with one decimal."""
    return round(seconds * 1000, 1)

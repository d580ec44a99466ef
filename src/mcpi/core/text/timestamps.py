"""Format Unix timestamps and durations."""

_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def iso(seconds: float) -> str:
    """Format a Unix timestamp as 2026-01-30T12:00:00.000Z."""
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    days, rest = divmod(whole, 86_400)
    year, month, day = _date(days)
    hour, rest = divmod(rest, 3600)
    minute, second = divmod(rest, 60)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z"


def _date(days: int) -> tuple[int, int, int]:
    year = 1970
    while days >= _days(year):
        days -= _days(year)
        year += 1
    month = 0
    while days >= _MONTHS[month] + (month == 1 and _leap(year)):
        days -= _MONTHS[month] + (month == 1 and _leap(year))
        month += 1
    return year, month + 1, days + 1


def _days(year: int) -> int:
    return 365 + _leap(year)


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def milliseconds(seconds: float) -> float:
    """Convert seconds to milliseconds with one decimal."""
    return round(seconds * 1000, 1)

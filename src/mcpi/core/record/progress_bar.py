"""Progress notifications as one line on a terminal."""

from attrs import define

from mcpi.core.jsontext.values import Json, JsonObject, as_text, json_equal
from mcpi.core.text.terminal_safe import escape_controls

MIN_INTERVAL = 0.1
"""Minimum seconds between two lines."""
_BAR_WIDTH, _MIN_WIDTH = 24, 20


@define
class ProgressLine:
    """Progress of one request at a time."""

    width: int
    token: Json = None
    started_at: float = 0.0
    first_value: float = 0.0
    last_shown_at: float | None = None

    def format(self, params: JsonObject, at: float) -> str | None:
        """Format the line; return None without a valid progress value or too soon after the last line."""
        done, total = _number(params.get("progress")), _number(params.get("total"))
        if done is None:
            return None
        if not json_equal(params.get("progressToken"), self.token):
            self.token, self.started_at, self.first_value, self.last_shown_at = (
                params.get("progressToken"),
                at,
                done,
                None,
            )
        if self.last_shown_at is not None and at - self.last_shown_at < MIN_INTERVAL and done != total:
            return None
        self.last_shown_at = at
        message = escape_controls(" ".join(as_text(params.get("message")).split()))
        parts = (*_bar_and_numbers(done, total), self._rate(done, at), message)
        return "  ".join(part for part in parts if part)[: max(self.width, _MIN_WIDTH) - 1]

    def _rate(self, done: float, at: float) -> str:
        return (
            f"{(done - self.first_value) / (at - self.started_at):.3g}/s"
            if at > self.started_at and done > self.first_value
            else ""
        )


def _bar_and_numbers(done: float, total: float | None) -> tuple[str, ...]:
    """Format the bar and the numbers; without a total, only the number."""
    if total is None or total <= 0:
        return (f"{done:g} done",)
    share = min(max(done / total, 0.0), 1.0)
    full = int(share * _BAR_WIDTH)
    return (f"[{'#' * full}{'-' * (_BAR_WIDTH - full)}] {share:4.0%}", f"{done:g}/{total:g}")


def _number(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None  # noqa: PLR2004 - larger values are not plausible

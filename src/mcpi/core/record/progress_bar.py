"""How far the server's work is, as one line for a terminal."""

from attrs import define

from mcpi.core.jsontext.values import Json, JsonObject, as_text, same
from mcpi.core.text.terminal_safe import harmless

SELDOM = 0.1
"""Seconds between two lines: nobody reads faster."""
_BAR, _NARROWEST = 24, 20


@define
class Progress:
    """What was told of one request."""

    width: int
    token: Json = None
    began: float = 0.0
    first: float = 0.0
    last: float | None = None

    def line(self, params: JsonObject, at: float) -> str | None:
        """The line, unless the one before it is still being read."""
        done, total = _number(params.get("progress")), _number(params.get("total"))
        if done is None:
            return None
        if not same(params.get("progressToken"), self.token):
            self.token, self.began, self.first, self.last = params.get("progressToken"), at, done, None
        if self.last is not None and at - self.last < SELDOM and done != total:
            return None
        self.last = at
        message = harmless(" ".join(as_text(params.get("message")).split()))
        parts = (*_drawn(done, total), self._rate(done, at), message)
        return "  ".join(part for part in parts if part)[: max(self.width, _NARROWEST) - 1]

    def _rate(self, done: float, at: float) -> str:
        return f"{(done - self.first) / (at - self.began):.3g}/s" if at > self.began and done > self.first else ""


def _drawn(done: float, total: float | None) -> tuple[str, ...]:
    """The bar and the figures; without a total the figure alone."""
    if total is None or total <= 0:
        return (f"{done:g} done",)
    share = min(max(done / total, 0.0), 1.0)
    full = int(share * _BAR)
    return (f"[{'#' * full}{'-' * (_BAR - full)}] {share:4.0%}", f"{done:g}/{total:g}")


def _number(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None  # noqa: PLR2004 - whatever lies beyond is no progress

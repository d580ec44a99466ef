"""Bar charts as SVG, readable on light and dark pages."""

from collections.abc import Iterator, Sequence
from html import escape

from attrs import frozen

WIDTH, LEFT, RIGHT, BAR, GAP, HEAD = 760, 130, 80, 16, 4, 34
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.bar{fill:#8c959f}.mcpi{fill:#1a7f37}"
    ".floor{fill:#d0d7de}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.floor{fill:#484f58}.mcpi{fill:#3fb950}}"
)


@frozen
class Chart:
    """A workload, and the seconds that each program took."""

    title: str
    bars: Sequence[tuple[str, float]]


def svg(charts: Sequence[Chart]) -> str:
    """Draw the charts one below the other, each with its own scale."""
    lines: list[str] = []
    top = 0
    for chart in charts:
        lines += _chart(chart, top)
        top += HEAD + len(chart.bars) * (BAR + GAP) + GAP
    size = f'width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>Wall time</title><style>{STYLE}</style>'
    return "\n".join([head, *lines, "</svg>", ""])


def _chart(chart: Chart, top: int) -> Iterator[str]:
    longest = max(seconds for _, seconds in chart.bars)
    yield f'<text class="head" x="4" y="{top + 22}">{escape(chart.title)}</text>'
    for place, (name, seconds) in enumerate(chart.bars):
        y = top + HEAD + place * (BAR + GAP)
        width = round((WIDTH - LEFT - RIGHT) * seconds / longest, 1)
        yield f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{escape(name)}</text>'
        yield f'<rect class="bar {escape(name)}" x="{LEFT}" y="{y}" width="{width}" height="{BAR}" rx="2"/>'
        yield f'<text x="{LEFT + width + 6}" y="{y + 12}">{seconds * 1000:,.0f} ms</text>'

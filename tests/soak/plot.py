"""Curves over time as an SVG image."""

from collections.abc import Sequence

from attrs import frozen

WIDTH, HEIGHT, LEFT, TOP, GAP = 720, 150, 60, 28, 46
STYLE = (
    "text { font: 12px sans-serif; fill: #667085 } .title { fill: #1c2330; font-weight: bold }"
    " .grid { stroke: #d9dee7 } polyline { fill: none; stroke: #2f6fde; stroke-width: 1.5 }"
    " @media (prefers-color-scheme: dark) { .title { fill: #e6e9ef } .grid { stroke: #3a4252 } }"
)


@frozen
class Curve:
    """A title, and points by second."""

    title: str
    points: Sequence[tuple[float, float]]


def svg(*curves: Curve) -> str:
    """The curves, one below the other, each starting at zero."""
    height = len(curves) * (TOP + HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" role="img">',
        f"<style>{STYLE}</style>",
    ]
    for place, curve in enumerate(curves):
        parts += _drawn(curve, place * (TOP + HEIGHT + GAP) + TOP)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn(curve: Curve, top: float) -> list[str]:
    last = max(second for second, _ in curve.points)
    most = max(value for _, value in curve.points) * 1.2
    bottom = top + HEIGHT
    points = " ".join(
        f"{LEFT + WIDTH * second / last:.1f},{bottom - HEIGHT * value / most:.1f}" for second, value in curve.points
    )
    parts = [f'<text class="title" x="{LEFT}" y="{top - 8}">{curve.title}</text>']
    for share in (0.0, 0.5, 1.0):
        level, right = bottom - HEIGHT * share, LEFT + WIDTH * share
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{level}" y2="{level}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{level + 4}" text-anchor="end">{most * share:.0f}</text>')
        parts.append(f'<text x="{right}" y="{bottom + 18}" text-anchor="middle">{last * share / 60:.1f} min</text>')
    return [*parts, f'<polyline points="{points}"/>']

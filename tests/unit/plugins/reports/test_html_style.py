"""The style of the HTML report."""

from mcpi.plugins.reports.html_style import STYLE


def test_style_loads_no_external_resources() -> None:
    assert [word for word in ("url(", "@import", "http") if word in STYLE] == []


def test_style_supports_dark_mode() -> None:
    assert "prefers-color-scheme: dark" in STYLE

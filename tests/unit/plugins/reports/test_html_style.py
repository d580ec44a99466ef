"""The look of the report."""

from mcpi.plugins.reports.html_style import STYLE


def test_the_page_loads_nothing_from_elsewhere() -> None:
    assert [word for word in ("url(", "@import", "http") if word in STYLE] == []


def test_the_page_has_a_look_for_the_night() -> None:
    assert "prefers-color-scheme: dark" in STYLE

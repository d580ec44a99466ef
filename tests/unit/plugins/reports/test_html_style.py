"""The style of the HTML report."""

from mcpi.plugins.reports.html_style import STYLE


def test_style_loads_no_external_resources() -> None:
    assert [word for word in ("url(", "@import", "http") if word in STYLE] == []


def test_style_supports_dark_mode() -> None:
    assert "prefers-color-scheme: dark" in STYLE


def test_the_reason_of_a_request_wraps_below_its_name_on_narrow_screens() -> None:
    (arrow,) = [rule for rule in STYLE.split("\n.") if rule.startswith("arrow {")]

    assert "flex-wrap: wrap" in arrow

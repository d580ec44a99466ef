"""Colours are codes around a text, and nothing around nothing."""

from mcpi.core.paint import colour, plain


def test_a_colour_ends_with_its_text() -> None:
    assert colour("error", "mcpi:") == "\x1b[1;31mmcpi:\x1b[0m"


def test_nothing_has_no_colour() -> None:
    assert colour("error", "") == ""


def test_plain_text_stays_as_it_is() -> None:
    assert plain("error", "mcpi:") == "mcpi:"

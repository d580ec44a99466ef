"""Text fitted to the width of a terminal."""

import pytest

from mcpi.core.text.layout import clamp_width


@pytest.mark.parametrize(("width", "used"), [(10, 50), (50, 50), (80, 80), (110, 110), (300, 110)])
def test_lines_are_neither_too_short_nor_too_long(width: int, used: int) -> None:
    assert clamp_width(width) == used

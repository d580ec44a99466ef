"""Text is fitted to the width of the terminal."""

import pytest

from mcpi.core.text.layout import clamp_width


@pytest.mark.parametrize(("width", "used"), [(10, 50), (50, 50), (80, 80), (110, 110), (300, 110)])
def test_line_width_is_between_50_and_110(width: int, used: int) -> None:
    assert clamp_width(width) == used

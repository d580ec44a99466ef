"""The version number."""

import re

from mcpi.core.version import __version__


def test_version_has_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)

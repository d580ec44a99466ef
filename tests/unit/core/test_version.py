"""The version."""

import re

from mcpi.core.version import __version__


def test_the_version_is_one_that_packaging_understands() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)

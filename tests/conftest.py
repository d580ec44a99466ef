"""Hypothesis profiles: few examples by default, many with --hypothesis-profile=deep. Unit tests alone are measured."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings

_UNIT = Path(__file__).with_name("unit")

# No database: it is a folder of files. The same examples on each run: a failure can be seen again.
settings.register_profile("quick", database=None, deadline=None, derandomize=True, max_examples=50)
settings.register_profile("deep", database=None, deadline=None, max_examples=2000)
if settings.get_current_profile_name() == "default":
    settings.load_profile("quick")


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """With --cov, what other tests than those of tests/unit reach does not count as covered."""
    for item in items:
        if not item.path.is_relative_to(_UNIT):
            item.add_marker("no_cover")

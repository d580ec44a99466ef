"""Hypothesis profiles: few examples by default, many with --hypothesis-profile=deep."""

from hypothesis import settings

# No database, because it is a folder of files. derandomize makes failures reproducible.
settings.register_profile("quick", database=None, deadline=None, derandomize=True, max_examples=50)
settings.register_profile("deep", database=None, deadline=None, max_examples=2000)
if settings.get_current_profile_name() == "default":
    settings.load_profile("quick")

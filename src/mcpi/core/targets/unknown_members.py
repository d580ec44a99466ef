"""Misspelled members of a server in a config file."""

from collections.abc import Iterable

from mcpi.core.text.suggestions import SIMILAR, nearest

_MEMBERS = ("type", "transport", "command", "args", "env", "envFile", "cwd", "url", "serverUrl", "httpUrl", "headers")


def misspelled_members(given: Iterable[str]) -> tuple[str, ...]:
    """Describe each member that mcpi does not know but that is nearly one it knows; others belong to other clients."""
    near = ((key, nearest(key, _MEMBERS, SIMILAR)) for key in given if key not in _MEMBERS)
    return tuple(f"unknown member {key!r} (did you mean {known}?)" for key, known in near if known)

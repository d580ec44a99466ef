"""Misspelled members of config files."""

from collections.abc import Collection, Iterable

from mcpi.core.text.suggestions import SIMILAR, nearest

SERVER_MEMBERS = (
    "type",
    "transport",
    "command",
    "args",
    "env",
    "envFile",
    "cwd",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
)


def misspelled_members(given: Iterable[str], known: Collection[str] = SERVER_MEMBERS) -> tuple[str, ...]:
    """Describe each member that mcpi does not know but that is nearly one it knows; others belong to other clients."""
    near = ((key, nearest(key, known, SIMILAR)) for key in given if key not in known)
    return tuple(f"unknown member {key!r} (did you mean {meant}?)" for key, meant in near if meant)

"""Exercise and diagnose MCP servers from flags, with JSON out."""

from typing import TYPE_CHECKING

from mcpi.core.version import __version__

if TYPE_CHECKING:
    from mcpi.shell.client.errors import McpiError
    from mcpi.shell.client.inspector import Inspector
    from mcpi.shell.client.inspector_options import InspectorOptions

__all__ = ["Inspector", "InspectorOptions", "McpiError", "__version__"]

_HOMES = {
    "Inspector": "mcpi.shell.client.inspector",
    "InspectorOptions": "mcpi.shell.client.inspector_options",
    "McpiError": "mcpi.shell.client.errors",
}


def __getattr__(name: str) -> object:
    """The public names, loaded when they are first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mcpi' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - importing mcpi must cost nothing

    return getattr(import_module(_HOMES[name]), name)

"""Test and debug MCP servers from the command line, with JSON output."""

from typing import TYPE_CHECKING

from mcpi.core.version import __version__

if TYPE_CHECKING:
    from mcpi.shell.client.errors import McpiError
    from mcpi.shell.client.inspector import Inspector
    from mcpi.shell.client.inspector_options import InspectorOptions

__all__ = ["Inspector", "InspectorOptions", "McpiError", "__version__"]

_MODULES = {
    "Inspector": "mcpi.shell.client.inspector",
    "InspectorOptions": "mcpi.shell.client.inspector_options",
    "McpiError": "mcpi.shell.client.errors",
}


def __getattr__(name: str) -> object:
    """Load a public name on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'mcpi' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - keep `import mcpi` cheap

    return getattr(import_module(_MODULES[name]), name)

"""Hook specifications for plugins; every hook returns data only."""

from collections.abc import Iterable
from typing import Any

import pluggy

from mcpi.core.outcome.faults import Fault
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.reports import ReportFormat
from mcpi.core.plans.responders import Responder

PROJECT = "mcpi"

hookspec: pluggy.HookspecMarker = pluggy.HookspecMarker(PROJECT)
hookimpl: pluggy.HookimplMarker = pluggy.HookimplMarker(PROJECT)


@hookspec
def mcpi_methods() -> Iterable[AnyMethod]:  # type: ignore[empty-body]
    """Return the methods that the plugin adds to --method and to scripts."""


@hookspec
def mcpi_responders() -> Iterable[Responder[Any]]:  # type: ignore[empty-body]
    """Return the responders that answer requests from the server."""


@hookspec
def mcpi_tools() -> Iterable[str]:  # type: ignore[empty-body]
    """Return the names of the plugin's methods that agents may call through call_method, a tool of mcpi-serve."""


@hookspec
def mcpi_hints(fault: Fault) -> Iterable[str]:  # type: ignore[empty-body]
    """Return hints for a fault, one sentence each; they are shown below the error message."""


@hookspec
def mcpi_outputs() -> Iterable[ReportFormat]:  # type: ignore[empty-body]
    """Return the report formats that the plugin adds to --report NAME=FILE."""

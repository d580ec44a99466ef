"""What a plugin may offer: hooks that return data, and nothing else."""

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
    """The methods that the plugin adds to --method and to scripts."""


@hookspec
def mcpi_responders() -> Iterable[Responder[Any]]:  # type: ignore[empty-body]
    """The answers that the plugin gives to what a server asks."""


@hookspec
def mcpi_tools() -> Iterable[str]:  # type: ignore[empty-body]
    """The names of the plugin's methods that mcpi-serve offers to agents as tools."""


@hookspec
def mcpi_hints(fault: Fault) -> Iterable[str]:  # type: ignore[empty-body]
    """Sentences that help with a fault, shown beneath it."""


@hookspec
def mcpi_outputs() -> Iterable[ReportFormat]:  # type: ignore[empty-body]
    """The forms of report that the plugin adds to --report NAME=FILE."""

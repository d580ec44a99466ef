"""Breakpoints in a Node.js server while a client is connected to it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, overload

from attrs import evolve

from mcpi.core.client.entries import BreakpointHit
from mcpi.core.debugger.program.debug_session import DebugSession
from mcpi.core.debugger.program.probe import parse_probe
from mcpi.core.debugger.program.verdict import document, hint
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, RecordingLimits, parse_source_line
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import collect
from mcpi.core.targets.target import Target
from mcpi.shell.client.errors import McpiError, value_of
from mcpi.shell.client.event_loops import Caller
from mcpi.shell.connection.ports import Ports
from mcpi.shell.context import Context
from mcpi.shell.debugger.debug_filter import DebugFilter

if TYPE_CHECKING:
    from mcpi.shell.debugger.server_debugger import ServerDebugger

_NAMES = ("breakpoint", "expression", "max_results")


class BreakpointHits(Sequence[BreakpointHit]):
    """The hits so far, in order; when a call returns, all of its hits are included."""

    def __init__(self, debugging: DebugSession) -> None:
        """Show the hits of the session."""
        self._debugging = debugging

    def __len__(self) -> int:
        """Return the number of hits."""
        return len(self._debugging.results)

    @overload
    def __getitem__(self, index: int) -> BreakpointHit: ...
    @overload
    def __getitem__(self, index: slice) -> list[BreakpointHit]: ...
    def __getitem__(self, index: int | slice) -> BreakpointHit | list[BreakpointHit]:
        """Return a hit, or a list of hits."""
        if isinstance(index, slice):
            return [BreakpointHit.of(one) for one in self._debugging.results[index]]
        return BreakpointHit.of(self._debugging.results[index])

    def __repr__(self) -> str:
        """Show the hits."""
        return repr([*self])

    def as_json(self) -> JsonObject:
        """Return the document of `debug/script`: the hits, and a hint if there is none."""
        found = document(self._debugging)
        return found if self._debugging.results else {**found, "hint": hint(self._debugging)}


class LiveBreakpoints(ABC):
    """The breakpoints of a client."""

    _debugger: "ServerDebugger | None" = None

    @abstractmethod
    def _on_loop(self) -> Caller:
        """Return the event loop of the caller."""

    def _debuggable(self, target: Target | None, context: Context) -> Target:
        """Return the target as it is started for a debugger."""
        from mcpi.shell.debugger.server_debugger import ServerDebugger, listening  # noqa: PLC0415 - rarely needed

        self._debugger = ServerDebugger(context, target)
        return value_of(listening(target, context), _NAMES)

    def _debug_ports(self, ports: Ports) -> Ports:
        """Return the ports of a connection that may be debugged."""
        debugger = self._debugger
        if debugger is None:
            return ports
        return evolve(ports, tap=DebugFilter(ports.tap, debugger.printed), flush_debugger=debugger.flush)

    async def _close_debugger(self) -> None:
        if self._debugger is not None:
            await self._debugger.close()

    @asynccontextmanager
    async def breakpoint(
        self,
        place: str | Sequence[str],
        expression: str | Sequence[str],
        *,
        condition: str = "",
        stack: bool = False,
        max_results: int = DEFAULT_MAX_RESULTS,
    ) -> AsyncIterator[BreakpointHits]:
        """Evaluate the expression each time the server reaches FILE:LINE; requires `InspectorOptions(debug=True)`.

        The server does not stop. With several places, there is one expression for all or one for each. `condition` is
        JavaScript that must be true for a hit to count; `stack` adds the call stack and the names in scope.
        """
        debugger = self._debugger
        if debugger is None:
            raise McpiError(Invalid("INVALID_ARGUMENT", "breakpoint", "the connection was not opened with debug=True"))
        places = value_of(collect(parse_source_line("--breakpoint", one) for one in _texts(place)), _NAMES)
        limits = RecordingLimits(max_results)
        probe = value_of(parse_probe(places, _texts(expression), limits, stack=stack), _NAMES)
        opened = await self._on_loop().run(lambda: debugger.open(evolve(probe, condition=condition)))
        hits = BreakpointHits(value_of(opened, _NAMES))
        try:
            yield hits
            await self._on_loop().run(debugger.flush)
        finally:
            await self._on_loop().finish(debugger.detach)


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)

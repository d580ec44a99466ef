"""Envelopes of a script's steps as JSON text; those of successful steps are filled into a template."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import evolve

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.indentation import IndentCache, ShapeCache, compact, indent, indent_part
from mcpi.core.jsontext.writing import dump
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, envelope
from mcpi.core.record.transcript import Transcript
from mcpi.core.text.timestamps import milliseconds

_MARK = Exact(r'"\u0000mcpi"')
"""Placeholder for a value that differs between the envelopes."""
_Key: TypeAlias = tuple[str | None, ...]
_LARGEST_FRAME = 1 << 16
_Frame: TypeAlias = tuple[ConnectionFacts, tuple[str, ...]]
"""The text between the values that differ, for one state of the connection."""
_NO_FRAME: tuple[None, tuple[str, ...]] = (None, ())


class EnvelopeWriter:
    """A writer of envelopes: one at a time, or as the elements of one array."""

    def __init__(self, *, compact: bool) -> None:
        """Start with an empty array; `compact` puts each envelope on one line; otherwise they are indented."""
        self._compact = compact
        self._envelopes: list[str] = []
        self._known: IndentCache = {}
        self._shapes: ShapeCache = {}
        self._frames: dict[_Key, _Frame] = {}

    def write(
        self,
        work: RunInfo,
        ended: PlanResult,
        seen: Transcript | None,
        known: ConnectionFacts,
        request: float | None,
    ) -> str:
        """Return the envelope as text; `request` is the time since the negotiation."""
        if ended.fault is None and seen is None and request is not None and isinstance(ended.result, Exact):
            filled = self._filled(work, ended.result, known, request)
            if filled is not None:
                return filled
        return self.format(envelope(work, ended, seen, evolve(known, request=request)))

    def format(self, document: Mapping[str, Printable]) -> str:
        """Return the text of an envelope."""
        written = dump(document)
        return written if self._compact else indent(written, depth=1, known=self._known)

    def add(self, written: str) -> None:
        """Append the text of an envelope to the array."""
        self._envelopes.append(written)

    @property
    def text(self) -> str:
        """The whole array, formatted as by `dump` or `pretty`."""
        if self._compact or not self._envelopes:
            return f"[{','.join(self._envelopes)}]"
        return "[\n  " + ",\n  ".join(self._envelopes) + "\n]"

    def _filled(self, work: RunInfo, result: Exact, known: ConnectionFacts, request: float) -> str | None:
        """Fill the values into the prepared text; return None if the envelope must be written as a whole."""
        written = compact(result.text) if self._compact else indent_part(result.text, 2, self._shapes)
        if written is None:
            return None
        key = (work.method, *work.step_fields)
        known_before, parts = self._frames.get(key, _NO_FRAME)
        if known is not known_before:
            parts = self._prepared(work, known)
            self._frames[key] = known, parts
        fields = map(dump, work.step_fields.values())
        values = (*fields, str(milliseconds(work.duration)), written, str(milliseconds(request)))
        if len(parts) != len(values) + 1:
            return None
        filled = [*parts, *values]
        filled[::2], filled[1::2] = parts, values
        return "".join(filled)

    def _prepared(self, work: RunInfo, known: ConnectionFacts) -> tuple[str, ...]:
        """Return the text between the values that differ; it is empty if there is no such text."""
        fields = dict.fromkeys(work.step_fields, _MARK)
        document: dict[str, Any] = {**envelope(RunInfo(work.method, 0.0, fields), PlanResult(_MARK), None, known)}
        document["durationMs"] = _MARK
        document["connection"]["timings"]["requestMs"] = _MARK
        parts = tuple(self.format(document).split(_MARK.text))
        # A text that is too deep or would grow too much is not indented.
        usable = self._compact or ("\n" in parts[0] and sum(map(len, parts)) <= _LARGEST_FRAME)
        return parts if usable else ()

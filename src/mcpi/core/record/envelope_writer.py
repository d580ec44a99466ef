"""Envelopes of a script's steps as JSON text; those of plain successes are filled into a prepared text."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.indentation import IndentCache, compact, indent, indent_little
from mcpi.core.jsontext.writing import dump
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, envelope
from mcpi.core.record.transcript import Transcript
from mcpi.core.text.timestamps import milliseconds

_MARK = Exact(r'"\u0000mcpi"')
"""Stands for a value that differs between the envelopes."""
_LARGEST_FRAME = 1 << 16
_Key: TypeAlias = tuple[str | None, ...]


@frozen
class _Frame:
    """The text between the values that differ, for one state of the connection."""

    known: ConnectionFacts
    parts: tuple[str, ...]

    def fits(self, known: ConnectionFacts) -> bool:
        """Tell whether nothing but the time of the request differs."""
        mine = self.known
        return (
            known.server is mine.server
            and known.client_capabilities is mine.client_capabilities
            and known.transport == mine.transport
            and known.connect == mine.connect
            and known.handshake == mine.handshake
            and known.exit_code == mine.exit_code
            and known.signal == mine.signal
        )


class EnvelopeWriter:
    """A writer of envelopes: one at a time, or as the elements of one array."""

    def __init__(self, *, compact: bool) -> None:
        """Start with an empty array; `compact` puts each envelope on one line, others are indented."""
        self._compact = compact
        self._envelopes: list[str] = []
        self._known: IndentCache = {}
        self._frames: dict[_Key, _Frame] = {}

    def write(self, work: RunInfo, ended: PlanResult, seen: Transcript | None, known: ConnectionFacts) -> str:
        """Return the envelope as text."""
        plain = ended.fault is None and seen is None and known.request is not None and known.close is None
        filled = self._filled(work, ended.result, known) if plain and isinstance(ended.result, Exact) else None
        return self.format(envelope(work, ended, seen, known)) if filled is None else filled

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

    def _filled(self, work: RunInfo, result: Exact, known: ConnectionFacts) -> str | None:
        """Fill the values into the prepared text; return None if the envelope must be written as a whole."""
        written = compact(result.text)
        if not self._compact:
            indented = indent_little(written, 2, self._known)
            if indented is None:
                return None
            written = indented
        key = (work.method, *work.step_fields)
        frame = self._frames.get(key)
        if frame is None or not frame.fits(known):
            frame = self._frames[key] = self._prepared(work, known)
        values = [dump(value) for value in work.step_fields.values()]
        values += (dump(milliseconds(work.duration)), written, dump(milliseconds(known.request or 0.0)), "")
        if len(frame.parts) != len(values):
            return None
        return "".join([text for pair in zip(frame.parts, values, strict=True) for text in pair])

    def _prepared(self, work: RunInfo, known: ConnectionFacts) -> _Frame:
        fields = dict.fromkeys(work.step_fields, _MARK)
        document: dict[str, Any] = {**envelope(RunInfo(work.method, 0.0, fields), PlanResult(_MARK), None, known)}
        document["durationMs"] = _MARK
        cast("dict[str, Any]", document["connection"])["timings"]["requestMs"] = _MARK
        parts = tuple(self.format(document).split(_MARK.text))
        # A text that is too deep or would grow too much is not indented.
        usable = self._compact or ("\n" in parts[0] and sum(map(len, parts)) <= _LARGEST_FRAME)
        return _Frame(known, parts if usable else ())

"""Envelopes that are filled into a prepared text are the same as those that are written as a whole."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, VALUES, exact, nested
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump, pretty
from mcpi.core.outcome.faults import Invalid
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.envelope import ConnectionFacts, RunInfo, envelope
from mcpi.core.record.envelope_writer import EnvelopeWriter
from mcpi.core.record.transcript import Transcript
from mcpi.core.wire.server_info import NegotiatedServer

SERVER = NegotiatedServer("handshake", "2025-11-25", exact('{"name":"s"}'), exact('{"tools":{}}'))
KNOWN = ConnectionFacts("stdio", SERVER, {"roots": {}}, 0.01, 0.5)
MARK = r'"\u0000mcpi"'


def whole(work: RunInfo, result: Exact, known: ConnectionFacts = KNOWN) -> dict[str, Printable]:
    """The envelope of a success, 1.25 s after the negotiation."""
    return envelope(work, PlanResult(result), None, evolve(known, request=1.25))


@given(values=st.lists(VALUES, min_size=1, max_size=4), compacted=st.booleans())
def test_filled_envelopes_equal_whole_envelopes(values: list[Json], *, compacted: bool) -> None:
    writer = EnvelopeWriter(compact=compacted)
    documents: list[Printable] = []
    for index, value in enumerate(values):
        work = RunInfo("tools/call", 0.25 * index, {"index": index, "name": f"step {index}"})
        documents.append(whole(work, Exact(dump(value))))
        writer.add(writer.write(work, PlanResult(Exact(dump(value))), None, KNOWN, 1.25))

    assert writer.text == (dump if compacted else pretty)(documents)


@pytest.mark.parametrize("text", [nested(DEEP), nested(999), MARK, f"[{','.join(['[1]'] * 300)}]", '{ "a" : 1.50 }'])
@pytest.mark.parametrize("info", ["s", "\0mcpi", "x" * 100_000])
def test_unusual_texts_are_written_as_a_whole(text: str, info: str) -> None:
    known = evolve(KNOWN, server=evolve(SERVER, info=exact(dump({"name": info}))))
    work = RunInfo("ping", 0.5, {"index": 0})
    writer = EnvelopeWriter(compact=False)
    writer.add(writer.write(work, PlanResult(Exact(text)), None, known, 1.25))

    assert writer.text == f"[\n  {writer.format(whole(work, Exact(text), known))}\n]"


def test_changed_connection_is_written() -> None:
    writer, work = EnvelopeWriter(compact=True), RunInfo("ping", 0.5, {"index": 0})
    states = (KNOWN, evolve(KNOWN, signal="x"))
    written = [writer.write(work, PlanResult(exact("{}")), None, one, 1.25) for one in states]

    assert [one.count('"signal":null') for one in written] == [1, 0]


def test_failures_and_events_are_written() -> None:
    writer, work, fault = EnvelopeWriter(compact=True), RunInfo("ping"), Invalid("INVALID_ARGUMENT", "x", "no")
    seen = Transcript(0.0, keep=True)
    seen.add_stderr_line("line")

    for ended, record in ((PlanResult(None, fault), None), (PlanResult(exact("{}")), seen), (PlanResult(), None)):
        document = envelope(work, ended, record, evolve(KNOWN, request=1.25))
        assert writer.write(work, ended, record, KNOWN, 1.25) == dump(document)


def test_array_without_envelopes_is_empty() -> None:
    assert [EnvelopeWriter(compact=compacted).text for compacted in (True, False)] == ["[]", "[]"]

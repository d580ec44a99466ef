"""The trace records every message in both directions with its response time."""

from mcpi.core.jsontext.exact import Exact
from mcpi.core.record.trace import TraceBuilder
from mcpi.core.session.effects import SendMessage
from mcpi.core.wire.peer import Peer, Received
from support.replay import exact

EPOCH = 1_000_000_000.0


def sent(number: int = 1) -> SendMessage:
    return SendMessage(f'{{"id":{number}}}'.encode(), "request", "x", number)


def received(raw: bytes, *methods: str) -> Received:
    """Bytes as received by a peer that has sent these requests."""
    peer = Peer()
    for method in methods:
        peer.request(method, None)
    return peer.receive(raw)


def test_sent_message_is_traced_with_its_time() -> None:
    assert TraceBuilder(EPOCH).sent(sent(), 0.5) == {
        "time": "2001-09-09T01:46:40.500Z",
        "direction": "sent",
        "raw": '{"id":1}',
        "parsed": exact({"id": 1}),
    }


def test_http_headers_of_a_message_are_traced() -> None:
    entry = TraceBuilder(EPOCH).sent(SendMessage(b"{}", "notification", headers={"mcp-method": "x"}), 0.0)

    assert entry["headers"] == {"mcp-method": "x"}


def test_response_is_traced_with_its_response_time() -> None:
    trace = TraceBuilder(EPOCH)
    trace.sent(sent(), 1.0)

    raw = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert trace.received(received(raw, "x"), 1.25) == {
        "time": "2001-09-09T01:46:41.250Z",
        "direction": "received",
        "raw": raw.decode(),
        "parsed": Exact(raw.decode(), {"jsonrpc": "2.0", "id": 1, "result": {}}),
        "answerMs": 250.0,
    }


def test_duplicate_response_has_no_response_time() -> None:
    trace = TraceBuilder(EPOCH)
    trace.sent(sent(), 1.0)
    answer = received(b'{"jsonrpc":"2.0","id":1,"result":{}}', "x")
    trace.received(answer, 1.25)

    assert "answerMs" not in trace.received(answer, 2.0)


def test_notification_has_no_response_time() -> None:
    trace = TraceBuilder(EPOCH)
    trace.sent(SendMessage(b"{}", "notification"), 0.0)

    assert "answerMs" not in trace.received(received(b'{"jsonrpc":"2.0","method":"n"}'), 1.0)


def test_violations_are_traced_with_their_message() -> None:
    entry = TraceBuilder(EPOCH).received(received(b"noise \xff"), 0.0)

    assert entry["raw"] == "noise \ufffd"
    assert entry["parsed"] is None
    assert entry["violations"] == [
        {"rule": "invalid-utf8", "detail": "byte 6 is not UTF-8", "evidence": "noise \ufffd"},
        {"rule": "not-json", "detail": "not a JSON-RPC message", "evidence": "noise \ufffd"},
    ]


def test_stderr_line_is_traced_as_a_note() -> None:
    assert TraceBuilder(EPOCH).note("stderr", "oops", 0.0) == {
        "time": "2001-09-09T01:46:40.000Z",
        "direction": "stderr",
        "raw": "oops",
    }

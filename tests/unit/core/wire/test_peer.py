"""Requests are numbered, responses are matched to them, and unmatched messages are violations."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES, exact
from mcpi.core.jsontext.exact import Params
from mcpi.core.jsontext.values import Json
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, Notification, Request, RpcResponse
from mcpi.core.wire.peer import Peer, Received, encode_error, encode_notification, encode_result
from mcpi.core.wire.violations import Violation


def peer_with_requests(count: int) -> Peer:
    """A peer with the given number of outstanding requests."""
    peer = Peer()
    for number in range(1, count + 1):
        peer.request(f"method/{number}", None)
    return peer


def answer(number: Json, value: Json = None) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": value}).encode()


def message_count(received: Received) -> list[Id]:
    return [message.id for message in received.messages if isinstance(message, RpcResponse | InvalidMessage)]


def rules(received: Received) -> list[str]:
    return [violation.rule for violation in received.violations]


def test_requests_are_numbered_from_one() -> None:
    peer = Peer()

    assert [peer.next_id, peer.request("a", None)[0], peer.next_id, peer.request("b", None)[0]] == [1, 1, 2, 2]
    assert peer.outstanding == {1: "a", 2: "b"}


@pytest.mark.parametrize(
    ("params", "data"),
    [
        (None, b'{"jsonrpc":"2.0","id":1,"method":"a"}'),
        ({}, b'{"jsonrpc":"2.0","id":1,"method":"a","params":{}}'),
        ({"b": "\u00e9", "c": [None]}, '{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":"é","c":[null]}}'.encode()),
        (exact('{ "n":\n1.10 }'), b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1.10}}'),
        (exact("[1, 2]"), b'{"jsonrpc":"2.0","id":1,"method":"a","params":[1,2]}'),
        (exact('{"n":"\udcff"}'), b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":"\\udcff"}}'),
    ],
)
def test_a_request_is_one_line_of_bytes(params: Params | None, data: bytes) -> None:
    assert Peer().request("a", params) == (1, data)


def test_a_notification_has_no_id() -> None:
    assert encode_notification("notifications/initialized") == b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    assert encode_notification("a", {"b": 1}) == b'{"jsonrpc":"2.0","method":"a","params":{"b":1}}'


@pytest.mark.parametrize("number", ["7", '"7"', '"é"', "1.50"])
def test_response_has_the_id_of_the_request(number: str) -> None:
    written = number.encode()
    assert (
        encode_result(exact(number), {"a": exact("1.10")})
        == b'{"jsonrpc":"2.0","id":' + written + b',"result":{"a":1.10}}'
    )
    assert encode_error(exact(number), -32601, "no") == (
        b'{"jsonrpc":"2.0","id":' + written + b',"error":{"code":-32601,"message":"no"}}'
    )


@given(st.permutations(range(1, 7)))
def test_responses_are_matched_in_any_order(order: Sequence[int]) -> None:
    peer = peer_with_requests(6)
    received = [peer.receive(answer(number, number * 10)) for number in order]

    assert [message for one in received for message in one.messages] == [
        RpcResponse(number, exact(str(number * 10)), None, answer(number, number * 10).decode()) for number in order
    ]
    assert [rules(one) for one in received] == [[]] * 6
    assert peer.outstanding == {}


@given(st.lists(st.integers(-1, 8), max_size=12))
def test_each_request_is_answered_once(numbers: list[int]) -> None:
    peer = peer_with_requests(6)
    received = [peer.receive(answer(number)) for number in numbers]
    expected = [number for at, number in enumerate(numbers) if number in range(1, 7) and number not in numbers[:at]]

    assert [number for one in received for number in message_count(one)] == expected
    assert set(peer.outstanding) == set(range(1, 7)) - set(numbers)
    assert [rules(one) for one in received] == [
        ["unknown-id"] if number not in range(1, 7) else ["repeated-id"] if number in numbers[:at] else []
        for at, number in enumerate(numbers)
    ]


@given(st.lists(st.tuples(st.integers(0, 9), VALUES) | st.binary(max_size=20), max_size=8))
def test_every_request_is_outstanding_or_answered_exactly_once(arrived: list[tuple[int, Json] | bytes]) -> None:
    peer = peer_with_requests(3)
    seen = [peer.receive(one if isinstance(one, bytes) else answer(*one)) for one in arrived]
    found = [number for one in seen for number in message_count(one)]

    assert sorted([*found, *peer.outstanding]) == [1, 2, 3]  # type: ignore[type-var] # all are integers


def test_raw_bytes_are_kept() -> None:
    assert Peer().receive(b'{"jsonrpc":"2.0","method":"a"} \r').raw == b'{"jsonrpc":"2.0","method":"a"} \r'


def test_server_requests_and_notifications_are_not_matched() -> None:
    raw = b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"a"}]'
    received = peer_with_requests(1).receive(raw)

    assert [type(message) for message in received.messages] == [Request, Notification]
    assert rules(received) == ["batch"]


@pytest.mark.parametrize(
    ("raw", "remarked"),
    [
        (b'[{"jsonrpc":"2.0","method":"a"}]', []),
        (b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":9,"result":1}]', ["unknown-id"]),
        (b'[{"jsonrpc":"2.0","method":"a"},7]', ["unclear-message"]),
        (b"[7]", ["batch", "unclear-message"]),
        (b"[]", ["batch"]),
    ],
)
def test_only_batches_without_messages_are_violations_if_allowed(raw: bytes, remarked: list[str]) -> None:
    peer = Peer()
    peer.allows_batches = True

    assert rules(peer.receive(raw)) == remarked


def test_a_batch_is_matched_message_by_message() -> None:
    peer = peer_with_requests(3)
    parts = [answer(2), b'{"jsonrpc":"2.0","id":2,"method":"ping"}', answer(9), answer(1), answer(2)]
    received = peer.receive(b"[" + b",".join(parts) + b"]")

    assert [type(message) for message in received.messages] == [RpcResponse, Request, RpcResponse]
    assert (message_count(received), list(peer.outstanding)) == ([2, 1], [3])
    assert rules(received) == ["batch", "unknown-id", "repeated-id"]


@pytest.mark.parametrize(
    ("number", "detail"),
    [
        ("1", "id 1 was returned as '1'"),
        ("1.0", "id 1 was returned as '1.0'"),
        (1.0, "id 1 was returned as 1.0"),
    ],
)
def test_id_of_another_type_is_matched_and_a_violation(number: str | float, detail: str) -> None:
    peer = peer_with_requests(2)
    text = answer(number).decode()

    assert peer.receive(text.encode()) == Received(
        (RpcResponse(1, exact("null"), None, text),), (Violation("id-type", detail, text),), text.encode()
    )
    assert list(peer.outstanding) == [2]


@pytest.mark.parametrize(
    ("number", "detail"),
    [
        (3, "no request has the id 3"),
        ("one", "no request has the id 'one'"),
        (1.5, "no request has the id 1.5"),
        (None, "no request has the id None"),
        ("x" * 1000, f"no request has the id '{'x' * 299}… (1002 characters)"),
    ],
)
def test_response_with_an_unknown_id_is_a_violation(number: Json, detail: str) -> None:
    peer = peer_with_requests(2)
    text = answer(number).decode()
    received = peer.receive(text.encode())

    assert (received.messages, [violation.detail for violation in received.violations]) == ((), [detail])
    assert rules(received) == ["unknown-id"]
    assert list(peer.outstanding) == [1, 2]


def test_error_without_an_id_answers_the_only_request() -> None:
    peer = peer_with_requests(1)
    text = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}'

    assert peer.receive(text.encode()) == Received(
        (RpcResponse(1, None, exact('{"code":-32700,"message":"no"}'), text),),
        (Violation("null-id", "a response without an id", text),),
        text.encode(),
    )
    assert peer.outstanding == {}


def test_response_without_an_id_and_without_requests_is_a_violation() -> None:
    assert rules(Peer().receive(answer(None))) == ["unknown-id"]


def test_second_response_is_a_violation() -> None:
    peer = peer_with_requests(1)
    peer.receive(answer(1))
    received = peer.receive(answer(1))

    assert (received.messages, received.violations) == (
        (),
        (Violation("repeated-id", "request 1 was already answered", answer(1).decode()),),
    )


def test_invalid_response_is_matched_to_its_request() -> None:
    peer = peer_with_requests(1)
    text = '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"no"}}'

    assert peer.receive(text.encode()).messages == (
        InvalidMessage(1, "the response has both a result and an error", text),
    )
    assert peer.outstanding == {}


def test_invalid_response_with_an_id_of_another_type_is_matched() -> None:
    peer = peer_with_requests(1)
    received = peer.receive(b'{"jsonrpc":"2.0","id":"1","result":{')

    assert [type(message) for message in received.messages] == [InvalidMessage]
    assert (message_count(received), rules(received)) == ([1], ["not-json", "id-type"])


def test_invalid_response_with_an_unknown_id_is_one_violation() -> None:
    received = peer_with_requests(1).receive(b'{"jsonrpc":"2.0","id":5,"result":{')

    assert (received.messages, rules(received)) == ((), ["not-json"])


def test_invalid_response_after_the_response_is_a_repetition() -> None:
    peer = peer_with_requests(1)
    peer.receive(answer(1))

    assert rules(peer.receive(b'{"jsonrpc":"2.0","id":1,"result":{')) == ["not-json", "repeated-id"]


def test_response_to_an_abandoned_request_is_ignored() -> None:
    peer = peer_with_requests(2)
    peer.abandon(1)
    received = [peer.receive(answer(1)), peer.receive(answer(1))]

    assert [(one.messages, one.violations) for one in received] == [((), ()), ((), ())]
    assert list(peer.outstanding) == [2]


def test_second_response_is_a_violation_for_any_method_name() -> None:
    peer = Peer()
    peer.request("given up", None)
    peer.receive(answer(1))

    assert rules(peer.receive(answer(1))) == ["repeated-id"]


@pytest.mark.parametrize("number", [0, 2, "1", None])
def test_abandoning_an_unknown_request_has_no_effect(number: Id) -> None:
    peer = peer_with_requests(1)
    peer.abandon(number)

    assert (list(peer.outstanding), message_count(peer.receive(answer(1)))) == ([1], [1])


def test_abandoning_an_answered_request_has_no_effect() -> None:
    peer = peer_with_requests(1)
    peer.receive(answer(1))
    peer.abandon(1)

    assert rules(peer.receive(answer(1))) == ["repeated-id"]


def test_number_of_remembered_responses_is_limited() -> None:
    peer = peer_with_requests(1001)
    for number in range(1, 1002):
        peer.receive(answer(number))

    assert [rules(peer.receive(answer(number))) for number in (1, 2, 1001)] == [
        ["unknown-id"],
        ["repeated-id"],
        ["repeated-id"],
    ]

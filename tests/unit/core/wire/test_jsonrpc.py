"""Bytes are parsed to JSON-RPC messages and protocol violations."""

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from json_texts import DEEP, LONG, NEARLY, TEXTS, VALUES, exact, nested
from mcpi.core.jsontext.exact import LARGE
from mcpi.core.jsontext.values import Json
from mcpi.core.wire.jsonrpc import (
    Id,
    InvalidMessage,
    Message,
    Notification,
    Request,
    RpcResponse,
    is_message,
    parse,
    parse_simple,
)
from mcpi.core.wire.violations import Violation, quote

IDS = st.integers() | st.text(max_size=5)
ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}'


def messages(text: str) -> tuple[Message, ...]:
    return parse(text.encode())[0]


def rules(text: str) -> list[str]:
    return [violation.rule for violation in parse(text.encode())[1]]


def details(text: str) -> list[str]:
    return [violation.detail for violation in parse(text.encode())[1]]


def test_method_with_an_id_is_a_request() -> None:
    text = '{"jsonrpc": "2.0", "id": 7, "method": "roots/list", "params": {"a": 1.10}}'

    assert parse(text.encode()) == ((Request(exact("7"), "roots/list", exact('{"a": 1.10}'), text),), ())


def test_method_without_an_id_is_a_notification() -> None:
    text = '{"jsonrpc": "2.0", "method": "notifications/message"}'

    assert parse(text.encode()) == ((Notification("notifications/message", None, text),), ())


def test_result_with_an_id_is_a_response() -> None:
    text = '{"result": {"a" : 1e400}, "id": "x", "jsonrpc": "2.0"}'

    assert parse(text.encode()) == ((RpcResponse("x", exact('{"a" : 1e400}'), None, text),), ())


def test_error_with_an_id_is_a_response() -> None:
    text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'

    assert parse(text.encode()) == ((RpcResponse(1, None, exact('{"code":-32601,"message":"no"}'), text),), ())


def test_a_result_may_be_null() -> None:
    text = '{"jsonrpc":"2.0","id":1,"result":null}'

    assert parse(text.encode()) == ((RpcResponse(1, exact("null"), None, text),), ())


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1", 1),
        ("-1", -1),
        ("9007199254740993", 9007199254740993),
        ('"1"', "1"),
        ('"\\u0061"', "a"),
        ('""', ""),
        ("1.5", 1.5),
        ("null", None),
        ("true", None),
        ("[1]", None),
        ("{}", None),
    ],
)
def test_id_is_a_number_or_a_string(written: str, number: Id) -> None:
    text = f'{{"jsonrpc":"2.0","id":{written},"result":{{}}}}'

    assert messages(text) == (RpcResponse(number, exact("{}"), None, text),)


@given(IDS, st.text(max_size=5), VALUES)
def test_any_request_notification_or_response_is_parsed(number: int | str, method: str, value: Json) -> None:
    head: dict[str, Json] = {"jsonrpc": "2.0"}
    given = exact(json.dumps({"x": value}))
    params = {"params": given.value}
    request = json.dumps({**head, "id": number, "method": method, **params})
    notification = json.dumps({**head, "method": method, **params})
    answer = json.dumps({**head, "id": number, "result": given.value})

    assert parse(request.encode()) == ((Request(exact(json.dumps(number)), method, given, quote(request)),), ())
    assert parse(notification.encode()) == ((Notification(method, given, quote(notification)),), ())
    assert parse(answer.encode()) == ((RpcResponse(number, given, None, quote(answer)),), ())


@given(st.binary() | NEARLY.map(lambda text: text.encode(errors="surrogatepass")))
@example(b"\xef\xbb\xbf" * 3000)
@example(b"\xef\xbb\xbf " * 3000 + ANSWER.encode())
@example(b'{"id":007,"result":{}}')
@example('{"id":\u0663,"result":{}}'.encode())
@example(rb'{"jsonrpc":"2.0","id":"\x","result":{}}')
@example(f'{{"id":{LONG},"result":[{LONG},x]}}'.encode())
@example(f'{{"id":{LONG},"result":{nested(DEEP, LONG)}}}'.encode())
@example(f'{{"id":1,"result":{nested(DEEP)[:-1]}}}'.encode())
@example(nested(DEEP).encode())
def test_any_bytes_give_messages_or_violations(raw: bytes) -> None:
    found, violations = parse(raw)

    assert found or violations or not raw.strip(b" \t\r\n\xef\xbb\xbf")


@pytest.mark.parametrize("length", range(1, len(ANSWER)))
def test_truncated_response_keeps_its_id(length: int) -> None:
    named = length >= len('{"jsonrpc":"2.0","id":1')

    assert [message.id for message in messages(ANSWER[:length]) if isinstance(message, InvalidMessage)] == [1] * named
    assert rules(ANSWER[:length]) == ["not-json"]


@given(TEXTS.map(lambda text: text.strip(" \t\r\n")))
def test_json_that_is_not_a_message_is_a_violation(text: str) -> None:
    assert rules(text) != []
    assert messages(text) == ()


@pytest.mark.parametrize("text", ["", " ", "\r\n", "\t"])
def test_empty_line_is_ignored(text: str) -> None:
    assert parse(text.encode()) == ((), ())


@pytest.mark.parametrize("text", [f"  {ANSWER}\r", f"\t{ANSWER}\n", f"{ANSWER}\r\n"])
def test_whitespace_around_a_message_is_ignored(text: str) -> None:
    assert [type(message) for message in messages(text)] == [RpcResponse]
    assert rules(text) == []


@pytest.mark.parametrize("text", ["listening on stdio", "  warning: x ", "1", '"text"', "null", "\x1b[32mok\x1b[0m"])
def test_line_that_is_not_a_message_is_quoted(text: str) -> None:
    assert parse(text.encode()) == ((), (Violation("not-json", "not a JSON-RPC message", text.strip()),))


def test_invalid_batch_is_quoted() -> None:
    assert parse(b"[info] started") == (
        (),
        (Violation("not-json", "not a JSON-RPC message (a value is missing)", "[info] started"),),
    )


def test_invalid_object_is_quoted() -> None:
    text = "{name: 'x'}"
    problem = "not a JSON-RPC message (a member's name is missing: line 1 column 2 (char 1))"

    assert parse(text.encode()) == ((), (Violation("not-json", problem, text),))


def test_invalid_utf_8_is_replaced_and_a_violation() -> None:
    raw = b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xff"}}'
    text = '{"jsonrpc":"2.0","id":1,"result":{"a":"\ufffd"}}'

    assert parse(raw) == (
        (RpcResponse(1, exact('{"a":"\ufffd"}'), None, text),),
        (Violation("invalid-utf8", "byte 39 is not UTF-8", text),),
    )


def test_invalid_utf_8_and_invalid_json_are_two_violations() -> None:
    assert parse(b"\xff") == (
        (),
        (
            Violation("invalid-utf8", "byte 0 is not UTF-8", "\ufffd"),
            Violation("not-json", "not a JSON-RPC message", "\ufffd"),
        ),
    )


@pytest.mark.parametrize("marks", ["\ufeff", " \ufeff", "\ufeff\ufeff", "\ufeff \ufeff" * 2000])
def test_byte_order_mark_is_a_violation(marks: str) -> None:
    assert parse(f"{marks}{ANSWER}".encode()) == (
        (RpcResponse(1, exact("{}"), None, ANSWER),),
        (Violation("byte-order-mark", "a byte order mark before the message"),),
    )


def test_batch_is_split_and_a_violation() -> None:
    note = '{"jsonrpc":"2.0","method":"x"}'
    text = f" [{ANSWER}, {note}] "

    assert parse(text.encode()) == (
        (RpcResponse(1, exact("{}"), None, ANSWER), Notification("x", None, note)),
        (Violation("batch", "a batch of 2 messages", text.strip()),),
    )


def test_violations_inside_a_batch_are_reported() -> None:
    assert parse(b'[1,[],{"id":1}]')[1] == (
        Violation("batch", "a batch of 3 messages", '[1,[],{"id":1}]'),
        Violation("unclear-message", "an element of a batch is not an object", "1"),
        Violation("unclear-message", "an element of a batch is not an object", "[]"),
        Violation("wrong-jsonrpc", "jsonrpc is missing; expected '2.0'", '{"id":1}'),
        Violation("unclear-message", "neither a request, a notification nor a response", '{"id":1}'),
    )


def test_empty_batch_is_a_violation() -> None:
    assert parse(b"[]") == ((), (Violation("batch", "a batch of 0 messages", "[]"),))


@pytest.mark.parametrize(
    ("version", "detail"),
    [
        ("", "jsonrpc is missing; expected '2.0'"),
        ('"jsonrpc":"1.0",', "jsonrpc is \"1.0\"; expected '2.0'"),
        ('"jsonrpc":2.0,', "jsonrpc is 2.0; expected '2.0'"),
        (f'"jsonrpc":{LONG},', f"jsonrpc is {'9' * 300}… (5000 characters); expected '2.0'"),
    ],
)
def test_wrong_jsonrpc_version_is_a_violation(version: str, detail: str) -> None:
    text = f'{{{version}"id":1,"result":{{}}}}'

    assert [type(message) for message in messages(text)] == [RpcResponse]
    assert (rules(text), details(text)) == (["wrong-jsonrpc"], [detail])


@pytest.mark.parametrize("members", ["", ',"id":null', ',"method":null'])
def test_message_without_method_result_or_error_is_a_violation(members: str) -> None:
    text = f'{{"jsonrpc":"2.0"{members}}}'
    problem = "neither a request, a notification nor a response"

    assert parse(text.encode()) == ((), (Violation("unclear-message", problem, text),))


@pytest.mark.parametrize("members", ['"id":1', '"id":1,"method":5'])
def test_response_without_result_or_error_is_an_invalid_message(members: str) -> None:
    text = f'{{"jsonrpc":"2.0",{members}}}'

    assert messages(text) == (InvalidMessage(1, "it has neither a result nor an error", text),)
    assert rules(text) == ["unclear-message"]


@pytest.mark.parametrize(
    ("raw", "whole"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', True),
        (b'{"jsonrpc":"2.0","method":"x"}\r', True),
        (b'{"jsonrpc":"2.0","id":1,"result":{}', False),
        (b'{"jsonrpc":"2.0","id":1}', False),
        (b'{"a":{}}', False),
        (b"", False),
    ],
)
def test_complete_messages_are_distinguished_from_partial_ones(raw: bytes, *, whole: bool) -> None:
    assert is_message(raw) == whole


@pytest.mark.parametrize("params", ["[1]", "null", '"x"', "1"])
def test_params_that_are_not_an_object_are_a_violation(params: str) -> None:
    text = f'{{"jsonrpc":"2.0","method":"x","params":{params}}}'

    assert parse(text.encode()) == (
        (Notification("x", exact(params), text),),
        (Violation("positional-params", "the params of x are not an object", text),),
    )


@pytest.mark.parametrize("number", ["null", "true", "[1]", "{}"])
def test_request_with_an_invalid_id_is_a_notification(number: str) -> None:
    text = f'{{"jsonrpc":"2.0","id":{number},"method":"ping","params":[]}}'

    assert parse(text.encode()) == (
        (Notification("ping", exact("[]"), text),),
        (
            Violation("positional-params", "the params of ping are not an object", text),
            Violation("null-id", "the id of ping is not a string or number", text),
        ),
    )


def test_long_method_name_is_truncated_in_violations() -> None:
    method = "m" * 1000
    text = f'{{"jsonrpc":"2.0","id":null,"method":"{method}","params":1}}'

    assert details(text) == [
        f"the params of {'m' * 300}… (1000 characters) are not an object",
        f"the id of {'m' * 300}… (1000 characters) is not a string or number",
    ]


@pytest.mark.parametrize(
    ("members", "answer"),
    [
        ('"result":{},"error":null', (exact("{}"), None)),
        ('"result":null,"error":null', (exact("null"), None)),
        (
            '"result":null,"error":{"code":1,"message":"no"}',
            (None, exact('{"code":1,"message":"no"}')),
        ),
    ],
)
def test_null_result_or_error_beside_the_other_is_resolved(members: str, answer: tuple[object, object]) -> None:
    text = f'{{"jsonrpc":"2.0","id":1,{members}}}'
    found = messages(text)

    assert [(message.result, message.error) for message in found if isinstance(message, RpcResponse)] == [answer]
    assert rules(text) == ["result-and-error"]


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ('"id":1,"method":"a","params":{},"result":{}', RpcResponse),
        ('"id":1,"method":"a","error":{"code":1,"message":"no"}', RpcResponse),
        ('"id":1,"method":"a","result":null,"error":{"code":1,"message":"no"}', RpcResponse),
        ('"id":1,"method":"a","result":null', Request),
        ('"id":1,"method":"a","result":null,"error":null', Request),
        ('"method":"a","result":{}', Notification),
        ('"method":"a","error":null', Notification),
    ],
)
def test_message_with_method_and_result_is_classified_and_a_violation(members: str, kind: type) -> None:
    text = f'{{"jsonrpc":"2.0",{members}}}'

    assert [type(message) for message in messages(text)] == [kind]
    assert rules(text)[0] == "method-and-result"


@pytest.mark.parametrize(
    "number", ["1e999", "-1E+400", pytest.param("9" * 5000, id="huge"), "1e2", "-0", "1.50", r'"\ud800"', '"1"']
)
def test_request_id_is_kept_verbatim(number: str) -> None:
    found = messages(f'{{"jsonrpc":"2.0","id":{number},"method":"ping"}}')

    assert [message.id.text for message in found if isinstance(message, Request)] == [number]


def test_response_with_result_and_error_is_an_invalid_message() -> None:
    text = '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"no"}}'

    assert parse(text.encode()) == (
        (InvalidMessage(1, "the response has both a result and an error", text),),
        (Violation("result-and-error", "a response has both a result and an error", text),),
    )


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        ('"no"', "the error is not an object"),
        ("null", "the error is not an object"),
        ("{}", "the error lacks an integer code or a message"),
        ('{"code":"1","message":"no"}', "the error lacks an integer code or a message"),
        ('{"code":1.0,"message":"no"}', "the error lacks an integer code or a message"),
        ('{"code":true,"message":"no"}', "the error lacks an integer code or a message"),
        ('{"code":1}', "the error lacks an integer code or a message"),
    ],
)
def test_malformed_error_is_a_violation(error: str, detail: str) -> None:
    text = f'{{"jsonrpc":"2.0","id":1,"error":{error}}}'

    assert parse(text.encode()) == (
        (RpcResponse(1, None, exact(error), text),),
        (Violation("malformed-error", detail, text),),
    )


def test_malformed_error_beside_a_null_result_is_two_violations() -> None:
    assert rules('{"jsonrpc":"2.0","id":1,"result":null,"error":5}') == ["result-and-error", "malformed-error"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ('{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"cut', 1),
        ('{"jsonrpc":"2.0","id":1', 1),
        ('{"jsonrpc":"2.0","id":"a\\"b","result":{]}}', 'a"b'),
        ('{"jsonrpc":"2.0","id":3,"result":{"text":"un"quoted"}}', 3),
        ('{"result":{"id":5,"x":[NaN,{"id":6}]},"jsonrpc":"2.0","id":4}', 4),
        ('{"id":2,"error":{"code":01}}', 2),
        ('{"id":1,"id":2,"result":', 1),
        ('{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"method":"x"}', 1),
        ('{"jsonrpc" : "2.0" , "id"\t:\t-7 , "result" : }', -7),
    ],
)
def test_unparsable_response_keeps_its_id(text: str, number: Id) -> None:
    (found,), (violation,) = parse(text.encode())

    assert isinstance(found, InvalidMessage)
    assert (found.id, found.quoted) == (number, quote(text))
    assert (violation.rule, violation.detail, violation.evidence) == ("not-json", found.problem, text)


@pytest.mark.parametrize(
    "text",
    [
        # A request, and a server's log of received requests.
        '{"jsonrpc":"2.0","id":1,"method":"tools/call"} was handled',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{',
        # A log line.
        '{"level":"debug","id":1,"message":"cut',
        # The ID of another object.
        '{"jsonrpc":"2.0","result":{"id":1,"name":"cut',
        '{"jsonrpc":"2.0","result":{"a":"\\"id\\":1",}}',
        # An ID that mcpi never uses.
        '{"jsonrpc":"2.0","result":{},}',
        '{"jsonrpc":"2.0","id":null,"result":{},}',
        '{"jsonrpc":"2.0","id":true,"result":{},}',
        '{"jsonrpc":"2.0","id":{"id":1},"result":{},}',
        '{"jsonrpc":"2.0","id":01,"result":{}}',
        '{"jsonrpc":"2.0","id":"cut',
        '{"jsonrpc":"2.0","id":',
        '{"jsonrpc":"2.0"}, {"id":1}',
    ],
)
def test_unparsable_line_without_response_id_is_only_quoted(text: str) -> None:
    assert messages(text) == ()
    assert rules(text) == ["not-json"]


def test_unparsable_response_full_of_escapes_is_scanned_once() -> None:
    text = '{"jsonrpc":"2.0","result":"' + r"\"" * 1_000_000

    assert messages(text) == ()


NAMES = st.sampled_from([json.dumps(name) for name in ("id", "method", "params", "result", "error", "x")])
HEADS = ('{"jsonrpc":"2.0","method":"n","params":', '{"method":"n","params":', '{"method":"\\n","params":')
TAILS = ("}", ',"jsonrpc":"2.0"}', ',"id":1}', ',"jsonrpc":"2.0"}}', "", "]")


@given(st.sampled_from(HEADS), NEARLY | TEXTS.map(str.strip), st.sampled_from(TAILS))
@example(HEADS[0], '{"a":NaN}', "}")
@example(HEADS[0], '{"a":"\ud800"}', "}")
def test_fast_path_for_notifications_agrees_with_the_parser(head: str, params: str, tail: str) -> None:
    raw = f"{head}{params}{tail}".encode(errors="surrogatepass")
    simple = parse_simple(raw)

    assert simple is None or parse(raw) == ((simple,), ())


@pytest.mark.parametrize(("head", "tail"), [(HEADS[0], "}"), (HEADS[1], ',"jsonrpc":"2.0"}')])
def test_fast_path_parses_common_notifications(head: str, tail: str) -> None:
    text = f'{head}{{"a":1.10}}{tail}'

    assert parse_simple(text.encode()) == Notification("n", exact('{"a":1.10}'), text)


MESSAGES = st.builds('{{"jsonrpc":"2.0",{}:{},{}:{}}}'.format, NAMES, TEXTS, NAMES, TEXTS)


def parts_of(text: str) -> tuple[list[Any], list[str]]:
    """The messages of a text without their evidence, and the rules of its violations."""
    found, violations = parse(text.encode(errors="surrogatepass"))
    names = ("id", "method", "params", "result", "error")
    return [[getattr(one, name, None) for name in names] for one in found], [one.rule for one in violations]


@given(MESSAGES | NEARLY)
@example(ANSWER)
@example('{"id":1,"result":1,"result":{},"x":[1]}')
@example(r'{"jsonrpc":"2.0","id":1,"result":"\ud800"}')
@example('{"jsonrpc":"2.0","id":1,"result":{},"x":"\ud800"}')
@example('{"jsonrpc":"2.0","id":1,"result":{}} x')
def test_large_message_is_parsed_like_a_small_one(text: str) -> None:
    if text.startswith("{"):
        assert parts_of("{" + " " * LARGE + text[1:]) == parts_of(text)


def test_large_message_is_quoted_like_a_small_one() -> None:
    text = '{"jsonrpc":"2.0","id":1,"result":"' + "é" * LARGE + '"}'

    assert [message.quoted for message in messages(text)] == [quote(text)]


def test_large_message_and_its_result_are_not_held_at_once() -> None:
    raw = '{"jsonrpc":"2.0","id":1,"result":{"b":"😀'.encode() + b"x" * (4 << 20) + b'"}}'
    tracemalloc.start()
    assert parse(raw)[0]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    # Python needs four bytes for each character of a text with an emoji.
    assert most < 6 * len(raw)


TOO_DEEP = nested(1001)


def test_too_deeply_nested_message_is_a_violation_and_keeps_its_text() -> None:
    text = f'{{"jsonrpc":"2.0","result":{{"a":{TOO_DEEP},"isError":true}},"id":7}}'
    (message,), (violation,) = parse(text.encode())

    assert isinstance(message, RpcResponse)
    assert message.result is not None
    assert (message.id, message.result.get("isError"), message.result.get("a")) == (7, True, [])
    assert message.result.text == f'{{"a":{TOO_DEEP},"isError":true}}'
    assert (violation.rule, violation.evidence) == ("too-deep", quote(text))


def test_too_deeply_nested_malformed_message_is_invalid() -> None:
    text = f'{{"jsonrpc":"2.0","id":7,"result":{{"a":{TOO_DEEP[:-1]} "b"]}}}}'
    (message,) = messages(text)

    assert isinstance(message, InvalidMessage)
    assert (message.id, rules(text)) == (7, ["not-json"])


def test_too_deeply_nested_batch_is_rejected() -> None:
    assert messages(f"[{TOO_DEEP}]") == ()
    assert rules(f"[{TOO_DEEP}]") == ["not-json"]


@pytest.mark.parametrize(
    "result",
    ["[" * 5_000_000, '[{"a":' * 1_000_000, "[" * 2_000_000 + "]" * 2_000_000, '["[",' * 1_000_000],
    ids=["brackets", "objects", "closed", "strings"],
)
def test_megabytes_of_brackets_are_parsed_in_linear_time(result: str) -> None:
    raw = f'{{"jsonrpc":"2.0","id":1,"result":{result}}}'.encode()
    began = time.process_time()

    found, violations = parse(raw)

    assert time.process_time() - began < 3
    assert [getattr(message, "id", None) for message in found] == [1]
    assert violations


@pytest.mark.parametrize("text", ['{"id":4,"result":{"id":5},"x"', '{"result":[1},"id":4', '{"result":"]","id":4,'])
def test_id_of_an_unparsable_response_is_found_outside_nested_values(text: str) -> None:
    (message,) = messages(text)

    assert isinstance(message, InvalidMessage)
    assert message.id == 4


@pytest.mark.parametrize(
    "raw",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{},"id":2}',
        b'{"jsonrpc":"2.0","result":{}}',
        b'{"jsonrpc":"2.0","method":"n","params":{},"id":2}',
    ],
)
def test_messages_without_one_id_take_the_full_parser(raw: bytes) -> None:
    assert parse_simple(raw) is None

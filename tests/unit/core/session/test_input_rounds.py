"""Requests that a modern server answers with input_required are sent again with the responses."""

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import InvalidResponse, OperationFailed, RpcError
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import Event, ServerRequestReceived, ViolationSeen
from mcpi.core.plans.responders import Accept, Handler, Handlers, Refuse, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Call, Steps
from mcpi.core.session.input_rounds import MAX_INPUT_ROUNDS, input_responses
from mcpi.core.wire.violations import Violation
from support.constants import HANDSHAKE, MODERN
from support.conversation import Close, Conversation, Expect, Write, answer, connected, error, line
from support.replay import exact

DONE: dict[str, Json] = {"resultType": "complete", "content": []}
NAME: Json = {"method": "elicitation/create", "params": {"message": "Your name?"}}
MODEL: Json = {"method": "sampling/createMessage", "params": {"maxTokens": 5}}


def accept(action: str, request: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({"action": action, "before": request.previous_count})


def refuse(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Refuse(-1, "User rejected sampling request")


HANDLERS: Handlers = {
    responder.method: Handler(responder, "accept")
    for responder in (
        Responder("elicitation/create", "elicitation", str, lambda *_: {}, accept, bool, capability=""),
        Responder("sampling/createMessage", "sampling", str, lambda *_: {}, refuse, bool, capability="sampling"),
        Responder("roots/list", "roots", str, lambda *_: {}, accept, bool, capability="roots"),
    )
}


def required(requests: Json = None, state: Json = None) -> dict[str, Json]:
    more = {name: value for name, value in (("inputRequests", requests), ("requestState", state)) if value is not None}
    return {"resultType": "input_required", **more}


def call(conversation: Conversation, step: Call) -> Result[Exact]:
    return conversation.run(conversation.session.call(step))


def sent_params(conversation: Conversation) -> list[dict[str, Json]]:
    """The params of the sent requests, without the standard _meta entries."""
    params = [dict(message["params"]) for message in conversation.messages]
    for one in params:
        one["_meta"] = {name: value for name, value in one["_meta"].items() if "/" not in name}
    return params


def test_complete_result_takes_one_request() -> None:
    conversation = connected(MODERN, Expect("tools/call"), answer(1, DONE))

    assert call(conversation, Call("tools/call", {"name": "x"})) == Success(exact(DONE))
    assert len(conversation.messages) == 1


def test_request_is_sent_again_with_the_input_responses() -> None:
    conversation = connected(
        MODERN,
        Expect("tools/call"),
        answer(1, required({"who": NAME, "again": NAME}, "state")),
        Expect("tools/call"),
        answer(2, DONE),
        handlers=HANDLERS,
    )

    assert call(conversation, Call("tools/call", {"name": "x", "arguments": {"a": 1}})) == Success(exact(DONE))
    responses = {"who": {"action": "accept", "before": 0}, "again": {"action": "accept", "before": 1}}
    first = {"name": "x", "arguments": {"a": 1}, "_meta": {}}
    assert sent_params(conversation) == [first, {**first, "inputResponses": responses, "requestState": "state"}]
    assert [message["id"] for message in conversation.messages] == [1, 2]


def test_input_request_is_recorded_like_a_server_request() -> None:
    conversation = connected(
        MODERN, Expect("x"), answer(1, required({"who": NAME})), Expect("x"), answer(2, DONE), handlers=HANDLERS
    )
    call(conversation, Call("x", {}))

    reply: Json = {"action": "accept", "before": 0}
    expected: list[Event] = [
        ServerRequestReceived("elicitation/create", exact({"message": "Your name?"}), reply, 0.0, handled=True)
    ]
    assert conversation.events == expected


def test_request_state_is_returned_byte_for_byte() -> None:
    state = r'"\u00e9\/ é"'
    raw = b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":' + state.encode() + b"}}\n"
    conversation = connected(MODERN, Expect("x"), Write(raw), Expect("x"), answer(2, DONE))
    call(conversation, Call("x", {}))

    assert f'"requestState":{state}'.encode() in conversation.sent[1].data


def test_request_state_without_input_requests_sends_no_responses() -> None:
    conversation = connected(MODERN, Expect("x"), answer(1, required(state="s")), Expect("x"), answer(2, DONE))
    call(conversation, Call("x", {}))

    assert sent_params(conversation)[1] == {"requestState": "s", "_meta": {}}


def test_each_round_sends_only_the_responses_of_the_last_result() -> None:
    conversation = connected(
        MODERN,
        Expect("x"),
        answer(1, required({"who": NAME}, "one")),
        Expect("x"),
        answer(2, required({"age": NAME})),
        Expect("x"),
        answer(3, DONE),
        handlers=HANDLERS,
    )
    call(conversation, Call("x", {}))

    assert sent_params(conversation)[2] == {"inputResponses": {"age": {"action": "accept", "before": 1}}, "_meta": {}}


def test_every_round_has_a_progress_token_and_the_same_headers() -> None:
    conversation = connected(MODERN, Expect("x"), answer(1, required(state="s")), Expect("x"), answer(2, DONE))
    call(conversation, Call("x", {}, with_progress=True, headers={"mcp-param-a": "1"}))

    assert [one["_meta"] for one in sent_params(conversation)] == [{"progressToken": 1}, {"progressToken": 2}]
    assert [one.headers for one in conversation.sent] == [{"mcp-param-a": "1"}, {"mcp-param-a": "1"}]


def test_ten_input_rounds_are_allowed() -> None:
    rounds = [
        action
        for number in range(1, MAX_INPUT_ROUNDS + 1)
        for action in (Expect("x"), answer(number, required(state="s")))
    ]
    conversation = connected(MODERN, *rounds, Expect("x"), answer(MAX_INPUT_ROUNDS + 1, DONE))

    assert call(conversation, Call("x", {})) == Success(exact(DONE))


def test_eleventh_input_round_fails_without_calling_the_handler() -> None:
    requests = required({"who": NAME})
    rounds = [action for number in range(1, MAX_INPUT_ROUNDS + 2) for action in (Expect("x"), answer(number, requests))]
    conversation = connected(MODERN, *rounds, handlers=HANDLERS)

    assert call(conversation, Call("x", {})) == Failure(
        InvalidResponse(
            "INVALID_RESPONSE", "the server requested input for x more than 10 times", (exact(requests).text,)
        )
    )
    assert len(conversation.messages) == 11
    assert len([event for event in conversation.events if isinstance(event, ServerRequestReceived)]) == 10


def test_rejected_input_ends_the_request() -> None:
    conversation = connected(MODERN, Expect("x"), answer(1, required({"who": NAME, "text": MODEL})), handlers=HANDLERS)

    problem = "the server's sampling/createMessage request was rejected: User rejected sampling request"
    assert call(conversation, Call("x", {})) == Failure(
        OperationFailed("INPUT_REJECTED", problem, (exact(MODEL).text,))
    )
    assert len(conversation.messages) == 1


@pytest.mark.parametrize("method", ["roots/list", "vendor/thing"])
def test_undeclared_input_request_is_a_violation_and_is_rejected(method: str) -> None:
    requests: Json = {"method": method}
    conversation = connected(MODERN, Expect("x"), answer(1, required({"it": requests})), handlers=HANDLERS)

    problem = f"the server's {method} request was rejected: Method not found"
    assert call(conversation, Call("x", {})) == Failure(
        OperationFailed("INPUT_REJECTED", problem, (exact(requests).text,))
    )
    detail = f"the server requested {method}, but the client did not declare the capability"
    violation = Violation("undeclared-capability", detail, exact(requests).text)
    assert conversation.events[0] == ViolationSeen(violation, 0.0)


def test_handshake_era_ignores_input_required_results() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, required(state="s")))

    assert call(conversation, Call("x", {})) == Success(exact(required(state="s")))
    assert conversation.events == []


def test_error_after_a_round_is_the_outcome() -> None:
    conversation = connected(
        MODERN, Expect("x"), answer(1, required(state="s")), Expect("x"), error(2, -32602, "stale state")
    )

    assert call(conversation, Call("x", {})) == Failure(
        RpcError(-32602, "stale state", exact({"code": -32602, "message": "stale state"}), "x")
    )


def test_missing_members_of_a_modern_result_are_violations() -> None:
    conversation = connected(MODERN, Expect("tools/list"), answer(1, {"tools": []}))

    assert call(conversation, Call("tools/list")) == Success(exact({"tools": []}))
    assert conversation.events == [
        ViolationSeen(
            Violation("missing-result-type", "the result of tools/list has no resultType", '{"tools":[]}'), 0.0
        ),
        ViolationSeen(Violation("missing-cache-hint", "the result of tools/list lacks ttlMs and cacheScope"), 0.0),
    ]


def test_result_without_input_requests_has_no_responses() -> None:
    conversation = connected(MODERN)

    assert conversation.run(input_responses(conversation.session, exact({}))) == Success({})


def test_request_on_a_lost_connection_is_not_sent() -> None:
    fault = OperationFailed("TASK_FAILED", "gone")
    conversation = connected(MODERN, Expect("x"), Close(fault))
    conversation.run(conversation.session.call(Call("x")))

    assert call(conversation, Call("y")) == Failure(fault)
    assert len(conversation.messages) == 1


@pytest.mark.parametrize(
    ("requests", "state", "message"),
    [
        ({"it": 5}, None, "inputRequests/it is not a valid request"),
        ({"it": {"method": "ping"}}, "s", "inputRequests/it is not a valid request"),
        ([1], "s", "inputRequests is not an object"),
        (None, None, "it has neither inputRequests nor requestState"),
        ({}, None, "it has neither inputRequests nor requestState"),
        ({}, 5, "it has neither inputRequests nor requestState"),
    ],
)
def test_malformed_input_requests_are_an_invalid_response(requests: Json, state: Json, message: str) -> None:
    result = required(requests, state)
    conversation = connected(MODERN, Expect("x"), Write(line({"id": 1, "result": result})), handlers=HANDLERS)

    outcome = call(conversation, Call("x", {}))
    assert outcome == Failure(
        InvalidResponse("INVALID_RESPONSE", f"the server requested input for x, but {message}", (exact(result).text,))
    )
    assert len(conversation.messages) == 1


def test_retries_without_input_requests_are_delayed() -> None:
    rounds = [action for number in range(1, 6) for action in (Expect("x"), answer(number, required(state="s")))]
    conversation = connected(MODERN, *rounds, Expect("x"), answer(6, DONE))
    call(conversation, Call("x", {}))

    assert conversation.clock == pytest.approx(0.05 + 0.1 + 0.2 + 0.25 + 0.25)

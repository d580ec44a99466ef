"""One mcpi invocation from start to end: its session terms and its behavior in each mode."""

from typing import Any, Literal

import pytest
from attrs import evolve

from mcpi import __version__
from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.options import AuthOptions, ModeOptions, OutputOptions, ProtocolOptions, TimeOptions
from mcpi.core.flags.pairs import Expectation, Header, Pair
from mcpi.core.flags.types import Duration, Version
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.modes.one_shot import (
    follow_options,
    method_name,
    obtains_tokens,
    outputs_events,
    response_timeout,
    run_invocation,
    terms,
    with_mode_output,
)
from mcpi.core.outcome.faults import (
    Fault,
    Interrupted,
    MissingCapability,
    OperationFailed,
    RpcError,
    Unreachable,
)
from mcpi.core.plans.method import Method
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.reports import ScriptLog
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Plan, Steps, connect, extend_terms, read_clock, request, stop
from mcpi.core.record.transcript import STDOUT_HINT, Transcript
from mcpi.core.scripts.script import Script
from mcpi.core.session.terms import Terms
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from support.constants import LOST
from support.conversation import (
    Close,
    Conversation,
    Expect,
    FailToOpen,
    Pause,
    Write,
    answer,
    connected,
    error,
    notify,
    starting,
)
from support.replay import exact

HANDSHAKE = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}}))
MODERN = NegotiatedServer("modern", "2026-07-28", capabilities=exact({"tools": {"listChanged": True}}))
STDIO = Stdio(("node", "server.js"))


def list_plan(_: object) -> Plan:
    return (yield from request("tools/list"))


LIST = Method("tools/list", object, list_plan, "list", required_capability="tools")
PING = Method("ping", object, lambda _: request("ping"), "ping")
INFO = Method("server/info", object, lambda _: request("x"), "info", is_protocol_method=False)


PLAIN = Invocation(ModeOptions(), ProtocolOptions(), TimeOptions(), OutputOptions(), STDIO, None, None)


def invocation(method: Method[Any] | None = LIST, **parts: Any) -> Invocation:
    return evolve(PLAIN, method=method, **parts)


# Session terms.


def test_defaults_apply_without_flags() -> None:
    assert terms(invocation()) == Terms(ClientInfo({}, "mcpi", __version__), open_server_stream=False)


def test_flags_set_the_session_terms() -> None:
    made = invocation(
        protocol=ProtocolOptions(
            era="handshake", protocol_version=Version("2025-06-18"), metadata=(Pair("a", "x"), Pair("b", exact(1)))
        ),
        time=TimeOptions(
            timeout=Duration(5.0), connect_timeout=Duration(3.0), max_total_timeout=Duration(60.0), retry=2
        ),
    )

    assert terms(made) == Terms(
        ClientInfo({}, "mcpi", __version__),
        era="handshake",
        version="2025-06-18",
        timeout=5.0,
        max_total_timeout=60.0,
        connect_timeout=3.0,
        retries=2,
        meta={"a": "x", "b": exact(1)},
        open_server_stream=False,
    )


@pytest.mark.parametrize(
    ("target", "transport", "era"),
    [
        (STDIO, "stdio", "auto"),
        (Http("http://x/mcp"), "http", "auto"),
        (Sse("http://x/sse"), "sse", "handshake"),
        (None, "stdio", "auto"),
    ],
)
def test_target_sets_the_transport_and_sse_implies_handshake_era(
    target: Target | None, transport: str, era: str
) -> None:
    made = terms(invocation(target=target))

    assert (made.transport, made.era) == (transport, era)


@pytest.mark.parametrize(
    ("method", "discover", "stream"),
    [(LIST, True, False), (PING, False, True), (INFO, True, True), (None, True, True)],
)
def test_discovery_and_server_stream_are_skipped_when_not_needed(
    method: Method[Any] | None,
    discover: bool,  # noqa: FBT001 - a case
    stream: bool,  # noqa: FBT001 - a case
) -> None:
    made = terms(invocation(method))

    assert (made.discover, made.open_server_stream) == (discover, stream)


def test_follow_enables_discovery() -> None:
    assert terms(invocation(PING, mode=ModeOptions(follow=True))).discover


def test_following_a_list_opens_the_server_stream() -> None:
    assert terms(invocation(mode=ModeOptions(follow=True))).open_server_stream


@pytest.mark.parametrize(("timeout", "seconds"), [(None, 30.0), (0.5, 0.5), (0.0, 0.0)])
def test_response_timeout_defaults_to_30_seconds(timeout: float | None, seconds: float) -> None:
    assert response_timeout(TimeOptions(timeout=None if timeout is None else Duration(timeout))) == seconds


@pytest.mark.parametrize(
    ("mode", "output", "script", "level"),
    [
        (ModeOptions(), OutputOptions(), None, None),
        (ModeOptions(), OutputOptions(verbose=True), None, "debug"),
        (ModeOptions(), OutputOptions(structured=True), None, "debug"),
        (ModeOptions(follow=True), OutputOptions(), None, "debug"),
        (ModeOptions(watch=Duration(1.0)), OutputOptions(), None, "debug"),
        (ModeOptions(), OutputOptions(), Script(()), "debug"),
    ],
)
def test_log_level_is_debug_only_where_logs_are_shown(
    mode: ModeOptions, output: OutputOptions, script: Script | None, level: str | None
) -> None:
    assert terms(invocation(mode=mode, output=output, script=script)).log_level == level


@pytest.mark.parametrize(
    ("mode", "output", "script", "kept"),
    [
        (ModeOptions(), OutputOptions(verbose=True), None, False),
        (ModeOptions(), OutputOptions(structured=True), None, True),
        (ModeOptions(watch=Duration(1.0)), OutputOptions(), None, True),
        (ModeOptions(), OutputOptions(), Script(()), True),
        (ModeOptions(), OutputOptions(report_tap="run.tap"), None, True),
    ],
)
def test_events_are_recorded_for_a_final_document(
    mode: ModeOptions,
    output: OutputOptions,
    script: Script | None,
    kept: bool,  # noqa: FBT001 - a case
) -> None:
    assert outputs_events(invocation(mode=mode, output=output, script=script)) is kept


def declared_since(flags: str, version: str) -> JsonObject:
    return {flags: version}


def no_answer(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({})


HANDLER = Handler(Responder("sampling/createMessage", "sampling", str, declared_since, no_answer, bool), "sampling")


@pytest.mark.parametrize(
    ("talking", "declared"),
    [
        (ProtocolOptions(), {"sampling": "2025-11-25"}),
        (ProtocolOptions(era="handshake"), {"sampling": "2025-11-25"}),
        (ProtocolOptions(era="modern"), {"sampling": "2026-07-28"}),
        (ProtocolOptions(protocol_version=Version("2024-11-05")), {"sampling": "2024-11-05"}),
        (ProtocolOptions(client_capabilities=exact({"x": {}})), {"x": {}}),
        (ProtocolOptions(client_capabilities=exact([])), {}),
    ],
)
def test_capabilities_come_from_responders_unless_set_by_the_user(
    talking: ProtocolOptions, declared: JsonObject
) -> None:
    made = invocation(protocol=talking, handlers={"sampling/createMessage": HANDLER})

    assert terms(made).client.capabilities == declared
    assert terms(made).client.exact is (talking.client_capabilities is not None)


def test_mode_changes_the_output_options() -> None:
    assert with_mode_output(invocation(mode=ModeOptions(watch=Duration(1.0)))).output == OutputOptions(structured=True)
    assert with_mode_output(invocation(mode=ModeOptions(follow=True))).output == OutputOptions(compact=True)
    structured = OutputOptions(structured=True)
    assert with_mode_output(invocation(output=structured, script=Script(()))).output == OutputOptions(
        fail_on_error=True
    )
    assert with_mode_output(invocation(output=structured)).output == structured


def test_fail_on_violation_enables_validation() -> None:
    made = with_mode_output(invocation(output=OutputOptions(fail_on_violation=True)))

    assert made.protocol == ProtocolOptions(validate=True)


@pytest.mark.parametrize(
    ("output", "own", "fails"),
    [
        (OutputOptions(), True, True),
        (OutputOptions(), False, False),
        (OutputOptions(fail_on_error=True), False, True),
        (OutputOptions(fail_on_error=False), True, False),
        (OutputOptions(no_fail_on_error=True), True, False),
    ],
)
def test_fail_on_error_flags_override_the_script(
    output: OutputOptions,
    own: bool,  # noqa: FBT001 - a case
    fails: bool,  # noqa: FBT001 - a case
) -> None:
    made = with_mode_output(invocation(output=output, script=Script((), fail_on_error=own)))

    assert made.script == Script((), fail_on_error=fails)


def test_summary_is_quiet_and_enables_validation() -> None:
    made = with_mode_output(invocation(output=OutputOptions(summary=True)))

    assert (made.output, made.protocol) == (OutputOptions(summary=True, quiet=True), ProtocolOptions(validate=True))


def test_invocation_name_is_its_method_name() -> None:
    assert (method_name(invocation(PING)), method_name(invocation(None))) == ("ping", "")


# Modes.


def run(made: Invocation, conversation: Conversation) -> PlanResult:
    started: StartedPlan | None = None
    if made.method is not None and made.script is None:
        first = begin(made.plan())
        assert isinstance(first, StartedPlan)
        started = first
    seen = Transcript(0.0, keep=outputs_events(made))
    conversation.session.record = seen.record
    return conversation.run(run_invocation(made, started, conversation.session, seen, ScriptLog()))


def test_method_is_run() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {"tools": []}))

    assert run(invocation(), conversation) == PlanResult(exact({"tools": []}))


def test_method_not_offered_by_the_server_is_not_sent() -> None:
    conversation = connected(evolve(HANDSHAKE, capabilities=exact({"prompts": {}})))

    problem = "the server did not declare the capability tools (it declared: prompts)"
    fault = MissingCapability("tools/list", problem, ("use --force to send it anyway",))
    assert run(invocation(), conversation) == PlanResult(None, fault)
    assert conversation.messages == []


def test_force_sends_a_method_the_server_does_not_offer() -> None:
    conversation = connected(
        evolve(HANDSHAKE, capabilities=exact({"prompts": {}})), Expect("tools/list"), answer(1, {})
    )

    assert run(invocation(protocol=ProtocolOptions(force=True)), conversation) == PlanResult(exact({}))


@pytest.mark.parametrize(("equals", "holds"), [(1, True), (2, False)])
def test_result_is_checked_against_expectations(equals: Json, holds: bool) -> None:  # noqa: FBT001 - a case
    expected = Expectation("/a", "equals", equals)
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {"a": 1}))
    ended = run(invocation(mode=ModeOptions(expect=(expected,))), conversation)

    assert ended.result == exact({"a": 1})
    assert (ended.fault is None) is holds


def test_validation_checks_the_result_of_a_tool() -> None:
    method = Method("tools/call", object, lambda _: request("tools/call", {"name": "x"}), "call")
    listed: Json = {"tools": [{"name": "x", "outputSchema": {}}]}
    conversation = connected(
        HANDSHAKE, Expect("tools/call"), answer(1, {"content": []}), Expect("tools/list"), answer(2, listed)
    )
    ended = run(invocation(method, protocol=ProtocolOptions(validate=True)), conversation)

    assert ended == PlanResult(exact({"content": []}))
    assert [message["method"] for message in conversation.messages] == ["tools/call", "tools/list"]


def test_tool_error_of_a_call_with_params_is_a_fault() -> None:
    method = Method("tools/call", object, lambda _: request("x"), "call")
    conversation = connected(HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True}))
    ended = run(invocation(method, mode=ModeOptions(params=exact({"name": "x"}))), conversation)

    fault = OperationFailed("TOOL_ERROR", "the tool 'x' reports an error", ())
    assert ended == PlanResult(exact({"isError": True}), fault)


def test_without_a_method_only_the_connection_is_opened() -> None:
    assert run(invocation(None), connected(HANDSHAKE)) == PlanResult()
    assert run(invocation(None), starting(FailToOpen(LOST))) == PlanResult(None, LOST)


def test_watch_continues_after_the_result() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {}), Pause(4), notify("n"))

    assert run(invocation(mode=ModeOptions(watch=Duration(5.0))), conversation) == PlanResult(exact({}))
    assert conversation.clock == 5.0


def test_output_dash_writes_the_result_to_stdout() -> None:
    assert with_mode_output(invocation(output=OutputOptions(output="-"))).output == OutputOptions()


@pytest.mark.parametrize(("lost", "fault"), [(LOST, LOST), (Interrupted("SIGINT"), None)])
def test_connection_lost_during_watch_is_a_failure_but_interrupt_is_not(lost: Fault, fault: Fault | None) -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {}), Pause(1), Close(lost))

    assert run(invocation(mode=ModeOptions(watch=Duration(5.0))), conversation) == PlanResult(exact({}), fault)


def test_a_watch_ends_with_the_connection() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), Close(LOST))

    assert run(invocation(mode=ModeOptions(watch=Duration(5.0))), conversation) == PlanResult(None, LOST)
    assert conversation.clock == 0.0


def test_script_is_run() -> None:
    assert run(invocation(None, script=Script(())), connected(HANDSHAKE)) == PlanResult(text="[]\n")


# Violations.

NOISY = (Expect("tools/list"), Write(b"noise\n"), answer(1, {"tools": []}))
STRICT = OutputOptions(fail_on_violation=True)


def test_fail_on_violation_fails_the_call_and_keeps_the_result() -> None:
    assert run(invocation(), connected(HANDSHAKE, *NOISY)) == PlanResult(exact({"tools": []}))

    ended = run(invocation(output=STRICT), connected(HANDSHAKE, *NOISY))
    assert ended.result == exact({"tools": []})
    assert ended.fault == OperationFailed("VIOLATION", "the server violated the protocol", hints=(STDOUT_HINT,))


def test_violation_just_after_the_response_is_counted() -> None:
    actions = (Expect("tools/list"), answer(1, {"tools": []}), Pause(0.05), Write(b"noise\nmore\n"))
    ended = run(invocation(output=STRICT), connected(HANDSHAKE, *actions))

    problem = "the server violated the protocol 2 times"
    assert ended.fault == OperationFailed("VIOLATION", problem, hints=(STDOUT_HINT,))


def test_quiet_output_quotes_violations_in_the_fault() -> None:
    ended = run(invocation(output=OutputOptions(fail_on_violation=True, quiet=True)), connected(HANDSHAKE, *NOISY))

    assert isinstance(ended.fault, OperationFailed)
    assert ended.fault.evidence == ("not a JSON-RPC message: noise",)


def test_without_a_violation_a_call_succeeds() -> None:
    actions = (Expect("tools/list"), answer(1, {"tools": []}))

    assert run(invocation(output=STRICT), connected(HANDSHAKE, *actions)).fault is None


def test_a_violation_does_not_hide_another_failure() -> None:
    actions = (Expect("tools/list"), Write(b"noise\n"), error(1, -32000, "no"))

    assert isinstance(run(invocation(output=STRICT), connected(HANDSHAKE, *actions)).fault, RpcError)


def test_a_violation_fails_a_stream() -> None:
    actions = (*NOISY, notify("n"), Pause(0.05))
    mode = ModeOptions(follow=True, max_events=2)

    assert isinstance(
        run(invocation(mode=mode, output=STRICT), connected(HANDSHAKE, *actions[:-1])).fault, OperationFailed
    )


# Following.

FOLLOW = ModeOptions(follow=True, max_events=1)


def test_followed_method_prints_result_empty_line_and_events() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {"tools": []}), notify("n", {"a": 1}))

    assert run(invocation(mode=FOLLOW), conversation) == PlanResult()
    assert conversation.emitted == [
        '{"tools":[]}\n\n',
        '{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n","params":{"a":1}}\n',
    ]


def test_followed_result_is_emitted_verbatim_and_events_are_not() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {"tools": []}), notify("n", {"a": 1}))
    run(invocation(mode=FOLLOW), conversation)

    assert conversation.verbatim == ['{"tools":[]}\n\n']


LIVE = ModeOptions(follow=True, ndjson=True)
MOMENT = '"timestamp":"1970-01-01T00:00:00.000Z"'


def test_ndjson_prints_events_before_the_result_and_the_result_as_an_event() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), notify("n"), answer(1, {"tools": []}), notify("m"))

    made = invocation(mode=evolve(LIVE, max_events=2))
    assert run(made, conversation) == PlanResult()
    assert conversation.emitted == [
        f'{{"event":"notification",{MOMENT},"method":"n"}}\n',
        f'{{"event":"result",{MOMENT},"result":{{"tools":[]}}}}\n',
        f'{{"event":"notification",{MOMENT},"method":"m"}}\n',
    ]


def test_ndjson_without_follow_ends_with_the_result() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), notify("n"), answer(1, {"tools": []}))

    assert run(invocation(mode=ModeOptions(ndjson=True)), conversation) == PlanResult()
    assert conversation.emitted == [
        f'{{"event":"notification",{MOMENT},"method":"n"}}\n',
        f'{{"event":"result",{MOMENT},"result":{{"tools":[]}}}}\n',
    ]


@pytest.mark.parametrize("mode", [LIVE, ModeOptions(ndjson=True)])
def test_ndjson_prints_the_error_of_the_server_as_an_event(mode: ModeOptions) -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), error(1, -32000, "no"))
    ended = run(invocation(mode=mode), conversation)

    assert (isinstance(ended.fault, RpcError), ended.text) == (True, "")
    assert conversation.emitted == [f'{{"event":"result",{MOMENT},"error":{{"code":-32000,"message":"no"}}}}\n']


def test_ndjson_prints_no_result_if_the_connection_is_lost() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), Close(LOST))
    ended = run(invocation(mode=ModeOptions(ndjson=True)), conversation)

    assert (isinstance(ended.fault, Unreachable), conversation.emitted) == (True, [])


def test_max_events_limits_live_events_but_not_the_result() -> None:
    conversation = connected(
        HANDSHAKE, Expect("tools/list"), notify("n"), notify("n"), notify("n"), answer(1, {"tools": []})
    )

    assert run(invocation(mode=evolve(LIVE, max_events=1)), conversation) == PlanResult()
    assert [one.partition(",")[0] for one in conversation.emitted] == ['{"event":"notification"', '{"event":"result"']


def test_timeout_applies_to_the_whole_stream() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {"tools": []}))

    made = invocation(mode=ModeOptions(follow=True), time=TimeOptions(timeout=Duration(5.0)))
    assert run(made, conversation) == PlanResult()
    assert conversation.clock == 5.0


def test_modern_log_messages_require_a_stream_with_the_log_level() -> None:
    def set_level(_: object) -> Plan:
        yield from connect()
        yield from extend_terms(log_level="info")
        return {}

    server = evolve(MODERN, capabilities=exact({"logging": {}}))
    conversation = connected(server, Expect("subscriptions/listen"), notify("notifications/message", {"level": "info"}))
    run(invocation(Method("logging/setLevel", object, set_level, "log"), mode=FOLLOW), conversation)

    params = conversation.messages[0]["params"]
    assert (params["notifications"], params["_meta"]["io.modelcontextprotocol/logLevel"]) == ({}, "info")
    assert conversation.emitted[-1] == f'{{"event":"log",{MOMENT},"level":"info"}}\n'


def test_following_without_a_method_shows_only_events() -> None:
    conversation = connected(HANDSHAKE, notify("n"))

    assert run(invocation(None, mode=FOLLOW), conversation) == PlanResult()
    assert conversation.emitted == ['{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n"}\n']


def test_failed_method_is_not_followed() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), error(1, -1, "no"))

    fault = RpcError(-1, "no", exact({"code": -1, "message": "no"}), "tools/list")
    assert run(invocation(mode=FOLLOW), conversation) == PlanResult(None, fault)
    assert conversation.emitted == []


def test_events_before_a_failed_method_are_printed() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), notify("n"), error(1, -1, "no"))

    assert isinstance(run(invocation(mode=FOLLOW), conversation).fault, RpcError)
    assert conversation.emitted == ['{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n"}\n']


def test_connection_lost_before_the_result_prints_a_closed_event() -> None:
    fault = Unreachable("CONNECTION_LOST", "the pipe broke")
    conversation = connected(HANDSHAKE, Expect("tools/list"), notify("n"), Close(fault))

    assert run(invocation(mode=ModeOptions(follow=True)), conversation) == PlanResult(None, fault)
    assert "".join(conversation.emitted).splitlines() == [
        '{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n"}',
        '{"event":"closed","timestamp":"1970-01-01T00:00:00.000Z","reason":"the pipe broke","code":"CONNECTION_LOST"}',
    ]


def test_interrupt_before_the_result_prints_no_closed_event() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), Close(Interrupted("SIGINT")))

    run(invocation(mode=ModeOptions(follow=True)), conversation)
    assert conversation.emitted == []


def test_max_events_ends_an_offline_method_without_failure() -> None:
    def debug_plan(_: object) -> Plan:
        yield from read_clock()
        return (yield from stop(Interrupted("--max-events")))

    method = Method("debug/script", object, debug_plan, "look", connects=False)
    assert run(invocation(method, mode=FOLLOW), connected(HANDSHAKE)) == PlanResult()


TOOL_ERROR = OperationFailed("TOOL_ERROR", "the tool says no")


def reporting_plan(_: object) -> Plan:
    yield from connect()
    return (yield from stop(TOOL_ERROR, exact({"isError": True})))


def test_tool_error_is_printed_and_followed() -> None:
    conversation = connected(HANDSHAKE, notify("n"))

    method = Method("tools/call", object, reporting_plan, "call")
    assert run(invocation(method, mode=FOLLOW), conversation) == PlanResult(None, TOOL_ERROR)
    assert conversation.emitted[0] == '{"isError":true}\n\n'


def test_modern_server_is_subscribed_to_all_declared_list_changes() -> None:
    conversation = connected(
        MODERN, Expect("tools/list"), answer(1, {"resultType": "complete", "ttlMs": 0, "cacheScope": "x"})
    )

    made = invocation(mode=ModeOptions(follow=True), time=TimeOptions(timeout=Duration(1.0)))
    assert run(made, conversation) == PlanResult()
    sent = conversation.messages[1]
    assert (sent["method"], sent["params"]["notifications"]) == ("subscriptions/listen", {"toolsListChanged": True})


def subscribe_plan(_: object) -> Plan:
    yield from connect()
    return {}


@pytest.mark.parametrize(
    ("server", "method"),
    [
        (MODERN, Method("subscriptions/listen", object, subscribe_plan, "listen")),
        (evolve(MODERN, capabilities=exact({"tools": {}})), Method("x", object, subscribe_plan, "x")),
        (HANDSHAKE, Method("x", object, subscribe_plan, "x")),
    ],
)
def test_redundant_or_unsupported_subscription_is_not_sent(server: NegotiatedServer, method: Method[Any]) -> None:
    conversation = connected(server, notify("n"))
    run(invocation(method, mode=FOLLOW), conversation)

    assert conversation.messages == []


def test_connection_lost_during_follow_is_a_failure() -> None:
    conversation = connected(HANDSHAKE, Close(LOST))

    assert run(invocation(None, mode=FOLLOW), conversation) == PlanResult(None, LOST)


class SubscribeFlags:
    """Flags of resources/subscribe."""

    uri = "file:///a"


@pytest.mark.parametrize(
    ("method", "logs", "uri"),
    [("logging/setLevel", True, None), ("resources/subscribe", False, "file:///a"), ("tools/list", False, None)],
)
def test_method_sets_the_follow_options(method: str, logs: bool, uri: str | None) -> None:  # noqa: FBT001
    made = evolve(invocation(Method(method, object, list_plan, "")), args=SubscribeFlags())
    wanted = follow_options(made)

    assert (wanted.logs, wanted.uri) == (logs, uri)


def test_flags_set_the_end_of_the_stream() -> None:
    made = invocation(
        mode=ModeOptions(follow=True, max_events=7, refetch=True, ping_interval=Duration(9.0)),
        time=TimeOptions(timeout=Duration(60.0)),
        handlers={"sampling/createMessage": HANDLER},
    )
    wanted = follow_options(made)

    assert (wanted.max_events, wanted.refetch, wanted.ping_interval) == (7, True, 9.0)
    assert wanted.event_names == {"sampling/createMessage": "sampling"}


@pytest.mark.parametrize(("given", "interval"), [(30.0, 30.0), (0.0, None)])
def test_ping_interval_0_disables_pings(given: float, interval: float | None) -> None:
    made = invocation(mode=ModeOptions(follow=True, ping_interval=Duration(given)))

    assert follow_options(made).ping_interval == interval


def test_follow_fails_if_the_connection_cannot_be_opened() -> None:
    assert run(invocation(None, mode=FOLLOW), starting(FailToOpen(LOST))) == PlanResult(None, LOST)


def test_exact_result_keeps_its_spelling() -> None:
    spelled = Exact('{"n":1.50}', {"n": 1.5})
    method = Method("x", object, lambda _: request("x"), "")
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, spelled))

    assert run(invocation(method), conversation) == PlanResult(spelled)


@pytest.mark.parametrize(
    ("target", "auth", "wanted"),
    [
        (STDIO, "auto", False),
        (None, "auto", False),
        (Http("https://a.example"), "auto", True),
        (Sse("https://a.example/sse"), "auto", True),
        (Http("https://a.example", (Header("X-Key", "k"),)), "auto", True),
        (Http("https://a.example", (Header("Authorization", "Bearer t"),)), "auto", False),
        (Http("https://a.example"), "none", False),
    ],
)
def test_token_is_obtained_only_for_http_without_authorization_header(
    target: Target | None,
    auth: Literal["auto", "none"],
    wanted: bool,  # noqa: FBT001 - a case
) -> None:
    made = invocation(target=target, auth=AuthOptions(auth=auth))

    assert (obtains_tokens(made), terms(made).authorize) == (wanted, wanted)

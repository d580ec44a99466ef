"""One invocation from its first step to its end: how it wants to talk, and what is done in each mode."""

from typing import Any, Literal

import pytest
from attrs import evolve, frozen

from mcpi import __version__
from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.options import AuthOptions, ModeOptions, OutputOptions, ProtocolOptions, TimeOptions
from mcpi.core.flags.pairs import Expectation, Header, Pair
from mcpi.core.flags.types import Duration, Version
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from mcpi.core.modes.one_shot import (
    build_report,
    follow_options,
    method_name,
    obtains_tokens,
    outputs_events,
    refused_script_report,
    response_timeout,
    run_invocation,
    terms,
    with_mode_output,
)
from mcpi.core.outcome.faults import (
    Fault,
    Interrupted,
    Invalid,
    MissingCapability,
    OperationFailed,
    RpcError,
    Unreachable,
)
from mcpi.core.plans.method import Method
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.reports import Report, ReportedStep, ScriptLog
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Plan, Steps, connect, extend_terms, read_clock, request, stop
from mcpi.core.record.envelope import ConnectionFacts
from mcpi.core.record.transcript import Transcript
from mcpi.core.scripts.script import Script
from mcpi.core.session.terms import Terms
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from support.conversation import Conversation, Ends, Hears, Rests, Says, StaysShut, answer, error, met, talk, tell
from support.replay import exact

OLD = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}}))
NEW = NegotiatedServer("modern", "2026-07-28", capabilities=exact({"tools": {"listChanged": True}}))
LOST = Unreachable("CONNECTION_LOST", "the pipe broke")
STDIO = Stdio(("node", "server.js"))


def listed(_: object) -> Plan:
    return (yield from request("tools/list"))


LIST = Method("tools/list", object, listed, "list", required_capability="tools")
PING = Method("ping", object, lambda _: request("ping"), "ping")
INFO = Method("server/info", object, lambda _: request("x"), "info", is_protocol_method=False)


PLAIN = Invocation(ModeOptions(), ProtocolOptions(), TimeOptions(), OutputOptions(), STDIO, None, None)


def invocation(method: Method[Any] | None = LIST, **parts: Any) -> Invocation:
    return evolve(PLAIN, method=method, **parts)


# How it wants to talk.


def test_without_flags_one_talks_as_usual() -> None:
    assert terms(invocation()) == Terms(ClientInfo({}, "mcpi", __version__), open_server_stream=False)


def test_the_flags_say_how_to_talk() -> None:
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
def test_the_target_decides_about_the_transport_and_the_older_one_about_the_era(
    target: Target | None, transport: str, era: str
) -> None:
    made = terms(invocation(target=target))

    assert (made.transport, made.era) == (transport, era)


@pytest.mark.parametrize(
    ("method", "discover", "stream"),
    [(LIST, True, False), (PING, False, True), (INFO, True, True), (None, True, True)],
)
def test_nothing_is_asked_or_opened_that_the_method_does_not_need(
    method: Method[Any] | None,
    discover: bool,  # noqa: FBT001 - a case
    stream: bool,  # noqa: FBT001 - a case
) -> None:
    made = terms(invocation(method))

    assert (made.discover, made.open_server_stream) == (discover, stream)


def test_who_follows_wants_to_know_what_the_server_can_tell() -> None:
    assert terms(invocation(PING, mode=ModeOptions(follow=True))).discover


def test_a_list_that_is_followed_needs_the_stream() -> None:
    assert terms(invocation(mode=ModeOptions(follow=True))).open_server_stream


@pytest.mark.parametrize(("timeout", "seconds"), [(None, 30.0), (0.5, 0.5), (0.0, 0.0)])
def test_patience_is_half_a_minute_unless_said_otherwise(timeout: float | None, seconds: float) -> None:
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
def test_logs_are_asked_for_where_they_are_shown(
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
def test_what_is_seen_is_kept_for_a_document_at_the_end(
    mode: ModeOptions,
    output: OutputOptions,
    script: Script | None,
    kept: bool,  # noqa: FBT001 - a case
) -> None:
    assert outputs_events(invocation(mode=mode, output=output, script=script)) is kept


def since(flags: str, version: str) -> JsonObject:
    return {flags: version}


def silent(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({})


HANDLER = Handler(Responder("sampling/createMessage", "sampling", str, since, silent, bool), "sampling")


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
def test_what_the_responders_declare_is_declared_or_exactly_what_the_user_says(
    talking: ProtocolOptions, declared: JsonObject
) -> None:
    made = invocation(protocol=talking, handlers={"sampling/createMessage": HANDLER})

    assert terms(made).client.capabilities == declared
    assert terms(made).client.exact is (talking.client_capabilities is not None)


def test_a_mode_says_something_about_the_output() -> None:
    assert with_mode_output(invocation(mode=ModeOptions(watch=Duration(1.0)))).output == OutputOptions(structured=True)
    assert with_mode_output(invocation(mode=ModeOptions(follow=True))).output == OutputOptions(compact=True)
    structured = OutputOptions(structured=True)
    assert with_mode_output(invocation(output=structured, script=Script(()))).output == OutputOptions(
        fail_on_error=True
    )
    assert with_mode_output(invocation(output=structured)).output == structured


def test_violations_that_fail_a_run_are_looked_for() -> None:
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
def test_a_flag_about_tool_errors_wins_over_the_script(
    output: OutputOptions,
    own: bool,  # noqa: FBT001 - a case
    fails: bool,  # noqa: FBT001 - a case
) -> None:
    made = with_mode_output(invocation(output=output, script=Script((), fail_on_error=own)))

    assert made.script == Script((), fail_on_error=fails)


def test_a_summary_says_all_that_is_worth_a_line_and_what_is_violated() -> None:
    made = with_mode_output(invocation(output=OutputOptions(summary=True)))

    assert (made.output, made.protocol) == (OutputOptions(summary=True, quiet=True), ProtocolOptions(validate=True))


def test_an_invocation_has_the_name_of_its_method() -> None:
    assert (method_name(invocation(PING)), method_name(invocation(None))) == ("ping", "")


# What is done.


def run(made: Invocation, conversation: Conversation) -> PlanResult:
    begun: StartedPlan | None = None
    if made.method is not None and made.script is None:
        first = begin(made.plan())
        assert isinstance(first, StartedPlan)
        begun = first
    seen = Transcript(0.0, keep=outputs_events(made))
    conversation.session.record = seen.record
    return conversation.run(run_invocation(made, begun, conversation.session, seen, ScriptLog()))


def test_a_method_is_carried_out() -> None:
    conversation = met(OLD, Hears("tools/list"), answer(1, {"tools": []}))

    assert run(invocation(), conversation) == PlanResult(exact({"tools": []}))


def test_a_method_that_the_server_does_not_offer_is_not_sent() -> None:
    conversation = met(evolve(OLD, capabilities=exact({"prompts": {}})))

    problem = "the server did not declare the capability tools (it declared: prompts)"
    fault = MissingCapability("tools/list", problem, ("use --force to send it anyway",))
    assert run(invocation(), conversation) == PlanResult(None, fault)
    assert conversation.said == []


def test_force_sends_it_anyway() -> None:
    conversation = met(evolve(OLD, capabilities=exact({"prompts": {}})), Hears("tools/list"), answer(1, {}))

    assert run(invocation(protocol=ProtocolOptions(force=True)), conversation) == PlanResult(exact({}))


@pytest.mark.parametrize(("equals", "holds"), [(1, True), (2, False)])
def test_the_result_is_measured_by_what_was_expected(equals: Json, holds: bool) -> None:  # noqa: FBT001 - a case
    expected = Expectation("/a", "equals", equals)
    conversation = met(OLD, Hears("tools/list"), answer(1, {"a": 1}))
    ended = run(invocation(mode=ModeOptions(expect=(expected,))), conversation)

    assert ended.result == exact({"a": 1})
    assert (ended.fault is None) is holds


def test_without_a_method_there_is_only_the_connection() -> None:
    assert run(invocation(None), met(OLD)) == PlanResult()
    assert run(invocation(None), talk(StaysShut(LOST))) == PlanResult(None, LOST)


def test_a_watch_goes_on_after_the_result() -> None:
    conversation = met(OLD, Hears("tools/list"), answer(1, {}), Rests(4), tell("n"))

    assert run(invocation(mode=ModeOptions(watch=Duration(5.0))), conversation) == PlanResult(exact({}))
    assert conversation.clock == 5.0


def test_the_result_may_be_written_to_stdout() -> None:
    assert with_mode_output(invocation(output=OutputOptions(output="-"))).output == OutputOptions()


@pytest.mark.parametrize(("lost", "fault"), [(LOST, LOST), (Interrupted("SIGINT"), None)])
def test_a_server_that_leaves_during_a_watch_has_failed(lost: Fault, fault: Fault | None) -> None:
    conversation = met(OLD, Hears("tools/list"), answer(1, {}), Rests(1), Ends(lost))

    assert run(invocation(mode=ModeOptions(watch=Duration(5.0))), conversation) == PlanResult(exact({}), fault)


def test_a_watch_ends_with_the_connection() -> None:
    conversation = met(OLD, Hears("tools/list"), Ends(LOST))

    assert run(invocation(mode=ModeOptions(watch=Duration(5.0))), conversation) == PlanResult(None, LOST)
    assert conversation.clock == 0.0


def test_a_script_is_played() -> None:
    assert run(invocation(None, script=Script(())), met(OLD)) == PlanResult(text="[]\n")


# Violations.

NOISY = (Hears("tools/list"), Says(b"noise\n"), answer(1, {"tools": []}))
STRICT = OutputOptions(fail_on_violation=True)


def test_a_violation_fails_a_call_if_that_is_asked_for_and_the_result_is_kept() -> None:
    assert run(invocation(), met(OLD, *NOISY)) == PlanResult(exact({"tools": []}))

    ended = run(invocation(output=STRICT), met(OLD, *NOISY))
    assert ended.result == exact({"tools": []})
    assert ended.fault == OperationFailed("VIOLATION", "the server violated the protocol")


def test_a_violation_just_after_the_response_counts() -> None:
    deeds = (Hears("tools/list"), answer(1, {"tools": []}), Rests(0.05), Says(b"noise\nmore\n"))
    ended = run(invocation(output=STRICT), met(OLD, *deeds))

    assert ended.fault == OperationFailed("VIOLATION", "the server violated the protocol 2 times")


def test_violations_are_quoted_where_no_warning_has_done_so() -> None:
    ended = run(invocation(output=OutputOptions(fail_on_violation=True, quiet=True)), met(OLD, *NOISY))

    assert isinstance(ended.fault, OperationFailed)
    assert ended.fault.evidence == ("not a JSON-RPC message: noise",)


def test_without_a_violation_a_call_succeeds() -> None:
    deeds = (Hears("tools/list"), answer(1, {"tools": []}))

    assert run(invocation(output=STRICT), met(OLD, *deeds)).fault is None


def test_a_violation_does_not_hide_another_failure() -> None:
    deeds = (Hears("tools/list"), Says(b"noise\n"), error(1, -32000, "no"))

    assert isinstance(run(invocation(output=STRICT), met(OLD, *deeds)).fault, RpcError)


def test_a_violation_fails_a_stream() -> None:
    deeds = (*NOISY, tell("n"), Rests(0.05))
    mode = ModeOptions(follow=True, max_events=2)

    assert isinstance(run(invocation(mode=mode, output=STRICT), met(OLD, *deeds[:-1])).fault, OperationFailed)


# Following.

FOLLOW = ModeOptions(follow=True, max_events=1)


def test_a_followed_method_is_a_line_an_empty_line_and_events() -> None:
    conversation = met(OLD, Hears("tools/list"), answer(1, {"tools": []}), tell("n", {"a": 1}))

    assert run(invocation(mode=FOLLOW), conversation) == PlanResult()
    assert conversation.emitted == [
        '{"tools":[]}\n\n',
        '{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n","params":{"a":1}}\n',
    ]


def test_only_the_result_of_what_is_followed_is_the_servers_own_text() -> None:
    conversation = met(OLD, Hears("tools/list"), answer(1, {"tools": []}), tell("n", {"a": 1}))
    run(invocation(mode=FOLLOW), conversation)

    assert conversation.verbatim == ['{"tools":[]}\n\n']


LIVE = ModeOptions(follow=True, ndjson=True)
MOMENT = '"timestamp":"1970-01-01T00:00:00.000Z"'


def test_live_events_come_before_the_result_and_the_result_is_an_event() -> None:
    conversation = met(OLD, Hears("tools/list"), tell("n"), answer(1, {"tools": []}), tell("m"))

    made = invocation(mode=evolve(LIVE, max_events=2))
    assert run(made, conversation) == PlanResult()
    assert conversation.emitted == [
        f'{{"event":"notification",{MOMENT},"method":"n"}}\n',
        f'{{"event":"result",{MOMENT},"result":{{"tools":[]}}}}\n',
        f'{{"event":"notification",{MOMENT},"method":"m"}}\n',
    ]


def test_the_number_of_live_events_is_limited_but_the_result_comes() -> None:
    conversation = met(OLD, Hears("tools/list"), tell("n"), tell("n"), tell("n"), answer(1, {"tools": []}))

    assert run(invocation(mode=evolve(LIVE, max_events=1)), conversation) == PlanResult()
    assert [one.partition(",")[0] for one in conversation.emitted] == ['{"event":"notification"', '{"event":"result"']


def test_the_timeout_is_that_of_the_whole_stream() -> None:
    conversation = met(OLD, Hears("tools/list"), answer(1, {"tools": []}))

    made = invocation(mode=ModeOptions(follow=True), time=TimeOptions(timeout=Duration(5.0)))
    assert run(made, conversation) == PlanResult()
    assert conversation.clock == 5.0


def test_modern_log_messages_need_a_stream_that_carries_the_level() -> None:
    def levelled(_: object) -> Plan:
        yield from connect()
        yield from extend_terms(log_level="info")
        return {}

    server = evolve(NEW, capabilities=exact({"logging": {}}))
    conversation = met(server, Hears("subscriptions/listen"), tell("notifications/message", {"level": "info"}))
    run(invocation(Method("logging/setLevel", object, levelled, "log"), mode=FOLLOW), conversation)

    params = conversation.said[0]["params"]
    assert (params["notifications"], params["_meta"]["io.modelcontextprotocol/logLevel"]) == ({}, "info")
    assert conversation.emitted[-1] == f'{{"event":"log",{MOMENT},"level":"info"}}\n'


def test_following_without_a_method_shows_only_events() -> None:
    conversation = met(OLD, tell("n"))

    assert run(invocation(None, mode=FOLLOW), conversation) == PlanResult()
    assert conversation.emitted == ['{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n"}\n']


def test_a_method_that_fails_is_not_followed() -> None:
    conversation = met(OLD, Hears("tools/list"), error(1, -1, "no"))

    fault = RpcError(-1, "no", exact({"code": -1, "message": "no"}), "tools/list")
    assert run(invocation(mode=FOLLOW), conversation) == PlanResult(None, fault)
    assert conversation.emitted == []


def test_what_happened_before_it_failed_is_shown_all_the_same() -> None:
    conversation = met(OLD, Hears("tools/list"), tell("n"), error(1, -1, "no"))

    assert isinstance(run(invocation(mode=FOLLOW), conversation).fault, RpcError)
    assert conversation.emitted == ['{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n"}\n']


def test_a_server_that_is_gone_before_the_result_closes_the_stream() -> None:
    gone = Unreachable("CONNECTION_LOST", "the pipe broke")
    conversation = met(OLD, Hears("tools/list"), tell("n"), Ends(gone))

    assert run(invocation(mode=ModeOptions(follow=True)), conversation) == PlanResult(None, gone)
    assert "".join(conversation.emitted).splitlines() == [
        '{"event":"notification","timestamp":"1970-01-01T00:00:00.000Z","method":"n"}',
        '{"event":"closed","timestamp":"1970-01-01T00:00:00.000Z","reason":"the pipe broke","code":"CONNECTION_LOST"}',
    ]


def test_who_leaves_before_the_result_closes_nothing() -> None:
    conversation = met(OLD, Hears("tools/list"), Ends(Interrupted("SIGINT")))

    run(invocation(mode=ModeOptions(follow=True)), conversation)
    assert conversation.emitted == []


def test_who_has_seen_enough_of_what_needs_no_server_has_not_failed() -> None:
    def looking(_: object) -> Plan:
        yield from read_clock()
        return (yield from stop(Interrupted("--max-events")))

    method = Method("debug/script", object, looking, "look", connects=False)
    assert run(invocation(method, mode=FOLLOW), met(OLD)) == PlanResult()


TOOL_ERROR = OperationFailed("TOOL_ERROR", "the tool says no")


def reporting(_: object) -> Plan:
    yield from connect()
    return (yield from stop(TOOL_ERROR, exact({"isError": True})))


def test_a_tools_own_error_is_shown_and_followed() -> None:
    conversation = met(OLD, tell("n"))

    method = Method("tools/call", object, reporting, "call")
    assert run(invocation(method, mode=FOLLOW), conversation) == PlanResult(None, TOOL_ERROR)
    assert conversation.emitted[0] == '{"isError":true}\n\n'


def test_a_modern_server_is_asked_for_all_that_it_can_tell() -> None:
    conversation = met(NEW, Hears("tools/list"), answer(1, {"resultType": "complete", "ttlMs": 0, "cacheScope": "x"}))

    made = invocation(mode=ModeOptions(follow=True), time=TimeOptions(timeout=Duration(1.0)))
    assert run(made, conversation) == PlanResult()
    asked = conversation.said[1]
    assert (asked["method"], asked["params"]["notifications"]) == ("subscriptions/listen", {"toolsListChanged": True})


def subscribing(_: object) -> Plan:
    yield from connect()
    return {}


@pytest.mark.parametrize(
    ("server", "method"),
    [
        (NEW, Method("subscriptions/listen", object, subscribing, "listen")),
        (evolve(NEW, capabilities=exact({"tools": {}})), Method("x", object, subscribing, "x")),
        (OLD, Method("x", object, subscribing, "x")),
    ],
)
def test_a_subscription_that_is_there_or_of_no_use_is_not_asked_for(
    server: NegotiatedServer, method: Method[Any]
) -> None:
    conversation = met(server, tell("n"))
    run(invocation(method, mode=FOLLOW), conversation)

    assert conversation.said == []


def test_a_stream_that_breaks_off_is_a_failure() -> None:
    conversation = met(OLD, Ends(LOST))

    assert run(invocation(None, mode=FOLLOW), conversation) == PlanResult(None, LOST)


class Subscribe:
    """The flags of a subscription."""

    uri = "file:///a"


@pytest.mark.parametrize(
    ("method", "logs", "uri"),
    [("logging/setLevel", True, None), ("resources/subscribe", False, "file:///a"), ("tools/list", False, None)],
)
def test_the_method_says_what_the_stream_is_about(method: str, logs: bool, uri: str | None) -> None:  # noqa: FBT001
    made = evolve(invocation(Method(method, object, listed, "")), args=Subscribe())
    wanted = follow_options(made)

    assert (wanted.logs, wanted.uri) == (logs, uri)


def test_the_flags_say_how_the_stream_ends() -> None:
    made = invocation(
        mode=ModeOptions(follow=True, max_events=7, refetch=True, ping_interval=Duration(9.0)),
        time=TimeOptions(timeout=Duration(60.0)),
        handlers={"sampling/createMessage": HANDLER},
    )
    wanted = follow_options(made)

    assert (wanted.max_events, wanted.refetch, wanted.ping_interval) == (7, True, 9.0)
    assert wanted.event_names == {"sampling/createMessage": "sampling"}


@pytest.mark.parametrize(("given", "interval"), [(30.0, 30.0), (0.0, None)])
def test_pings_can_be_switched_off(given: float, interval: float | None) -> None:
    made = invocation(mode=ModeOptions(follow=True, ping_interval=Duration(given)))

    assert follow_options(made).ping_interval == interval


def test_following_may_fail_before_anybody_is_met() -> None:
    assert run(invocation(None, mode=FOLLOW), talk(StaysShut(LOST))) == PlanResult(None, LOST)


def test_a_result_that_is_exact_stays_exact() -> None:
    spelled = Exact('{"n":1.50}', {"n": 1.5})
    method = Method("x", object, lambda _: request("x"), "")
    conversation = met(OLD, Hears("x"), answer(1, spelled))

    assert run(invocation(method), conversation) == PlanResult(spelled)


# Reports.


def test_a_report_names_the_method_the_server_and_how_it_ended() -> None:
    ledger = [ReportedStep("ping", {})]
    known = ConnectionFacts("stdio", evolve(OLD, info=exact({"name": "demo"})), exit_code=3)
    about: dict[str, Printable] = {
        "transport": "stdio",
        "server": exact("demo"),
        "protocol": "2025-11-25 (handshake)",
        "server's exit code": 3,
    }

    assert build_report(invocation(PING), ledger, known, 1, "now") == Report(
        "mcpi ping", (ReportedStep("ping", {}),), 1, "now", __version__, about, "", "server.js"
    )


@pytest.mark.parametrize(
    ("target", "source"),
    [
        (Stdio(("node", "./dist/server.mjs", "--port", "1")), "dist/server.mjs"),
        (Stdio(("/usr/bin/python3", "/home/me/server.py")), "server.py"),
        (Stdio(("npx", "-y", "a-server")), ""),
        (Http("https://example.com/mcp"), ""),
    ],
)
def test_findings_refer_to_the_server_s_program(target: Target, source: str) -> None:
    made = evolve(invocation(PING), target=target)

    assert build_report(made, [], ConnectionFacts(), 0, "now").source == source


@frozen(kw_only=True)
class Sides:
    """The two sides of a comparison."""

    old: str | None = None
    new: str | None = None


@pytest.mark.parametrize(
    ("sides", "source"),
    [
        (Sides(old="mcpi.lock.json", new="node dist/server.js"), "dist/server.js"),
        (Sides(old="ci/mcpi.lock", new="https://example.com/server.json"), "ci/mcpi.lock"),
        (Sides(old='{"a": "b.js"}', new="npx -y a-server"), ""),
    ],
)
def test_changes_refer_to_the_new_server_s_program_or_to_the_lock_file(sides: Sides, source: str) -> None:
    made = evolve(invocation(PING), args=sides, target=None)

    assert build_report(made, [], ConnectionFacts(), 0, "now").source == source


def test_a_report_without_a_server_says_so() -> None:
    made = build_report(invocation(None), [], ConnectionFacts(), 0, "now")

    assert (made.title, made.facts) == ("mcpi follow", {"transport": None})


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("smoke.json", "smoke.json"),
        ("tests/a b.json", "a b.json"),
        ("C:\\t\\x.json", "x.json"),
        ("-", "standard input"),
        (None, ""),
    ],
)
def test_a_report_of_a_script_has_its_file_name(path: str | None, name: str) -> None:
    made = invocation(None, mode=ModeOptions(script=path), script=Script(()))
    report = build_report(made, [ReportedStep("ping", {})], ConnectionFacts(), 0, "now")

    assert (report.title, report.script) == (f"mcpi {path or 'follow'}", name)


def test_a_refused_script_is_reported_as_one_failing_test_that_says_why() -> None:
    fault = Invalid("INVALID_SCRIPT", "t/s.json", "step 1: no (and 1 more)", ("step 2: neither",))
    report = refused_script_report("t/s.json", fault, "now")

    (step,) = report.steps
    assert (step.title, step.verdict, report.script, report.exit_code) == ("script", "failed", "s.json", 1)
    assert as_object(to_plain(step.envelope["error"]))["details"] == {
        "failures": ["t/s.json: step 1: no (and 1 more)", "step 2: neither"]
    }


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
def test_a_token_is_got_where_a_server_may_want_one_and_none_was_given(
    target: Target | None,
    auth: Literal["auto", "none"],
    wanted: bool,  # noqa: FBT001 - a case
) -> None:
    made = invocation(target=target, auth=AuthOptions(auth=auth))

    assert (obtains_tokens(made), terms(made).authorize) == (wanted, wanted)

"""A dry run shows the messages of a plan without contacting a server."""

import pytest
from attrs import evolve, frozen

from mcpi.core.flags.pairs import Header, Pair
from mcpi.core.jsontext.exact import Exact, Params, Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.modes.dry_run import DryRun
from mcpi.core.outcome.faults import Invalid, OperationFailed
from mcpi.core.outcome.result import Success
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.steps import (
    Call,
    CallAll,
    ClockReading,
    Connect,
    Emit,
    ExtendTerms,
    NextEvent,
    Notify,
    Plan,
    ProvideInput,
    ReadClock,
    ReportViolation,
    Send,
    Sleep,
    Step,
    Stop,
    Validate,
    Warn,
    attempt,
    connect,
    extend_terms,
    must,
    read_clock,
    read_file,
    report_violation,
    request,
    stop,
)
from mcpi.core.plans.world_steps import Fetch, ReadTextFile, RunOnServer
from mcpi.core.session.terms import Terms
from mcpi.core.targets.target import Http
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.constants import request_meta
from support.replay import exact

HANDSHAKE = Terms(ClientInfo({"roots": {}}, version="1.0"), era="handshake", timeout=7.0)
MODERN = evolve(HANDSHAKE, era="modern")
META = request_meta({"roots": {}})
ODD = Violation("illegal-header", "odd")


def dry_run(plan: Plan, terms: Terms = HANDSHAKE, method: str = "tools/call") -> PlanResult:
    """The result of a dry run of a plan that has at least one step."""
    started = begin(plan)
    assert isinstance(started, StartedPlan)
    return DryRun(terms, None, method).run(started)


def plan_of(*steps: Step) -> Plan:
    """A plan of these steps, whatever they return."""
    for step in steps:  # noqa: UP028 - a tuple takes no replies
        yield step
    return "never shown"


def dry_run_result(*messages: Printable) -> PlanResult:
    """A dry run that ends with these messages and is not followed by others."""
    return PlanResult({"messages": list(messages)})


def test_request_is_shown_as_it_would_be_sent() -> None:
    assert dry_run(request("tools/call", {"name": "echo"})) == dry_run_result(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo"}}
    )


def test_request_without_params_has_no_params_member() -> None:
    assert dry_run(request("ping"), method="ping") == dry_run_result({"jsonrpc": "2.0", "id": 1, "method": "ping"})


def test_params_given_as_json_are_sent_unchanged() -> None:
    params = Exact('{ "n": 1.10 }', {"n": 1.1})

    assert dry_run(request("acme/thing", params), method="acme/thing") == dry_run_result(
        {"jsonrpc": "2.0", "id": 1, "method": "acme/thing", "params": params}
    )


def test_modern_request_includes_its_envelope() -> None:
    assert dry_run(request("tools/call", {"name": "echo"}), MODERN) == dry_run_result(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "_meta": META}}
    )


@pytest.mark.parametrize(
    ("era", "version", "assumed"),
    [
        ("auto", None, ("handshake", "2025-11-25")),
        ("handshake", None, ("handshake", "2025-11-25")),
        ("handshake", "2025-03-26", ("handshake", "2025-03-26")),
        ("modern", None, ("modern", "2026-07-28")),
        ("auto", "2026-07-28", ("modern", "2026-07-28")),
        ("auto", "2024-11-05", ("handshake", "2024-11-05")),
    ],
)
def test_server_is_assumed_to_match_the_flags(era: str, version: str | None, assumed: tuple[str, str]) -> None:
    servers: list[NegotiatedServer] = []

    def plan() -> Plan:
        servers.append((yield from connect()))
        return None

    dry_run(plan(), evolve(HANDSHAKE, era=era, version=version, transport="http"))

    assert [(one.era, one.version, one.transport, one.was_asked_for_capabilities) for one in servers] == [
        (*assumed, "http", False)
    ]


def test_user_metadata_is_added_to_each_request() -> None:
    terms = evolve(HANDSHAKE, meta={"client": "test-client"})

    assert dry_run(request("tools/call", {"name": "echo", "_meta": {"own": 1}}), terms) == dry_run_result(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "echo", "_meta": {"client": "test-client", "own": 1}},
        }
    )


def tracked_call(params: Params) -> Plan:
    """A call with progress tracking."""
    return (yield from must((yield from attempt("tools/call", params, track=True))))


def test_tracked_request_includes_a_progress_token() -> None:
    assert dry_run(tracked_call({"name": "slow"})) == dry_run_result(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "slow", "_meta": {"progressToken": 1}},
        }
    )


def test_user_progress_token_is_kept() -> None:
    assert dry_run(tracked_call({"name": "slow", "_meta": {"progressToken": "mine"}}), MODERN) == dry_run_result(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "slow", "_meta": {"progressToken": "mine", **META}},
        }
    )


def test_requests_sent_in_parallel_are_all_shown() -> None:
    assert dry_run(plan_of(Notify("a"), CallAll((Call("tools/list"), Call("prompts/list"))))) == dry_run_result(
        {"jsonrpc": "2.0", "method": "a"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "prompts/list"},
    )


def test_request_answered_by_an_event_is_shown() -> None:
    assert dry_run(plan_of(Send("subscriptions/listen", {"notifications": {}}))) == dry_run_result(
        {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"notifications": {}}}
    )


def test_dry_run_continues_after_notifications() -> None:
    assert dry_run(plan_of(Notify("a"), Notify("b", {"x": 1}), Call("tools/call"))) == dry_run_result(
        {"jsonrpc": "2.0", "method": "a"},
        {"jsonrpc": "2.0", "method": "b", "params": {"x": 1}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call"},
    )


def test_http_request_is_shown() -> None:
    assert dry_run(plan_of(Fetch("https://example.com/.well-known", "POST"))) == dry_run_result(
        {"http": "POST", "url": "https://example.com/.well-known", "headers": {}}
    )


TARGET = Http("https://u:p@example.com/mcp?key=s3cret", (Header("X-Api-Key", "s3cret-value"), Header("X-Team", "blue")))
BASE = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def test_an_http_target_shows_the_headers_of_each_message() -> None:
    started = begin(request("tools/list"))
    assert isinstance(started, StartedPlan)
    result = DryRun(MODERN, TARGET, "tools/list").run(started).result

    assert isinstance(result, dict)
    version = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}
    own = {"x-api-key": "***", "x-team": "blue"}
    url = "https://***@example.com/mcp?key=***"
    assert result["http"] == [{"method": "POST", "url": url, "headers": {**BASE, **version, **own}}]


def test_plain_http_request_shows_only_its_own_headers() -> None:
    started = begin(plan_of(Fetch("https://example.com", headers={"Authorization": "Basic abc"})))
    assert isinstance(started, StartedPlan)
    result = DryRun(MODERN, TARGET).run(started).result

    shown = {"http": "GET", "url": "https://example.com", "headers": {"Authorization": "Basic ***"}}
    assert result == {"messages": [shown], "http": []}


def test_reported_violation_sends_no_message() -> None:
    def plan() -> Plan:
        yield from report_violation(ODD)
        return (yield from request("tools/call"))

    assert dry_run(plan()) == dry_run_result({"jsonrpc": "2.0", "id": 1, "method": "tools/call"})


def test_plan_can_read_the_clock() -> None:
    seen: list[ClockReading] = []

    def plan() -> Plan:
        seen.append((yield from read_clock()))
        return (yield from request("tools/call"))

    assert dry_run(plan()) == dry_run_result({"jsonrpc": "2.0", "id": 1, "method": "tools/call"})
    assert seen == [ClockReading(0.0, 7.0, frozenset())]


def test_steps_without_a_reply_return_none() -> None:
    replies: list[object] = []

    def plan() -> Plan:
        replies.extend([(yield Notify("a")), (yield ReportViolation(ODD)), (yield ExtendTerms())])
        return (yield from request("tools/call"))

    dry_run(plan())

    assert replies == [None, None, None]


def test_extended_terms_apply_to_later_requests() -> None:
    def plan() -> Plan:
        yield from extend_terms(log_level="debug")
        yield from extend_terms(extension="io.modelcontextprotocol/tasks")
        return (yield from request("tools/call", {}))

    assert dry_run(plan(), MODERN) == dry_run_result(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": {"name": "mcpi", "version": "1.0"},
                    "io.modelcontextprotocol/clientCapabilities": {
                        "roots": {},
                        "extensions": {"io.modelcontextprotocol/tasks": {}},
                    },
                    "io.modelcontextprotocol/logLevel": "debug",
                }
            },
        }
    )


def test_request_that_depends_on_a_response_is_announced() -> None:
    assert dry_run(request("tools/list")) == PlanResult(
        {
            "messages": [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}],
            "then": "tools/call follows the response to tools/list",
        }
    )


def test_optional_request_is_not_announced_as_a_dependency() -> None:
    assert dry_run(plan_of(Call("tools/list", allow_failure=True))) == dry_run_result(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    )


@pytest.mark.parametrize(
    "step",
    [Sleep(1.0), Emit("{}"), NextEvent(), Validate(1, {}), ProvideInput(Exact("{}", {}))],
    ids=lambda step: type(step).__name__,
)
def test_step_that_needs_a_server_ends_the_dry_run(step: Step) -> None:
    assert dry_run(plan_of(step, Call("tools/call"))) == dry_run_result()


def test_plan_that_ends_by_itself_shows_its_messages() -> None:
    assert dry_run(
        plan_of(Notify("a"), Connect(), ReadClock(), ExtendTerms(), ReportViolation(ODD), Warn("x"))
    ) == dry_run_result({"jsonrpc": "2.0", "method": "a"})


def test_invalid_argument_fails_the_dry_run() -> None:
    wrong = Invalid("INVALID_ARGUMENT", "--tool-arg", "is wrong")

    def plan() -> Plan:
        yield from connect()
        return (yield from stop(wrong))

    assert dry_run(plan()) == PlanResult(None, wrong)


@pytest.mark.parametrize(
    "last", [Stop(OperationFailed("TASK_FAILED", "")), Call("tools/call")], ids=["stopped", "waiting"]
)
def test_plan_is_closed_after_the_dry_run(last: Step) -> None:
    closed: list[str] = []

    def plan() -> Plan:
        try:
            yield Notify("a")
            yield last
            return None
        finally:
            closed.append("yes")

    waiting = plan()
    dry_run(waiting)

    assert closed == ["yes"]


AUTO = evolve(HANDSHAKE, era="auto")
ASSUMED = (
    "the server belongs to the {} era, which mcpi would check with server/discover; "
    "to see the messages for the {other} era, add --era {other}"
)


def test_undetected_era_is_assumed_to_be_handshake_and_reported() -> None:
    message: Printable = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    assert dry_run(request("ping"), AUTO, "ping") == PlanResult(
        {"messages": [message], "presumes": ASSUMED.format("handshake", other="modern")}
    )


def test_method_of_one_era_implies_that_era() -> None:
    started = begin(request("x/y"))
    assert isinstance(started, StartedPlan)
    ended = DryRun(AUTO, None, "x/y", "modern").run(started)

    message: Printable = {"jsonrpc": "2.0", "id": 1, "method": "x/y", "params": {"_meta": META}}
    assert ended == PlanResult({"messages": [message], "presumes": ASSUMED.format("modern", other="handshake")})


def test_explicit_version_needs_no_assumption() -> None:
    assert dry_run(request("ping"), evolve(AUTO, version="2025-06-18"), "ping") == dry_run_result(
        {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    )


def test_file_not_named_by_a_flag_is_not_read() -> None:
    def plan() -> Plan:
        assert (yield from read_file("settings.json")) == Success(None)
        return (yield from request("ping"))

    assert dry_run(plan(), method="ping").result == {"messages": [{"jsonrpc": "2.0", "id": 1, "method": "ping"}]}


@pytest.mark.parametrize(
    ("step", "then"),
    [
        (ReadTextFile("--old", "old.json"), "diff follows once old.json has been read"),
        (RunOnServer("--old", "node s.js", connect), "diff follows once node s.js has answered"),
        (RunOnServer("--old", None, connect), "diff follows once target has answered"),
    ],
)
def test_step_on_another_file_or_server_is_announced(step: Step, then: str) -> None:
    def plan() -> Plan:
        yield from connect()
        yield step
        return None

    started = begin(plan())
    assert isinstance(started, StartedPlan)
    assert DryRun(HANDSHAKE, None, "diff").run(started) == PlanResult({"messages": [], "then": then})


@frozen(kw_only=True)
class CallFlags:
    """The flags of tools/call that make the call depend on the tool's schema."""

    tool_arg: tuple[Pair, ...] = (Pair("a", "1"), Pair("b", exact([2])))
    output_schema_validate: bool = False


FOLLOWS = "tools/call follows the response to tools/list"
HINT = ", which has the types of the arguments; to see the call, use --tool-args JSON"
OVER_HTTP = evolve(MODERN, transport="http")


@pytest.mark.parametrize(
    ("terms", "flags", "then"),
    [
        (HANDSHAKE, CallFlags(), f"{FOLLOWS}{HINT}"),
        (MODERN, CallFlags(), f"{FOLLOWS}{HINT}"),
        (OVER_HTTP, CallFlags(), FOLLOWS),
        (HANDSHAKE, CallFlags(output_schema_validate=True), FOLLOWS),
    ],
)
def test_arguments_that_must_be_converted_are_shown_as_given(terms: Terms, flags: CallFlags, then: str) -> None:
    started = begin(plan_of(Call("tools/list")))
    assert isinstance(started, StartedPlan)
    result = as_object(to_plain(DryRun(terms, None, "tools/call", None, flags).run(started).result))

    assert (result["then"], result["unconverted"]) == (then, {"a": "1", "b": [2]})


def test_own_request_that_may_fail_is_followed_by_the_method() -> None:
    result = as_object(to_plain(dry_run(plan_of(Call("tools/list", allow_failure=True, reason="for headers"))).result))

    assert result["then"] == FOLLOWS

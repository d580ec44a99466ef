"""Run one invocation of the command line."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import evolve

from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.declare import STDIN
from mcpi.core.flags.options import TimeOptions
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.outcome.faults import Fault, Interrupted, OperationFailed, exit_code
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.listening import all_list_changes
from mcpi.core.plans.method import AnyMethod, check_support
from mcpi.core.plans.plan import PlanResult, StartedPlan
from mcpi.core.plans.reports import ScriptLog
from mcpi.core.plans.responders import client_info_of
from mcpi.core.plans.steps import Call
from mcpi.core.record.transcript import Transcript
from mcpi.core.session.effects import Effects, Now
from mcpi.core.session.negotiate import open_session
from mcpi.core.session.run_plan import SupportCheck, run_plan
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms
from mcpi.core.targets.target import Http, Sse, transport_of
from mcpi.core.version import __version__
from mcpi.core.wire.server_info import ClientInfo

if TYPE_CHECKING:
    from mcpi.core.modes.follow import FollowOptions

DEFAULT_TIMEOUT = 30.0
_SUBSCRIBE_METHODS = ("subscriptions/listen", "resources/subscribe")


def terms(invocation: Invocation) -> Terms:
    """Build the session's terms from the invocation."""
    talk, time = invocation.protocol, invocation.time
    method = invocation.method
    return Terms(
        client=_client(invocation),
        era="handshake" if isinstance(invocation.target, Sse) else talk.era,
        version=talk.protocol_version,
        timeout=response_timeout(time),
        max_total_timeout=time.max_total_timeout,
        connect_timeout=response_timeout(time) if time.connect_timeout is None else time.connect_timeout,
        limit_hints=invocation.limit_hints,
        retries=time.retry,
        meta={pair.key: pair.value for pair in talk.metadata},
        log_level="debug" if _shows_logs(invocation) else None,
        transport=transport_of(invocation.target),
        discover=method is None
        or bool(method.required_capability)
        or not method.is_protocol_method
        or invocation.mode.follow,
        authorize=obtains_tokens(invocation),
        open_server_stream=invocation.mode.prints_events or method is None or not method.name.endswith("/list"),
    )


def obtains_tokens(invocation: Invocation) -> bool:
    """Return True if a token is obtained on demand: over HTTP, unless --auth none or an Authorization header is set."""
    target = invocation.target
    if invocation.auth.auth == "none" or not isinstance(target, Http | Sse):
        return False
    return all(header.name.lower() != "authorization" for header in target.headers)


def with_mode_output(invocation: Invocation) -> Invocation:
    """Adjust the output flags to the mode: --watch prints a document, --follow prints lines."""
    output, talk = invocation.output, invocation.protocol
    if output.output == STDIN:
        output = evolve(output, output=None)
    if output.summary:
        output, talk = evolve(output, quiet=True), evolve(talk, validate=True)
    if invocation.mode.watch is not None:
        output = evolve(output, structured=True)
    if invocation.mode.prints_events:
        output = evolve(output, compact=True)
    if output.fail_on_violation:
        talk = evolve(talk, validate=True)
    script = invocation.script
    if script is not None:
        flag = output.tool_errors_fail
        script = script if flag is None else evolve(script, fail_on_error=flag)
        # The runner decides which tool errors are failures.
        output = evolve(output, structured=False, fail_on_error=True, no_fail_on_error=False)
    return evolve(invocation, output=output, protocol=talk, script=script)


def method_name(invocation: Invocation) -> str:
    """Return the method's name, or an empty string without a method."""
    return invocation.method.name if invocation.method is not None else ""


def response_timeout(time: TimeOptions) -> float:
    """Return the response timeout in seconds."""
    return DEFAULT_TIMEOUT if time.timeout is None else time.timeout


def _shows_logs(invocation: Invocation) -> bool:
    return invocation.output.verbose or invocation.mode.prints_events or outputs_events(invocation)


def outputs_events(invocation: Invocation) -> bool:
    """Return True if the recorded events are part of the output."""
    output, mode = invocation.output, invocation.mode
    return output.structured or bool(output.reports) or mode.watch is not None or invocation.script is not None


def _client(invocation: Invocation) -> ClientInfo:
    """Build the client info; the declared capabilities differ between the eras."""
    talk = invocation.protocol
    if talk.client_capabilities is not None:
        return ClientInfo(as_object(talk.client_capabilities.value), version=__version__, exact=True)
    return client_info_of(invocation.handlers, talk.era, talk.protocol_version)


def run_invocation(
    invocation: Invocation, begun: StartedPlan | None, session: Session, seen: Transcript, log: ScriptLog
) -> Effects[PlanResult]:
    """Run the invocation; `log` receives a script's steps."""
    output = invocation.output
    if invocation.script is not None:
        from mcpi.core.record.envelope_writer import EnvelopeWriter  # noqa: PLC0415 - only scripts need it
        from mcpi.core.scripts.player import ScriptOptions, ScriptRunner  # noqa: PLC0415 - see above

        options = ScriptOptions(
            _capability_check(invocation),
            output.fail_on_violation,
            invocation.mode.ndjson,
            EnvelopeWriter(compact=output.compact),
            log,
            bool(output.reports),
            invocation.hints,
            invocation.protocol.validate,
        )
        return (yield from ScriptRunner(invocation.script, session, seen, options).run())
    ended = yield from _run_single(invocation, begun, session, seen)
    if not output.fail_on_violation:
        return ended
    from mcpi.core.record.violation_fault import SETTLING, fail_on_violations  # noqa: PLC0415 - rarely needed

    yield from session.sleep(SETTLING)
    fails = ended.fault is not None and exit_code(ended.fault, fail_on_error=output.tool_errors_fail or False) != 0
    return ended if fails else fail_on_violations(ended, seen, quoted=output.quiet)


def _run_single(
    invocation: Invocation, begun: StartedPlan | None, session: Session, seen: Transcript
) -> Effects[PlanResult]:
    """Run a single method, or follow the events."""
    if invocation.mode.prints_events:
        return (yield from _follow(invocation, begun, session, seen.timestamp))
    ended = yield from _run_or_connect(invocation, begun, session)
    if invocation.mode.watch is None or session.connection_fault is not None:
        return ended
    yield from session.sleep(invocation.mode.watch)
    return _after_watch(ended, session.connection_fault)


def _after_watch(ended: PlanResult, lost: Fault | None) -> PlanResult:
    """Fail a watch if the connection was lost, unless the user interrupted it."""
    if ended.fault is not None or lost is None or isinstance(lost, Interrupted):
        return ended
    return evolve(ended, fault=lost)


def _run_or_connect(invocation: Invocation, begun: StartedPlan | None, session: Session) -> Effects[PlanResult]:
    """Run the method, or only connect if there is none."""
    if begun is not None:
        return (yield from run_method(invocation, begun, session))
    opened = yield from open_session(session)
    return PlanResult(None, opened.failure() if isinstance(opened, Failure) else None)


def run_method(invocation: Invocation, begun: StartedPlan, session: Session) -> Effects[PlanResult]:
    """Run the method and check the result against --expect."""
    assert invocation.method is not None
    if invocation.protocol.validate:
        from mcpi.core.record.output_checker import OutputChecker  # noqa: PLC0415 - rarely needed

        begun = OutputChecker().checked(begun)
    ended = yield from run_plan(begun, session, _capability_check(invocation)(invocation.method))
    params = invocation.mode.params
    tool = "" if params is None else as_text(params.get("name"))
    ended = ended.with_tool_error(invocation.method.name, tool)
    if not invocation.mode.expect:
        return ended
    from mcpi.core.scripts.judge import check_expectations  # noqa: PLC0415 - rarely needed

    return (yield from check_expectations(method_name(invocation), invocation.mode.expect, ended))


def _capability_check(invocation: Invocation) -> Callable[[AnyMethod], SupportCheck]:
    """Build the check for a method's required capability; --force disables it."""
    return lambda method: lambda server: None if invocation.protocol.force else check_support(method, server)


def _follow(
    invocation: Invocation, begun: StartedPlan | None, session: Session, stamp: Callable[[float], str]
) -> Effects[PlanResult]:
    from mcpi.core.modes.follow import Follower  # noqa: PLC0415 - only follow mode needs it

    session.keep_events = True
    started: float = yield Now()
    if invocation.mode.follow and invocation.time.timeout is not None:
        session.deadline = started + invocation.time.timeout
    follower = Follower(session, follow_options(invocation), started, stamp)
    effects = _run_or_connect(invocation, begun, session)
    first = yield from follower.run_live(effects) if invocation.mode.ndjson else effects
    yield from follower.show_result(first)
    is_tool_error = isinstance(first.fault, OperationFailed) and first.fault.code == "TOOL_ERROR"
    lasts = invocation.mode.follow and (invocation.method is None or invocation.method.connects_with(invocation.args))
    if isinstance(first.fault, Interrupted) and invocation.mode.follow and not lasts:
        # The method has no server, so its own events were the whole stream.
        return PlanResult()
    if (first.fault is not None and not is_tool_error) or not lasts:
        yield from session.process_pending(0.0)
        yield from follower.flush()
        # With --ndjson, the server's error has been printed as an event.
        return PlanResult(None, first.fault, "" if invocation.mode.ndjson and first.fault is not None else None)
    yield from _subscribe(invocation, session)
    streamed = yield from follower.stream()
    return PlanResult(None, streamed.fault or first.fault)


def _subscribe(invocation: Invocation, session: Session) -> Effects[None]:
    """Subscribe to changes; a modern server sends only notifications that were requested."""
    server = session.server
    if server is None or server.era == "handshake" or method_name(invocation) in _SUBSCRIBE_METHODS:
        return
    filters = all_list_changes(server)
    # MCP 2026-07-28, logging: log messages arrive on the stream of a request that carries the level.
    if filters or method_name(invocation) == "logging/setLevel":
        yield from session.send(Call("subscriptions/listen", {"notifications": filters}))


def follow_options(invocation: Invocation) -> "FollowOptions":
    """Build the options of follow mode."""
    from mcpi.core.modes.follow import FollowOptions  # noqa: PLC0415 - only follow mode needs it

    mode = invocation.mode
    return FollowOptions(
        logs=method_name(invocation) == "logging/setLevel",
        uri=getattr(invocation.args, "uri", None) if method_name(invocation) == "resources/subscribe" else None,
        refetch=mode.refetch,
        live=mode.ndjson,
        max_events=mode.max_events,
        ping_interval=mode.ping_interval or None,
        event_names={method: handler.responder.event for method, handler in invocation.handlers.items()},
    )

"""Dry run: list the messages that a plan would send."""

from mcpi.core.jsontext.exact import Printable
from mcpi.core.plans.plan import PlanResult, StartedPlan
from mcpi.core.plans.steps import (
    Call,
    CallAll,
    ClockReading,
    Connect,
    ExtendTerms,
    Notify,
    ReadClock,
    ReportViolation,
    Send,
    Step,
    Stop,
)
from mcpi.core.plans.world_steps import Fetch
from mcpi.core.session.terms import Terms
from mcpi.core.wire.modern import request_meta, with_meta
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, Era, era_of


def run_dry(begun: StartedPlan, terms: Terms, method: str, only: Era | None = None) -> PlanResult:
    """List the messages up to the first response that the plan needs; `only` is the method's single era."""
    server = _assumed_server(terms, only)
    assumption = _assumption(terms, server)
    messages: list[Printable] = []
    step: Step = begun.step
    while True:
        messages += _messages(step, terms, server, len(messages))
        if isinstance(step, Stop):
            begun.plan.close()
            return PlanResult(None, step.fault)
        if not isinstance(step, Connect | ReadClock | ExtendTerms | Notify | ReportViolation):
            begun.plan.close()
            return PlanResult({"messages": messages, **_follow_up(step, method), **assumption})
        if isinstance(step, ExtendTerms):
            terms = terms.extended(step.log_level, step.extension)
        try:
            step = begun.plan.send(_reply(step, terms, server))
        except StopIteration:
            return PlanResult({"messages": messages, **assumption})


def _reply(step: Step, terms: Terms, server: NegotiatedServer) -> NegotiatedServer | ClockReading | None:
    """Return the reply to a step that needs no response."""
    match step:
        case Connect():
            return server
        case ReadClock():
            return ClockReading(0.0, terms.timeout, frozenset())
        case _:
            return None


def _assumed_server(terms: Terms, only: Era | None) -> NegotiatedServer:
    """Build the assumed server; its capabilities are unknown."""
    if terms.version is not None:
        return NegotiatedServer(
            era_of(terms.version), terms.version, transport=terms.transport, was_asked_for_capabilities=False
        )
    wanted = only if terms.era == "auto" else terms.era
    era: Era = "modern" if wanted == "modern" else "handshake"
    version = (MODERN_VERSIONS if era == "modern" else HANDSHAKE_VERSIONS)[0]
    return NegotiatedServer(era, version, transport=terms.transport, was_asked_for_capabilities=False)


def _assumption(terms: Terms, server: NegotiatedServer) -> dict[str, Printable]:
    """Describe the assumed era if it would be auto-detected."""
    if terms.era != "auto" or terms.version is not None:
        return {}
    other = "handshake" if server.era == "modern" else "modern"
    told = f"a server of the {server.era} era, which server/discover would find out; --era {other} shows the other form"
    return {"presumes": told}


def _messages(step: Step, terms: Terms, server: NegotiatedServer, before: int) -> list[Printable]:
    match step:
        case Call() | Send():
            return [_message(step, terms, server, before + 1)]
        case CallAll(calls):
            return [_message(call, terms, server, number) for number, call in enumerate(calls, before + 1)]
        case Notify(method, params):
            message: dict[str, Printable] = {"jsonrpc": "2.0", "method": method}
            return [message if params is None else {**message, "params": params}]
        case Fetch(url, verb):
            return [{"http": verb, "url": url}]
        case _:
            return []


def _message(step: Call | Send, terms: Terms, server: NegotiatedServer, number: int) -> Printable:
    meta: dict[str, Printable] = {"progressToken": number} if isinstance(step, Call) and step.with_progress else {}
    if server.era == "modern":
        meta |= request_meta(terms.client, server.version, terms.log_level)
    params = with_meta(step.params, {**meta, **terms.meta})
    message: dict[str, Printable] = {"jsonrpc": "2.0", "id": number, "method": step.method}
    return message if params is None else {**message, "params": params}


def _follow_up(step: Step, method: str) -> dict[str, Printable]:
    """Mention the method's own request if it depends on the response to this step."""
    if isinstance(step, Call) and step.method != method and not step.allow_failure:
        return {"then": f"{method} follows, once the answer to {step.method} is known"}
    return {}

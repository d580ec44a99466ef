"""Dry run: list the messages that a plan would send."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field

from mcpi.core.flags.pairs import Pair
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Params, Printable
from mcpi.core.outcome.result import Success
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
    Warn,
)
from mcpi.core.plans.world_steps import Fetch, ReadFile, ReadTextFile, RunOnServer
from mcpi.core.record.http_message import masked_headers
from mcpi.core.secrets.detection import HIDDEN, is_secret_header, mask_url, mask_words
from mcpi.core.session.terms import Terms
from mcpi.core.targets.target import Http, Sse, Target
from mcpi.core.wire import http_headers
from mcpi.core.wire.modern import request_meta, with_meta
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, Era, era_of


@frozen
class DryRun:
    """The settings of a dry run."""

    terms: Terms
    target: Target | None = None
    method: str = ""
    only: Era | None = None
    """The method's single era."""
    args: Any = None
    """The method's flags."""

    def run(self, begun: StartedPlan) -> PlanResult:
        """List the messages up to the first response that the plan needs; over HTTP, include the headers."""
        terms, server = self.terms, _assumed_server(self.terms, self.only)
        assumption = _assumption(terms, server)
        listed: list[_Listed] = []
        step: Step = begun.step
        while True:
            listed += _messages(step, terms, server, len(listed))
            if isinstance(step, Stop):
                begun.plan.close()
                return PlanResult(None, step.fault)
            if not isinstance(step, Connect | ReadClock | ExtendTerms | Notify | ReportViolation | Warn | ReadFile):
                begun.plan.close()
                return PlanResult({**self._shown(listed, server), **self._follow_up(step, server), **assumption})
            if isinstance(step, ExtendTerms):
                terms = terms.extended(step.log_level, step.extension)
            try:
                step = begun.plan.send(_reply(step, terms, server))
            except StopIteration:
                return PlanResult({**self._shown(listed, server), **assumption})

    def _shown(self, listed: Sequence["_Listed"], server: NegotiatedServer) -> dict[str, Printable]:
        shown: dict[str, Printable] = {"messages": [one.message for one in listed]}
        if isinstance(self.target, Http | Sse):
            target = self.target
            shown["http"] = [_http_request(one, target, server) for one in listed if one.method]
        return shown

    def _follow_up(self, step: Step, server: NegotiatedServer) -> dict[str, Printable]:
        """Mention the method's own request if it depends on the response to this step."""
        method = self.method
        match step:
            case Call() if step.method != method and (step.reason or not step.allow_failure):
                return self._unconverted(f"{method} follows the response to {step.method}", server)
            case ReadTextFile(_, path):
                return {"then": f"{method} follows once {path} has been read"}
            case RunOnServer(_, target):
                shown = " ".join(mask_words((target or "target").split()))
                return {"then": f"{method} follows once {shown} has answered"}
            case _:
                return {}

    def _unconverted(self, then: str, server: NegotiatedServer) -> dict[str, Printable]:
        """Add the arguments as given, and the flag that shows the request if only their conversion delays it."""
        pairs: tuple[Pair, ...] = getattr(self.args, "tool_arg", ())
        if not pairs:
            return {"then": then}
        reads_headers = server.era == "modern" and server.transport != "stdio"
        is_needed = reads_headers or getattr(self.args, "output_schema_validate", False)
        hint = "" if is_needed else ", which has the types of the arguments; to see the call, use --tool-args JSON"
        return {"then": f"{then}{hint}", "unconverted": {one.key: one.value for one in pairs}}


@frozen
class _Listed:
    """One message, and the data that its HTTP headers depend on."""

    message: Printable
    method: str = ""
    params: Params | None = None
    headers: Mapping[str, str] = field(factory=dict)


def _http_request(listed: _Listed, target: Http | Sse, server: NegotiatedServer) -> dict[str, Printable]:
    """Describe the HTTP request of a message; values that may be secret are masked."""
    mirrored = http_headers.headers(listed.method, listed.params, server.version, modern=server.era == "modern")
    ours = {"accept": http_headers.ACCEPT, "content-type": "application/json", **mirrored, **listed.headers}
    own = {one.name.lower(): HIDDEN if is_secret_header(one.name, one.value) else one.value for one in target.headers}
    return {"method": "POST", "url": mask_url(target.url), "headers": {**ours, **own}}


def _reply(step: Step, terms: Terms, server: NegotiatedServer) -> object:
    """Return the reply to a step that needs no response."""
    match step:
        case Connect():
            return server
        case ReadClock():
            return ClockReading(0.0, terms.timeout, frozenset())
        case ReadFile():
            # A dry run reads only files that flags name.
            return Success(None)
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
    presumed = (
        f"the server belongs to the {server.era} era, which mcpi would check with server/discover; "
        f"to see the messages for the {other} era, add --era {other}"
    )
    return {"presumes": presumed}


def _messages(step: Step, terms: Terms, server: NegotiatedServer, before: int) -> list[_Listed]:
    match step:
        case Call() | Send():
            return [_message(step, terms, server, before + 1)]
        case CallAll(calls):
            return [_message(call, terms, server, number) for number, call in enumerate(calls, before + 1)]
        case Notify(method, params):
            message: dict[str, Printable] = {"jsonrpc": "2.0", "method": method}
            return [_Listed(message if params is None else {**message, "params": params}, method, params)]
        case Fetch(url, verb, headers):
            return [_Listed({"http": verb, "url": url, "headers": dict(masked_headers(headers.items()))})]
        case _:
            return []


def _message(step: Call | Send, terms: Terms, server: NegotiatedServer, number: int) -> _Listed:
    meta: dict[str, Printable] = {"progressToken": number} if isinstance(step, Call) and step.with_progress else {}
    if server.era == "modern":
        meta |= request_meta(terms.client, server.version, terms.log_level)
    params = with_meta(step.params, {**meta, **terms.meta})
    message: dict[str, Printable] = {"jsonrpc": "2.0", "id": number, "method": step.method}
    headers = step.headers if isinstance(step, Call) else {}
    return _Listed(message if params is None else {**message, "params": params}, step.method, params, headers)

"""What a plan would send, found out without sending it."""

from mcpi.core.ended import Begun, Ended
from mcpi.core.exact import Params, Printable
from mcpi.core.server import HANDSHAKE_VERSIONS, MODERN_VERSIONS, Era, Server
from mcpi.core.steps import Call, CallAll, Fetch, Meet, Notify, Remark, Send, Step, Stop
from mcpi.core.terms import Terms
from mcpi.core.wire.modern import envelope, with_meta


def rehearse(begun: Begun, terms: Terms, method: str) -> Ended:
    """The messages up to the first answer that the plan cannot do without."""
    server = _presumed(terms)
    messages: list[Printable] = []
    step: Step = begun.step
    while True:
        sent = _messages(step, terms, server, len(messages))
        messages += sent
        if isinstance(step, Stop):
            begun.plan.close()
            return Ended(None, step.fault)
        if not isinstance(step, Meet | Notify | Remark):
            begun.plan.close()
            return Ended({"messages": messages, **_rest(step, method)})
        try:
            step = begun.plan.send(server if isinstance(step, Meet) else None)
        except StopIteration:
            return Ended({"messages": messages})


def _presumed(terms: Terms) -> Server:
    """Who would answer; without a question nobody knows what it offers."""
    modern = terms.era == "modern" or terms.version in MODERN_VERSIONS
    era: Era = "modern" if modern else "handshake"
    version = terms.version or (MODERN_VERSIONS if modern else HANDSHAKE_VERSIONS)[0]
    return Server(era, version, transport=terms.transport, asked=False)


def _messages(step: Step, terms: Terms, server: Server, before: int) -> list[Printable]:
    match step:
        case Call() | Send():
            return [_message(step.method, step.params, terms, server, before + 1)]
        case CallAll(calls):
            return [_message(c.method, c.params, terms, server, before + n) for n, c in enumerate(calls, 1)]
        case Notify(method, params):
            message: dict[str, Printable] = {"jsonrpc": "2.0", "method": method}
            return [message if params is None else {**message, "params": params}]
        case Fetch(url, verb):
            return [{"http": verb, "url": url}]
        case _:
            return []


def _message(method: str, params: Params | None, terms: Terms, server: Server, number: int) -> Printable:
    meta = envelope(terms.client, server.version, terms.log_level) if server.era == "modern" else {}
    dressed = with_meta(params, {**meta, **terms.meta})
    message: dict[str, Printable] = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if dressed is None else {**message, "params": dressed}


def _rest(step: Step, method: str) -> dict[str, Printable]:
    """What can only be said once an answer is there."""
    if isinstance(step, Call) and step.method != method and not step.tolerant:
        return {"then": f"{method} follows, once the answer to {step.method} is known"}
    return {}

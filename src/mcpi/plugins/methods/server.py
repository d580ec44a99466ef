"""Methods ping, server/info, server/discover and discover."""

from mcpi.core.frozen import frozen
from mcpi.core.outcome.explain import sentence
from mcpi.core.plans.server_lists import all_lists
from mcpi.core.plans.task_polling import tasks_capability
from mcpi.core.wire.server_info import EMPTY
from mcpi.plugins.api import (
    Accept,
    AnyMethod,
    Fault,
    JsonObject,
    Method,
    NegotiatedServer,
    Plan,
    Printable,
    Reply,
    Responder,
    RpcError,
    ServerRequest,
    Steps,
    connect,
    elements,
    hookimpl,
    must,
    request,
    stop,
)

CAPABILITIES = ("tools", "resources", "prompts", "logging", "completions", "tasks")


@frozen(kw_only=True)
class Ping:
    """Ask whether the server is alive."""


@frozen(kw_only=True)
class ServerInfo:
    """The server's name, version and capabilities."""


@frozen(kw_only=True)
class ServerDiscover:
    """The response to server/discover, unchanged."""


@frozen(kw_only=True)
class Discover:
    """Everything that the server offers, in one document."""


def ping(_: Ping) -> Plan:
    """Send a ping; in the modern era, which has none, send server/discover."""
    server = yield from connect()
    if server.era == "handshake":
        return (yield from request("ping"))
    yield from request("server/discover", reason=f"version {server.version} has no ping")
    return EMPTY


def server_info(_: ServerInfo) -> Plan:
    """Return the server info, the capabilities, and the negotiated protocol version."""
    server = yield from connect()
    return {**server.info.members(), **_facts(server)}


def server_discover(_: ServerDiscover) -> Plan:
    """Return the response as received."""
    return (yield from request("server/discover"))


def discover(_: Discover) -> Plan:
    """Return the server info, the capabilities and all declared lists, in a stable order."""
    server = yield from connect()
    declared: JsonObject = {name: server.declares(name) for name in CAPABILITIES}
    declared["tasks"] = server.declares(tasks_capability(server, "tasks"))
    about: dict[str, Printable] = {"serverInfo": server.info, "protocolVersion": server.version, "era": server.era}
    if server.instructions:
        about["instructions"] = server.instructions
    lists, faults = yield from all_lists(server)
    found = {**about, "capabilities": declared, "rawCapabilities": server.capabilities}
    for key, result in lists.items():
        found[key] = yield from must(elements(result, key))
    if not faults:
        return found
    # The other lists are shown even if one fails.
    found["errors"] = {key: _error_object(fault) for key, fault in faults.items()}
    return (yield from stop(next(iter(faults.values())), found))


def _facts(server: NegotiatedServer) -> dict[str, Printable]:
    facts: dict[str, Printable] = {"capabilities": server.capabilities, "protocolVersion": server.version}
    if server.instructions:
        facts["instructions"] = server.instructions
    return facts


def _error_object(fault: Fault) -> Printable:
    return fault.error if isinstance(fault, RpcError) else {"message": sentence(fault)}


@frozen(kw_only=True)
class NoFlags:
    """The server's own ping needs no flags."""


def answer_ping(_: NoFlags, __: ServerRequest) -> Steps[Reply]:
    """Return an empty result."""
    yield from ()
    return Accept(EMPTY)


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method("ping", Ping, ping, "check that the server responds"),
        Method(
            "server/info",
            ServerInfo,
            server_info,
            "print the server's name, version and capabilities",
            is_protocol_method=False,
        ),
        Method(
            "server/discover",
            ServerDiscover,
            server_discover,
            "send server/discover (modern era) and print the response",
            era="modern",
            alternative="--method discover",
        ),
        Method(
            "discover",
            Discover,
            discover,
            "fetch everything the server offers, in one document",
            is_protocol_method=False,
        ),
    )


@hookimpl
def mcpi_responders() -> tuple[Responder[NoFlags], ...]:
    """Return the responder for the server's ping."""
    return (Responder("ping", "ping", NoFlags, lambda _, __: {}, answer_ping, lambda _: True),)


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("ping", "server/info", "discover")

"""Methods resources/list, read, templates/list, subscribe and unsubscribe."""

from mcpi.core.frozen import frozen
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.plans.listening import listen
from mcpi.plugins.api import (
    AnyMethod,
    Exact,
    Failure,
    ListFlags,
    Method,
    Plan,
    RpcError,
    Steps,
    Uri,
    all_pages,
    as_object,
    as_text,
    attempt,
    catch_failure,
    connect,
    elements,
    hookimpl,
    must,
    nearest,
    request,
    stop,
    warn,
    with_nearest,
)

_VARIABLE = lazy_pattern(r"\{[^{}]+\}")
REASON = "the resource could not be read; to check whether the server lists its URI"


@frozen(kw_only=True)
class ListResources(ListFlags):
    """All resources of the server."""


@frozen(kw_only=True)
class ListTemplates(ListFlags):
    """All resource templates of the server."""


@frozen(kw_only=True)
class OneResource:
    """One resource."""

    uri: Uri
    """URI of the resource."""


def list_resources(args: ListResources) -> Plan:
    """Fetch all resources."""
    return (yield from all_pages("resources/list", "resources", args))


def list_templates(args: ListTemplates) -> Plan:
    """Fetch all resource templates."""
    return (yield from all_pages("resources/templates/list", "resourceTemplates", args))


def read_resource(args: OneResource) -> Plan:
    """Read the resource's contents; if the URI is unknown, the error names the nearest one."""
    yield from _warn_of_template(args.uri)
    match (yield from attempt("resources/read", {"uri": args.uri})):
        case Failure(RpcError() as error):
            return (yield from stop((yield from _with_nearest_uri(error, args.uri))))
        case found:
            return (yield from must(found))


def _warn_of_template(uri: str) -> Steps[None]:
    """Warn of a template variable, which the server would take for a value."""
    variable = _VARIABLE.search(uri)
    if variable is not None:
        yield from warn(f"the URI is a template: {variable[0]} is sent as it is; replace it with a value")


def _with_nearest_uri(error: RpcError, uri: str) -> Steps[RpcError]:
    """Add the URI of the resource that has a similar URI or name, unless the server lists the resource."""
    listed = yield from catch_failure(_listed())
    resources = [] if isinstance(listed, Failure) else listed.unwrap()
    uris: dict[str, str] = {}
    for members in (as_object(one.value) for one in resources):
        known = as_text(members.get("uri"))
        uris |= {as_text(members.get("name")): known, _path(known): known}
    # URIs of one server begin alike, so only their paths are compared.
    near = None if uri in uris.values() else nearest(_path(uri), uris)
    return with_nearest(error, uri, uris[near] if near else None)


def _path(uri: str) -> str:
    return uri.rpartition("://")[2]


def _listed() -> Steps[list[Exact]]:
    first = yield from request("resources/list", None, REASON)
    whole = yield from all_pages("resources/list", "resources", first=first)
    return (yield from must(elements(whole, "resources")))


def subscribe(args: OneResource) -> Plan:
    """Subscribe to updates; in the modern era, open a notification stream and return its acknowledgement."""
    yield from _warn_of_template(args.uri)
    server = yield from connect()
    if server.era == "modern":
        return (yield from listen({"resourceSubscriptions": [args.uri]}))
    return (yield from request("resources/subscribe", {"uri": args.uri}))


def unsubscribe(args: OneResource) -> Plan:
    """Unsubscribe from updates."""
    return (yield from request("resources/unsubscribe", {"uri": args.uri}))


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    instead = "subscriptions/listen and close its stream"
    return (
        Method("resources/list", ListResources, list_resources, "list the resources", required_capability="resources"),
        Method("resources/read", OneResource, read_resource, "read a resource", required_capability="resources"),
        Method(
            "resources/templates/list",
            ListTemplates,
            list_templates,
            "list the resource templates",
            required_capability="resources",
        ),
        Method(
            "resources/subscribe",
            OneResource,
            subscribe,
            "subscribe to updates of a resource",
            required_capability="resources.subscribe",
        ),
        Method(
            "resources/unsubscribe",
            OneResource,
            unsubscribe,
            "unsubscribe from updates of a resource",
            required_capability="resources.subscribe",
            era="handshake",
            alternative=instead,
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return (
        *("resources/list", "resources/read", "resources/templates/list"),
        *("resources/subscribe", "resources/unsubscribe"),
    )

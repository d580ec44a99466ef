"""Methods resources/list, read, templates/list, subscribe and unsubscribe."""

from mcpi.core.frozen import frozen
from mcpi.core.plans.listening import listen
from mcpi.plugins.api import AnyMethod, ListFlags, Method, Plan, Uri, all_pages, connect, hookimpl, request


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
    """Read the resource's contents."""
    return (yield from request("resources/read", {"uri": args.uri}))


def subscribe(args: OneResource) -> Plan:
    """Subscribe to updates; in the modern era, open a notification stream and return its acknowledgement."""
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
    instead = "closing the subscriptions/listen stream"
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

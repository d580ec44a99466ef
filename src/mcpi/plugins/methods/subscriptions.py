"""Method subscriptions/listen: the modern era's notification stream."""

from mcpi.core.flags.types import Identifier
from mcpi.core.frozen import frozen
from mcpi.core.plans.listening import all_list_changes, listen
from mcpi.core.wire.modern import TASKS
from mcpi.core.wire.notifications import LIST_CHANGED_KINDS
from mcpi.plugins.api import AnyMethod, Method, NegotiatedServer, Plan, Printable, Uri, connect, extend_terms, hookimpl


@frozen(kw_only=True)
class ListenToChanges:
    """The changes to subscribe to; without a flag, all that the server offers."""

    tools_changed: bool = False
    """Receive a notification when the tool list changes."""
    prompts_changed: bool = False
    """Receive a notification when the prompt list changes."""
    resources_changed: bool = False
    """Receive a notification when the resource list changes."""
    uri: tuple[Uri, ...] = ()
    """Receive a notification when this resource changes; repeatable."""
    task_id: tuple[Identifier, ...] = ()
    """Receive a notification when the state of this task changes; repeatable."""


def subscriptions_listen(args: ListenToChanges) -> Plan:
    """Open the stream and return the server's acknowledgement."""
    server = yield from connect()
    if args.task_id:
        yield from extend_terms(extension=TASKS)
    return (yield from listen(_filters(args, server)))


def _filters(args: ListenToChanges, server: NegotiatedServer) -> dict[str, Printable]:
    if args == ListenToChanges():
        # If the capabilities are unknown, all kinds are requested; the acknowledgement lists the accepted ones.
        return (
            all_list_changes(server)
            if server.was_asked_for_capabilities
            else {f"{name}ListChanged": True for name in LIST_CHANGED_KINDS}
        )
    given = zip(LIST_CHANGED_KINDS, (args.tools_changed, args.prompts_changed, args.resources_changed), strict=True)
    wanted: dict[str, Printable] = {f"{name}ListChanged": True for name, wished in given if wished}
    if args.uri:
        wanted["resourceSubscriptions"] = list(args.uri)
    if args.task_id:
        wanted["taskIds"] = list(args.task_id)
    return wanted


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method(
            "subscriptions/listen",
            ListenToChanges,
            subscriptions_listen,
            "subscribe to change notifications; --follow prints them",
            era="modern",
            alternative="resources/subscribe or --follow",
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("subscriptions/listen",)

"""Cached lists of a server, and detection of stale ones."""

import pytest
from attrs import evolve

from mcpi.core.client.cached_lists import CachedLists, Refetch, updated_uri
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.plans.events import DeadlineReached, NotificationReceived
from mcpi.core.wire.server_info import NegotiatedServer
from support.replay import exact

MODERN = NegotiatedServer("modern", "2026-07-28", capabilities=exact({"tools": {"listChanged": True}}))
HANDSHAKE = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {"listChanged": True}}))
TOOLS_CHANGED = NotificationReceived("notifications/tools/list_changed", None, 0.0)
RESOURCES_CHANGED = NotificationReceived("notifications/resources/list_changed", None, 0.0)


READ = Refetch("resources/read", "a:b")
LISTS = {"tools": "tools/list", "resources": "resources/list", "resourceTemplates": "resources/templates/list"}


def updated(uri: str) -> NotificationReceived:
    return NotificationReceived("notifications/resources/updated", exact({"uri": uri}), 0.0)


def fetched(*names: str, refetch: bool = True, reread: bool = True) -> CachedLists:
    lists = CachedLists(refetch=refetch, reread=reread)
    for name in names:
        lists.update(LISTS[name], {name: []})
    return lists


def following(lists: CachedLists, server: NegotiatedServer = HANDSHAKE) -> list[Refetch]:
    """Return the requests to send when idle."""
    found: list[Refetch] = []
    while (one := lists.next_request(server)) is not None:
        found.append(one)
    return found


@pytest.mark.parametrize(
    ("method", "key", "member"),
    [
        ("tools/list", "tools", {"name": "a"}),
        ("resources/list", "resources", {"uri": "a:b"}),
        ("resources/templates/list", "resourceTemplates", {"uriTemplate": "a:{b}"}),
        ("prompts/list", "prompts", {"name": "a"}),
    ],
)
def test_fetched_list_is_cached_and_reported(method: str, key: str, member: JsonObject) -> None:
    lists = CachedLists()
    event = lists.update(method, {key: [member]})

    assert event == {"type": key, key: [member]}
    assert lists.fetched == (method,)
    assert lists.clear() == (method,)
    assert len(lists.fetched) == 0
    assert lists.change(method) == {"type": key, key: []}


def test_other_results_are_not_cached() -> None:
    assert CachedLists().update("ping", {}) is None


def test_changed_list_is_refetched_once() -> None:
    lists = fetched("tools")
    lists.on_event(TOOLS_CHANGED)
    lists.on_event(TOOLS_CHANGED)

    assert following(lists) == [Refetch("tools/list")]


def test_list_that_was_never_fetched_is_not_refetched() -> None:
    lists = fetched("tools")
    lists.on_event(RESOURCES_CHANGED)

    assert following(lists) == []


def test_other_events_invalidate_no_list() -> None:
    lists = fetched("tools")
    lists.on_event(NotificationReceived("notifications/message", None, 0.0))
    lists.on_event(DeadlineReached(0.0))

    assert following(lists) == []


def test_resource_templates_are_invalidated_with_resources() -> None:
    lists = fetched("resources", "resourceTemplates")
    lists.on_event(RESOURCES_CHANGED)

    assert following(lists) == [Refetch("resources/list"), Refetch("resources/templates/list")]


def test_changed_subscribed_resource_is_read_again() -> None:
    lists = CachedLists()
    lists.subscribed.add("a:b")
    for uri in ("a:b", "a:c"):
        lists.on_event(updated(uri))

    assert following(lists) == [READ]
    assert updated_uri(NotificationReceived("notifications/resources/updated", None, 0.0)) == ""


def test_refetching_can_be_disabled() -> None:
    lists = fetched("tools", refetch=False, reread=False)
    lists.subscribed.add("a:b")
    lists.on_event(TOOLS_CHANGED)
    lists.on_event(updated("a:b"))

    assert following(lists, MODERN) == []


def test_modern_server_gets_one_subscription_request() -> None:
    assert following(fetched("tools"), MODERN) == [Refetch("subscriptions/listen")]


@pytest.mark.parametrize("server", [None, HANDSHAKE, evolve(MODERN, capabilities=exact({}))])
def test_other_servers_get_no_subscription_request(server: NegotiatedServer | None) -> None:
    assert not CachedLists().should_subscribe(server)


@pytest.mark.parametrize("refetch", [True, False])
def test_reconnect_resubscribes_and_refetches_every_list(refetch: bool) -> None:  # noqa: FBT001 - a case
    lists = fetched("tools", refetch=refetch)
    lists.subscribed.add("a:b")
    lists.invalidate()

    again = [Refetch("tools/list")] if refetch else []
    assert following(lists) == [Refetch("resources/subscribe", "a:b"), *again]

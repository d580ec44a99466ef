"""Lists fetched from a server, and which of them are stale."""

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
    """The requests to send when idle."""
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
def test_a_fetched_list_is_kept_and_reported(method: str, key: str, member: JsonObject) -> None:
    lists = CachedLists()
    event = lists.update(method, {key: [member]})

    assert event == {"type": key, key: [member]}
    assert lists.fetched == (method,)
    assert lists.clear() == (method,)
    assert len(lists.fetched) == 0
    assert lists.change(method) == {"type": key, key: []}


def test_other_results_are_not_kept() -> None:
    assert CachedLists().update("ping", {}) is None


def test_a_list_that_changed_is_fetched_again_once() -> None:
    lists = fetched("tools")
    lists.on_event(TOOLS_CHANGED)
    lists.on_event(TOOLS_CHANGED)

    assert following(lists) == [Refetch("tools/list")]


def test_a_list_that_was_never_fetched_is_not_fetched() -> None:
    lists = fetched("tools")
    lists.on_event(RESOURCES_CHANGED)

    assert following(lists) == []


def test_other_events_change_no_list() -> None:
    lists = fetched("tools")
    lists.on_event(NotificationReceived("notifications/message", None, 0.0))
    lists.on_event(DeadlineReached(0.0))

    assert following(lists) == []


def test_resource_templates_change_with_the_resources() -> None:
    lists = fetched("resources", "resourceTemplates")
    lists.on_event(RESOURCES_CHANGED)

    assert following(lists) == [Refetch("resources/list"), Refetch("resources/templates/list")]


def test_a_subscribed_resource_that_changed_is_read_again() -> None:
    lists = CachedLists()
    lists.subscribed.add("a:b")
    for uri in ("a:b", "a:c"):
        lists.on_event(updated(uri))

    assert following(lists) == [READ]
    assert updated_uri(NotificationReceived("notifications/resources/updated", None, 0.0)) == ""


def test_fetching_again_can_be_switched_off() -> None:
    lists = fetched("tools", refetch=False, reread=False)
    lists.subscribed.add("a:b")
    lists.on_event(TOOLS_CHANGED)
    lists.on_event(updated("a:b"))

    assert following(lists, MODERN) == []


def test_a_modern_server_is_asked_to_report_changes_once() -> None:
    assert following(fetched("tools"), MODERN) == [Refetch("subscriptions/listen")]


@pytest.mark.parametrize("server", [None, HANDSHAKE, evolve(MODERN, capabilities=exact({}))])
def test_other_servers_are_not_asked_to_report_changes(server: NegotiatedServer | None) -> None:
    assert not CachedLists().should_subscribe(server)


@pytest.mark.parametrize("refetch", [True, False])
def test_a_new_connection_subscribes_and_fetches_every_list_again(refetch: bool) -> None:  # noqa: FBT001 - a case
    lists = fetched("tools", refetch=refetch)
    lists.subscribed.add("a:b")
    lists.invalidate()

    again = [Refetch("tools/list")] if refetch else []
    assert following(lists) == [Refetch("resources/subscribe", "a:b"), *again]

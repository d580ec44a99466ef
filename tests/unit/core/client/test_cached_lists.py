"""Lists fetched from a server, and which of them are stale."""

from mcpi.core.client.cached_lists import CachedLists
from mcpi.core.plans.events import NotificationReceived
from mcpi.core.wire.server_info import NegotiatedServer
from support.replay import exact

MODERN = NegotiatedServer("modern", "2026-07-28", capabilities=exact({"tools": {"listChanged": True}}))
HANDSHAKE = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {"listChanged": True}}))
TOOLS_CHANGED = NotificationReceived("notifications/tools/list_changed", None, 0.0)
RESOURCES_CHANGED = NotificationReceived("notifications/resources/list_changed", None, 0.0)


def fetched(**lists: list[object]) -> CachedLists:
    offers = CachedLists()
    offers.replace(dict(lists))  # type: ignore[arg-type] # JSON values
    return offers


def test_only_the_server_s_lists_are_kept() -> None:
    offers = CachedLists()

    assert offers.replace({"tools": [1], "serverInfo": {}}) == {"tools": [1]}


def test_a_list_that_changed_is_fetched_again_once() -> None:
    offers = fetched(tools=[])
    offers.on_event(TOOLS_CHANGED)
    offers.on_event(TOOLS_CHANGED)

    assert [offers.next_method(HANDSHAKE), offers.next_method(HANDSHAKE)] == ["tools/list", None]


def test_a_list_that_was_never_fetched_is_not_fetched() -> None:
    offers = fetched(tools=[])
    offers.on_event(RESOURCES_CHANGED)

    assert offers.next_method(HANDSHAKE) is None


def test_other_notifications_change_no_list() -> None:
    offers = fetched(tools=[])
    offers.on_event(NotificationReceived("notifications/message", None, 0.0))

    assert offers.next_method(HANDSHAKE) is None


def test_resource_templates_change_with_the_resources() -> None:
    offers = fetched(resources=[], resourceTemplates=[])
    offers.on_event(RESOURCES_CHANGED)

    assert [offers.next_method(HANDSHAKE), offers.next_method(HANDSHAKE)] == [
        "resources/list",
        "resources/templates/list",
    ]


def test_a_modern_server_is_asked_to_report_changes_once() -> None:
    offers = fetched(tools=[])

    assert [offers.next_method(MODERN), offers.next_method(MODERN)] == ["subscriptions/listen", None]


def test_without_a_server_there_is_nothing_to_listen_to() -> None:
    assert not CachedLists().should_subscribe(None)


def test_a_new_connection_fetches_every_list_again() -> None:
    offers = fetched(tools=[])
    offers.invalidate()

    assert offers.next_method(HANDSHAKE) == "tools/list"


def test_a_fetched_list_replaces_the_old_one() -> None:
    offers = fetched(tools=[1])
    offers.update("tools/list", {"tools": [2]})
    offers.update("ping", {})

    assert offers.lists == {"tools": [2]}

"""Notifications are checked against the negotiated capabilities and requests."""

from typing import Literal

import pytest

from json_texts import exact
from mcpi.core.jsontext.values import Json
from mcpi.core.wire.jsonrpc import Id, Notification
from mcpi.core.wire.notifications import (
    ACKNOWLEDGED,
    LIST_KEYS,
    LIST_METHODS,
    LISTEN,
    MAX_TOKENS,
    PROGRESS,
    SERVER_LISTS,
    NotificationChecker,
    check_notification,
    progress_token,
    subscription_id,
)
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation

NEEDS = [
    ("notifications/message", '{"logging": {}}'),
    ("notifications/resources/updated", '{"resources": {"subscribe": true}}'),
    ("notifications/resources/list_changed", '{"resources": {"listChanged": true}}'),
    ("notifications/tools/list_changed", '{"tools": {"listChanged": true}}'),
    ("notifications/prompts/list_changed", '{"prompts": {"listChanged": true}}'),
]


def notification(method: str, params: str | None = None) -> Notification:
    return Notification(method, None if params is None else exact(params), "the line")


def server(era: Literal["handshake", "modern"], capabilities: str) -> NegotiatedServer:
    return NegotiatedServer(era, "2025-11-25" if era == "handshake" else "2026-07-28", capabilities=exact(capabilities))


@pytest.mark.parametrize(
    ("params", "token"),
    [
        ('{"progressToken": 7, "progress": 1}', 7),
        ('{"progressToken": "abc"}', "abc"),
        ('{"progressToken": 7.5}', None),
        ('{"progressToken": true}', None),
        ('{"progressToken": null}', None),
        ('{"progressToken": [1]}', None),
        ("{}", None),
        ("[7]", None),
        (None, None),
    ],
)
def test_progress_token_is_read_from_the_params(params: str | None, token: Id) -> None:
    assert progress_token(notification("notifications/progress", params)) == token


@pytest.mark.parametrize("era", ["handshake", "modern"])
@pytest.mark.parametrize(("method", "capabilities"), NEEDS)
def test_declared_notification_is_accepted(era: Literal["handshake", "modern"], method: str, capabilities: str) -> None:
    assert check_notification(notification(method), server(era, capabilities), log_asked=True) == ()


@pytest.mark.parametrize("era", ["handshake", "modern"])
@pytest.mark.parametrize(
    ("method", "capability"),
    [
        ("notifications/message", "logging"),
        ("notifications/resources/updated", "resources.subscribe"),
        ("notifications/resources/list_changed", "resources.listChanged"),
        ("notifications/tools/list_changed", "tools.listChanged"),
        ("notifications/prompts/list_changed", "prompts.listChanged"),
    ],
)
def test_notification_without_declared_capability_is_a_violation(
    era: Literal["handshake", "modern"], method: str, capability: str
) -> None:
    problem = f"{method} was sent, but the capability {capability} was not declared"

    assert check_notification(
        notification(method), server(era, '{"tools": {}, "resources": {}, "prompts": {}}'), log_asked=True
    ) == (Violation("undeclared-capability", problem, "the line"),)


def test_notifications_are_accepted_if_capabilities_are_unknown() -> None:
    unasked = NegotiatedServer("modern", "2026-07-28", was_asked_for_capabilities=False)

    assert check_notification(notification("notifications/tools/list_changed"), unasked, log_asked=True) == ()


@pytest.mark.parametrize("era", ["handshake", "modern"])
@pytest.mark.parametrize("method", ["notifications/progress", "notifications/cancelled", "notifications/own"])
def test_other_notifications_require_no_capability(era: Literal["handshake", "modern"], method: str) -> None:
    assert check_notification(notification(method), server(era, "{}"), log_asked=False) == ()


def test_notifications_before_negotiation_are_accepted() -> None:
    assert check_notification(notification("notifications/message"), None, log_asked=False) == ()


def test_unrequested_log_message_of_a_modern_server_is_a_violation() -> None:
    assert check_notification(
        notification("notifications/message"), server("modern", '{"logging": {}}'), log_asked=False
    ) == (Violation("unasked-log", "a log message was sent, but no level was requested", "the line"),)


def test_unrequested_log_message_is_accepted_in_the_handshake_era() -> None:
    assert (
        check_notification(
            notification("notifications/message"), server("handshake", '{"logging": {}}'), log_asked=False
        )
        == ()
    )


def test_list_results_have_the_keys_of_the_schema() -> None:
    assert LIST_KEYS == {
        "tools/list": "tools",
        "resources/list": "resources",
        "resources/templates/list": "resourceTemplates",
        "prompts/list": "prompts",
    }


def test_list_changed_notifications_map_to_their_list_methods() -> None:
    assert {method: LIST_METHODS.get(method) for method, _ in NEEDS} == {
        "notifications/message": None,
        "notifications/resources/updated": None,
        "notifications/resources/list_changed": "resources/list",
        "notifications/tools/list_changed": "tools/list",
        "notifications/prompts/list_changed": "prompts/list",
    }


@pytest.mark.parametrize(
    ("params", "number"),
    [
        ('{"_meta": {"io.modelcontextprotocol/subscriptionId": 4}}', 4),
        ('{"_meta": {"io.modelcontextprotocol/subscriptionId": "four"}}', "four"),
        ('{"_meta": {}}', None),
        ('{"_meta": []}', None),
        ("{}", None),
        ("[]", None),
        (None, None),
    ],
)
def test_subscription_id_is_read_from_the_metadata(params: str | None, number: Json) -> None:
    assert subscription_id(notification("notifications/resources/updated", params)) == number


# The negotiated capabilities.

TOOLS = "notifications/tools/list_changed"
MODERN = server("modern", '{"tools": {"listChanged": true}}')


def stream_notification(method: str, number: Json) -> Notification:
    return notification(method, f'{{"_meta": {{"io.modelcontextprotocol/subscriptionId": {number}}}}}')


def rules(agreement: NotificationChecker, *messages: Notification, by: NegotiatedServer = MODERN) -> list[str]:
    """The rules that the notifications violate, in order."""
    return [one.rule for message in messages for one in agreement.check(message, by, log_asked=False)]


def test_progress_with_an_unknown_token_is_a_violation() -> None:
    agreement = NotificationChecker()
    agreement.request_sent(4, "tools/call", "mine")
    known, unknown = notification(PROGRESS, '{"progressToken": "mine"}'), notification(PROGRESS, '{"progressToken": 7}')

    assert (agreement.request_of(known), agreement.request_of(unknown), agreement.request_of(notification(TOOLS))) == (
        4,
        None,
        None,
    )
    assert rules(agreement, known, unknown, unknown, known) == ["progress-token", "progress-token"]


def test_progress_without_a_token_is_a_violation() -> None:
    agreement = NotificationChecker()
    agreement.request_sent(4, "tools/call", None)

    (found,) = agreement.check(notification(PROGRESS), MODERN, log_asked=False)
    assert found == Violation("progress-token", "no request has the progress token null", "the line")


@pytest.mark.parametrize("number", ["4", '"4"'])
def test_notification_before_the_acknowledgement_is_a_violation(number: str) -> None:
    agreement = NotificationChecker()
    agreement.request_sent(4, LISTEN, None)
    news, agreed, other = (
        stream_notification(TOOLS, number),
        stream_notification(ACKNOWLEDGED, number),
        stream_notification(TOOLS, "9"),
    )

    assert rules(agreement, other, news, agreed, news) == ["unacknowledged-stream"]


def test_accepted_notification_method_is_not_checked_again() -> None:
    agreement = NotificationChecker()

    assert rules(agreement, notification(TOOLS), by=server("handshake", "{}")) == ["undeclared-capability"]
    assert rules(agreement, notification(TOOLS)) == []
    assert rules(agreement, notification(TOOLS), by=server("handshake", "{}")) == []
    assert agreement.check(notification("n"), None, log_asked=False) == ()


def test_every_list_has_its_own_method_and_key() -> None:
    assert LIST_KEYS == {
        "tools/list": "tools",
        "resources/list": "resources",
        "resources/templates/list": "resourceTemplates",
        "prompts/list": "prompts",
    }
    assert len({one.key for one in SERVER_LISTS}) == len(SERVER_LISTS)


def test_a_change_notification_names_the_list_to_request_again() -> None:
    assert LIST_METHODS == {
        "notifications/tools/list_changed": "tools/list",
        "notifications/prompts/list_changed": "prompts/list",
        "notifications/resources/list_changed": "resources/list",
    }


def test_oldest_progress_tokens_are_forgotten() -> None:
    rules = NotificationChecker()
    for number in range(1, MAX_TOKENS + 2):
        rules.request_sent(number, "tools/call", number)

    tokens = [
        rules.request_of(Notification("notifications/progress", exact(f'{{"progressToken":{token}}}'), ""))
        for token in (1, 2)
    ]
    assert tokens == [None, 2]

"""Effects are values with sensible defaults."""

from mcpi.core.session.effects import AwaitMessage, SendMessage


def test_message_requires_only_its_bytes_and_its_kind() -> None:
    sent = SendMessage(b"{}", "notification")

    assert (sent.method, sent.request_id, sent.headers, sent.cancels) == ("", None, {}, None)


def test_messages_do_not_share_default_headers() -> None:
    assert SendMessage(b"{}", "request").headers is not SendMessage(b"{}", "request").headers


def test_awaiting_a_message_has_no_default_timeout() -> None:
    assert AwaitMessage() == AwaitMessage(None)

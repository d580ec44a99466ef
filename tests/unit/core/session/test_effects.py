"""The border to the shell: acts are values with sensible defaults."""

from mcpi.core.session.effects import AwaitMessage, SendMessage


def test_a_message_needs_no_more_than_its_bytes_and_its_kind() -> None:
    sent = SendMessage(b"{}", "notification")

    assert (sent.method, sent.request_id, sent.headers, sent.cancels) == ("", None, {}, None)


def test_two_messages_share_no_headers() -> None:
    assert SendMessage(b"{}", "request").headers is not SendMessage(b"{}", "request").headers


def test_without_a_time_one_waits_for_ever() -> None:
    assert AwaitMessage() == AwaitMessage(None)

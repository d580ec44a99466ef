"""Timeouts quote the last message, and the part of one after it."""

from mcpi.core.outcome.last_received import LastReceived


def test_partial_message_follows_the_last_message() -> None:
    last = LastReceived()
    last.add_partial("3 bytes")
    before = str(last)
    last.add("first")
    last.add("second")
    last.add_partial("4 bytes")
    last.add_partial("5 bytes")

    assert (before, str(last)) == ("3 bytes", "second, then 5 bytes")


def test_only_notifications_outlive_the_handshake() -> None:
    last = LastReceived()
    last.add_notification("notification")
    last.add("response")
    last.add_partial("5 bytes")
    last.finish_handshake()

    assert str(last) == "notification"

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


def test_only_notifications_are_kept_when_another_request_starts() -> None:
    last = LastReceived()
    last.start_request("tools/list", in_handshake=False)
    last.add_notification("notification")
    last.add("response")
    last.add_partial("5 bytes")
    last.start_request("tools/call", in_handshake=False)

    assert str(last) == "notification"


def test_last_response_to_the_same_method_is_kept() -> None:
    last = LastReceived()
    last.start_request("tasks/get", in_handshake=False)
    last.add("response")
    last.start_request("tasks/get", in_handshake=False)

    assert str(last) == "response"


def test_output_before_another_request_of_the_handshake_is_kept() -> None:
    last = LastReceived()
    last.start_request("server/discover", in_handshake=True)
    last.add("Listening on port 3000")
    last.start_request("initialize", in_handshake=True)

    assert str(last) == "Listening on port 3000"

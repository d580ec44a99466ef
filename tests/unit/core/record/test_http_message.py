"""HTTP messages are formatted like curl -v output, with secrets masked."""

from mcpi.core.record.http_message import HttpMessage, masked_headers


def test_request_is_formatted_as_start_line_and_headers() -> None:
    message = HttpMessage(">", "POST https://example.com/mcp", (("accept", "*/*"), ("Authorization", "Bearer abc")))

    assert message.lines() == ("> POST https://example.com/mcp", "> accept: */*", "> Authorization: Bearer ***")


def test_response_without_headers_is_formatted() -> None:
    assert HttpMessage("<", "HTTP/1.1 200 OK").lines() == ("< HTTP/1.1 200 OK",)


def test_credentials_are_masked_and_challenges_are_not() -> None:
    headers = [("Cookie", "a=b"), ("authorization", "opaque"), ("www-authenticate", "Bearer realm=x")]

    assert masked_headers(headers) == [
        ("Cookie", "***"),
        ("authorization", "***"),
        ("www-authenticate", "Bearer realm=x"),
    ]

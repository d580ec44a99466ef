"""The cookies of a client; the standard library's jar is imported with the first one."""

from typing import TYPE_CHECKING

from mcpi.shell.transports.http_clients.http_message_parts import RawHeaders

if TYPE_CHECKING:
    from email.message import Message
    from http.cookiejar import CookieJar


class CookieStore:
    """The cookies that servers have set."""

    def __init__(self) -> None:
        """Start without cookies."""
        self._jar: CookieJar | None = None

    @property
    def jar(self) -> "CookieJar":
        """The jar, created on first use."""
        if self._jar is None:
            from http.cookiejar import CookieJar  # noqa: PLC0415 - most servers set no cookies

            self._jar = CookieJar()
        return self._jar

    def header(self, url: str) -> bytes | None:
        """Return the value of the Cookie header for a request, if there is one."""
        if self._jar is None:
            return None
        from urllib.request import Request  # noqa: PLC0415 - see above

        request = Request(url)  # noqa: S310 - it is not opened
        self._jar.add_cookie_header(request)
        value: str | None = request.get_header("Cookie")
        return None if value is None else value.encode()

    def keep(self, url: str, headers: RawHeaders) -> None:
        """Keep the cookies that a response sets."""
        if not any(name.lower() == b"set-cookie" for name, _ in headers):
            return
        from urllib.request import Request  # noqa: PLC0415 - see above

        self.jar.extract_cookies(_response(headers), Request(url))  # type: ignore[arg-type] # noqa: S310 - see above


class _CookieResponse:
    """The part of urllib's response that the jar reads."""

    def __init__(self, message: "Message") -> None:
        self._message = message

    def info(self) -> "Message":
        """Return the headers."""
        return self._message


def _response(headers: RawHeaders) -> _CookieResponse:
    from email.message import Message  # noqa: PLC0415 - see above

    message = Message()
    for name, value in headers:
        message[name.decode("latin-1")] = value.decode("latin-1")
    return _CookieResponse(message)

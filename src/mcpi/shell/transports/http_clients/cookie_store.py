"""The cookies of a client; the standard library's jar is imported with the first one."""

from typing import TYPE_CHECKING

from mcpi.shell.transports.http_clients.http_message_parts import RawHeaders

if TYPE_CHECKING:
    from mcpi.shell.transports.http_clients.lenient_cookie_jar import LenientCookieJar


class CookieStore:
    """The cookies that servers have set."""

    def __init__(self) -> None:
        """Start without cookies."""
        self._jar: LenientCookieJar | None = None

    @property
    def jar(self) -> "LenientCookieJar":
        """The jar, created on first use."""
        if self._jar is None:
            from mcpi.shell.transports.http_clients import lenient_cookie_jar  # noqa: PLC0415 - most servers set none

            self._jar = lenient_cookie_jar.LenientCookieJar()
        return self._jar

    def header(self, url: str) -> bytes | None:
        """Return the value of the Cookie header for a request, if there is one."""
        value = None if self._jar is None else self._jar.header(url)
        return None if value is None else value.encode()

    def keep(self, url: str, headers: RawHeaders) -> None:
        """Keep the cookies that a response sets."""
        values = [value.decode("latin-1") for name, value in headers if name.lower() == b"set-cookie"]
        if values:
            self.jar.keep(url, values)

"""A cookie jar that ignores an invalid Max-Age; if it has no value, the standard library drops all cookies."""

import re
from collections.abc import Iterable
from email.message import Message
from http.client import HTTPResponse
from http.cookiejar import Cookie, CookieJar
from typing import cast
from urllib.request import Request

# RFC 6265, 5.2.2: an attribute whose value is not an integer is ignored.
_INVALID_MAX_AGE = re.compile(r";[ \t]*max-age[ \t]*(?:(?=;|\Z)|=(?![ \t]*-?[0-9]+[ \t]*(?:;|\Z))[^;]*)", re.IGNORECASE)


class LenientCookieJar(CookieJar):
    """Cookies in memory."""

    def make_cookies(self, response: HTTPResponse, request: Request) -> list[Cookie]:
        """Return the cookies that a response sets."""
        values: list[str] = response.info().get_all("Set-Cookie", [])  # type: ignore[deprecated] # httpx2 has no other
        cleaned = _response(_INVALID_MAX_AGE.sub("", value) for value in values)
        return [*super().make_cookies(cleaned, request)]

    def keep(self, url: str, values: Iterable[str]) -> None:
        """Keep the cookies of a response, from the values of its Set-Cookie headers."""
        self.extract_cookies(_response(values), Request(url))  # noqa: S310 - it is not opened

    def header(self, url: str) -> str | None:
        """Return the value of the Cookie header for a request, if there is one."""
        request = Request(url)  # noqa: S310 - see above
        self.add_cookie_header(request)
        return request.get_header("Cookie")


class _CookieResponse:
    """The part of urllib's response that the jar reads."""

    def __init__(self, message: Message) -> None:
        self._message = message

    def info(self) -> Message:
        """Return the headers."""
        return self._message


def _response(values: Iterable[str]) -> HTTPResponse:
    message = Message()
    for value in values:
        message["Set-Cookie"] = value
    return cast("HTTPResponse", _CookieResponse(message))

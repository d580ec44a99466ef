"""One HTTP client: it sends plain requests itself, and all others through the library."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mcpi.shell.transports.http_clients.cookie_store import CookieStore
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, HttpResponse, RawHeaders
from mcpi.shell.transports.http_clients.plain_client import PlainClient
from mcpi.shell.transports.http_clients.plain_urls import join_plain, parse_plain

if TYPE_CHECKING:
    from mcpi.shell.transports.http_clients.library_client import LibraryClient

_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy"})
_SYSTEM_PROXIES = ("darwin", "win32")
"""Systems whose settings may name a proxy that the environment does not."""


class RoutingClient:
    """A client without redirects or timeouts; it keeps cookies."""

    def __init__(self, headers: RawHeaders, environment: Mapping[str, str], *, secure: bool) -> None:
        """Set up without connecting; fail if the library is needed and its settings are invalid."""
        self._headers = headers
        self._secure = secure
        self._cookies = CookieStore()
        self._plain = PlainClient(headers, self._cookies)
        self._library: LibraryClient | None = None
        # If the user requests another encoding, the server may use it; the library supports more encodings.
        encodes = any(name.lower() == b"accept-encoding" for name, _ in headers)
        self.is_plain: bool = not secure and not encodes and not _has_proxy(environment)
        if not self.is_plain:
            self._through_library()

    async def send(self, request: HttpRequest, log_headers: Callable[[RawHeaders], None]) -> HttpResponse:
        """Send a request; return the response, whose body is not read yet."""
        url = parse_plain(request.url) if self.is_plain else None
        if url is not None:
            return await self._plain.send(request, url, log_headers)
        return await self._through_library().send(request, log_headers)

    def _through_library(self) -> "LibraryClient":
        if self._library is None:
            from mcpi.shell.transports.http_clients.library_client import LibraryClient  # noqa: PLC0415 - slow to import

            self._library = LibraryClient(self._headers, self._cookies, secure=self._secure)
        return self._library

    async def close(self) -> None:
        """Close all connections."""
        self._plain.close()
        # asyncio closes an aborted connection's socket in the next turn of the loop.
        await asyncio.sleep(0)
        if self._library is not None:
            await self._library.close()


def _has_proxy(environment: Mapping[str, str]) -> bool:
    """Tell whether requests to http:// may have to go through a proxy."""
    if sys.platform in _SYSTEM_PROXIES:
        from urllib.request import getproxies  # noqa: PLC0415 - slow to import

        return bool(getproxies())
    return any(value and name.lower() in _PROXIES for name, value in environment.items())


def host_of(url: str) -> str:
    """Return the host of a URL."""
    plain = parse_plain(url)
    if plain is not None:
        return plain.host
    from mcpi.shell.transports.http_clients.library_client import decoded_host  # noqa: PLC0415 - see above

    return decoded_host(url)


def resolve_url(url: str, reference: str) -> str:
    """Resolve a reference against a URL; raise InvalidRequestError if it is invalid."""
    joined = join_plain(url, reference)
    if joined is not None:
        return joined
    from mcpi.shell.transports.http_clients.library_client import join_url  # noqa: PLC0415 - see above

    return join_url(url, reference)

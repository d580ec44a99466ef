"""Requests and responses, as both HTTP clients take and return them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from mcpi.core.frozen import frozen

RawHeaders = Sequence[tuple[bytes, bytes]]
_SUCCESS, _REDIRECTS = range(200, 300), range(300, 400)


@frozen
class HttpRequest:
    """One HTTP request."""

    verb: str
    url: str
    headers: Mapping[bytes, bytes]
    content: bytes | None = None
    on_sent: Callable[[], None] | None = None
    """Called when the request has been written."""


@frozen
class HttpResponse:
    """The head of a response, and its body, which is not read yet."""

    version: str
    status: int
    reason: str
    raw_headers: RawHeaders
    headers: Mapping[str, str]
    """The headers by lower-case name; the values of several headers of one name are joined by commas."""
    chunks: AsyncIterator[bytes]
    """The decoded body."""
    close: Callable[[], Awaitable[None]]

    @property
    def is_success(self) -> bool:
        """True for the statuses 200 to 299."""
        return self.status in _SUCCESS

    @property
    def is_redirect(self) -> bool:
        """True for the statuses 300 to 399."""
        return self.status in _REDIRECTS


def merge_raw(raw: RawHeaders) -> dict[str, str]:
    """Return the headers by lower-case name."""
    encoding, merged = _encoding(raw), dict[str, str]()
    for raw_name, raw_value in raw:
        name, value = raw_name.decode(encoding).lower(), raw_value.decode(encoding)
        merged[name] = f"{merged[name]}, {value}" if name in merged else value
    return merged


def _encoding(raw: RawHeaders) -> str:
    """Return the encoding of the headers: UTF-8, or ISO 8859-1 if one of them is not valid UTF-8."""
    try:
        for name, value in raw:
            (name + value).decode()
    except UnicodeDecodeError:
        return "iso-8859-1"
    return "utf-8"

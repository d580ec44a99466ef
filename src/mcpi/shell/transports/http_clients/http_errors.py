"""The errors of an HTTP exchange, whichever client performs it."""


class HttpError(Exception):
    """An exchange failed."""


class TransferError(HttpError):
    """The connection failed before the response was complete."""


class HttpConnectError(TransferError):
    """No connection could be established."""


class HttpProxyError(TransferError):
    """The proxy refused the connection."""


class NotHttpError(TransferError):
    """The server sent something that is not HTTP, or closed the connection within a message."""


class OtherProtocolError(NotHttpError):
    """The server speaks another protocol than HTTP; the message quotes its first bytes."""


class InvalidRequestError(TransferError):
    """The request cannot be sent: its URL or a header is invalid."""


class ContentDecodingError(HttpError):
    """The body does not have the encoding that its headers name."""


class RedirectLimitError(HttpError):
    """The server redirects too often."""

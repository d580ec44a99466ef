"""Convert the errors of HTTP exchanges to faults."""

import asyncio
import os
import socket
import ssl
from urllib.parse import urlsplit

from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Fault, InvalidResponse, Unreachable
from mcpi.core.secrets.detection import mask_url
from mcpi.shell.transports.http_clients.http_errors import (
    ContentDecodingError,
    HttpConnectError,
    HttpError,
    HttpProxyError,
    InvalidRequestError,
    NotHttpError,
    OtherProtocolError,
    RedirectLimitError,
)
from mcpi.shell.transports.http_clients.routing_client import host_of

_BYTES = lazy_pattern(r"\bbytearray\(b(.*)\)")
"""Python's notation for the bytes that a message of h11 quotes."""
_HINT = "is the server running at that address?"
_UNKNOWN_ISSUER = (18, 19, 20, 21)
"""The results of OpenSSL's verification that mean that no certificate authority is known for the certificate."""
_TLS_HINTS = {
    "WRONG_VERSION_NUMBER": "the server may expect http://",
    "CERTIFICATE_REQUIRED": "the server requires a client certificate, which mcpi cannot send",
}
_DISCONNECTED = ("Server disconnected", "peer closed connection")
"""Prefixes of protocol errors that only mean that the connection was closed too early."""


def fault_of(error: HttpError | UnicodeError, url: str, operation: str) -> Fault:
    """Convert the error of an exchange to a fault."""
    cause = _tls_cause(error)
    if cause is not None:
        return Unreachable(
            "TLS_FAILED", f"no secure connection to {url}: {_tls_message(cause)}", hints=_tls_hints(cause)
        )
    message = error_message(error)
    match error:
        case HttpConnectError() | OtherProtocolError():
            return _no_server(error, url, message)
        case HttpProxyError():
            return Unreachable("CONNECTION_REFUSED", f"the proxy refused the connection to {url}: {message}")
        case ContentDecodingError():
            return InvalidResponse(
                "INVALID_RESPONSE", f"the response from {url} to {operation} cannot be decoded: {message}"
            )
        case RedirectLimitError():
            return InvalidResponse("INVALID_RESPONSE", f"{operation} failed: {message}")
        case InvalidRequestError() | UnicodeError():
            return InvalidResponse("INVALID_RESPONSE", f"{operation} cannot be sent to {url}: {message}")
        case NotHttpError() if not message.startswith(_DISCONNECTED):
            return InvalidResponse("INVALID_RESPONSE", f"the response from {url} to {operation} is not HTTP: {message}")
        case _:
            return Unreachable("CONNECTION_LOST", f"the connection to {url} was lost during {operation}: {message}")


def _no_server(error: HttpConnectError | OtherProtocolError, url: str, message: str) -> Fault:
    """Return the fault if no HTTP server was reached, or no proxy."""
    proxy = _proxy_of(url)
    if not proxy and _is_unresolved(error):
        host = host_of(url)
        return Unreachable("HOST_NOT_FOUND", f"cannot resolve the host {host!r} of {url}: {message}")
    place = f"the proxy {mask_url(proxy)} for {url}" if proxy else url
    hint = "the proxy is set in the environment; NO_PROXY lists hosts to reach without it" if proxy else _HINT
    if isinstance(error, OtherProtocolError):
        return InvalidResponse("INVALID_RESPONSE", f"{place} does not speak HTTP: it sent {message}", hints=(hint,))
    return Unreachable("CONNECTION_REFUSED", f"cannot connect to {place}: {message}", hints=(hint,))


def _proxy_of(url: str) -> str:
    """Return the proxy that the environment names for the URL, as the HTTP library reads it, or an empty string."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - needed only after a failure

    parts, proxies = urlsplit(url), getproxies()
    host = parts.hostname or ""
    return "" if proxy_bypass(host) else proxies.get(parts.scheme) or proxies.get("all") or ""


def _is_unresolved(error: BaseException | None) -> bool:
    """Tell whether the name of the host could not be resolved."""
    while error is not None and not isinstance(error, socket.gaierror):
        error = error.__cause__ or error.__context__
    return error is not None


def task_fault(task: asyncio.Task[None], url: str) -> Fault | None:
    """Return the fault of a task that ended with an unexpected exception, or None."""
    error = None if task.cancelled() else task.exception()
    if error is None:
        return None
    # Name the class only: the message of the exception, or its traceback, may contain a secret.
    kind = type(error).__name__
    return InvalidResponse("INVALID_RESPONSE", f"internal error in an exchange with {url} ({kind}); please report it")


def error_message(error: BaseException) -> str:
    """Return the message of the system error behind an exception, or else its own message."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, ssl.SSLError):
            return _tls_message(inner)
        if isinstance(inner, OSError) and inner.strerror:
            # Name resolution errors have negative numbers, which os.strerror does not know.
            return os.strerror(inner.errno) if inner.errno and inner.errno > 0 else inner.strerror
        inner = inner.__cause__ or inner.__context__
    return _BYTES.sub(r"\1", str(error)) or type(error).__name__


def _tls_cause(error: BaseException | None) -> ssl.SSLError | None:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ssl.SSLError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _tls_message(error: ssl.SSLError) -> str:
    return getattr(error, "verify_message", "") or error.reason or str(error)


def _tls_hints(error: ssl.SSLError) -> tuple[str, ...]:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ("for a private certificate, set SSL_CERT_FILE",) if error.verify_code in _UNKNOWN_ISSUER else ()
    reason = error.reason or ""
    return tuple(hint for part, hint in _TLS_HINTS.items() if part in reason)

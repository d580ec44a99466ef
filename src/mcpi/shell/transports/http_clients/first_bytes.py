"""Recognize servers of other protocols by the first bytes that they send."""

from mcpi.shell.transports.http_clients.http_errors import OtherProtocolError

_HTTP = b"HTTP/"
_MAX_QUOTED = 80


class FirstBytes:
    """The first bytes of a connection. Many protocols begin with a line of the server, and never send an empty line."""

    def __init__(self) -> None:
        """Start before the first byte."""
        self._received = b""

    def check(self, data: bytes) -> None:
        """Take the next bytes; raise OtherProtocolError as soon as they cannot begin a response."""
        if len(self._received) < len(_HTTP):
            self._received += data
            if not _HTTP.startswith(self._received[: len(_HTTP)]):
                begun = self._received[:_MAX_QUOTED].decode(errors="replace").strip()
                raise OtherProtocolError(repr(begun.partition("\n")[0].rstrip()))

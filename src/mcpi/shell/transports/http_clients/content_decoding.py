"""Decode bodies that are compressed by gzip or deflate, a bounded piece at a time."""

import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Protocol

from mcpi.shell.transports.http_clients.http_errors import ContentDecodingError

PIECE_SIZE = 1 << 20
"""Maximum number of bytes decoded at once, so that a small body cannot become one large piece."""


class Decoder(Protocol):
    """The decoder of one encoding."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded data."""
        ...


class InflateDecoder:
    """The decoder of gzip (`wbits` 31) or deflate, with or without a zlib header."""

    def __init__(self, wbits: int) -> None:
        """Start with nothing read."""
        self._inflater = zlib.decompressobj(wbits)
        self._may_be_raw = wbits == zlib.MAX_WBITS

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded data; raise ContentDecodingError if it is not compressed this way."""
        may_be_raw, self._may_be_raw = self._may_be_raw, False
        try:
            piece = self._inflater.decompress(data, PIECE_SIZE)
        except zlib.error as error:
            if not may_be_raw:
                raise ContentDecodingError(str(error)) from error
            # Many servers send deflate without the header that RFC 9110, 8.4.1.2 requires.
            self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            yield from self.decode(data)
            return
        while piece:
            yield piece
            piece = self._next_piece()

    def _next_piece(self) -> bytes:
        try:
            return self._inflater.decompress(self._inflater.unconsumed_tail, PIECE_SIZE)
        except zlib.error as error:
            raise ContentDecodingError(str(error)) from error


_WBITS = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


def decoders(content_encoding: str) -> list[Decoder]:
    """Return the decoders for a Content-Encoding header, in the order of decoding; unknown encodings are ignored."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    return [InflateDecoder(_WBITS[name]) for name in reversed(names) if name in _WBITS]


async def decoded(chunks: AsyncIterator[bytes], content_encoding: str) -> AsyncIterator[bytes]:
    """Yield the decoded chunks."""
    chain = decoders(content_encoding)
    async for chunk in chunks:
        for piece in _through(chain, chunk):
            yield piece


def _through(chain: list[Decoder], data: bytes) -> Iterator[bytes]:
    if not chain:
        yield data
        return
    for piece in chain[0].decode(data):
        yield from _through(chain[1:], piece)

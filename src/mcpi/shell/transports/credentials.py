"""Headers that change between HTTP requests: authorization, the user's own, and those of the last response."""

from collections.abc import Callable, Mapping

HeaderFactory = Callable[[str, str, bytes, str], Mapping[str, str]]
"""A function that returns the headers for a verb, a URL, a body and the last DPoP nonce of the server."""


class Credentials:
    """The credentials that the HTTP transports send."""

    def __init__(self) -> None:
        """Start without a token."""
        self._proof: HeaderFactory | None = None
        self._nonce = ""
        self.own: dict[str, str] = {}
        """Headers that the user adds to all requests."""
        self.response: dict[str, str] = {}
        """Headers of the last response."""

    def set_header_factory(self, proof: HeaderFactory) -> None:
        """Send these headers with all further requests."""
        self._proof = proof

    def headers(self, verb: str, url: str, body: bytes = b"") -> Mapping[str, str]:
        """Return the authorization headers for a request."""
        proof = {} if self._proof is None else self._proof(verb, url, body, self._nonce)
        return {**self.own, **proof}

    def keep_response(self, headers: Mapping[str, str]) -> None:
        """Keep the headers of a response."""
        self.response = dict(headers)
        self._keep_nonce(headers)

    def _keep_nonce(self, headers: Mapping[str, str]) -> None:
        """Keep the nonce that a response may carry for the next request (RFC 9449, section 8.2)."""
        self._nonce = headers.get("dpop-nonce", self._nonce)

"""What a request carries so that a server lets it in: nothing, until an authorization has brought a token."""

from collections.abc import Callable, Mapping

Proof = Callable[[str, str, bytes, str], Mapping[str, str]]
"""The headers for a verb, a URL and a body, with the nonce that the server gave last."""


class Credentials:
    """The one place where the transports look for the token."""

    def __init__(self) -> None:
        """There is no token."""
        self._proof: Proof | None = None
        self._nonce = ""

    def use(self, proof: Proof) -> None:
        """From now on requests are let in by this."""
        self._proof = proof

    def headers(self, verb: str, url: str, body: bytes = b"") -> Mapping[str, str]:
        """What goes with the request."""
        return {} if self._proof is None else self._proof(verb, url, body, self._nonce)

    def learn(self, headers: Mapping[str, str]) -> None:
        """What the server said with an answer; its next nonce may be among it (RFC 9449, section 8.2)."""
        self._nonce = headers.get("dpop-nonce", self._nonce)

"""Proofs of possession: PKCE (RFC 7636) and DPoP (RFC 9449)."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

from mcpi.core.jsontext.exact import Printable
from mcpi.core.wire.challenge import DPOP_SCHEME

KIND = "dpop+jwt"
SCHEME = DPOP_SCHEME
USE_DPOP_NONCE = "use_dpop_nonce"
ALGORITHMS = ("ES256", "ES384", "EdDSA", "RS256", "PS256")
"""Algorithms for this run's key, in order of preference."""


def dpop_algorithm(supported: tuple[str, ...]) -> str:
    """Return the algorithm that signs proofs, or an empty string if none is supported."""
    return next((one for one in ALGORITHMS if one in supported), "")


def dpop_claims(verb: str, url: str, at: int, unique: str, nonce: str = "") -> dict[str, Printable]:
    """Build the claims of a proof for a token request."""
    # RFC 9449 section 4.2: htu is the target "without query and fragment parts".
    parts = urlsplit(url)
    target = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    claims: dict[str, Printable] = {"jti": unique, "htm": verb, "htu": target, "iat": at}
    return {**claims, "nonce": nonce} if nonce else claims


def bind_to_request(claims: Mapping[str, Printable], token: str, body: bytes) -> dict[str, Printable]:
    """Extend the claims for a request to the MCP server: bind them to the token and the body."""
    # RFC 9449 section 4.2: ath is the hash of the access token. MCP ext-auth, DPoP profile: "the DPoP proof MUST
    # include a content_digest claim"; a GET or a DELETE has no body and no such claim.
    more: dict[str, Printable] = {"ath": base64url(_sha256(token.encode()))}
    if body:
        more["content_digest"] = f"sha-256=:{b64encode(_sha256(body)).decode()}:"
    return {**claims, **more}


CHALLENGE_METHOD = "S256"


def code_challenge(verifier: str) -> str:
    """Return the PKCE code challenge for the verifier."""
    # RFC 7636 section 4.2: BASE64URL-ENCODE(SHA256(ASCII(code_verifier))).
    return base64url(_sha256(verifier.encode()))


def base64url(data: bytes) -> str:
    """Encode bytes as base64url without padding (RFC 7515, section 2)."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _sha256(data: bytes) -> bytes:
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, which a mistake on the command line does not need

    return sha256(data).digest()

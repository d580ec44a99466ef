"""Proofs of possession: PKCE (RFC 7636) and DPoP (RFC 9449)."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlsplit, urlunsplit

from mcpi.core.jsontext.exact import Printable
from mcpi.core.wire.challenge import PROOF

KIND = "dpop+jwt"
SCHEME = PROOF
WANTS_NONCE = "use_dpop_nonce"
ALGORITHMS = ("ES256", "ES384", "EdDSA", "RS256", "PS256")
"""What this run's own key may be, the first that the server knows."""


def dpop_algorithm(supported: tuple[str, ...]) -> str:
    """The algorithm to sign proofs with; nothing where the server knows none of ours."""
    return next((one for one in ALGORITHMS if one in supported), "")


def dpop_claims(verb: str, url: str, at: int, unique: str, nonce: str = "") -> dict[str, Printable]:
    """What a proof for a token request says."""
    # RFC 9449 section 4.2: htu is the target "without query and fragment parts".
    parts = urlsplit(url)
    target = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    said: dict[str, Printable] = {"jti": unique, "htm": verb, "htu": target, "iat": at}
    return {**said, "nonce": nonce} if nonce else said


def bind_to_request(said: Mapping[str, Printable], token: str, body: bytes) -> dict[str, Printable]:
    """The same for a request to the server itself, bound to the token and to what is sent."""
    # RFC 9449 section 4.2: ath is the hash of the access token. MCP ext-auth, DPoP profile: "the DPoP proof MUST
    # include a content_digest claim", as a GET and a DELETE have no body they have none.
    more: dict[str, Printable] = {"ath": unpadded(sha256(token.encode()).digest())}
    if body:
        more["content_digest"] = f"sha-256=:{b64encode(sha256(body).digest()).decode()}:"
    return {**said, **more}


METHOD = "S256"


def code_challenge(verifier: str) -> str:
    """What is shown of the verifier before the code is there."""
    # RFC 7636 section 4.2: BASE64URL-ENCODE(SHA256(ASCII(code_verifier))).
    return unpadded(sha256(verifier.encode()).digest())


def unpadded(data: bytes) -> str:
    """The bytes as URLs and JWTs spell them (RFC 7515, section 2)."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()

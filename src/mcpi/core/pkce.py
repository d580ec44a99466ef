"""The proof that who redeems a code is who asked for it (RFC 7636)."""

from base64 import urlsafe_b64encode
from hashlib import sha256

METHOD = "S256"


def code_challenge(verifier: str) -> str:
    """What is shown of the verifier before the code is there."""
    # RFC 7636 section 4.2: BASE64URL-ENCODE(SHA256(ASCII(code_verifier))).
    return unpadded(sha256(verifier.encode()).digest())


def unpadded(data: bytes) -> str:
    """The bytes as URLs and JWTs spell them (RFC 7515, section 2)."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()

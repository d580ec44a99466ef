"""JWTs, signed with a key that was given or with one made for this run."""

import json
from typing import Any

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Sign

FLAG = "--oauth-private-key"
_CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}


class Signer:
    """Signs, and keeps the keys of this run."""

    def __init__(self) -> None:
        """No key has been made."""
        self._made: dict[str, Any] = {}

    def sign(self, wanted: Sign) -> Result[str]:
        """The JWT, or why the key cannot make it."""
        header: dict[str, Any] = {"typ": wanted.kind}
        if wanted.key:
            loaded = _loaded(wanted.key)
            if isinstance(loaded, Failure):
                return loaded
            key = loaded.unwrap()
            algorithm = wanted.algorithm or _usual(key)
        else:
            algorithm = wanted.algorithm
            key = self._own(algorithm)
            header["jwk"] = _public(key, algorithm)
        try:
            return Success(jwt.encode(dict(wanted.claims), key, algorithm, headers=header))
        except (jwt.PyJWTError, NotImplementedError, TypeError, ValueError):
            return _wrong(f"the key cannot sign with {algorithm}", "name another one with --oauth-signing-alg")

    def _own(self, algorithm: str) -> Any:  # noqa: ANN401 - each algorithm has its own class of keys
        if algorithm not in self._made:
            self._made[algorithm] = _new(algorithm)
        return self._made[algorithm]


def _loaded(text: str) -> Result[Any]:
    try:
        return Success(serialization.load_pem_private_key(text.encode(), None))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # What the library says of it may quote the key.
        return _wrong(
            "it is no private key in PEM form, or it has a passphrase", "openssl pkcs8 -topk8 -nocrypt makes one"
        )


def _usual(key: Any) -> str:  # noqa: ANN401 - any private key
    match key:
        case ec.EllipticCurvePrivateKey():
            return _CURVES.get(key.curve.name, "ES256")
        case ed25519.Ed25519PrivateKey():
            return "EdDSA"
        case _:
            return "RS256"


def _new(algorithm: str) -> Any:  # noqa: ANN401 - see above
    match algorithm:
        case "ES256":
            return ec.generate_private_key(ec.SECP256R1())
        case "ES384":
            return ec.generate_private_key(ec.SECP384R1())
        case "EdDSA":
            return ed25519.Ed25519PrivateKey.generate()
        case _:
            return rsa.generate_private_key(65537, 2048)


def _public(key: Any, algorithm: str) -> dict[str, Any]:  # noqa: ANN401 - see above
    written: dict[str, Any] = json.loads(jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key()))
    # RFC 9449 section 4.2: the header's jwk is the public key; how it may be used is nobody's business there.
    return {name: value for name, value in written.items() if name not in {"key_ops", "use", "alg"}}


def _wrong(problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", FLAG, problem, hints))

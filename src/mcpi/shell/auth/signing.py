"""Sign JWTs with a given private key or with one generated for this run."""

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
    """A signer of JWTs; it keeps the keys generated for this run."""

    def __init__(self) -> None:
        """Start without generated keys."""
        self._generated_keys: dict[str, Any] = {}

    def sign(self, effect: Sign) -> Result[str]:
        """Sign the JWT; fail if the key is invalid or does not fit the algorithm."""
        header: dict[str, Any] = {"typ": effect.kind}
        if effect.key:
            loaded = _load_key(effect.key)
            if isinstance(loaded, Failure):
                return loaded
            key = loaded.unwrap()
            algorithm = effect.algorithm or _default_algorithm(key)
        else:
            algorithm = effect.algorithm
            key = self._generated_key(algorithm)
            header["jwk"] = _public_jwk(key, algorithm)
        try:
            return Success(jwt.encode(dict(effect.claims), key, algorithm, headers=header))
        except (jwt.PyJWTError, NotImplementedError, TypeError, ValueError):
            return _invalid_key(
                f"the key cannot sign with {algorithm}", "choose another algorithm with --oauth-signing-alg"
            )

    def _generated_key(self, algorithm: str) -> Any:  # noqa: ANN401 - each algorithm has its own key class
        if algorithm not in self._generated_keys:
            self._generated_keys[algorithm] = _generate_key(algorithm)
        return self._generated_keys[algorithm]


def _load_key(text: str) -> Result[Any]:
    try:
        return Success(serialization.load_pem_private_key(text.encode(), None))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The library's error message may quote the key.
        return _invalid_key(
            "not a private key in PEM format, or it has a passphrase", "convert it with: openssl pkcs8 -topk8 -nocrypt"
        )


def _default_algorithm(key: Any) -> str:  # noqa: ANN401 - any private key
    match key:
        case ec.EllipticCurvePrivateKey():
            return _CURVES.get(key.curve.name, "ES256")
        case ed25519.Ed25519PrivateKey():
            return "EdDSA"
        case _:
            return "RS256"


def _generate_key(algorithm: str) -> Any:  # noqa: ANN401 - see above
    match algorithm:
        case "ES256":
            return ec.generate_private_key(ec.SECP256R1())
        case "ES384":
            return ec.generate_private_key(ec.SECP384R1())
        case "EdDSA":
            return ed25519.Ed25519PrivateKey.generate()
        case _:
            return rsa.generate_private_key(65537, 2048)


def _public_jwk(key: Any, algorithm: str) -> dict[str, Any]:  # noqa: ANN401 - see above
    jwk: dict[str, Any] = json.loads(jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key()))
    # RFC 9449 section 4.2: the header's jwk is the public key; members that restrict its use are omitted.
    return {name: value for name, value in jwk.items() if name not in {"key_ops", "use", "alg"}}


def _invalid_key(problem: str, *hints: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", FLAG, problem, hints))

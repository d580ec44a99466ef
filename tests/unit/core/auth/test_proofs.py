"""PKCE challenges and DPoP proofs."""

import pytest

from mcpi.core.auth import proofs
from mcpi.core.auth.proofs import base64url, code_challenge


def test_code_challenge_matches_the_rfc_7636_example() -> None:
    # RFC 7636, appendix B.
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    assert code_challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_base64url_has_no_padding() -> None:
    assert base64url(b"\xff\xfe") == "__4"


def test_dpop_proof_has_the_url_without_query_and_fragment() -> None:
    assert proofs.dpop_claims("POST", "https://as.example/token?a=b#c", 12, "one") == {
        "jti": "one",
        "htm": "POST",
        "htu": "https://as.example/token",
        "iat": 12,
    }


def test_dpop_proof_contains_the_nonce() -> None:
    assert proofs.dpop_claims("GET", "https://as.example", 12, "one", "word")["nonce"] == "word"


def test_dpop_proof_is_bound_to_the_token_and_the_body() -> None:
    assert proofs.bind_to_request({"jti": "one"}, "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", b"{}") == {
        "jti": "one",
        # RFC 9449, section 7.1: the hash of this token.
        "ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
        "content_digest": "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:",
    }


def test_request_without_a_body_has_no_content_digest() -> None:
    assert "content_digest" not in proofs.bind_to_request({}, "token", b"")


@pytest.mark.parametrize(
    ("supported", "chosen"),
    [(("ES256",), "ES256"), (("RS256", "EdDSA"), "EdDSA"), (("none", "HS256"), ""), ((), "")],
)
def test_first_dpop_algorithm_supported_by_the_server_is_chosen(supported: tuple[str, ...], chosen: str) -> None:
    assert proofs.dpop_algorithm(supported) == chosen

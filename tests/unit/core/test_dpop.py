"""A proof says which request it is for, and with which token."""

import pytest

from mcpi.core import dpop


def test_a_proof_names_the_address_without_query_and_fragment() -> None:
    assert dpop.claims("POST", "https://as.example/token?a=b#c", 12, "one") == {
        "jti": "one",
        "htm": "POST",
        "htu": "https://as.example/token",
        "iat": 12,
    }


def test_the_server_s_word_goes_into_the_proof() -> None:
    assert dpop.claims("GET", "https://as.example", 12, "one", "word")["nonce"] == "word"


def test_a_proof_is_bound_to_the_token_and_to_the_body() -> None:
    assert dpop.bound({"jti": "one"}, "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", b"{}") == {
        "jti": "one",
        # RFC 9449, section 7.1: the hash of this very token.
        "ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
        "content_digest": "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:",
    }


def test_a_request_without_a_body_has_no_digest() -> None:
    assert "content_digest" not in dpop.bound({}, "token", b"")


@pytest.mark.parametrize(
    ("supported", "chosen"),
    [(("ES256",), "ES256"), (("RS256", "EdDSA"), "EdDSA"), (("none", "HS256"), ""), ((), "")],
)
def test_the_first_of_ours_that_the_server_knows_is_chosen(supported: tuple[str, ...], chosen: str) -> None:
    assert dpop.algorithm(supported) == chosen

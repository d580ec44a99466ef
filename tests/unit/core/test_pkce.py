"""Who redeems a code proves that he asked for it."""

from mcpi.core.pkce import code_challenge, unpadded


def test_the_challenge_is_that_of_the_rfc() -> None:
    # RFC 7636, appendix B.
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    assert code_challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_a_url_holds_it_without_padding() -> None:
    assert unpadded(b"\xff\xfe") == "__4"

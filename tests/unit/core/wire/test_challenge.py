"""Parsing of WWW-Authenticate challenges."""

import pytest

from mcpi.core.outcome.faults import Fault, HttpFailed, Unreachable
from mcpi.core.wire.challenge import Challenge, is_authorizable, parse, parse_response

RESOURCE = "https://mcp.example/.well-known/oauth-protected-resource"


@pytest.mark.parametrize(
    ("header", "challenge"),
    [
        ("", Challenge()),
        ("Bearer", Challenge(("bearer",))),
        ("Bearer error=invalid_token", Challenge(("bearer",), {"error": "invalid_token"})),
        ('Bearer scope="a b", error="x"', Challenge(("bearer",), {"scope": "a b", "error": "x"})),
        ('Bearer  Scope = "a" ,  error="x"', Challenge(("bearer",), {"scope": "a", "error": "x"})),
        (r'Bearer realm="a \"b\", c=d"', Challenge(("bearer",), {"realm": 'a "b", c=d'})),
        ('Basic realm="x", Bearer scope="a"', Challenge(("basic", "bearer"), {"realm": "x", "scope": "a"})),
        ("Negotiate YWJj==, Bearer", Challenge(("negotiate", "bearer"))),
        ('DPoP algs="ES256", Bearer', Challenge(("dpop", "bearer"), {"algs": "ES256"})),
        ('Bearer scope="a", DPoP scope="b"', Challenge(("bearer", "dpop"), {"scope": "a"})),
        ('Bearer scope="never ended', Challenge(("bearer",))),
    ],
)
def test_header_is_parsed_up_to_the_first_error(header: str, challenge: Challenge) -> None:
    assert parse(header) == challenge


def test_known_parameters_are_read_from_the_response_headers() -> None:
    header = f'DPoP resource_metadata="{RESOURCE}", scope="read", error="use_dpop_nonce"'
    challenge = parse_response({"www-authenticate": header, "dpop-nonce": "word"})

    assert (challenge.metadata_url, challenge.scope, challenge.error) == (RESOURCE, "read", "use_dpop_nonce")
    assert (challenge.requires_dpop, challenge.nonce) == (True, "word")


def test_missing_parameters_are_empty() -> None:
    challenge = parse_response({})

    assert (challenge.metadata_url, challenge.scope, challenge.error) == ("", "", "")
    assert (challenge.requires_dpop, challenge.nonce) == (False, "")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (HttpFailed(401, "u"), True),
        (HttpFailed(403, "u"), False),
        (HttpFailed(403, "u", headers={"www-authenticate": 'Bearer error="insufficient_scope"'}), True),
        (HttpFailed(404, "u"), False),
        (Unreachable("CONNECTION_LOST", "gone"), False),
    ],
)
def test_only_authorization_failures_are_authorizable(fault: Fault, expected: bool) -> None:  # noqa: FBT001 - a case
    assert is_authorizable(fault) is expected


@pytest.mark.parametrize("header", ["a" + " " * 100_000 + "@(", "a=b" + " " * 100_000 + ",(", 'a="' + "\\a" * 100_000])
def test_long_header_is_parsed_in_linear_time(header: str) -> None:
    assert len(parse(header).schemes) <= 1

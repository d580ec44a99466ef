"""Token endpoint responses are parsed into tokens and errors."""

import pytest

from json_texts import DEEP, nested
from json_texts import exact as read
from mcpi.core.auth.access_token import (
    ID_JAG,
    JWT_BEARER,
    TOKEN_EXCHANGE,
    Token,
    assertion_grant,
    client_grant,
    code_grant,
    exchange_grant,
    granted_document,
    oauth_error_fault,
    parse_token,
    refresh_grant,
)
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import RATE_LIMITED, HttpFailed, Unauthorized
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.world_steps import Response
from support.replay import exact
from support.web import AS, page

AT = f"{AS}/token"


def test_each_grant_has_its_type_and_parameters() -> None:
    assert code_grant("c", "v", "u", "r") == {
        "grant_type": "authorization_code",
        "code": "c",
        "code_verifier": "v",
        "redirect_uri": "u",
        "resource": "r",
    }
    assert refresh_grant("t", "r") == {
        "grant_type": "refresh_token",
        "refresh_token": "t",
        "resource": "r",
        "scope": "",
    }
    assert client_grant("r", "s") == {"grant_type": "client_credentials", "resource": "r", "scope": "s"}
    assert assertion_grant("a", "r", "s") == {"grant_type": JWT_BEARER, "assertion": "a", "resource": "r", "scope": "s"}
    assert exchange_grant("t", "k", "a", "r", "s") == {
        "grant_type": TOKEN_EXCHANGE,
        "requested_token_type": ID_JAG,
        "audience": "a",
        "resource": "r",
        "scope": "s",
        "subject_token": "t",
        "subject_token_type": "k",
    }


PROBLEM = "the access_token from the authorization server contains characters that are not allowed in a header"


@pytest.mark.parametrize("status", [200, 201])
def test_successful_response_is_returned_unchanged(status: int) -> None:
    assert granted_document(page({"a": 1}, status, AT), "it") == Success(Exact('{"a": 1}', {"a": 1}))


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        ("invalid_request", "a parameter is missing or invalid"),
        ("invalid_client", "the client is unknown or failed to authenticate"),
        (
            "invalid_grant",
            "the code, assertion or refresh token has expired, was already used, or belongs to another client",
        ),
        ("unauthorized_client", "the client is not allowed to use this grant"),
        ("unsupported_grant_type", "the server does not support this grant"),
        ("invalid_scope", "a scope is unknown or not allowed"),
    ],
)
def test_each_rfc_6749_error_is_reported_with_its_fields(error: str, meaning: str) -> None:
    fields = {"error": error, "error_description": "why", "error_uri": "https://as.example/why"}

    assert granted_document(page(fields, 400, AT), "the grant") == Failure(
        Unauthorized(
            f"{AT} rejected the grant with {error}: why",
            ("more at https://as.example/why",),
            (f"{error} means: {meaning}",),
            {"status": 400, **fields},
        )
    )


def test_nonstandard_error_code_is_reported_unchanged() -> None:
    assert oauth_error_fault("made_up", {}, "they refused") == Unauthorized(
        "they refused with made_up", details={"error": "made_up"}
    )


def test_invalid_body_with_status_200_is_not_quoted() -> None:
    assert granted_document(Response(200, AT, {}, "access_token=secret"), "it") == Failure(
        Unauthorized(f"{AT} answered it with HTTP status 200 and no JSON object")
    )


@pytest.mark.parametrize("name", ["access_token", "refresh_token", "scope", "client_id", "client_secret"])
def test_unusable_value_in_response_is_rejected_and_not_quoted(name: str) -> None:
    assert granted_document(page({name: "\ud800secret"}, 200, AT), "the grant") == Failure(
        Unauthorized(f"{AT} answered the grant with an invalid {name}")
    )


def test_values_that_are_never_sent_may_contain_any_characters() -> None:
    assert isinstance(granted_document(page({"client_name": "\ud800", "access_token": "é"}, 200, AT), "it"), Success)


def test_non_oauth_status_is_an_http_error() -> None:
    outcome = granted_document(Response(RATE_LIMITED, AT, {"retry-after": "3"}, "slow down"), "it")

    assert isinstance(outcome, Failure)
    fault = outcome.failure()
    assert isinstance(fault, HttpFailed)
    assert (fault.status, fault.headers, fault.excerpt) == (429, {"retry-after": "3"}, "slow down")


@pytest.mark.parametrize(
    ("fields", "token"),
    [
        ({}, Token("t", "Bearer", "", "asked")),
        ({"token_type": "bearer", "refresh_token": "r", "scope": "got"}, Token("t", "Bearer", "r", "got")),
        ({"token_type": "DPOP", "expires_in": 60}, Token("t", "DPoP", "", "asked", 1060)),
        ({"expires_in": "soon"}, Token("t", "Bearer", "", "asked")),
        ({"expires_in": float("inf")}, Token("t", "Bearer", "", "asked")),
        ({"expires_in": -(10**400)}, Token("t", "Bearer", "", "asked")),
    ],
)
def test_token_is_built_from_the_response(fields: dict[str, str | int], token: Token) -> None:
    assert parse_token(exact({"access_token": "t", **fields}), 1000, "asked", bound=False) == Success(token)


@pytest.mark.parametrize(
    ("fields", "bound", "problem"),
    [
        ({}, False, "the authorization server's response has no access_token"),
        *(
            (
                {"access_token": text},
                False,
                PROBLEM,
            )
            for text in ("té", "a\nb", "\x7f", "\ud800abc")
        ),
        (
            {"access_token": "t", "token_type": "mac"},
            False,
            "the token type 'mac' cannot be used with MCP",
        ),
        (
            {"access_token": "t", "token_type": "Bearer"},
            True,
            "the server requires a token bound to a key (DPoP), but the issued token is not bound",
        ),
    ],
)
def test_response_without_a_usable_token_is_rejected(fields: dict[str, str], bound: bool, problem: str) -> None:  # noqa: FBT001 - a case
    assert parse_token(exact({**fields}), 1000, "", bound=bound) == Failure(Unauthorized(problem))


@pytest.mark.parametrize(("expires", "good"), [(None, True), (1011, True), (1010, False), (900, False)])
def test_token_is_valid_until_shortly_before_it_expires(expires: int | None, good: bool) -> None:  # noqa: FBT001 - a case
    assert Token("t", expires=expires).is_valid_at(1000) is good


def test_non_string_error_fields_are_ignored() -> None:
    deep = read(nested(DEEP)).value

    assert oauth_error_fault(
        "x", {"error": "x", "error_description": deep, "error_uri": deep}, "it refused"
    ) == Unauthorized("it refused with x", (), (), {"error": "x"})

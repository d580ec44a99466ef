"""Grants that need no user interaction."""

from typing import Any

import pytest

from mcpi.core.auth.access_token import JWT_BEARER, TOKEN_EXCHANGE
from mcpi.core.auth.grants import (
    client_credentials,
    exchange,
    given_client,
    grant_of,
    identity_assertion,
    jwt_bearer,
    require_flag,
)
from mcpi.core.auth.metadata import Issuer, TokenSource
from mcpi.core.auth.oauth_client import OAuthClient
from mcpi.core.flags.options import AuthOptions
from mcpi.core.flags.types import PrivateKey, Secret
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from support.replay import exact
from support.web import AS, MCP, SERVER, oauth_web, page

IDP = "https://idp.example/token"
SITE = TokenSource(MCP, MCP, Issuer(AS, exact(SERVER)))
SUBJECT = AuthOptions(oauth_subject_token=Secret("person"), oauth_idp_token_endpoint=IDP)


def metadata_with(*grants: str) -> Issuer:
    return Issuer(AS, exact({"grant_types_supported": list(grants)} if grants else {}))


@pytest.mark.parametrize(
    ("options", "grants", "grant"),
    [
        ({}, (), "authorization_code"),
        ({"oauth_grant": "jwt-bearer"}, (), "jwt-bearer"),
        ({"oauth_subject_token": Secret("x"), "oauth_assertion": Secret("y")}, (), "token-exchange"),
        ({"oauth_assertion": Secret("y")}, (), "jwt-bearer"),
        ({"oauth_client_secret": Secret("s")}, (), "authorization_code"),
        ({"oauth_client_secret": Secret("s")}, ("client_credentials",), "client_credentials"),
        ({"oauth_private_key": PrivateKey("k")}, ("client_credentials",), "client_credentials"),
        ({"oauth_client_id": "me"}, ("client_credentials",), "authorization_code"),
        ({"oauth_client_secret": Secret("s")}, ("client_credentials", "authorization_code"), "authorization_code"),
    ],
)
def test_grant_is_chosen_from_options_and_supported_grants(
    options: dict[str, Any], grants: tuple[str, ...], grant: str
) -> None:
    assert grant_of(AuthOptions(**options), metadata_with(*grants)) == grant


def test_client_is_given_by_its_id() -> None:
    options = AuthOptions(oauth_client_id="me", oauth_private_key=PrivateKey("pem"), oauth_signing_alg="ES256")

    assert given_client(AuthOptions(oauth_client_secret=Secret("s")), metadata_with()) is None
    assert given_client(AuthOptions(oauth_client_id="me"), metadata_with()) == OAuthClient("me")
    assert given_client(options, metadata_with()) == OAuthClient("me", "", "private_key_jwt", "pem", "ES256")


def test_missing_flag_of_a_grant_is_named() -> None:
    assert require_flag("--x", "y", "the some grant") == Success("y")
    fault = Invalid("MISSING_ARGUMENT", "--x", "the some grant requires --x")
    assert require_flag("--x", None, "the some grant") == Failure(fault)


def test_client_credentials_grant_sends_id_and_secret() -> None:
    web = oauth_web()
    web.run(client_credentials(SITE, OAuthClient("me", "s", "client_secret_post"), "read"))

    assert web.form() == {
        "grant_type": "client_credentials",
        "resource": MCP,
        "scope": "read",
        "client_id": "me",
        "client_secret": "s",
    }


def test_client_credentials_grant_requires_a_secret_or_a_key() -> None:
    web = oauth_web()
    hints = ("add --oauth-client-secret env:NAME or --oauth-private-key FILE",)
    problem = "the client_credentials grant requires a client with a secret or a private key"

    assert web.run(client_credentials(SITE, OAuthClient("me"), "")).fault == Invalid(
        "INVALID_ARGUMENT", "--oauth-grant", problem, hints
    )
    assert web.fetched == []


@pytest.mark.parametrize(("client", "more"), [(OAuthClient("me"), {"client_id": "me"}), (None, {})])
def test_assertion_is_exchanged_with_the_jwt_bearer_grant(client: OAuthClient | None, more: dict[str, str]) -> None:
    web = oauth_web()
    web.run(jwt_bearer(SITE, client, "", "the.word"))

    assert web.form() == {"grant_type": JWT_BEARER, "assertion": "the.word", "resource": MCP, **more}


def test_jwt_bearer_grant_requires_an_assertion() -> None:
    fault = Invalid("MISSING_ARGUMENT", "--oauth-assertion", "the jwt-bearer grant requires --oauth-assertion")

    assert oauth_web().run(jwt_bearer(SITE, None, "", None)).fault == fault


def test_identity_provider_exchanges_subject_token_for_an_assertion() -> None:
    web = oauth_web()
    web.pages[IDP] = page({"access_token": "the.word", "token_type": "N_A"})
    ended = web.run(identity_assertion(SITE, OAuthClient("me", "s", "client_secret_basic"), "read", SUBJECT))

    assert ended.fault is None
    assert web.form(0) == {
        "grant_type": TOKEN_EXCHANGE,
        "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
        "audience": AS,
        "resource": MCP,
        "scope": "read",
        "subject_token": "person",
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
    }
    assert web.form(1) == {
        "grant_type": JWT_BEARER,
        "assertion": "the.word",
        "resource": MCP,
        "scope": "read",
        "client_id": "me",
    }
    assert web.hidden == ["the.word"]


def test_identity_provider_client_id_and_secret_are_sent() -> None:
    web = oauth_web()
    web.pages[IDP] = page({"access_token": "the.word"})
    options = AuthOptions(
        oauth_subject_token=Secret("person"),
        oauth_idp_token_endpoint=IDP,
        oauth_idp_client_id="us",
        oauth_idp_client_secret=Secret("hush"),
    )
    web.run(exchange(SITE, options, ""))

    assert (web.form()["client_id"], web.form()["client_secret"]) == ("us", "hush")


@pytest.mark.parametrize(
    ("options", "flag", "problem"),
    [
        (AuthOptions(), "--oauth-subject-token", "the token-exchange grant requires --oauth-subject-token"),
        (
            AuthOptions(oauth_subject_token=Secret("person")),
            "--oauth-idp-token-endpoint",
            "the token-exchange grant requires --oauth-idp-token-endpoint",
        ),
        (
            AuthOptions(oauth_subject_token=Secret("person"), oauth_idp_token_endpoint="http://idp.example/token"),
            "--oauth-idp-token-endpoint",
            "http://idp.example/token is not secure",
        ),
    ],
)
def test_token_exchange_needs_subject_token_and_secure_endpoint(options: AuthOptions, flag: str, problem: str) -> None:
    web = oauth_web()
    fault = web.run(exchange(SITE, options, "")).fault

    assert isinstance(fault, Invalid)
    assert (fault.where, fault.problem, web.fetched) == (flag, problem, [])

"""Client registration and client authentication at an authorization server."""

import json
from base64 import b64decode

import pytest

from mcpi.core.auth.metadata import Issuer
from mcpi.core.auth.oauth_client import (
    ASSERTION,
    AuthMethod,
    OAuthClient,
    assertion_claims,
    authenticated_form,
    known_client,
    parse_registration,
    preferred_auth_method,
    register_request,
    registration_metadata,
    token_request,
)
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.world_steps import Fetch
from support.replay import exact
from support.web import AS, form_fields

REDIRECT = "http://127.0.0.1:7777/callback"


def issuer(*supported: str, **fields: object) -> Issuer:
    methods = {"token_endpoint_auth_methods_supported": list(supported)} if supported else {}
    return Issuer(AS, exact(json.loads(json.dumps({**methods, **fields}))))


@pytest.mark.parametrize(
    ("methods", "auth_method"),
    [
        (("none", "client_secret_basic"), "none"),
        (("client_secret_post", "client_secret_basic"), "client_secret_basic"),
        (("client_secret_post",), "client_secret_post"),
        (("private_key_jwt",), "client_secret_basic"),
        ((), "client_secret_basic"),
    ],
)
def test_new_client_prefers_authentication_without_a_secret(methods: tuple[str, ...], auth_method: AuthMethod) -> None:
    assert preferred_auth_method(issuer(*methods)) == auth_method


def test_new_client_has_no_secret_without_metadata() -> None:
    assert preferred_auth_method(Issuer(AS, assumed=True)) == "none"


@pytest.mark.parametrize(
    ("methods", "auth_method"),
    [
        (("client_secret_basic", "client_secret_post"), "client_secret_basic"),
        (("client_secret_post",), "client_secret_post"),
        (("private_key_jwt",), "client_secret_basic"),
    ],
)
def test_known_client_sends_its_secret_by_a_supported_method(methods: tuple[str, ...], auth_method: AuthMethod) -> None:
    assert known_client(issuer(*methods), "me", "secret", "") == OAuthClient("me", "secret", auth_method)


def test_known_client_without_a_secret_is_public() -> None:
    assert known_client(issuer(), "me", "", "") == OAuthClient("me")


def test_private_key_takes_precedence_over_a_secret() -> None:
    assert known_client(issuer(), "me", "secret", "pem", "ES256") == OAuthClient(
        "me", "", "private_key_jwt", "pem", "ES256"
    )


def test_registration_contains_the_client_metadata() -> None:
    assert registration_metadata(issuer("none"), "mcpi", REDIRECT) == {
        "client_name": "mcpi",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    }


@pytest.mark.parametrize(
    ("grants", "requested"),
    [(["authorization_code"], ["authorization_code"]), (["refresh_token"], ["authorization_code", "refresh_token"])],
)
def test_refresh_token_grant_is_registered_only_if_supported(grants: list[str], requested: list[str]) -> None:
    assert registration_metadata(issuer(grant_types_supported=grants), "mcpi", REDIRECT)["grant_types"] == requested


@pytest.mark.parametrize(
    ("redirect", "kind"),
    [(REDIRECT, "native"), ("com.example.app:/back", "native"), ("https://app.example/back", "web")],
)
def test_application_type_depends_on_the_redirect_uri(redirect: str, kind: str) -> None:
    fields = registration_metadata(issuer(), "mcpi", redirect, "read")

    assert (fields["application_type"], fields["scope"]) == (kind, "read")


def test_registration_is_sent_as_json() -> None:
    known = issuer(registration_endpoint=f"{AS}/register")
    headers = {"accept": "application/json", "content-type": "application/json"}

    assert register_request(known, {"a": 1}) == Success(Fetch(f"{AS}/register", "POST", headers, '{"a":1}'))


def test_missing_registration_endpoint_is_an_error() -> None:
    problem = f"the authorization server {AS} has no registration_endpoint"

    assert register_request(issuer(), {}) == Failure(Unauthorized(problem))


@pytest.mark.parametrize(
    ("fields", "client"),
    [
        ({"client_id": "a"}, OAuthClient("a", redirect_uri=REDIRECT)),
        ({"client_id": "a", "client_secret": "s"}, OAuthClient("a", "s", "client_secret_post", redirect_uri=REDIRECT)),
        (
            {"client_id": "a", "client_secret": "s", "token_endpoint_auth_method": "client_secret_basic"},
            OAuthClient("a", "s", "client_secret_basic", redirect_uri=REDIRECT),
        ),
        (
            {"client_id": "a", "client_secret": "s", "token_endpoint_auth_method": "tls_client_auth", "scope": "x"},
            OAuthClient("a", "s", "client_secret_post", redirect_uri=REDIRECT, scope="x"),
        ),
    ],
)
def test_client_is_parsed_from_the_registration_response(fields: dict[str, str], client: OAuthClient) -> None:
    assert parse_registration(exact({**fields}), "client_secret_post", REDIRECT) == Success(client)


def test_registration_response_without_client_id_is_rejected() -> None:
    problem = "the authorization server registered a client without a client_id"

    assert parse_registration(exact({}), "none", REDIRECT) == Failure(Unauthorized(problem))


@pytest.mark.parametrize(
    ("held", "requested", "may"), [("", "a b", True), ("a b", "a", True), ("a", "a b", False), ("a", "", True)]
)
def test_client_may_request_only_its_registered_scopes(held: str, requested: str, may: bool) -> None:  # noqa: FBT001
    assert OAuthClient("me", scope=held).may_ask(requested) is may


def test_public_client_sends_its_id() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("me"), {"grant_type": "x", "scope": ""})

    assert form_fields(sent.body) == {"grant_type": "x", "client_id": "me"}
    assert sent.headers == {"accept": "application/json", "content-type": "application/x-www-form-urlencoded"}


def test_empty_client_id_is_not_sent() -> None:
    assert authenticated_form(f"{AS}/token", OAuthClient(""), {"a": "b"}).body == "a=b"


def test_basic_auth_secret_is_form_encoded_and_base64_encoded() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("m e", "s:/?", "client_secret_basic"), {})
    scheme, _, pair = sent.headers["authorization"].partition(" ")

    assert (scheme, b64decode(pair), form_fields(sent.body)) == ("Basic", b"m+e:s%3A%2F%3F", {"client_id": "m e"})


def test_client_secret_post_sends_the_secret_in_the_form() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("me", "s", "client_secret_post"), {})

    assert form_fields(sent.body) == {"client_id": "me", "client_secret": "s"}
    assert "authorization" not in sent.headers


def test_private_key_jwt_sends_an_assertion_instead_of_a_secret() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("me", auth_method="private_key_jwt"), {}, "signed")

    assert form_fields(sent.body) == {
        "client_id": "me",
        "client_assertion_type": ASSERTION,
        "client_assertion": "signed",
    }


def test_token_request_is_sent_to_the_token_endpoint() -> None:
    known = issuer(token_endpoint=f"{AS}/token")

    assert token_request(known, OAuthClient("me"), {"a": "b"}) == Success(
        authenticated_form(f"{AS}/token", OAuthClient("me"), {"a": "b"})
    )
    assert token_request(issuer(), OAuthClient("me"), {}) == Failure(
        Unauthorized(f"the authorization server {AS} has no token_endpoint")
    )


def test_assertion_claims_name_client_and_audience() -> None:
    assert assertion_claims(issuer(), OAuthClient("me"), 1000, "once") == {
        "iss": "me",
        "sub": "me",
        "aud": AS,
        "jti": "once",
        "iat": 1000,
        "exp": 1300,
    }

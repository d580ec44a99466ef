"""Who we are to an authorization server."""

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
from support.web import AS, flat

REDIRECT = "http://127.0.0.1:7777/callback"


def issuer(*ways: str, **said: object) -> Issuer:
    methods = {"token_endpoint_auth_methods_supported": list(ways)} if ways else {}
    return Issuer(AS, exact(json.loads(json.dumps({**methods, **said}))))


@pytest.mark.parametrize(
    ("ways", "way"),
    [
        (("none", "client_secret_basic"), "none"),
        (("client_secret_post", "client_secret_basic"), "client_secret_basic"),
        (("client_secret_post",), "client_secret_post"),
        (("private_key_jwt",), "client_secret_basic"),
        ((), "client_secret_basic"),
    ],
)
def test_a_new_client_has_a_secret_only_if_it_must(ways: tuple[str, ...], way: AuthMethod) -> None:
    assert preferred_auth_method(issuer(*ways)) == way


def test_a_server_without_metadata_is_told_of_no_secret() -> None:
    assert preferred_auth_method(Issuer(AS, assumed=True)) == "none"


@pytest.mark.parametrize(
    ("ways", "way"),
    [
        (("client_secret_basic", "client_secret_post"), "client_secret_basic"),
        (("client_secret_post",), "client_secret_post"),
        (("private_key_jwt",), "client_secret_basic"),
    ],
)
def test_a_known_client_shows_its_secret_as_the_server_wants_it(ways: tuple[str, ...], way: AuthMethod) -> None:
    assert known_client(issuer(*ways), "me", "secret", "") == OAuthClient("me", "secret", way)


def test_a_known_client_without_a_secret_shows_none() -> None:
    assert known_client(issuer(), "me", "", "") == OAuthClient("me")


def test_a_key_goes_before_a_secret() -> None:
    assert known_client(issuer(), "me", "secret", "pem", "ES256") == OAuthClient(
        "me", "", "private_key_jwt", "pem", "ES256"
    )


def test_a_registration_says_what_a_client_is() -> None:
    assert registration_metadata(issuer("none"), "mcpi", REDIRECT) == {
        "client_name": "mcpi",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    }


@pytest.mark.parametrize(
    ("grants", "asked"),
    [(["authorization_code"], ["authorization_code"]), (["refresh_token"], ["authorization_code", "refresh_token"])],
)
def test_refresh_tokens_are_asked_for_where_they_exist(grants: list[str], asked: list[str]) -> None:
    assert registration_metadata(issuer(grant_types_supported=grants), "mcpi", REDIRECT)["grant_types"] == asked


@pytest.mark.parametrize(
    ("redirect", "kind"),
    [(REDIRECT, "native"), ("com.example.app:/back", "native"), ("https://app.example/back", "web")],
)
def test_a_client_is_native_if_its_browser_comes_back_to_this_machine(redirect: str, kind: str) -> None:
    said = registration_metadata(issuer(), "mcpi", redirect, "read")

    assert (said["application_type"], said["scope"]) == (kind, "read")


def test_a_registration_is_a_json_document() -> None:
    known = issuer(registration_endpoint=f"{AS}/register")
    headers = {"accept": "application/json", "content-type": "application/json"}

    assert register_request(known, {"a": 1}) == Success(Fetch(f"{AS}/register", "POST", headers, '{"a":1}'))


def test_without_an_endpoint_nobody_is_registered() -> None:
    problem = f"the authorization server {AS} has no registration_endpoint"

    assert register_request(issuer(), {}) == Failure(Unauthorized(problem))


@pytest.mark.parametrize(
    ("said", "client"),
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
def test_the_answer_says_who_we_are(said: dict[str, str], client: OAuthClient) -> None:
    assert parse_registration(exact({**said}), "client_secret_post", REDIRECT) == Success(client)


def test_an_answer_without_an_id_registers_nobody() -> None:
    problem = "the authorization server registered a client without a client_id"

    assert parse_registration(exact({}), "none", REDIRECT) == Failure(Unauthorized(problem))


@pytest.mark.parametrize(
    ("held", "asked", "may"), [("", "a b", True), ("a b", "a", True), ("a", "a b", False), ("a", "", True)]
)
def test_a_client_asks_for_no_more_than_it_was_registered_for(held: str, asked: str, may: bool) -> None:  # noqa: FBT001
    assert OAuthClient("me", scope=held).may_ask(asked) is may


def test_a_public_client_says_its_id() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("me"), {"grant_type": "x", "scope": ""})

    assert flat(sent.body) == {"grant_type": "x", "client_id": "me"}
    assert sent.headers == {"accept": "application/json", "content-type": "application/x-www-form-urlencoded"}


def test_somebody_without_a_name_says_nothing() -> None:
    assert authenticated_form(f"{AS}/token", OAuthClient(""), {"a": "b"}).body == "a=b"


def test_a_secret_in_the_header_is_encoded_twice() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("m e", "s:/?", "client_secret_basic"), {})
    scheme, _, pair = sent.headers["authorization"].partition(" ")

    assert (scheme, b64decode(pair), flat(sent.body)) == ("Basic", b"m+e:s%3A%2F%3F", {"client_id": "m e"})


def test_a_secret_in_the_form_stands_there() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("me", "s", "client_secret_post"), {})

    assert flat(sent.body) == {"client_id": "me", "client_secret": "s"}
    assert "authorization" not in sent.headers


def test_an_assertion_stands_for_a_secret() -> None:
    sent = authenticated_form(f"{AS}/token", OAuthClient("me", auth_method="private_key_jwt"), {}, "signed")

    assert flat(sent.body) == {
        "client_id": "me",
        "client_assertion_type": ASSERTION,
        "client_assertion": "signed",
    }


def test_a_token_request_goes_to_the_token_endpoint() -> None:
    known = issuer(token_endpoint=f"{AS}/token")

    assert token_request(known, OAuthClient("me"), {"a": "b"}) == Success(
        authenticated_form(f"{AS}/token", OAuthClient("me"), {"a": "b"})
    )
    assert token_request(issuer(), OAuthClient("me"), {}) == Failure(
        Unauthorized(f"the authorization server {AS} has no token_endpoint")
    )


def test_a_client_signs_who_it_is_and_for_whom() -> None:
    assert assertion_claims(issuer(), OAuthClient("me"), 1000, "once") == {
        "iss": "me",
        "sub": "me",
        "aud": AS,
        "jti": "once",
        "iat": 1000,
        "exp": 1300,
    }

"""Single exchanges with an authorization server."""

from mcpi.core.auth.access_token import client_grant
from mcpi.core.auth.metadata import Issuer, TokenSource
from mcpi.core.auth.oauth_client import OAuthClient
from mcpi.core.auth.token_exchange import (
    TokenResponse,
    load_stored,
    loopback,
    mark_secret,
    proof_algorithm,
    register_client,
    request_token,
    request_token_at,
    store,
)
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import HttpFailed, Invalid, Unauthorized
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.world_steps import Fetch, Response, Sign
from support.replay import exact
from support.web import AS, LISTENING, MCP, NOW, SERVER, FakeWeb, oauth_web, page

ISSUER = Issuer(AS, exact(SERVER))
PROVING = Issuer(AS, exact({**SERVER, "dpop_signing_alg_values_supported": ["ES256"]}))
SITE, BOUND = TokenSource(MCP, MCP, ISSUER), TokenSource(MCP, MCP, PROVING, bound=True)
GRANT = client_grant(MCP, "read")
TOKEN = f"{AS}/token"


def test_stored_entry_is_loaded_again() -> None:
    web = FakeWeb()

    assert web.run(store("tokens", "a", {"b": "c"})) == PlanResult()
    assert web.run(load_stored()) == PlanResult({"version": 1, "tokens": {"a": {"b": "c"}}})


def test_empty_string_is_not_masked() -> None:
    web = FakeWeb()
    web.run(mark_secret("secret", ""))

    assert web.hidden == ["secret"]


def test_failure_to_listen_for_the_redirect_is_reported() -> None:
    busy = Unauthorized("cannot listen")

    assert FakeWeb(listener=Failure(busy)).run(loopback()) == PlanResult(None, busy)


def test_new_client_is_registered_and_its_secrets_are_masked() -> None:
    web = oauth_web()
    answer = {"client_id": "a", "client_secret": "hush", "registration_access_token": "hush-too"}
    web.pages[f"{AS}/register"] = page(answer, 201)
    ended = web.run(register_client(ISSUER, "mcpi", LISTENING, "read"))

    assert isinstance(ended.result, tuple)
    document, client = ended.result
    assert document.value == answer
    assert client == OAuthClient("a", "hush", "none", redirect_uri=LISTENING)
    assert web.hidden == ["hush", "hush-too"]


def test_refused_registration_is_reported() -> None:
    web = oauth_web()
    web.pages[f"{AS}/register"] = page({"error": "invalid_redirect_uri"}, 400, f"{AS}/register")

    assert web.run(register_client(ISSUER, "mcpi", LISTENING, "")) == PlanResult(
        None,
        Unauthorized(
            f"{AS}/register rejected the registration with invalid_redirect_uri",
            details={"status": 400, "error": "invalid_redirect_uri"},
        ),
    )


def test_a_grant_is_exchanged_for_a_token() -> None:
    web = oauth_web()
    ended = web.run(request_token(SITE, OAuthClient("me"), GRANT))

    assert isinstance(ended.result, TokenResponse)
    assert (ended.result.document.value, ended.result.at) == (
        {"access_token": "the-token", "token_type": "Bearer", "expires_in": 60},
        NOW,
    )
    assert web.form() == {"grant_type": "client_credentials", "resource": MCP, "scope": "read", "client_id": "me"}


def test_refused_token_request_names_the_grant() -> None:
    web = oauth_web()
    web.pages[TOKEN] = page({"error": "made_up"}, 400, TOKEN)
    ended = web.run(
        request_token(SITE, OAuthClient("me"), {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"})
    )

    assert isinstance(ended.fault, Unauthorized)
    assert ended.fault.problem == f"{TOKEN} rejected the jwt-bearer grant with made_up"


def test_client_with_a_key_sends_a_signed_assertion() -> None:
    web = oauth_web()
    web.run(request_token(SITE, OAuthClient("me", auth_method="private_key_jwt", key="pem", algorithm="ES256"), GRANT))
    claims: dict[str, Printable] = {
        "iss": "me",
        "sub": "me",
        "aud": AS,
        "jti": "chance-1",
        "iat": NOW,
        "exp": NOW + 300,
    }

    assert web.signed == [Sign(claims, "pem", "ES256")]
    assert web.form()["client_assertion"] == "signed.by.test"
    assert web.hidden == ["signed.by.test"]


def test_unusable_private_key_fails_before_the_request() -> None:
    bad = Invalid("INVALID_ARGUMENT", "--oauth-private-key", "it is no private key")
    web = oauth_web()
    web.signature = Failure(bad)

    assert web.run(request_token(SITE, OAuthClient("me", auth_method="private_key_jwt", key="x"), GRANT)) == PlanResult(
        None, bad
    )
    assert web.fetched == []


def test_request_token_at_uses_the_given_endpoint() -> None:
    web = FakeWeb({"https://idp.example/token": page({"access_token": "word"})})
    web.run(request_token_at("https://idp.example/token", OAuthClient("me"), {"grant_type": "x"}))

    assert web.requests == ["POST https://idp.example/token"]


def test_bound_token_is_requested_with_a_dpop_proof() -> None:
    web = oauth_web()
    web.run(request_token(BOUND, OAuthClient("me"), GRANT))
    claims: dict[str, Printable] = {"jti": "chance-1", "htm": "POST", "htu": TOKEN, "iat": NOW}

    assert web.signed == [Sign(claims, algorithm="ES256", kind="dpop+jwt")]
    assert web.fetched[0].headers["DPoP"] == "signed.by.test"


def test_request_is_repeated_with_the_dpop_nonce() -> None:
    web = oauth_web()
    answers = [
        page({"error": "use_dpop_nonce"}, 400, TOKEN, dpop_nonce="word"),
        page({"access_token": "t"}, 200, TOKEN),
    ]
    web.pages[TOKEN] = lambda _: answers.pop(0)
    ended = web.run(request_token(BOUND, OAuthClient("me"), GRANT))

    assert ended.fault is None
    assert [one.claims.get("nonce") for one in web.signed] == [None, "word"]


def test_dpop_nonce_is_retried_only_once() -> None:
    web = oauth_web()
    web.pages[TOKEN] = page({"error": "use_dpop_nonce"}, 400, TOKEN, dpop_nonce="word")
    ended = web.run(request_token(BOUND, OAuthClient("me"), GRANT))

    assert isinstance(ended.fault, Unauthorized)
    assert len(web.fetched) == 2


def test_other_error_with_a_dpop_nonce_is_not_retried() -> None:
    web = oauth_web()
    web.pages[TOKEN] = page({"error": "invalid_grant"}, 400, TOKEN, dpop_nonce="word")
    web.run(request_token(BOUND, OAuthClient("me"), GRANT))

    assert len(web.fetched) == 1


def test_error_that_is_not_json_is_an_http_error() -> None:
    web = oauth_web()
    web.pages[TOKEN] = lambda request: Response(401, request.url, {"dpop-nonce": "word"}, "no")
    ended = web.run(request_token(BOUND, OAuthClient("me"), GRANT))

    assert isinstance(ended.fault, HttpFailed)


def test_dpop_without_a_shared_algorithm_is_an_error() -> None:
    assert proof_algorithm(PROVING) == Success("ES256")
    assert proof_algorithm(ISSUER) == Failure(
        Unauthorized(
            f"the server requires tokens bound to a key, but {AS} supports none of mcpi's algorithms",
            ("dpop_signing_alg_values_supported: none",),
        )
    )


def test_request_to_an_unsafe_endpoint_is_not_sent() -> None:
    web = FakeWeb()
    known = Issuer(AS, exact({"token_endpoint": "http://as.example/token"}))
    ended = web.run(request_token(TokenSource(MCP, MCP, known), OAuthClient("me"), GRANT))

    assert isinstance(ended.fault, Unauthorized)
    assert web.fetched == []


def test_dpop_header_is_added_to_the_other_headers() -> None:
    web = oauth_web()
    web.run(request_token(BOUND, OAuthClient("me", "s", "client_secret_basic"), GRANT))
    sent: Fetch = web.fetched[0]

    assert set(sent.headers) == {"accept", "content-type", "authorization", "DPoP"}

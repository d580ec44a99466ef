"""The oauth/* methods, one for each step of the authorization."""

from typing import Any

import pytest

from mcpi.core.auth.proofs import code_challenge
from mcpi.core.flags.declare import flags_of
from mcpi.core.flags.types import SECRET, Secret
from mcpi.core.outcome.faults import Invalid, Unauthorized
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.world_steps import Response
from mcpi.plugins.methods.oauth import (
    AuthorizeUrl,
    DiscoverAuthorization,
    RefreshToken,
    RegisterClient,
    RequestToken,
    authorize_url,
    discover,
    mcpi_methods,
    refresh,
    register,
    token,
)
from support.web import AS, LISTENING, MCP, METADATA, PRM, FakeWeb, form_fields, oauth_web, page, unauthorized

NO_CODE: Any = {}
GIVEN: Any = {"oauth_client_id": "me", "redirect_uri": LISTENING}


def challenging_web(**server: object) -> FakeWeb:
    """A server that responds with an authorization challenge."""
    web = oauth_web(**server)
    web.pages[MCP] = Response(401, MCP, unauthorized(header='Bearer scope="wanted"'), "")
    return web


def test_discover_prints_the_resource_and_the_scope() -> None:
    web = challenging_web()
    ended = web.run(discover(DiscoverAuthorization(server_url=MCP)))

    assert isinstance(ended.result, dict)
    assert (ended.result["resource"], ended.result["scope"]) == (MCP, "wanted")
    assert web.requests == [f"POST {MCP}", f"GET {PRM}", f"GET {METADATA}"]


def test_register_sends_the_client_name_and_the_scope() -> None:
    web = challenging_web(scopes_supported=["offline_access"])
    ended = web.run(register(RegisterClient(server_url=MCP, redirect_uri=LISTENING, client_name="us")))

    assert ended.result is not None
    assert '"client_name":"us"' in web.fetched[-1].body
    assert '"scope":"wanted offline_access"' in web.fetched[-1].body


def test_authorize_url_returns_the_url_and_the_values_to_keep() -> None:
    web = challenging_web()
    ended = web.run(authorize_url(AuthorizeUrl(server_url=MCP, **GIVEN, oauth_resource="urn:mine")))

    assert isinstance(ended.result, dict)
    url = ended.result.pop("url")
    assert isinstance(url, str)
    assert ended.result == {
        "state": "chance-1",
        "code_verifier": "chance-2",
        "issuer": AS,
        "resource": "urn:mine",
        "scope": "wanted",
        "redirect_uri": LISTENING,
    }
    assert form_fields(url.partition("?")[2])["code_challenge"] == code_challenge("chance-2")


def test_client_metadata_url_may_identify_the_client() -> None:
    web = challenging_web()
    web.run(
        authorize_url(
            AuthorizeUrl(server_url=MCP, client_metadata_url="https://me.example/c.json", redirect_uri=LISTENING)
        )
    )

    assert f"POST {AS}/token" not in web.requests


def test_authorize_url_without_a_scope_returns_a_null_scope() -> None:
    web = oauth_web()
    web.pages[PRM] = page({"resource": MCP, "authorization_servers": [AS]})
    ended = web.run(authorize_url(AuthorizeUrl(server_url=MCP, **GIVEN)))

    assert isinstance(ended.result, dict)
    assert ended.result["scope"] is None


def test_token_request_has_the_code_and_the_verifier() -> None:
    web = challenging_web()
    ended = web.run(
        token(
            RequestToken(
                server_url=MCP,
                **GIVEN,
                oauth_code=Secret("c"),
                oauth_code_verifier=Secret("v"),
                oauth_iss=AS,
            )
        )
    )

    assert ended.fault is None
    assert web.form() == {
        "grant_type": "authorization_code",
        "code": "c",
        "code_verifier": "v",
        "redirect_uri": LISTENING,
        "resource": MCP,
        "client_id": "me",
    }


def test_token_request_may_have_a_client_metadata_url() -> None:
    web = challenging_web()
    wishes: Any = {"client_metadata_url": "https://me.example/c.json", "redirect_uri": LISTENING}
    web.run(token(RequestToken(server_url=MCP, **wishes, oauth_code=Secret("c"), oauth_code_verifier=Secret("v"))))

    assert web.form()["client_id"] == "https://me.example/c.json"


def test_code_of_another_issuer_is_not_sent() -> None:
    web = challenging_web()
    fault = web.run(
        token(
            RequestToken(
                server_url=MCP,
                **GIVEN,
                oauth_code=Secret("c"),
                oauth_code_verifier=Secret("v"),
                oauth_iss="https://evil.example",
            )
        )
    ).fault

    assert isinstance(fault, Unauthorized)
    assert f"POST {AS}/token" not in web.requests


@pytest.mark.parametrize(
    ("wishes", "code", "flag"),
    [
        (
            {"redirect_uri": LISTENING},
            {"oauth_code": Secret("c"), "oauth_code_verifier": Secret("v")},
            "--oauth-client-id",
        ),
        (GIVEN, {"oauth_code": Secret("c"), "oauth_code_verifier": Secret("")}, "--oauth-code-verifier"),
        (GIVEN, NO_CODE, "--oauth-code"),
        ({"oauth_grant": "client_credentials"}, NO_CODE, "--oauth-client-id"),
        ({"oauth_grant": "jwt-bearer"}, NO_CODE, "--oauth-assertion"),
        ({"oauth_grant": "token-exchange"}, NO_CODE, "--oauth-subject-token"),
    ],
)
def test_missing_token_argument_is_named(wishes: dict[str, Any], code: dict[str, Any], flag: str) -> None:
    web = challenging_web()
    fault = web.run(token(RequestToken(server_url=MCP, **wishes, **code))).fault

    assert isinstance(fault, Invalid)
    assert (fault.code, fault.where) == ("MISSING_ARGUMENT", flag)
    assert f"POST {AS}/token" not in web.requests


def test_client_credentials_grant_returns_a_token() -> None:
    web = challenging_web()
    wishes: Any = {"oauth_grant": "client_credentials", "oauth_client_id": "me", "oauth_client_secret": Secret("hush")}

    assert web.run(token(RequestToken(server_url=MCP, **wishes))).fault is None
    assert (web.form()["grant_type"], web.form()["scope"]) == ("client_credentials", "wanted")


def test_assertion_is_exchanged_for_a_token() -> None:
    web = challenging_web()

    assert web.run(token(RequestToken(server_url=MCP, oauth_assertion=Secret("word")))).fault is None
    assert web.form()["assertion"] == "word"


def test_token_exchange_prints_the_issued_assertion() -> None:
    web = challenging_web()
    web.pages["https://idp.example/token"] = page({"access_token": "the.word", "token_type": "N_A"})
    wishes: Any = {"oauth_subject_token": Secret("p"), "oauth_idp_token_endpoint": "https://idp.example/token"}
    ended = web.run(token(RequestToken(server_url=MCP, **wishes)))

    assert ended.fault is None
    assert f"POST {AS}/token" not in web.requests


def test_refresh_request_has_the_refresh_token_and_the_scope() -> None:
    web = challenging_web()
    web.run(
        refresh(RefreshToken(server_url=MCP, oauth_refresh_token=Secret("r"), oauth_client_id="me", oauth_scope="read"))
    )

    assert web.form() == {
        "grant_type": "refresh_token",
        "refresh_token": "r",
        "resource": MCP,
        "scope": "read",
        "client_id": "me",
    }


def test_refresh_requires_a_client_id() -> None:
    fault = challenging_web().run(refresh(RefreshToken(server_url=MCP, oauth_refresh_token=Secret("r")))).fault

    assert fault == Invalid(
        "MISSING_ARGUMENT", "--oauth-client-id", "the refresh_token grant requires --oauth-client-id"
    )


@pytest.mark.parametrize(
    ("plan", "flag", "by"),
    [
        (register(RegisterClient(server_url=MCP)), "--redirect-uri", "oauth/register"),
        (authorize_url(AuthorizeUrl(server_url=MCP)), "--oauth-client-id", "oauth/authorize-url"),
        (authorize_url(AuthorizeUrl(server_url=MCP, oauth_client_id="me")), "--redirect-uri", "oauth/authorize-url"),
    ],
)
def test_missing_argument_fails_before_any_http_request(plan: Any, flag: str, by: str) -> None:
    web = FakeWeb()

    assert web.run(plan).fault == Invalid("MISSING_ARGUMENT", flag, f"{by} requires {flag}")
    assert web.fetched == []


METHODS = {method.name: method for method in mcpi_methods()}


def test_every_step_has_a_method() -> None:
    assert list(METHODS) == ["oauth/discover", "oauth/register", "oauth/authorize-url", "oauth/token", "oauth/refresh"]


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_methods_do_not_connect_to_the_mcp_server(method: AnyMethod) -> None:
    assert (method.is_protocol_method, method.connects, method.required_capability) == (False, False, "")


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_server_url_defaults_to_the_target(method: AnyMethod) -> None:
    assert method.target_field == "server_url"
    assert "--server-url" not in {flag.name for flag in flags_of(method.args) if flag.required}


def test_missing_server_url_fails_before_any_http_request() -> None:
    web = challenging_web()
    fault = Invalid("MISSING_ARGUMENT", "--server-url", "this method requires --server-url")

    assert web.run(discover(DiscoverAuthorization())) == PlanResult(None, fault)
    assert web.requests == []


def test_codes_tokens_and_client_secrets_are_secret_flags() -> None:
    secret = {
        flag.name for owner in (RequestToken, RefreshToken) for flag in flags_of(owner) if flag.flag_type is SECRET
    }

    assert {"--oauth-code", "--oauth-code-verifier", "--oauth-refresh-token", "--oauth-client-secret"} <= secret


def test_discover_requests_the_authorization_server_metadata() -> None:
    web = oauth_web()
    web.run(METHODS["oauth/discover"].plan(DiscoverAuthorization(server_url=MCP)))

    assert web.requests[-1] == f"GET {AS}/.well-known/oauth-authorization-server"


def test_register_posts_to_the_registration_endpoint() -> None:
    web = oauth_web()
    web.run(METHODS["oauth/register"].plan(RegisterClient(server_url=MCP, redirect_uri=LISTENING)))

    assert web.requests[-1] == f"POST {AS}/register"


def test_authorize_url_returns_a_url_without_requesting_a_token() -> None:
    web = oauth_web()
    ended = web.run(
        METHODS["oauth/authorize-url"].plan(AuthorizeUrl(server_url=MCP, oauth_client_id="me", redirect_uri=LISTENING))
    )

    assert isinstance(ended.result, dict)
    assert "url" in ended.result
    assert {one.verb for one in web.fetched} == {"POST", "GET"}
    assert web.requests[0] == f"POST {MCP}"


def test_token_redeems_a_code() -> None:
    web = oauth_web()
    args = RequestToken(
        server_url=MCP,
        oauth_client_id="me",
        redirect_uri=LISTENING,
        oauth_code=Secret("c"),
        oauth_code_verifier=Secret("v"),
        oauth_iss=AS,
    )
    web.run(METHODS["oauth/token"].plan(args))

    assert (web.form()["code"], web.form()["code_verifier"]) == ("c", "v")


def test_refresh_redeems_a_refresh_token() -> None:
    web = oauth_web()
    args = RefreshToken(server_url=MCP, oauth_client_id="me", oauth_refresh_token=Secret("r"))
    web.run(METHODS["oauth/refresh"].plan(args))

    assert web.form()["refresh_token"] == "r"  # noqa: S105 - not a real secret

"""The methods of OAuth: what they are called, what they need, and whom they ask."""

import pytest

from mcpi.core.flags import flags_of
from mcpi.core.kinds import SECRET, Secret
from mcpi.core.method import AnyMethod
from mcpi.plugins.oauth import AuthorizeUrl, Discover, RedeemToken, RefreshToken, Register, mcpi_methods
from support.web import AS, LISTENING, MCP, world

METHODS = {method.name: method for method in mcpi_methods()}


def test_there_is_a_method_for_each_step() -> None:
    assert list(METHODS) == ["oauth/discover", "oauth/register", "oauth/authorize-url", "oauth/token", "oauth/refresh"]


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_none_of_them_talks_to_an_mcp_server(method: AnyMethod) -> None:
    assert (method.wire, method.connects, method.needs) == (False, False, "")


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_each_of_them_needs_the_server_s_url(method: AnyMethod) -> None:
    assert "--server-url" in {flag.name for flag in flags_of(method.args) if flag.required}


def test_what_must_not_be_seen_is_secret() -> None:
    secret = {flag.name for owner in (RedeemToken, RefreshToken) for flag in flags_of(owner) if flag.kind is SECRET}

    assert {"--oauth-code", "--oauth-code-verifier", "--oauth-refresh-token", "--oauth-client-secret"} <= secret


def test_discover_asks_where_the_tokens_come_from() -> None:
    web = world()
    web.run(METHODS["oauth/discover"].plan(Discover(server_url=MCP)))

    assert web.asked[-1] == f"GET {AS}/.well-known/oauth-authorization-server"


def test_register_makes_a_client() -> None:
    web = world()
    web.run(METHODS["oauth/register"].plan(Register(server_url=MCP, redirect_uri=LISTENING)))

    assert web.asked[-1] == f"POST {AS}/register"


def test_authorize_url_asks_nobody_for_a_token() -> None:
    web = world()
    ended = web.run(
        METHODS["oauth/authorize-url"].plan(AuthorizeUrl(server_url=MCP, oauth_client_id="me", redirect_uri=LISTENING))
    )

    assert isinstance(ended.result, dict)
    assert "url" in ended.result
    assert {one.verb for one in web.fetched} == {"POST", "GET"}
    assert web.asked[0] == f"POST {MCP}"


def test_token_redeems_a_code() -> None:
    web = world()
    args = RedeemToken(
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
    web = world()
    args = RefreshToken(server_url=MCP, oauth_client_id="me", oauth_refresh_token=Secret("r"))
    web.run(METHODS["oauth/refresh"].plan(args))

    assert web.form()["refresh_token"] == "r"  # noqa: S105 - it opens nothing

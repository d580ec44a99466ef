"""The authorization flow: which grants are tried, in which order, and how it fails."""

from typing import Any

import pytest

from mcpi.core.auth.access_token import Token
from mcpi.core.auth.flow import Authorization
from mcpi.core.flags.options import AuthOptions
from mcpi.core.flags.types import Secret
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import HttpFailed, Invalid, Unauthorized, Unreachable
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.world_steps import Fetch, Response
from support.web import (
    AS,
    LISTENING,
    MCP,
    METADATA,
    NOW,
    PRM,
    SERVER,
    FakeWeb,
    oauth_web,
    page,
    redirect_back,
    unauthorized,
)

DENIED = HttpFailed(401, MCP, headers=unauthorized())
NARROW = HttpFailed(403, MCP, headers=unauthorized(header='Bearer error="insufficient_scope", scope="write"'))
DOCUMENT = "https://me.example/client.json"
OTHER = "https://other.example"
TOKEN = f"{AS}/token"


def authorization(**options: Any) -> Authorization:
    """Build an authorization that may register a client, unless `auth` is overridden."""
    return Authorization(MCP, AuthOptions(**{"auth": "register", **options}))


def stored_tokens(**more: str | int | None) -> JsonObject:
    entry: JsonObject = {"issuer": AS, "client_id": "old", "access_token": "old-token", "scope": "read"}
    client: JsonObject = {"client_id": "old", "redirect_uri": "http://127.0.0.1:1234/callback"}
    return {"version": 1, "tokens": {MCP: {**entry, **more}}, "clients": {AS: client}}


def oauth_web_with(*answers: Response) -> Any:
    rest = list(answers)
    return lambda _: rest.pop(0)


# Successful flows.


def test_new_client_is_registered_and_obtains_a_token() -> None:
    web, flow = oauth_web(), authorization()

    assert web.outcome(flow.obtain_token(DENIED)) == Token("the-token", "Bearer", "", "read", NOW + 60)
    assert web.requests == [
        f"GET {PRM}",
        f"GET {METADATA}",
        f"POST {AS}/register",
        f"GET {AS}/authorize",
        f"POST {TOKEN}",
    ]
    assert web.query(f"{AS}/authorize")["scope"] == "read"
    assert web.form() == {
        "grant_type": "authorization_code",
        "code": "the-code",
        "code_verifier": "chance-2",
        "redirect_uri": LISTENING,
        "resource": MCP,
        "client_id": "new-client",
    }


def test_obtained_tokens_and_codes_are_masked() -> None:
    web = oauth_web()
    web.pages[TOKEN] = page({"access_token": "the-token", "refresh_token": "the-refresh"})
    web.run(authorization().obtain_token(DENIED))

    assert {"the-token", "the-refresh", "the-code", "chance-2"} <= set(web.hidden)


def test_token_and_client_are_stored() -> None:
    web = oauth_web()
    web.run(authorization().obtain_token(DENIED))

    assert web.stored["tokens"] == {
        MCP: {
            "issuer": AS,
            "client_id": "new-client",
            "access_token": "the-token",
            "token_type": "Bearer",
            "refresh_token": "",
            "scope": "read",
            "expires_at": NOW + 60,
        }
    }
    assert web.stored["clients"] == {
        AS: {
            "client_id": "new-client",
            "client_secret": "",
            "redirect_uri": LISTENING,
            "token_endpoint_auth_method": "none",
            "scope": "",
        }
    }


def test_offline_access_is_requested_if_the_server_supports_it() -> None:
    web = oauth_web(scopes_supported=["offline_access"])
    web.run(authorization().obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["scope"] == "read offline_access"


def test_given_client_id_is_not_registered() -> None:
    web = oauth_web()
    web.run(authorization(oauth_client_id="mine", redirect_uri="http://localhost:9/x").obtain_token(DENIED))

    assert f"POST {AS}/register" not in web.requests
    query = web.query(f"{AS}/authorize")
    assert (query["client_id"], query["redirect_uri"]) == ("mine", "http://localhost:9/x")


def test_client_metadata_document_replaces_registration() -> None:
    web = oauth_web(client_id_metadata_document_supported=True)
    web.run(authorization(client_metadata_url=DOCUMENT).obtain_token(DENIED))

    assert f"POST {AS}/register" not in web.requests
    assert web.query(f"{AS}/authorize")["client_id"] == DOCUMENT


def test_client_is_registered_if_metadata_documents_are_unsupported() -> None:
    web = oauth_web()
    web.run(authorization(client_metadata_url=DOCUMENT).obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["client_id"] == "new-client"


def test_client_id_takes_precedence_over_a_metadata_document() -> None:
    web = oauth_web(client_id_metadata_document_supported=True)
    web.run(authorization(client_metadata_url=DOCUMENT, oauth_client_id="mine").obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["client_id"] == "mine"


def test_stored_registration_is_reused_with_its_redirect_uri() -> None:
    web = oauth_web()
    web.stored = stored_tokens()
    del web.stored["tokens"]
    web.run(authorization().obtain_token(DENIED))
    query = web.query(f"{AS}/authorize")

    assert (query["client_id"], query["redirect_uri"]) == ("old", "http://127.0.0.1:1234/callback")


def test_client_is_registered_again_if_the_stored_redirect_uri_is_in_use() -> None:
    web = oauth_web()
    web.stored, web.occupied = stored_tokens(), "http://127.0.0.1:1234/callback"
    del web.stored["tokens"]
    web.run(authorization().obtain_token(DENIED))
    query = web.query(f"{AS}/authorize")

    assert (query["client_id"], query["redirect_uri"]) == ("new-client", LISTENING)


def test_given_redirect_uri_that_is_in_use_is_an_error() -> None:
    web = oauth_web()
    web.occupied = "http://127.0.0.1:1234/callback"
    ended = web.run(authorization(redirect_uri=web.occupied).obtain_token(DENIED))

    assert isinstance(ended.fault, Invalid)
    assert f"GET {AS}/authorize" not in web.requests


def test_client_is_registered_again_if_the_stored_scope_is_too_narrow() -> None:
    web = oauth_web()
    web.stored = {"version": 1, "clients": {AS: {"client_id": "old", "scope": "other"}}}
    web.run(authorization().obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["client_id"] == "new-client"


def test_auth_open_opens_the_authorization_page() -> None:
    web = oauth_web()
    web.browser = Success(f"{LISTENING}?code=c&state=chance-1")

    assert web.run(authorization(auth_open="xdg-open").obtain_token(DENIED)).fault is None
    assert [(one.command, one.url.partition("?")[0]) for one in web.browsed] == [("xdg-open", f"{AS}/authorize")]
    assert f"GET {AS}/authorize" not in web.requests


def test_failure_to_open_the_authorization_page_is_reported() -> None:
    web = oauth_web()
    nobody = Unauthorized("no authorization page could be opened")
    web.browser = Failure(nobody)

    assert web.run(authorization(auth_open="xdg-open").obtain_token(DENIED)).fault == nobody


def test_client_credentials_grant_opens_no_browser() -> None:
    web = oauth_web(grant_types_supported=["client_credentials"])
    web.run(authorization(oauth_client_id="me", oauth_client_secret=Secret("hush")).obtain_token(DENIED))

    assert web.requests[2:] == [f"POST {TOKEN}"]
    assert web.form()["grant_type"] == "client_credentials"


def test_client_credentials_grant_requires_a_client() -> None:
    fault = oauth_web().run(authorization(oauth_grant="client_credentials").obtain_token(DENIED)).fault

    assert isinstance(fault, Invalid)
    assert fault.where == "--oauth-grant"


def test_given_assertion_is_sent_to_the_token_endpoint() -> None:
    web = oauth_web()
    web.run(authorization(oauth_assertion=Secret("the.word")).obtain_token(DENIED))

    assert web.form()["assertion"] == "the.word"


def test_refused_assertion_is_not_retried() -> None:
    web = oauth_web()
    web.pages[TOKEN] = page({"error": "invalid_grant"}, 400, TOKEN)
    fault = web.run(authorization(oauth_assertion=Secret("the.word")).obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert web.requests.count(f"POST {TOKEN}") == 1


def test_subject_token_is_exchanged_at_the_identity_provider() -> None:
    web = oauth_web()
    web.pages["https://idp.example/token"] = page({"access_token": "the.word"})
    options = {"oauth_subject_token": Secret("person"), "oauth_idp_token_endpoint": "https://idp.example/token"}
    web.run(authorization(**options).obtain_token(DENIED))

    assert web.requests[2:] == ["POST https://idp.example/token", f"POST {TOKEN}"]


# Stored tokens.


def test_stored_token_is_used() -> None:
    web = oauth_web()
    web.stored = stored_tokens()

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("old-token", "Bearer", "", "read")
    assert web.requests == [f"GET {PRM}", f"GET {METADATA}"]


def test_expired_token_is_refreshed() -> None:
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    web.pages[TOKEN] = page({"access_token": "fresh"})

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("fresh", "Bearer", "old-refresh", "read")
    assert web.form() == {
        "grant_type": "refresh_token",
        "refresh_token": "old-refresh",
        "resource": MCP,
        "client_id": "old",
    }


def test_stored_token_that_is_refused_is_refreshed() -> None:
    web, flow = oauth_web(), authorization()
    web.stored = stored_tokens(refresh_token="old-refresh")
    web.run(flow.obtain_token(DENIED))
    web.pages[TOKEN] = page({"access_token": "fresh", "refresh_token": "new-refresh"})

    assert web.outcome(flow.obtain_token(DENIED)) == Token("fresh", "Bearer", "new-refresh", "read")


def test_refused_refresh_token_starts_a_new_authorization() -> None:
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    web.pages[TOKEN] = oauth_web_with(page({"error": "invalid_grant"}, 400, TOKEN), page({"access_token": "fresh"}))

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("fresh", "Bearer", "", "read")


def test_unreachable_token_endpoint_during_refresh_is_reported() -> None:
    fault = Unreachable("CONNECTION_REFUSED", "no connection")
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    web.pages[TOKEN] = Failure(fault)

    assert web.run(authorization().obtain_token(DENIED)).fault == fault
    assert web.changes == ["lock", "unlock"]


def test_stored_token_is_not_stored_again() -> None:
    web = oauth_web()
    web.stored = stored_tokens()
    web.run(authorization().obtain_token(DENIED))

    assert web.changes == []


def test_refreshed_token_is_stored_while_the_store_is_locked() -> None:
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    web.run(authorization().obtain_token(DENIED))

    assert web.changes == ["lock", "store tokens", "unlock"]


def test_token_that_another_run_refreshed_is_used() -> None:
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    web.stored_by_another_run = stored_tokens(access_token="their-token", refresh_token="their-refresh")

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("their-token", "Bearer", "their-refresh", "read")
    assert web.requests == [f"GET {PRM}", f"GET {METADATA}"]


def test_refresh_token_of_another_run_replaces_the_own_one() -> None:
    web, flow = oauth_web(), authorization()
    web.stored = stored_tokens(refresh_token="old-refresh")
    web.run(flow.obtain_token(DENIED))
    web.stored = stored_tokens(access_token="their-token", refresh_token="their-refresh", expires_at=NOW)
    web.run(flow.obtain_token(DENIED))

    assert web.form()["refresh_token"] == "their-refresh"  # noqa: S105 - not a real token


def test_refresh_token_that_another_run_removed_is_not_used() -> None:
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    web.stored_by_another_run = stored_tokens(expires_at=NOW)
    web.run(authorization().obtain_token(DENIED))

    assert web.form()["grant_type"] == "authorization_code"


def test_failure_to_lock_the_store_is_reported() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--auth-store", "cannot write store.json: Permission denied")
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    web.lock = Failure(fault)

    assert web.run(authorization().obtain_token(DENIED)).fault == fault


def test_refresh_token_without_a_stored_client_is_not_used() -> None:
    web = oauth_web()
    web.stored = stored_tokens(expires_at=NOW, refresh_token="old-refresh")
    del web.stored["clients"]
    web.run(authorization().obtain_token(DENIED))

    assert web.form()["grant_type"] == "authorization_code"


@pytest.mark.parametrize(("requested", "reused"), [("read", True), ("write", False)])
def test_stored_token_is_used_only_if_it_covers_the_scope(requested: str, reused: bool) -> None:  # noqa: FBT001 - a case
    web = oauth_web()
    web.stored = stored_tokens()
    ended = web.run(authorization(oauth_scope=requested).obtain_token(DENIED))

    assert isinstance(ended.result, Token)
    assert (ended.result.access == "old-token") is reused


# Scopes and DPoP.


def test_step_up_requests_old_and_new_scopes_together() -> None:
    web, flow = oauth_web(), authorization()
    web.run(flow.obtain_token(DENIED))
    web.run(flow.obtain_token(NARROW))

    assert web.query(f"{AS}/authorize")["scope"] == "read write"
    assert web.requests.count(f"POST {AS}/register") == 1


def test_step_up_does_not_use_the_refresh_token() -> None:
    web = oauth_web()
    web.stored = stored_tokens(refresh_token="old-refresh")
    web.run(authorization().obtain_token(NARROW))

    assert web.form()["grant_type"] == "authorization_code"
    assert web.query(f"{AS}/authorize")["scope"] == "read write"


def dpop_metadata() -> FakeWeb:
    web = oauth_web(dpop_signing_alg_values_supported=["ES256"])
    web.pages[TOKEN] = page({"access_token": "bound", "token_type": "DPoP"})
    return web


def test_token_is_bound_to_a_key_if_the_server_requires_dpop() -> None:
    web, flow = dpop_metadata(), authorization()
    ended = web.run(flow.obtain_token(HttpFailed(401, MCP, headers=unauthorized(header="DPoP"))))

    assert isinstance(ended.result, Token)
    assert ended.result == Token("bound", "DPoP", "", "read")
    assert flow.algorithm == "ES256"
    assert web.fetched[-1].headers["DPoP"] == "signed.by.test"


def test_dpop_bound_token_is_not_stored() -> None:
    web = dpop_metadata()
    web.run(authorization().obtain_token(HttpFailed(401, MCP, headers=unauthorized(header="DPoP"))))

    assert "tokens" not in web.stored


def test_dpop_nonce_challenge_reuses_the_token() -> None:
    web, flow = dpop_metadata(), authorization()
    first = web.run(flow.obtain_token(HttpFailed(401, MCP, headers=unauthorized(header="DPoP"))))
    fetched = len(web.fetched)
    again = HttpFailed(401, MCP, headers=unauthorized(header='DPoP error="use_dpop_nonce"', dpop_nonce="word"))

    assert web.run(flow.obtain_token(again)).result == first.result
    assert len(web.fetched) == fetched


def test_dpop_without_a_shared_algorithm_is_an_error() -> None:
    fault = (
        oauth_web().run(authorization().obtain_token(HttpFailed(401, MCP, headers=unauthorized(header="DPoP")))).fault
    )

    assert isinstance(fault, Unauthorized)
    assert "none of mcpi's algorithms" in fault.problem


# Changed servers.


def move_authorization_server(web: FakeWeb) -> FakeWeb:
    """Make another authorization server issue the server's tokens."""
    web.pages[PRM] = page({"resource": MCP, "authorization_servers": [OTHER]})
    query = {name: value.replace(AS, OTHER) if isinstance(value, str) else value for name, value in SERVER.items()}
    web.pages[f"{OTHER}/.well-known/oauth-authorization-server"] = page(query)
    web.pages[f"{OTHER}/register"] = page({"client_id": "other-client"}, 201)
    web.pages[f"{OTHER}/authorize"] = redirect_back()
    web.pages[f"{OTHER}/token"] = page({"access_token": "other-token"})
    return web


def test_new_issuer_gets_a_separate_client_registration() -> None:
    web, flow = oauth_web(), authorization()
    web.pages[TOKEN] = page({"access_token": "the-token", "refresh_token": "the-refresh"})
    web.run(flow.obtain_token(DENIED))
    ended = move_authorization_server(web).run(flow.obtain_token(DENIED))

    assert isinstance(ended.result, Token)
    assert ended.result.access == "other-token"
    assert web.query(f"{OTHER}/authorize")["client_id"] == "other-client"
    assert web.form()["client_id"] == "other-client"


def test_given_client_is_not_sent_to_a_new_issuer() -> None:
    web, flow = oauth_web(), authorization(oauth_client_id="mine")
    web.run(flow.obtain_token(DENIED))
    before = len(web.fetched)
    fault = move_authorization_server(web).run(flow.obtain_token(DENIED)).fault

    assert fault == Unauthorized(
        f"mine is not registered at {OTHER}, the server's new authorization server",
        hints=("register a client there, or omit --oauth-client-id",),
    )
    assert all(one.verb == "GET" for one in web.fetched[before:])


def test_change_of_issuer_is_detected_from_the_token_store() -> None:
    web = move_authorization_server(oauth_web())
    web.stored = stored_tokens(refresh_token="old-refresh")
    fault = web.run(authorization(oauth_client_id="old").obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert fault.problem == f"old is not registered at {OTHER}, the server's new authorization server"


def test_token_of_the_previous_issuer_is_not_used() -> None:
    web = move_authorization_server(oauth_web())
    web.stored = stored_tokens()
    ended = web.run(authorization().obtain_token(DENIED))

    assert isinstance(ended.result, Token)
    assert ended.result.access == "other-token"


# Failures.


def test_no_token_is_sent_over_plain_http_to_a_remote_host() -> None:
    web = FakeWeb()
    flow = Authorization("http://mcp.example/mcp", AuthOptions())
    hint = "mcpi does not send tokens over plain HTTP to another machine"

    assert web.run(flow.obtain_token(DENIED)).fault == HttpFailed(401, MCP, headers=unauthorized(), hints=(hint,))
    assert web.fetched == []


def test_original_401_is_reported_without_an_authorization_server() -> None:
    web = FakeWeb()
    fault = web.run(authorization().obtain_token(HttpFailed(401, MCP, hints=("give a token",)))).fault

    assert isinstance(fault, HttpFailed)
    assert (fault.status, fault.url, fault.hints[0]) == (401, MCP, "give a token")
    assert fault.hints[1] == f"no OAuth authorization server found; to see the requests: mcpi oauth/discover {MCP}"
    assert web.requests[-1] == "POST https://mcp.example/register"


def test_legacy_server_without_metadata_uses_default_endpoints() -> None:
    web = FakeWeb(
        {
            "https://mcp.example/register": page({"client_id": "c"}, 201),
            "https://mcp.example/authorize": redirect_back(),
            "https://mcp.example/token": page({"access_token": "t"}),
        }
    )

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("t")


def test_refused_registration_is_reported() -> None:
    web = oauth_web()
    web.pages[f"{AS}/register"] = page({"error": "invalid_client_metadata"}, 400, f"{AS}/register")
    fault = web.run(authorization().obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert fault.problem == f"{AS}/register rejected the registration with invalid_client_metadata"


def test_authorization_requires_pkce() -> None:
    web = oauth_web(code_challenge_methods_supported=None)
    fault = web.run(authorization().obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert web.requests == [f"GET {PRM}", f"GET {METADATA}"]


def test_no_code_is_redeemed_after_a_response_from_another_issuer() -> None:
    web = oauth_web()
    web.pages[f"{AS}/authorize"] = redirect_back(iss="https://evil.example")
    web.run(authorization().obtain_token(DENIED))

    assert f"POST {TOKEN}" not in web.requests


def login(request: Fetch) -> Response:
    return Response(200, request.url, {}, "<form>")


def hints_for(web: FakeWeb, **options: Any) -> tuple[str, ...]:
    web.pages[f"{AS}/authorize"] = login
    fault = web.run(authorization(**options).obtain_token(DENIED)).fault
    assert isinstance(fault, Unauthorized)
    assert fault.problem == f"{AS}/authorize requires a user to authorize mcpi"
    return fault.hints


LOGIN_HINTS = (
    "to log in with a browser, add --auth-open COMMAND (xdg-open, or open on macOS)",
    "to use a token that you have, add --token env:NAME",
)


def test_page_that_requires_a_user_hints_at_the_next_command() -> None:
    by_hand = f"mcpi oauth/authorize-url {MCP} --oauth-client-id new-client --redirect-uri {LISTENING}"

    assert hints_for(oauth_web()) == (*LOGIN_HINTS, f"to authorize step by step: {by_hand}")


def test_suggested_command_has_neither_secret_nor_verifier() -> None:
    found = " ".join(hints_for(oauth_web(), oauth_client_id="me", oauth_client_secret=Secret("hush")))

    assert "hush" not in found
    assert "chance" not in found


@pytest.mark.parametrize("options", [{}, {"oauth_scope": "read"}])
def test_auth_auto_neither_registers_a_client_nor_opens_a_page(options: dict[str, Any]) -> None:
    web = oauth_web()
    fault = web.run(authorization(auth="auto", **options).obtain_token(DENIED)).fault

    assert web.requests == [f"GET {PRM}", f"GET {METADATA}"]
    register = f"to authorize step by step: mcpi oauth/register {MCP} --redirect-uri http://127.0.0.1:8123/back"
    assert fault == Unauthorized(f"{MCP} requires a user to authorize mcpi", hints=(*LOGIN_HINTS, register))


@pytest.mark.parametrize("options", [{"auth_store": "tokens.json"}, {"auth_open": "true"}])
def test_auth_store_or_auth_open_allows_registration(options: dict[str, Any]) -> None:
    web = oauth_web()
    web.run(authorization(auth="auto", **options).obtain_token(DENIED))

    assert f"POST {AS}/register" in web.requests


def test_unsupported_metadata_document_does_not_allow_registration() -> None:
    web = oauth_web()
    fault = web.run(authorization(auth="auto", client_metadata_url=DOCUMENT).obtain_token(DENIED)).fault

    hints = ("--auth register allows mcpi to register one",)
    assert fault == Unauthorized("the authorization server does not accept the given client", hints=hints)

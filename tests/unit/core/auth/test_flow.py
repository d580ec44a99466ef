"""A token for a server that wants one: what is tried, in which order, and where it ends."""

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
from support.web import AS, LISTENING, MCP, METADATA, NOW, PRM, SERVER, Web, back, page, refused, world

DENIED = HttpFailed(401, MCP, headers=refused())
NARROW = HttpFailed(403, MCP, headers=refused(header='Bearer error="insufficient_scope", scope="write"'))
DOCUMENT = "https://me.example/client.json"
OTHER = "https://other.example"
TOKEN = f"{AS}/token"


def authorization(**wishes: Any) -> Authorization:
    """An authorization that may register a client, unless `auth` says something else."""
    return Authorization(MCP, AuthOptions(**{"auth": "register", **wishes}))


def kept(**more: str | int | None) -> JsonObject:
    entry: JsonObject = {"issuer": AS, "client_id": "old", "access_token": "old-token", "scope": "read"}
    client: JsonObject = {"client_id": "old", "redirect_uri": "http://127.0.0.1:1234/callback"}
    return {"version": 1, "tokens": {MCP: {**entry, **more}}, "clients": {AS: client}}


def answering(*answers: Response) -> Any:
    rest = list(answers)
    return lambda _: rest.pop(0)


# The way through.


def test_a_new_client_is_registered_and_comes_back_with_a_token() -> None:
    web, flow = world(), authorization()

    assert web.outcome(flow.obtain_token(DENIED)) == Token("the-token", "Bearer", "", "read", NOW + 60)
    assert web.asked == [
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


def test_what_was_got_is_secret() -> None:
    web = world()
    web.pages[TOKEN] = page({"access_token": "the-token", "refresh_token": "the-refresh"})
    web.run(authorization().obtain_token(DENIED))

    assert {"the-token", "the-refresh", "the-code", "chance-2"} <= set(web.hidden)


def test_what_was_got_is_kept() -> None:
    web = world()
    web.run(authorization().obtain_token(DENIED))

    assert web.held["tokens"] == {
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
    assert web.held["clients"] == {
        AS: {
            "client_id": "new-client",
            "client_secret": "",
            "redirect_uri": LISTENING,
            "token_endpoint_auth_method": "none",
            "scope": "",
        }
    }


def test_a_refresh_token_is_asked_for_where_that_is_a_scope() -> None:
    web = world(scopes_supported=["offline_access"])
    web.run(authorization().obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["scope"] == "read offline_access"


def test_a_client_that_is_known_is_not_registered() -> None:
    web = world()
    web.run(authorization(oauth_client_id="mine", redirect_uri="http://localhost:9/x").obtain_token(DENIED))

    assert f"POST {AS}/register" not in web.asked
    said = web.query(f"{AS}/authorize")
    assert (said["client_id"], said["redirect_uri"]) == ("mine", "http://localhost:9/x")


def test_a_metadata_document_stands_for_a_registration() -> None:
    web = world(client_id_metadata_document_supported=True)
    web.run(authorization(client_metadata_url=DOCUMENT).obtain_token(DENIED))

    assert f"POST {AS}/register" not in web.asked
    assert web.query(f"{AS}/authorize")["client_id"] == DOCUMENT


def test_a_server_that_takes_no_document_registers_us() -> None:
    web = world()
    web.run(authorization(client_metadata_url=DOCUMENT).obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["client_id"] == "new-client"


def test_a_client_that_was_given_goes_before_a_document() -> None:
    web = world(client_id_metadata_document_supported=True)
    web.run(authorization(client_metadata_url=DOCUMENT, oauth_client_id="mine").obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["client_id"] == "mine"


def test_a_registration_that_was_kept_is_used_again_with_its_redirect_uri() -> None:
    web = world()
    web.held = kept()
    del web.held["tokens"]
    web.run(authorization().obtain_token(DENIED))
    said = web.query(f"{AS}/authorize")

    assert (said["client_id"], said["redirect_uri"]) == ("old", "http://127.0.0.1:1234/callback")


def test_a_registration_is_made_anew_when_somebody_else_listens_at_its_redirect_uri() -> None:
    web = world()
    web.held, web.taken = kept(), "http://127.0.0.1:1234/callback"
    del web.held["tokens"]
    web.run(authorization().obtain_token(DENIED))
    said = web.query(f"{AS}/authorize")

    assert (said["client_id"], said["redirect_uri"]) == ("new-client", LISTENING)


def test_a_redirect_uri_that_was_wished_for_is_not_given_up() -> None:
    web = world()
    web.taken = "http://127.0.0.1:1234/callback"
    ended = web.run(authorization(redirect_uri=web.taken).obtain_token(DENIED))

    assert isinstance(ended.fault, Invalid)
    assert f"GET {AS}/authorize" not in web.asked


def test_a_registration_for_less_is_made_anew() -> None:
    web = world()
    web.held = {"version": 1, "clients": {AS: {"client_id": "old", "scope": "other"}}}
    web.run(authorization().obtain_token(DENIED))

    assert web.query(f"{AS}/authorize")["client_id"] == "new-client"


def test_a_person_may_be_asked() -> None:
    web = world()
    web.browser = Success(f"{LISTENING}?code=c&state=chance-1")

    assert web.run(authorization(auth_open="xdg-open").obtain_token(DENIED)).fault is None
    assert [(one.command, one.url.partition("?")[0]) for one in web.browsed] == [("xdg-open", f"{AS}/authorize")]
    assert f"GET {AS}/authorize" not in web.asked


def test_a_person_may_not_come() -> None:
    web = world()
    nobody = Unauthorized("no authorization page could be opened")
    web.browser = Failure(nobody)

    assert web.run(authorization(auth_open="xdg-open").obtain_token(DENIED)).fault == nobody


def test_clients_that_act_for_themselves_see_no_browser() -> None:
    web = world(grant_types_supported=["client_credentials"])
    web.run(authorization(oauth_client_id="me", oauth_client_secret=Secret("hush")).obtain_token(DENIED))

    assert web.asked[2:] == [f"POST {TOKEN}"]
    assert web.form()["grant_type"] == "client_credentials"


def test_clients_that_act_for_themselves_have_a_name() -> None:
    fault = world().run(authorization(oauth_grant="client_credentials").obtain_token(DENIED)).fault

    assert isinstance(fault, Invalid)
    assert fault.where == "--oauth-grant"


def test_a_workload_shows_its_word() -> None:
    web = world()
    web.run(authorization(oauth_assertion=Secret("the.word")).obtain_token(DENIED))

    assert web.form()["assertion"] == "the.word"


def test_a_word_that_is_refused_is_not_tried_again_or_otherwise() -> None:
    web = world()
    web.pages[TOKEN] = page({"error": "invalid_grant"}, 400, TOKEN)
    fault = web.run(authorization(oauth_assertion=Secret("the.word")).obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert web.asked.count(f"POST {TOKEN}") == 1


def test_an_enterprise_s_person_needs_no_browser() -> None:
    web = world()
    web.pages["https://idp.example/token"] = page({"access_token": "the.word"})
    wishes = {"oauth_subject_token": Secret("person"), "oauth_idp_token_endpoint": "https://idp.example/token"}
    web.run(authorization(**wishes).obtain_token(DENIED))

    assert web.asked[2:] == ["POST https://idp.example/token", f"POST {TOKEN}"]


# Tokens that are there already.


def test_a_token_that_was_kept_is_used() -> None:
    web = world()
    web.held = kept()

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("old-token", "Bearer", "", "read")
    assert web.asked == [f"GET {PRM}", f"GET {METADATA}"]


def test_a_token_that_is_expired_is_refreshed() -> None:
    web = world()
    web.held = kept(expires_at=NOW, refresh_token="old-refresh")
    web.pages[TOKEN] = page({"access_token": "fresh"})

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("fresh", "Bearer", "old-refresh", "read")
    assert web.form() == {
        "grant_type": "refresh_token",
        "refresh_token": "old-refresh",
        "resource": MCP,
        "client_id": "old",
    }


def test_a_token_that_was_kept_and_is_refused_is_refreshed() -> None:
    web, flow = world(), authorization()
    web.held = kept(refresh_token="old-refresh")
    web.run(flow.obtain_token(DENIED))
    web.pages[TOKEN] = page({"access_token": "fresh", "refresh_token": "new-refresh"})

    assert web.outcome(flow.obtain_token(DENIED)) == Token("fresh", "Bearer", "new-refresh", "read")


def test_a_refresh_token_that_is_refused_leads_to_a_new_authorization() -> None:
    web = world()
    web.held = kept(expires_at=NOW, refresh_token="old-refresh")
    web.pages[TOKEN] = answering(page({"error": "invalid_grant"}, 400, TOKEN), page({"access_token": "fresh"}))

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("fresh", "Bearer", "", "read")


def test_a_refresh_that_cannot_reach_the_server_ends_it() -> None:
    gone = Unreachable("CONNECTION_REFUSED", "no connection")
    web = world()
    web.held = kept(expires_at=NOW, refresh_token="old-refresh")
    web.pages[TOKEN] = Failure(gone)

    assert web.run(authorization().obtain_token(DENIED)).fault == gone


def test_a_refresh_token_of_nobody_is_not_used() -> None:
    web = world()
    web.held = kept(expires_at=NOW, refresh_token="old-refresh")
    del web.held["clients"]
    web.run(authorization().obtain_token(DENIED))

    assert web.form()["grant_type"] == "authorization_code"


@pytest.mark.parametrize(("wished", "reused"), [("read", True), ("write", False)])
def test_a_token_that_was_kept_must_be_for_what_is_wished(wished: str, reused: bool) -> None:  # noqa: FBT001 - a case
    web = world()
    web.held = kept()
    ended = web.run(authorization(oauth_scope=wished).obtain_token(DENIED))

    assert isinstance(ended.result, Token)
    assert (ended.result.access == "old-token") is reused


# More scopes, and proofs.


def test_stepping_up_asks_for_all_scopes_together() -> None:
    web, flow = world(), authorization()
    web.run(flow.obtain_token(DENIED))
    web.run(flow.obtain_token(NARROW))

    assert web.query(f"{AS}/authorize")["scope"] == "read write"
    assert web.asked.count(f"POST {AS}/register") == 1


def test_stepping_up_is_not_done_by_refreshing() -> None:
    web = world()
    web.held = kept(refresh_token="old-refresh")
    web.run(authorization().obtain_token(NARROW))

    assert web.form()["grant_type"] == "authorization_code"
    assert web.query(f"{AS}/authorize")["scope"] == "read write"


def proving() -> Web:
    web = world(dpop_signing_alg_values_supported=["ES256"])
    web.pages[TOKEN] = page({"access_token": "bound", "token_type": "DPoP"})
    return web


def test_a_token_is_bound_to_a_key_where_the_server_wants_that() -> None:
    web, flow = proving(), authorization()
    ended = web.run(flow.obtain_token(HttpFailed(401, MCP, headers=refused(header="DPoP"))))

    assert isinstance(ended.result, Token)
    assert ended.result == Token("bound", "DPoP", "", "read")
    assert flow.algorithm == "ES256"
    assert web.fetched[-1].headers["DPoP"] == "signed.by.test"


def test_a_bound_token_is_not_kept() -> None:
    web = proving()
    web.run(authorization().obtain_token(HttpFailed(401, MCP, headers=refused(header="DPoP"))))

    assert "tokens" not in web.held


def test_a_server_that_wants_its_word_in_the_proof_gets_the_same_token() -> None:
    web, flow = proving(), authorization()
    first = web.run(flow.obtain_token(HttpFailed(401, MCP, headers=refused(header="DPoP"))))
    fetched = len(web.fetched)
    again = HttpFailed(401, MCP, headers=refused(header='DPoP error="use_dpop_nonce"', dpop_nonce="word"))

    assert web.run(flow.obtain_token(again)).result == first.result
    assert len(web.fetched) == fetched


def test_a_server_that_wants_proofs_of_a_kind_that_we_cannot_make_gets_none() -> None:
    fault = world().run(authorization().obtain_token(HttpFailed(401, MCP, headers=refused(header="DPoP")))).fault

    assert isinstance(fault, Unauthorized)
    assert "none of mcpi's algorithms" in fault.problem


# Servers that move.


def moved(web: Web) -> Web:
    """The server's tokens are issued by somebody else from now on."""
    web.pages[PRM] = page({"resource": MCP, "authorization_servers": [OTHER]})
    said = {name: value.replace(AS, OTHER) if isinstance(value, str) else value for name, value in SERVER.items()}
    web.pages[f"{OTHER}/.well-known/oauth-authorization-server"] = page(said)
    web.pages[f"{OTHER}/register"] = page({"client_id": "other-client"}, 201)
    web.pages[f"{OTHER}/authorize"] = back()
    web.pages[f"{OTHER}/token"] = page({"access_token": "other-token"})
    return web


def test_another_issuer_gets_a_registration_of_its_own() -> None:
    web, flow = world(), authorization()
    web.pages[TOKEN] = page({"access_token": "the-token", "refresh_token": "the-refresh"})
    web.run(flow.obtain_token(DENIED))
    ended = moved(web).run(flow.obtain_token(DENIED))

    assert isinstance(ended.result, Token)
    assert ended.result.access == "other-token"
    assert web.query(f"{OTHER}/authorize")["client_id"] == "other-client"
    assert web.form()["client_id"] == "other-client"


def test_a_client_that_was_given_is_not_shown_to_another_issuer() -> None:
    web, flow = world(), authorization(oauth_client_id="mine")
    web.run(flow.obtain_token(DENIED))
    before = len(web.fetched)
    fault = moved(web).run(flow.obtain_token(DENIED)).fault

    assert fault == Unauthorized(
        f"mine is not registered at {OTHER}, the server's new authorization server",
        hints=("register a client there, or omit --oauth-client-id",),
    )
    assert all(one.verb == "GET" for one in web.fetched[before:])


def test_what_was_kept_tells_that_the_server_has_moved() -> None:
    web = moved(world())
    web.held = kept(refresh_token="old-refresh")
    fault = web.run(authorization(oauth_client_id="old").obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert fault.problem == f"old is not registered at {OTHER}, the server's new authorization server"


def test_a_token_of_the_issuer_before_is_not_used() -> None:
    web = moved(world())
    web.held = kept()
    ended = web.run(authorization().obtain_token(DENIED))

    assert isinstance(ended.result, Token)
    assert ended.result.access == "other-token"


# Where it ends.


def test_no_token_is_sent_by_plain_http_to_another_machine() -> None:
    web = Web()
    flow = Authorization("http://mcp.example/mcp", AuthOptions())
    hint = "mcpi does not send tokens over plain HTTP to another machine"

    assert web.run(flow.obtain_token(DENIED)).fault == HttpFailed(401, MCP, headers=refused(), hints=(hint,))
    assert web.fetched == []


def test_where_there_is_no_authorization_server_the_refusal_itself_is_told() -> None:
    web = Web()
    fault = web.run(authorization().obtain_token(HttpFailed(401, MCP, hints=("give a token",)))).fault

    assert isinstance(fault, HttpFailed)
    assert (fault.status, fault.url, fault.hints[0]) == (401, MCP, "give a token")
    assert fault.hints[1].startswith(f"no authorization server found; tried {PRM}, ")
    assert web.asked[-1] == "POST https://mcp.example/register"


def test_a_server_of_before_may_have_nothing_but_endpoints() -> None:
    web = Web(
        {
            "https://mcp.example/register": page({"client_id": "c"}, 201),
            "https://mcp.example/authorize": back(),
            "https://mcp.example/token": page({"access_token": "t"}),
        }
    )

    assert web.outcome(authorization().obtain_token(DENIED)) == Token("t")


def test_a_registration_that_is_refused_is_told() -> None:
    web = world()
    web.pages[f"{AS}/register"] = page({"error": "invalid_client_metadata"}, 400, f"{AS}/register")
    fault = web.run(authorization().obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert fault.problem == f"{AS}/register refused the registration with invalid_client_metadata"


def test_without_pkce_there_is_no_authorization() -> None:
    web = world(code_challenge_methods_supported=None)
    fault = web.run(authorization().obtain_token(DENIED)).fault

    assert isinstance(fault, Unauthorized)
    assert web.asked == [f"GET {PRM}", f"GET {METADATA}"]


def test_an_answer_of_another_issuer_sends_no_code() -> None:
    web = world()
    web.pages[f"{AS}/authorize"] = back(iss="https://evil.example")
    web.run(authorization().obtain_token(DENIED))

    assert f"POST {TOKEN}" not in web.asked


def login(asked: Fetch) -> Response:
    return Response(200, asked.url, {}, "<form>")


def hints_of(web: Web, **wishes: Any) -> tuple[str, ...]:
    web.pages[f"{AS}/authorize"] = login
    fault = web.run(authorization(**wishes).obtain_token(DENIED)).fault
    assert isinstance(fault, Unauthorized)
    assert fault.problem == f"{AS}/authorize requires a user to authorize mcpi"
    return fault.hints


WAITING = "or repeat the command with --auth-open COMMAND, which opens the authorization page and waits"


def test_a_page_that_requires_a_user_ends_with_the_next_command() -> None:
    by_hand, waiting = hints_of(world())

    assert by_hand == (
        "for a URL to open in a browser: "
        f"mcpi oauth/authorize-url {MCP} --oauth-client-id new-client --redirect-uri {LISTENING}"
    )
    assert waiting == WAITING


def test_the_next_command_has_neither_a_secret_nor_a_verifier() -> None:
    told = " ".join(hints_of(world(), oauth_client_id="me", oauth_client_secret=Secret("hush")))

    assert "hush" not in told
    assert "chance" not in told


@pytest.mark.parametrize("wishes", [{}, {"oauth_scope": "read"}])
def test_a_plain_call_neither_registers_nor_opens_a_page(wishes: dict[str, Any]) -> None:
    web = world()
    fault = web.run(authorization(auth="auto", **wishes).obtain_token(DENIED)).fault

    assert web.asked == [f"GET {PRM}", f"GET {METADATA}"]
    register = f"register a client with: mcpi oauth/register {MCP} --redirect-uri URI"
    assert fault == Unauthorized(f"{MCP} requires authorization by a user", hints=(register, WAITING))


@pytest.mark.parametrize("wishes", [{"auth_store": "tokens.json"}, {"auth_open": "true"}])
def test_a_store_and_a_browser_allow_a_registration(wishes: dict[str, Any]) -> None:
    web = world()
    web.run(authorization(auth="auto", **wishes).obtain_token(DENIED))

    assert f"POST {AS}/register" in web.asked


def test_a_document_that_is_not_accepted_does_not_allow_a_registration() -> None:
    web = world()
    fault = web.run(authorization(auth="auto", client_metadata_url=DOCUMENT).obtain_token(DENIED)).fault

    hints = ("--auth register allows mcpi to register one",)
    assert fault == Unauthorized("the authorization server does not accept the given client", hints=hints)

"""Each step to a token, for itself."""

from typing import Any

import pytest

from mcpi.core.aside import Response
from mcpi.core.faults import Invalid, Unauthorized
from mcpi.core.kinds import Secret
from mcpi.core.oauth_methods import Code, discovered, enrolled, prepared, redeemed, refreshed
from mcpi.core.options import AuthOptions
from mcpi.core.pkce import code_challenge
from support.web import AS, LISTENING, MCP, METADATA, PRM, Web, flat, page, refused, world

NO_CODE = Code("", "", None)
GIVEN: Any = {"oauth_client_id": "me", "redirect_uri": LISTENING}


def challenging(**server: object) -> Web:
    """A server that says who lets one in."""
    web = world(**server)
    web.pages[MCP] = Response(401, MCP, refused(header='Bearer scope="wanted"'), "")
    return web


def test_everything_that_is_known_is_printed() -> None:
    web = challenging()
    ended = web.run(discovered(MCP, AuthOptions()))

    assert isinstance(ended.result, dict)
    assert (ended.result["resource"], ended.result["scope"]) == (MCP, "wanted")
    assert web.asked == [f"POST {MCP}", f"GET {PRM}", f"GET {METADATA}"]


def test_a_client_is_registered_for_what_is_wanted() -> None:
    web = challenging(scopes_supported=["offline_access"])
    ended = web.run(enrolled(MCP, AuthOptions(redirect_uri=LISTENING, client_name="us")))

    assert ended.result is not None
    assert '"client_name":"us"' in web.fetched[-1].body
    assert '"scope":"wanted offline_access"' in web.fetched[-1].body


def test_a_url_is_prepared_with_what_must_be_kept() -> None:
    web = challenging()
    ended = web.run(prepared(MCP, AuthOptions(**GIVEN, oauth_resource="urn:mine")))

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
    assert flat(url.partition("?")[2])["code_challenge"] == code_challenge("chance-2")


def test_a_document_may_be_who_we_are() -> None:
    web = challenging()
    web.run(prepared(MCP, AuthOptions(client_metadata_url="https://me.example/c.json", redirect_uri=LISTENING)))

    assert f"POST {AS}/token" not in web.asked


def test_without_a_scope_none_is_printed() -> None:
    web = world()
    web.pages[PRM] = page({"resource": MCP, "authorization_servers": [AS]})
    ended = web.run(prepared(MCP, AuthOptions(**GIVEN)))

    assert isinstance(ended.result, dict)
    assert ended.result["scope"] is None


def test_a_code_is_redeemed() -> None:
    web = challenging()
    ended = web.run(redeemed(MCP, AuthOptions(**GIVEN), Code("c", "v", AS)))

    assert ended.fault is None
    assert web.form() == {
        "grant_type": "authorization_code",
        "code": "c",
        "code_verifier": "v",
        "redirect_uri": LISTENING,
        "resource": MCP,
        "client_id": "me",
    }


def test_a_code_may_be_a_document_s() -> None:
    web = challenging()
    wishes = AuthOptions(client_metadata_url="https://me.example/c.json", redirect_uri=LISTENING)
    web.run(redeemed(MCP, wishes, Code("c", "v", None)))

    assert web.form()["client_id"] == "https://me.example/c.json"


def test_a_code_of_another_issuer_is_not_sent() -> None:
    web = challenging()
    fault = web.run(redeemed(MCP, AuthOptions(**GIVEN), Code("c", "v", "https://evil.example"))).fault

    assert isinstance(fault, Unauthorized)
    assert f"POST {AS}/token" not in web.asked


@pytest.mark.parametrize(
    ("wishes", "code", "flag"),
    [
        ({"redirect_uri": LISTENING}, Code("c", "v", None), "--oauth-client-id"),
        ({"oauth_client_id": "me"}, Code("c", "v", None), "--redirect-uri"),
        (GIVEN, Code("c", "", None), "--oauth-code-verifier"),
        (GIVEN, NO_CODE, "--oauth-code"),
        ({"oauth_grant": "client_credentials"}, NO_CODE, "--oauth-client-id"),
        ({"oauth_grant": "jwt-bearer"}, NO_CODE, "--oauth-assertion"),
        ({"oauth_grant": "token-exchange"}, NO_CODE, "--oauth-subject-token"),
    ],
)
def test_what_is_missing_is_named(wishes: dict[str, Any], code: Code, flag: str) -> None:
    web = challenging()
    fault = web.run(redeemed(MCP, AuthOptions(**wishes), code)).fault

    assert isinstance(fault, Invalid)
    assert (fault.code, fault.where) == ("MISSING_ARGUMENT", flag)
    assert f"POST {AS}/token" not in web.asked


def test_a_client_gets_a_token_for_itself() -> None:
    web = challenging()
    wishes = AuthOptions(oauth_grant="client_credentials", oauth_client_id="me", oauth_client_secret=Secret("hush"))

    assert web.run(redeemed(MCP, wishes, NO_CODE)).fault is None
    assert (web.form()["grant_type"], web.form()["scope"]) == ("client_credentials", "wanted")


def test_a_word_gets_a_token() -> None:
    web = challenging()

    assert web.run(redeemed(MCP, AuthOptions(oauth_assertion=Secret("word")), NO_CODE)).fault is None
    assert web.form()["assertion"] == "word"


def test_an_exchange_prints_the_word_itself() -> None:
    web = challenging()
    web.pages["https://idp.example/token"] = page({"access_token": "the.word", "token_type": "N_A"})
    wishes = AuthOptions(oauth_subject_token=Secret("p"), oauth_idp_token_endpoint="https://idp.example/token")
    ended = web.run(redeemed(MCP, wishes, NO_CODE))

    assert ended.fault is None
    assert f"POST {AS}/token" not in web.asked


def test_a_refresh_token_gets_a_new_one() -> None:
    web = challenging()
    web.run(refreshed(MCP, AuthOptions(oauth_client_id="me", oauth_scope="read"), "r"))

    assert web.form() == {
        "grant_type": "refresh_token",
        "refresh_token": "r",
        "resource": MCP,
        "scope": "read",
        "client_id": "me",
    }


def test_a_refresh_token_is_somebody_s() -> None:
    fault = challenging().run(refreshed(MCP, AuthOptions(), "r")).fault

    assert fault == Invalid("MISSING_ARGUMENT", "--oauth-client-id", "this grant needs it")


@pytest.mark.parametrize(
    ("plan", "flag", "by"),
    [
        (enrolled(MCP, AuthOptions()), "--redirect-uri", "oauth/register"),
        (prepared(MCP, AuthOptions()), "--oauth-client-id", "oauth/authorize-url"),
        (prepared(MCP, AuthOptions(oauth_client_id="me")), "--redirect-uri", "oauth/authorize-url"),
    ],
)
def test_what_is_missing_costs_no_exchange(plan: Any, flag: str, by: str) -> None:
    web = Web()

    assert web.run(plan).fault == Invalid("MISSING_ARGUMENT", flag, f"{by} needs it")
    assert web.fetched == []

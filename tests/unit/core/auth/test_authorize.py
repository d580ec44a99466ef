"""Authorization requests, and validation of their responses."""

from urllib.parse import urlsplit

import pytest

from mcpi.core.auth.authorize import (
    MAX_REDIRECTS,
    AuthorizationRequest,
    authorization_request,
    code_from_redirect,
    follow_redirects,
    issuer_mismatch,
)
from mcpi.core.auth.metadata import Issuer, TokenSource
from mcpi.core.auth.proofs import code_challenge
from mcpi.core.outcome.faults import Unauthorized, Unreachable
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.world_steps import Response
from support.replay import exact
from support.web import AS, LISTENING, MCP, SERVER, FakeWeb, form_fields

SITE = TokenSource(MCP, MCP, Issuer(AS, exact(SERVER)))
NAMING = TokenSource(MCP, MCP, Issuer(AS, exact({**SERVER, "authorization_response_iss_parameter_supported": True})))
ASKED = AuthorizationRequest(f"{AS}/authorize?a=b", "st", "ver", LISTENING)


def test_request_has_state_redirect_uri_and_pkce_challenge() -> None:
    outcome = authorization_request(SITE, "me", LISTENING, "read write", ("st", "ver"))

    assert isinstance(outcome, Success)
    request = outcome.unwrap()
    assert (request.state, request.verifier, request.redirect_uri) == ("st", "ver", LISTENING)
    assert form_fields(urlsplit(request.url).query) == {
        "response_type": "code",
        "client_id": "me",
        "redirect_uri": LISTENING,
        "state": "st",
        "code_challenge": code_challenge("ver"),
        "code_challenge_method": "S256",
        "resource": MCP,
        "scope": "read write",
    }


def test_query_of_the_authorization_endpoint_is_kept() -> None:
    known = Issuer(AS, exact({"authorization_endpoint": f"{AS}/authorize?tenant=1"}))
    outcome = authorization_request(TokenSource(MCP, MCP, known), "me", LISTENING, "", ("st", "ver"))

    assert isinstance(outcome, Success)
    query = form_fields(urlsplit(outcome.unwrap().url).query)
    assert (query["tenant"], "scope" in query) == ("1", False)


def test_missing_authorization_endpoint_is_an_error() -> None:
    problem = f"the authorization server {AS} has no authorization_endpoint"

    assert authorization_request(TokenSource(MCP, MCP, Issuer(AS)), "me", LISTENING, "", ("a", "b")) == Failure(
        Unauthorized(problem)
    )


def test_code_is_read_from_a_redirect_with_matching_state() -> None:
    assert code_from_redirect(f"{LISTENING}?code=c%2B&state=st", "st", SITE) == Success("c+")
    assert code_from_redirect(f"{LISTENING}?code=c&state=st&iss=https%3A%2F%2Fas.example", "st", NAMING) == Success("c")


@pytest.mark.parametrize("answer", ["code=c&state=other", "code=c", "error=access_denied"])
def test_response_with_a_different_state_is_rejected(answer: str) -> None:
    problem = "the state in the authorization response differs from that in the request"

    assert code_from_redirect(f"{LISTENING}?{answer}", "st", SITE) == Failure(Unauthorized(problem))


def test_response_without_a_code_is_rejected() -> None:
    problem = "the authorization response has no code"

    assert code_from_redirect(f"{LISTENING}?state=st&code=", "st", SITE) == Failure(Unauthorized(problem))


def test_error_response_is_reported_with_its_fields() -> None:
    answer = f"{LISTENING}?state=st&error=access_denied&error_description=no"

    assert code_from_redirect(answer, "st", SITE) == Failure(
        Unauthorized(
            f"{AS} denied the authorization with access_denied: no",
            details={"error": "access_denied", "error_description": "no"},
        )
    )


def test_error_from_another_issuer_is_not_quoted() -> None:
    outcome = code_from_redirect(
        f"{LISTENING}?state=st&error=x&error_description=lies&iss=https://evil.example", "st", SITE
    )

    assert isinstance(outcome, Failure)
    assert "lies" not in str(outcome.failure())


@pytest.mark.parametrize("site", [SITE, NAMING])
@pytest.mark.parametrize(
    "named", [f"{AS}/", "https://AS.example", "https://as.example:443", "https://evil.example", ""]
)
def test_issuer_is_compared_character_by_character(named: str, site: TokenSource) -> None:
    assert issuer_mismatch(named, site) == Unauthorized(
        f"the authorization response is from {named}, not from {AS}",
        hints=("mcpi discarded the code, as it may come from another authorization server",),
    )


def test_missing_iss_parameter_is_rejected_if_advertised() -> None:
    assert issuer_mismatch(None, NAMING) == Unauthorized(
        f"the authorization response lacks the iss parameter that {AS} always sends"
    )
    assert issuer_mismatch(None, SITE) is None
    assert issuer_mismatch(AS, NAMING) is None


def redirect(location: str) -> Response:
    return Response(302, f"{AS}/authorize", {"location": location}, "")


def test_redirects_are_followed_to_the_redirect_uri() -> None:
    web = FakeWeb(
        {f"{AS}/authorize": redirect("/consent?x"), f"{AS}/consent": redirect(f"{LISTENING}?code=c&state=st")}
    )

    assert web.run(follow_redirects(ASKED, ())) == PlanResult(f"{LISTENING}?code=c&state=st")
    assert web.requests == [f"GET {AS}/authorize", f"GET {AS}/consent"]


def test_html_page_means_that_a_user_must_authorize() -> None:
    web = FakeWeb({f"{AS}/authorize": Response(200, f"{AS}/authorize", {}, "<form>")})

    assert web.run(follow_redirects(ASKED, ("then do this",))) == PlanResult(
        None, Unauthorized(f"{AS}/authorize requires a user to authorize mcpi", hints=("then do this",))
    )


def test_body_of_an_error_page_is_quoted() -> None:
    web = FakeWeb({f"{AS}/authorize": Response(400, f"{AS}/authorize", {}, " unknown client ")})

    assert web.run(follow_redirects(ASKED, ())) == PlanResult(
        None,
        Unauthorized(f"{AS}/authorize rejected the authorization request with HTTP status 400", ("unknown client",)),
    )


def test_redirect_without_location_means_that_a_user_must_authorize() -> None:
    web = FakeWeb({f"{AS}/authorize": Response(302, f"{AS}/authorize", {}, "")})
    ended = web.run(follow_redirects(ASKED, ()))

    assert isinstance(ended.fault, Unauthorized)
    assert ended.fault.problem == f"{AS}/authorize requires a user to authorize mcpi"


def test_redirect_to_an_invalid_url_is_not_followed() -> None:
    web = FakeWeb({f"{AS}/authorize": redirect("http://[::1")})

    assert web.run(follow_redirects(ASKED, ())) == PlanResult(
        None, Unauthorized("the authorization endpoint redirects to '', which is not a secure URL")
    )


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://evil.example/login", "'http://evil.example/login', which is not a secure URL"),
        ("http://127.0.0.1:6379/x", "the local address http://127.0.0.1:6379/x"),
        ("https://localhost/x", "the local address https://localhost/x"),
    ],
)
def test_redirect_to_plain_http_or_localhost_is_not_followed(url: str, shown: str) -> None:
    web = FakeWeb({f"{AS}/authorize": redirect(f"{url}?secret")})

    assert web.run(follow_redirects(ASKED, ())) == PlanResult(
        None, Unauthorized(f"the authorization endpoint redirects to {shown}")
    )


def test_number_of_redirects_is_limited() -> None:
    web = FakeWeb({f"{AS}/authorize": redirect("/authorize")})
    problem = f"the authorization endpoint redirects more than {MAX_REDIRECTS} times"

    assert web.run(follow_redirects(ASKED, ("wait",))) == PlanResult(None, Unauthorized(problem, hints=("wait",)))
    assert len(web.fetched) == MAX_REDIRECTS


def test_failed_connection_ends_the_authorization() -> None:
    fault = Unreachable("CONNECTION_REFUSED", "no connection")

    assert FakeWeb({f"{AS}/authorize": Failure(fault)}).run(follow_redirects(ASKED, ())) == PlanResult(None, fault)

"""The authorization request and its redirect."""

from urllib.parse import parse_qs, urlencode, urlsplit

from mcpi.core.auth import proofs
from mcpi.core.auth.access_token import oauth_error_fault
from mcpi.core.auth.endpoint_urls import is_secure, may_refer_to
from mcpi.core.auth.metadata import TokenSource
from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Fault, Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, fetch, must, stop
from mcpi.core.plans.world_steps import Fetch, Response
from mcpi.core.wire.urls import join_url
from mcpi.core.wire.violations import quote

MAX_REDIRECTS = 10
"""Maximum number of redirects to follow."""
_REDIRECTS = range(300, 400)
_ERRORS = 400


@frozen
class AuthorizationRequest:
    """An authorization request, with the values that its response must match."""

    url: str
    state: str
    verifier: str
    redirect_uri: str


def authorization_request(
    site: TokenSource, client_id: str, redirect_uri: str, scope: str, drawn: tuple[str, str]
) -> Result[AuthorizationRequest]:
    """Build the request; `drawn` holds its random state and PKCE verifier."""
    match site.issuer.safe_endpoint("authorization_endpoint"):
        case Success(url):
            pass
        case Failure() as failed:
            return failed
    state, verifier = drawn
    parameters = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "state": state,
        "code_challenge": proofs.code_challenge(verifier),
        "code_challenge_method": proofs.CHALLENGE_METHOD,
        # MCP 2025-11-25, authorization: resource "MUST be included in both authorization requests and token requests".
        "resource": site.resource,
    }
    parameters |= {"scope": scope} if scope else {}
    glue = "&" if urlsplit(url).query else "?"
    return Success(AuthorizationRequest(f"{url}{glue}{urlencode(parameters)}", state, verifier, redirect_uri))


def code_from_redirect(answer: str, state: str, site: TokenSource) -> Result[str]:
    """Return the authorization code, if the redirect matches the request and the issuer."""
    parameters = {name: values[-1] for name, values in parse_qs(urlsplit(answer).query, keep_blank_values=True).items()}
    if parameters.get("state") != state:
        return Failure(Unauthorized("the state in the authorization response differs from that in the request"))
    wrong = issuer_mismatch(parameters.get("iss"), site)
    if wrong is not None:
        return Failure(wrong)
    if "error" in parameters:
        return Failure(
            oauth_error_fault(parameters["error"], parameters, f"{site.issuer.identifier} denied the authorization")
        )
    if not parameters.get("code"):
        return Failure(Unauthorized("the authorization response has no code"))
    return Success(parameters["code"])


def issuer_mismatch(named: str | None, site: TokenSource) -> Unauthorized | None:
    """Return the fault if the response names the wrong issuer, or lacks a required one."""
    # RFC 9207 section 2.4, and MCP 2026-07-28, authorization response validation: simple string comparison, also
    # for error responses, and also if the server does not announce the parameter.
    issuer = site.issuer.identifier
    if named is None and site.issuer.supports("authorization_response_iss_parameter_supported"):
        return Unauthorized(f"the authorization response lacks the iss parameter that {issuer} always sends")
    if named is not None and named != issuer:
        hint = "mcpi discarded the code, as it may come from another authorization server"
        return Unauthorized(f"the authorization response is from {named}, not from {issuer}", hints=(hint,))
    return None


def follow_redirects(request: AuthorizationRequest, hints: tuple[str, ...]) -> Steps[str]:
    """Follow the redirects without a browser; `hints` go into the fault if the server requires a user."""
    url = request.url
    for _ in range(MAX_REDIRECTS):
        response = yield from must((yield from fetch(Fetch(url, headers={"accept": "text/html"}))))
        location = response.headers.get("location")
        if response.status not in _REDIRECTS or location is None:
            return (yield from stop(_no_redirect(response, request, hints)))
        url = join_url(url, location)
        if url.partition("?")[0] == request.redirect_uri.partition("?")[0]:
            return url
        if not (is_secure(url) and may_refer_to(request.url, url)):
            address = url.partition("?")[0]
            yield from stop(
                Unauthorized(
                    f"the authorization endpoint redirects to the local address {address}"
                    if is_secure(url)
                    else f"the authorization endpoint redirects to {address!r}, which is not a secure URL"
                )
            )
    problem = f"the authorization endpoint redirects more than {MAX_REDIRECTS} times"
    return (yield from stop(Unauthorized(problem, hints=hints)))


def _no_redirect(response: Response, request: AuthorizationRequest, hints: tuple[str, ...]) -> Fault:
    """Build the fault for a response that does not redirect."""
    address = request.url.partition("?")[0]
    if response.status >= _ERRORS:
        problem = f"{address} rejected the authorization request with HTTP status {response.status}"
        return Unauthorized(problem, (quote(response.body.strip()),))
    return Unauthorized(f"{address} requires a user to authorize mcpi", hints=hints)

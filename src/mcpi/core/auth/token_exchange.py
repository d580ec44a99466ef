"""Requests to an authorization server, as the steps of a plan."""

from collections.abc import Mapping
from typing import TypeVar, cast

from attrs import evolve

from mcpi.core.auth import proofs
from mcpi.core.auth.access_token import granted_document
from mcpi.core.auth.metadata import Issuer, TokenSource, parse
from mcpi.core.auth.oauth_client import (
    OAuthClient,
    assertion_claims,
    authenticated_form,
    parse_registration,
    preferred_auth_method,
    register_request,
    registration_metadata,
    token_request,
)
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json, JsonObject, as_object, as_text
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, catch_failure, fetch, must
from mcpi.core.plans.world_steps import (
    Fetch,
    ListenForRedirect,
    LoadStored,
    LockStored,
    MarkSecret,
    RandomToken,
    Response,
    Sign,
    Store,
    UnlockStored,
    WallClock,
)
from mcpi.core.wire.challenge import DPOP_NONCE_HEADER

_REFUSALS = (400, 401)
T = TypeVar("T")


@frozen
class TokenResponse:
    """The response of a token endpoint, and its time of arrival."""

    document: Exact
    at: int


def random_token() -> Steps[str]:
    """Return a random string that cannot be guessed."""
    return cast("str", (yield RandomToken()))


def wall_clock() -> Steps[int]:
    """Return the time in seconds since 1970."""
    return cast("int", (yield WallClock()))


def mark_secret(*secrets: str) -> Steps[None]:
    """Mask the strings in all output from now on."""
    yield MarkSecret(tuple(secret for secret in secrets if secret))


def sign(wanted: Sign) -> Steps[str]:
    """Sign a JWT."""
    return (yield from must(cast("Result[str]", (yield wanted))))


def loopback(wanted: str = "") -> Steps[str]:
    """Start a listener on loopback and return its redirect URI."""
    return (yield from must(cast("Result[str]", (yield ListenForRedirect(wanted)))))


def load_stored() -> Steps[JsonObject]:
    """Return the stored tokens and registrations."""
    return (yield from must(cast("Result[JsonObject]", (yield LoadStored()))))


def while_locked(steps: Steps[T]) -> Steps[T]:
    """Run the steps while no other run can change the stored data."""
    yield from must(cast("Result[None]", (yield LockStored())))
    outcome = yield from catch_failure(steps)
    yield UnlockStored()
    return (yield from must(outcome))


def store(section: str, name: str, value: Mapping[str, Printable] | None) -> Steps[None]:
    """Store an entry for the next run."""
    yield from must(cast("Result[None]", (yield Store(section, name, value))))


def register_client(issuer: Issuer, name: str, redirect_uri: str, scope: str) -> Steps[tuple[Exact, OAuthClient]]:
    """Register a client; return the response and the client."""
    metadata = registration_metadata(issuer, name, redirect_uri, scope)
    request = yield from must(register_request(issuer, metadata))
    response = yield from must((yield from fetch(request)))
    document = yield from must(granted_document(response, "the registration"))
    client = yield from must(parse_registration(document, preferred_auth_method(issuer), redirect_uri))
    yield from mark_secret(client.secret, as_text(as_object(document.value).get("registration_access_token")))
    return document, client


def request_token(site: TokenSource, client: OAuthClient, grant: Mapping[str, str]) -> Steps[TokenResponse]:
    """Send the grant to the token endpoint and return the response."""
    assertion = yield from _assertion(site.issuer, client)
    request = yield from must(token_request(site.issuer, client, grant, assertion))
    return (yield from _request_token(request, site, f"the {grant['grant_type'].rpartition(':')[2]} grant"))


def request_token_at(url: str, client: OAuthClient, grant: Mapping[str, str]) -> Steps[TokenResponse]:
    """Send the grant to another token endpoint, such as that of an identity provider."""
    plain = TokenSource("", "", Issuer(url))
    return (yield from _request_token(authenticated_form(url, client, grant), plain, "the token exchange"))


def _request_token(request: Fetch, site: TokenSource, what: str) -> Steps[TokenResponse]:
    response = yield from (_send_with_proof(request, site) if site.bound else _send(request))
    document = yield from must(granted_document(response, what))
    return TokenResponse(document, (yield from wall_clock()))


def _send(request: Fetch) -> Steps[Response]:
    return (yield from must((yield from fetch(request))))


def _assertion(issuer: Issuer, client: OAuthClient) -> Steps[str]:
    if client.auth_method != "private_key_jwt":
        return ""
    at, unique = (yield from wall_clock()), (yield from random_token())
    claims = assertion_claims(issuer, client, at, unique)
    signed = yield from sign(Sign(claims, client.key, client.algorithm))
    yield from mark_secret(signed)
    return signed


def proof_algorithm(issuer: Issuer) -> Result[str]:
    """Select the algorithm that signs proofs, or return a failure."""
    supported = issuer.string_list("dpop_signing_alg_values_supported") or ()
    chosen = proofs.dpop_algorithm(supported)
    if chosen:
        return Success(chosen)
    listed = ", ".join(supported) or "none"
    problem = f"the server requires tokens bound to a key, but {issuer.identifier} supports none of mcpi's algorithms"
    return Failure(Unauthorized(problem, (f"dpop_signing_alg_values_supported: {listed}",)))


def _send_with_proof(request: Fetch, site: TokenSource) -> Steps[Response]:
    """Send the request with a DPoP proof; repeat it once if the server requires a nonce."""
    algorithm = yield from must(proof_algorithm(site.issuer))
    nonce = ""
    while True:
        at, unique = (yield from wall_clock()), (yield from random_token())
        claims = proofs.dpop_claims(request.verb, request.url, at, unique, nonce)
        proof = yield from sign(Sign(claims, algorithm=algorithm, kind=proofs.KIND))
        response = yield from _send(evolve(request, headers={**request.headers, proofs.SCHEME: proof}))
        offered = response.headers.get(DPOP_NONCE_HEADER, "")
        # RFC 9449 section 8: "400 (Bad Request) [...] use_dpop_nonce", and the nonce in the header DPoP-Nonce.
        if nonce or not offered or response.status not in _REFUSALS or _error(response) != proofs.USE_DPOP_NONCE:
            return response
        nonce = offered


def _error(response: Response) -> str:
    document = parse(response.body)
    value: Json = document.value if document is not None else None
    return as_text(as_object(value).get("error"))

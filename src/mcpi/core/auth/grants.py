"""Grants without user interaction: client credentials, JWT bearer, and token exchange."""

from typing import Literal, TypeAlias

from mcpi.core.auth.access_token import assertion_grant, client_grant, exchange_grant
from mcpi.core.auth.endpoint_urls import is_secure
from mcpi.core.auth.metadata import Issuer, TokenSource
from mcpi.core.auth.oauth_client import OAuthClient, known_client
from mcpi.core.auth.token_exchange import TokenResponse, mark_secret, request_token, request_token_at
from mcpi.core.flags.options import AuthOptions
from mcpi.core.flags.pairs import invalid
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, must
from mcpi.core.secrets.detection import mask_url

Grant: TypeAlias = Literal["authorization_code", "client_credentials", "jwt-bearer", "token-exchange"]


def grant_of(options: AuthOptions, issuer: Issuer) -> Grant:
    """Return the requested grant, or else select one by the given options and the issuer's metadata."""
    if options.oauth_grant is not None:
        return options.oauth_grant
    if options.oauth_subject_token is not None:
        return "token-exchange"
    if options.oauth_assertion is not None:
        return "jwt-bearer"
    offered = issuer.string_list("grant_types_supported") or ("authorization_code",)
    proves = options.oauth_client_secret is not None or options.oauth_private_key is not None
    alone = proves and "client_credentials" in offered and "authorization_code" not in offered
    return "client_credentials" if alone else "authorization_code"


def given_client(options: AuthOptions, issuer: Issuer) -> OAuthClient | None:
    """Return the client that the user names."""
    if options.oauth_client_id is None:
        return None
    secret, key = options.oauth_client_secret or "", options.oauth_private_key or ""
    return known_client(issuer, options.oauth_client_id, secret, key, options.oauth_signing_alg or "")


def require_flag(flag: str, value: str | None, needed_by: str) -> Result[str]:
    """Return the value of a flag that is required by a grant or a method, or a failure if it is missing."""
    return Success(value) if value else Failure(Invalid("MISSING_ARGUMENT", flag, f"{needed_by} requires {flag}"))


def client_credentials(site: TokenSource, client: OAuthClient, scope: str) -> Steps[TokenResponse]:
    """Obtain a token with the client credentials grant."""
    if client.auth_method == "none":
        hints = ("add --oauth-client-secret env:NAME or --oauth-private-key FILE",)
        yield from must(
            invalid(
                "--oauth-grant", "the client_credentials grant requires a client with a secret or a private key", *hints
            )
        )
    return (yield from request_token(site, client, client_grant(site.resource, scope)))


def jwt_bearer(
    site: TokenSource, client: OAuthClient | None, scope: str, assertion: str | None
) -> Steps[TokenResponse]:
    """Obtain a token for a signed assertion; there is no fallback to another grant."""
    signed = yield from must(require_flag("--oauth-assertion", assertion, "the jwt-bearer grant"))
    return (yield from request_token(site, client or OAuthClient(""), assertion_grant(signed, site.resource, scope)))


def exchange(site: TokenSource, options: AuthOptions, scope: str) -> Steps[TokenResponse]:
    """Obtain an assertion about a user from the identity provider, for the server's authorization server."""
    subject = yield from must(
        require_flag("--oauth-subject-token", options.oauth_subject_token, "the token-exchange grant")
    )
    named = options.oauth_idp_token_endpoint
    endpoint = yield from must(require_flag("--oauth-idp-token-endpoint", named, "the token-exchange grant"))
    if not is_secure(endpoint):
        hint = "secrets are sent only over https, or over http to this machine"
        yield from must(invalid("--oauth-idp-token-endpoint", f"{mask_url(endpoint)} is not secure", hint))
    secret = options.oauth_idp_client_secret or ""
    client = OAuthClient(options.oauth_idp_client_id or "", secret, "client_secret_post" if secret else "none")
    grant = exchange_grant(subject, options.oauth_subject_token_type, site.issuer.identifier, site.resource, scope)
    return (yield from request_token_at(endpoint, client, grant))


def identity_assertion(
    site: TokenSource, client: OAuthClient | None, scope: str, options: AuthOptions
) -> Steps[TokenResponse]:
    """Obtain a token in two steps: token exchange at the identity provider, then the JWT bearer grant."""
    # MCP ext-auth, enterprise-managed authorization, section 2: token exchange, then the JWT authorization grant.
    exchanged = yield from exchange(site, options, scope)
    signed = as_text(as_object(exchanged.document.value).get("access_token"))
    yield from mark_secret(signed)
    return (yield from jwt_bearer(site, client, scope, signed))

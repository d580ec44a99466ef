"""The grants that need no person: a client for itself, a signed word, an identity provider's."""

from typing import Literal, TypeAlias

from mcpi.core.auth.access_token import assertion_grant, client_grant, exchange_grant
from mcpi.core.auth.endpoint_urls import is_secure
from mcpi.core.auth.metadata import Issuer, Site
from mcpi.core.auth.oauth_client import OAuthClient, known_client
from mcpi.core.auth.token_exchange import TokenResponse, mark_secret, obtain, obtain_at
from mcpi.core.flags.options import AuthOptions
from mcpi.core.flags.pairs import invalid
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, must

Grant: TypeAlias = Literal["authorization_code", "client_credentials", "jwt-bearer", "token-exchange"]


def grant_of(wishes: AuthOptions, issuer: Issuer) -> Grant:
    """The grant that was asked for, or the one that what is given and what is offered leave."""
    if wishes.oauth_grant is not None:
        return wishes.oauth_grant
    if wishes.oauth_subject_token is not None:
        return "token-exchange"
    if wishes.oauth_assertion is not None:
        return "jwt-bearer"
    offered = issuer.said("grant_types_supported") or ("authorization_code",)
    proves = wishes.oauth_client_secret is not None or wishes.oauth_private_key is not None
    alone = proves and "client_credentials" in offered and "authorization_code" not in offered
    return "client_credentials" if alone else "authorization_code"


def given_client(wishes: AuthOptions, issuer: Issuer) -> OAuthClient | None:
    """The client that the user names."""
    if wishes.oauth_client_id is None:
        return None
    secret, key = wishes.oauth_client_secret or "", wishes.oauth_private_key or ""
    return known_client(issuer, wishes.oauth_client_id, secret, key, wishes.oauth_signing_alg or "")


def needed(flag: str, value: str | None, what: str) -> Result[str]:
    """The value of a flag that a grant or a method cannot do without."""
    return Success(value) if value else Failure(Invalid("MISSING_ARGUMENT", flag, f"{what} needs it"))


def client_credentials(site: Site, client: OAuthClient, scope: str) -> Steps[TokenResponse]:
    """The token of a client that acts for itself."""
    if client.way == "none":
        hints = ("--oauth-client-secret env:NAME", "--oauth-private-key FILE")
        yield from must(
            invalid("--oauth-grant", "the client_credentials grant needs a client that proves itself", *hints)
        )
    return (yield from obtain(site, client, client_grant(site.resource, scope)))


def jwt_bearer(site: Site, client: OAuthClient | None, scope: str, assertion: str | None) -> Steps[TokenResponse]:
    """The token for a signed word about us; it is tried once, another grant would not be what was meant."""
    word = yield from must(needed("--oauth-assertion", assertion, "the jwt-bearer grant"))
    return (yield from obtain(site, client or OAuthClient(""), assertion_grant(word, site.resource, scope)))


def exchange(site: Site, wishes: AuthOptions, scope: str) -> Steps[TokenResponse]:
    """The identity provider's word about a person, made for the server's authorization server."""
    subject = yield from must(needed("--oauth-subject-token", wishes.oauth_subject_token, "the token-exchange grant"))
    named = wishes.oauth_idp_token_endpoint
    endpoint = yield from must(needed("--oauth-idp-token-endpoint", named, "the token-exchange grant"))
    if not is_secure(endpoint):
        yield from must(invalid("--oauth-idp-token-endpoint", "secrets are sent over https, or to this machine"))
    secret = wishes.oauth_idp_client_secret or ""
    client = OAuthClient(wishes.oauth_idp_client_id or "", secret, "client_secret_post" if secret else "none")
    grant = exchange_grant(subject, wishes.oauth_subject_token_type, site.issuer.identifier, site.resource, scope)
    return (yield from obtain_at(endpoint, client, grant))


def identity_assertion(site: Site, client: OAuthClient | None, scope: str, wishes: AuthOptions) -> Steps[TokenResponse]:
    """The token for an identity provider's word: exchanged there, shown here."""
    # MCP ext-auth, enterprise-managed authorization, section 2: token exchange, then the JWT authorization grant.
    exchanged = yield from exchange(site, wishes, scope)
    word = as_text(as_object(exchanged.document.value).get("access_token"))
    yield from mark_secret(word)
    return (yield from jwt_bearer(site, client, scope, word))

"""Methods oauth/discover, register, authorize-url, token and refresh: the individual steps to get a token."""

from collections.abc import Callable
from typing import TypeVar

from mcpi.core.auth.access_token import code_grant, refresh_grant
from mcpi.core.auth.authorize import authorization_request, issuer_mismatch
from mcpi.core.auth.grants import client_credentials, exchange, given_client, grant_of, jwt_bearer, require_flag
from mcpi.core.auth.metadata import TokenSource, as_output, checked_pkce, first_scope, with_offline
from mcpi.core.auth.metadata_discovery import discover as discover_site
from mcpi.core.auth.metadata_discovery import probe
from mcpi.core.auth.oauth_client import OAuthClient
from mcpi.core.auth.token_exchange import random_token, register_client, request_token
from mcpi.core.flags.options import AuthOptions
from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    Address,
    AnyMethod,
    Exact,
    Failure,
    Invalid,
    Method,
    Plan,
    Result,
    Secret,
    Steps,
    Success,
    hookimpl,
    must,
    stop,
)


@frozen(kw_only=True)
class DiscoverAuthorization(AuthOptions):
    """Find the source of a server's tokens."""

    server_url: Address | None = None
    """URL of the MCP server (default: the target)."""


@frozen(kw_only=True)
class RegisterClient(DiscoverAuthorization):
    """Register a new client."""


@frozen(kw_only=True)
class AuthorizeUrl(DiscoverAuthorization):
    """Build the URL that a user opens."""


@frozen(kw_only=True)
class RequestToken(DiscoverAuthorization):
    """Request a token for a grant."""

    oauth_code: Secret | None = None
    """Authorization code from the redirect URL."""
    oauth_code_verifier: Secret | None = None
    """PKCE verifier printed by oauth/authorize-url."""
    oauth_iss: Address | None = None
    """The iss parameter of the redirect URL."""


@frozen(kw_only=True)
class RefreshToken(DiscoverAuthorization):
    """Exchange a refresh token for a new token."""

    oauth_refresh_token: Secret
    """The refresh token."""


D = TypeVar("D", bound=DiscoverAuthorization)


def _site(args: DiscoverAuthorization) -> Steps[TokenSource]:
    server = yield from must(require_flag("--server-url", args.server_url, "this method"))
    challenge, attempt = yield from probe(server)
    return (yield from discover_site(server, challenge, args.oauth_resource or "", (attempt,)))


def discover(args: DiscoverAuthorization) -> Plan:
    """Return the metadata as received, the resource, the scope to request, and each attempt."""
    return as_output((yield from _site(args)))


def register(args: RegisterClient) -> Plan:
    """Register a client and return the response as received."""
    redirect_uri = yield from must(require_flag("--redirect-uri", args.redirect_uri, "oauth/register"))
    site = yield from _site(args)
    scope = with_offline(first_scope(site, args.oauth_scope or ""), site.issuer)
    document, _ = yield from register_client(site.issuer, args.client_name, redirect_uri, scope)
    return document


def authorize_url(args: AuthorizeUrl) -> Plan:
    """Return the authorization URL, and the values needed to redeem the code."""
    name = args.oauth_client_id or args.client_metadata_url
    client_id = yield from must(require_flag("--oauth-client-id", name, "oauth/authorize-url"))
    redirect_uri = yield from must(require_flag("--redirect-uri", args.redirect_uri, "oauth/authorize-url"))
    site = yield from _site(args)
    yield from must(checked_pkce(site))
    scope = with_offline(first_scope(site, args.oauth_scope or ""), site.issuer)
    drawn = ((yield from random_token()), (yield from random_token()))
    asked = yield from must(authorization_request(site, client_id, redirect_uri, scope, drawn))
    kept = {"state": asked.state, "code_verifier": asked.verifier, "issuer": site.issuer.identifier}
    return {"url": asked.url, **kept, "resource": site.resource, "scope": scope or None, "redirect_uri": redirect_uri}


def token(args: RequestToken) -> Plan:
    """Request a token and return the response as received."""
    if args.oauth_grant in (None, "authorization_code") and args.oauth_code:
        return (yield from _redeem_code(args))
    site = yield from _site(args)
    scope = first_scope(site, args.oauth_scope or "")
    client = given_client(args, site.issuer)
    match grant_of(args, site.issuer):
        case "authorization_code":
            return (yield from stop(_missing("--oauth-code", "authorization_code")))
        case "client_credentials":
            known = yield from must(_required_client(client, "client_credentials"))
            return (yield from client_credentials(site, known, scope)).document
        case "jwt-bearer":
            return (yield from jwt_bearer(site, client, scope, args.oauth_assertion)).document
        case "token-exchange":
            return (yield from exchange(site, args, scope)).document


def _redeem_code(args: RequestToken) -> Steps[Exact]:
    verifier = yield from must(
        require_flag("--oauth-code-verifier", args.oauth_code_verifier or "", "the authorization_code grant")
    )
    site = yield from _site(args)
    # RFC 9207 section 2.4: validate iss before the code is sent to a token endpoint.
    wrong = issuer_mismatch(args.oauth_iss, site)
    if wrong is not None:
        yield from stop(wrong)
    document = args.client_metadata_url
    given = given_client(args, site.issuer) or (OAuthClient(document) if document is not None else None)
    client = yield from must(_required_client(given, "authorization_code"))
    grant = code_grant(args.oauth_code or "", verifier, args.redirect_uri or "", site.resource)
    return (yield from request_token(site, client, grant)).document


def refresh(args: RefreshToken) -> Plan:
    """Refresh a token and return the response as received."""
    site = yield from _site(args)
    client = yield from must(_required_client(given_client(args, site.issuer), "refresh_token"))
    grant = refresh_grant(args.oauth_refresh_token, site.resource, args.oauth_scope or "")
    return (yield from request_token(site, client, grant)).document


def _required_client(client: OAuthClient | None, grant: str) -> Result[OAuthClient]:
    return Failure(_missing("--oauth-client-id", grant)) if client is None else Success(client)


def _missing(flag: str, grant: str) -> Invalid:
    return Invalid("MISSING_ARGUMENT", flag, f"the {grant} grant requires {flag}")


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group; they contact an MCP server only for its challenge."""
    return (
        _method(
            "oauth/discover", DiscoverAuthorization, discover, "find the metadata of a server's authorization server"
        ),
        _method("oauth/register", RegisterClient, register, "register a client"),
        _method("oauth/authorize-url", AuthorizeUrl, authorize_url, "build the authorization URL for a browser"),
        _method("oauth/token", RequestToken, token, "request a token with a code or another grant"),
        _method("oauth/refresh", RefreshToken, refresh, "exchange a refresh token for a new token"),
    )


def _method(name: str, args: type[D], plan: Callable[[D], Plan], summary: str) -> Method[D]:
    return Method(name, args, plan, summary, is_protocol_method=False, connects=False, target_field="server_url")

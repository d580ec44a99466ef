"""The plans of oauth/*: each one step of the way to a token."""

from mcpi.core.exact import Exact
from mcpi.core.faults import Invalid
from mcpi.core.frozen import frozen
from mcpi.core.oauth_authorize import authorization, wrong_issuer
from mcpi.core.oauth_client import Client
from mcpi.core.oauth_discover import discover, probe
from mcpi.core.oauth_exchange import chance, enroll, obtain
from mcpi.core.oauth_grants import by_itself, by_word, exchange, given_client, grant_of, needed
from mcpi.core.oauth_metadata import Site, checked_pkce, first_scope, printed, with_offline
from mcpi.core.oauth_token import by_code, by_refresh
from mcpi.core.options import AuthOptions
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.steps import Plan, Steps, must, stop


@frozen
class Code:
    """What came back with the browser, and what was kept for it."""

    code: str
    verifier: str
    issuer: str | None


def _site(server: str, wishes: AuthOptions) -> Steps[Site]:
    asked = yield from probe(server)
    return (yield from discover(server, asked, wishes.oauth_resource or ""))


def discovered(server: str, wishes: AuthOptions) -> Plan:
    """The metadata as they were sent, the resource, the scope to ask for, and each attempt."""
    return printed((yield from _site(server, wishes)))


def enrolled(server: str, wishes: AuthOptions) -> Plan:
    """The answer to the registration as it was sent."""
    redirect_uri = yield from must(needed("--redirect-uri", wishes.redirect_uri, "oauth/register"))
    site = yield from _site(server, wishes)
    scope = with_offline(first_scope(site, wishes.oauth_scope or ""), site.issuer)
    document, _ = yield from enroll(site.issuer, wishes.client_name, redirect_uri, scope)
    return document


def prepared(server: str, wishes: AuthOptions) -> Plan:
    """The URL that a person opens, and what must be kept until its answer comes."""
    name = wishes.oauth_client_id or wishes.client_metadata_url
    client_id = yield from must(needed("--oauth-client-id", name, "oauth/authorize-url"))
    redirect_uri = yield from must(needed("--redirect-uri", wishes.redirect_uri, "oauth/authorize-url"))
    site = yield from _site(server, wishes)
    yield from must(checked_pkce(site))
    scope = with_offline(first_scope(site, wishes.oauth_scope or ""), site.issuer)
    drawn = ((yield from chance()), (yield from chance()))
    asked = yield from must(authorization(site, client_id, redirect_uri, scope, drawn))
    kept = {"state": asked.state, "code_verifier": asked.verifier, "issuer": site.issuer.identifier}
    return {"url": asked.url, **kept, "resource": site.resource, "scope": scope or None, "redirect_uri": redirect_uri}


def redeemed(server: str, wishes: AuthOptions, code: Code) -> Plan:
    """The token endpoint's answer as it was sent."""
    if wishes.oauth_grant in (None, "authorization_code") and code.code:
        return (yield from _by_code(server, wishes, code))
    site = yield from _site(server, wishes)
    scope = first_scope(site, wishes.oauth_scope or "")
    client = given_client(wishes, site.issuer)
    match grant_of(wishes, site.issuer):
        case "authorization_code":
            return (yield from stop(_missing("--oauth-code")))
        case "client_credentials":
            known = yield from must(_known(client))
            return (yield from by_itself(site, known, scope)).document
        case "jwt-bearer":
            return (yield from by_word(site, client, scope, wishes.oauth_assertion)).document
        case "token-exchange":
            return (yield from exchange(site, wishes, scope)).document


def _by_code(server: str, wishes: AuthOptions, code: Code) -> Steps[Exact]:
    verifier = yield from must(needed("--oauth-code-verifier", code.verifier, "the authorization_code grant"))
    redirect_uri = yield from must(needed("--redirect-uri", wishes.redirect_uri, "the authorization_code grant"))
    site = yield from _site(server, wishes)
    # RFC 9207 section 2.4: before the code is sent to any token endpoint.
    wrong = wrong_issuer(code.issuer, site)
    if wrong is not None:
        yield from stop(wrong)
    document = wishes.client_metadata_url
    given = given_client(wishes, site.issuer) or (Client(document) if document is not None else None)
    client = yield from must(_known(given))
    grant = by_code(code.code, verifier, redirect_uri, site.resource)
    return (yield from obtain(site, client, grant)).document


def refreshed(server: str, wishes: AuthOptions, token: str) -> Plan:
    """The token endpoint's answer as it was sent."""
    site = yield from _site(server, wishes)
    client = yield from must(_known(given_client(wishes, site.issuer)))
    grant = by_refresh(token, site.resource, wishes.oauth_scope or "")
    return (yield from obtain(site, client, grant)).document


def _known(client: Client | None) -> Outcome[Client]:
    return Failure(_missing("--oauth-client-id")) if client is None else Success(client)


def _missing(flag: str) -> Invalid:
    return Invalid("MISSING_ARGUMENT", flag, "this grant needs it")

"""Obtain a token for a server, where possible without user interaction."""

from shlex import quote
from typing import cast

from attrs import evolve

from mcpi.core.auth.access_token import Token, code_grant, parse_token, refresh_grant
from mcpi.core.auth.authorize import AuthorizationRequest, authorization_request, code_from_redirect, follow_redirects
from mcpi.core.auth.endpoint_urls import is_secure
from mcpi.core.auth.grants import client_credentials, given_client, grant_of, identity_assertion, jwt_bearer
from mcpi.core.auth.metadata import TokenSource, checked_pkce, first_scope, union, with_offline
from mcpi.core.auth.metadata_discovery import discover
from mcpi.core.auth.oauth_client import OAuthClient
from mcpi.core.auth.proofs import USE_DPOP_NONCE
from mcpi.core.auth.token_exchange import (
    TokenResponse,
    load_stored,
    loopback,
    mark_secret,
    proof_algorithm,
    random_token,
    register_client,
    request_token,
    store,
    wall_clock,
    while_locked,
)
from mcpi.core.auth.token_store import CLIENTS, TOKENS, client_entry, entry_of, read_entry, token_entry
from mcpi.core.flags.options import AuthOptions
from mcpi.core.jsontext.values import JsonObject, as_text
from mcpi.core.outcome.faults import HttpFailed, Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, catch_failure, must, stop
from mcpi.core.plans.world_steps import ListenForRedirect, OpenBrowser
from mcpi.core.wire import challenge as challenges
from mcpi.core.wire.challenge import Challenge

REDIRECT_URI = "http://127.0.0.1:8123/back"
"""A redirect URI to suggest; it needs no listener, as the user copies the URL from the browser."""


class Authorization:
    """The state of authorization for one server in one run."""

    def __init__(self, server: str, wishes: AuthOptions) -> None:
        """Start without a token."""
        self.server = server
        self.options = wishes
        self.token: Token | None = None
        self.algorithm: str = ""
        """The algorithm that signs proofs, if the token is bound to a key."""
        self._scope = ""
        self._issuer = ""
        self._client_issuer = ""
        self._clients: dict[str, OAuthClient] = {}

    def obtain_token(self, fault: HttpFailed) -> Steps[Token]:
        """Obtain a token after the server rejected a request."""
        challenge = challenges.parse_response(fault.headers)
        if self.token is not None and challenge.nonce and challenge.error == USE_DPOP_NONCE:
            return self.token
        if not is_secure(self.server):
            hint = "mcpi does not send tokens over plain HTTP to another machine"
            yield from stop(evolve(fault, hints=(*fault.hints, hint)))
        site = yield from discover(self.server, challenge, self.options.oauth_resource or "")
        stored = yield from load_stored()
        held = _stored_for(site, stored)
        if held is None:
            self._change_issuer(site, entry_of(stored, TOKENS, site.resource))
        scope = self._required_scope(site, held)
        token = yield from self._stored_token(held, scope, challenge)
        if token is None:
            token = yield from self._new_token(site, scope, challenge, held, fault)
        self.token, self._scope, self._issuer = token, scope, site.issuer.identifier
        yield from mark_secret(token.access, token.refresh)
        return token

    def _change_issuer(self, site: TokenSource, entry: JsonObject) -> None:
        """Handle a change of issuer: drop the old token, and remember the issuer of the given client."""
        before = as_text(entry.get("issuer"))
        if before and entry.get("client_id") == self.options.oauth_client_id:
            self._client_issuer = before
        self.token = self.token if self._issuer == site.issuer.identifier else None

    def _required_scope(self, site: TokenSource, held: Token | None) -> str:
        before = self._scope or (held.scope if held is not None else "")
        # MCP 2026-07-28, step-up: "the union of the client's previously requested scope set and the scopes from the
        # current challenge".
        wished = self.options.oauth_scope or ""
        return union(before, wished, site.challenged) if before else first_scope(site, wished)

    def _stored_token(self, held: Token | None, scope: str, challenge: Challenge) -> Steps[Token | None]:
        """Return the stored token, unless it was just rejected, lacks the scope or has expired."""
        if held is None or (self.token is not None and self.token.access == held.access):
            return None
        any_will_do = challenge.error != "insufficient_scope" and self.options.oauth_scope is None
        enough = any_will_do or set(scope.split()) <= set(held.scope.split())
        return held if enough and held.is_valid_at((yield from wall_clock())) else None

    def _new_token(
        self, site: TokenSource, scope: str, challenge: Challenge, held: Token | None, fault: HttpFailed
    ) -> Steps[Token]:
        if site.bound:
            self.algorithm = yield from must(proof_algorithm(site.issuer))
        if self._refreshable(site, held) is not None and challenge.error != "insufficient_scope":
            # A server may accept a refresh token only once: runs that share a store take turns.
            token = yield from while_locked(self._refreshed_token(site, scope, challenge))
            if token is not None:
                return token
        outcome = yield from catch_failure(self._granted(site, scope))
        match outcome:
            case Success(exchanged):
                token = yield from must(parse_token(exchanged.document, exchanged.at, scope, bound=site.bound))
                yield from self._store_token(site, token)
                return token
            case Failure(failure) if site.issuer.assumed and (
                isinstance(failure, HttpFailed) or not self._may_identify()
            ):
                # The endpoints were only assumed: the server's own error is more helpful.
                command = f"mcpi oauth/discover {quote(self.server)}"
                tried = f"no OAuth authorization server found; to see the requests: {command}"
                return (yield from stop(evolve(fault, hints=(*fault.hints, tried))))
            case Failure(failure):
                return (yield from stop(failure))

    def _refreshable(self, site: TokenSource, held: Token | None) -> Token | None:
        """Return the last token that has a refresh token; tokens that are bound to a key are not stored."""
        known = (self.token, held) if site.bound else (held, self.token)
        return next((one for one in known if one is not None and one.refresh), None)

    def _refreshed_token(self, site: TokenSource, scope: str, challenge: Challenge) -> Steps[Token | None]:
        """Refresh the token, unless another run has done so; return None if the server rejects the refresh token."""
        stored = yield from load_stored()
        held = _stored_for(site, stored)
        token = yield from self._stored_token(held, scope, challenge)
        client, last = self._known_client(site, stored), self._refreshable(site, held)
        if token is not None or client is None or last is None:
            return token
        outcome = yield from catch_failure(request_token(site, client, refresh_grant(last.refresh, site.resource)))
        match outcome:
            case Success(exchanged):
                found = yield from must(parse_token(exchanged.document, exchanged.at, last.scope, bound=site.bound))
                # RFC 6749 section 6: the old refresh token stays valid if the response has no new one.
                token = found if found.refresh else evolve(found, refresh=last.refresh)
                yield from self._store_token(site, token)
                return token
            case Failure(Unauthorized()):
                return None
            case Failure(fault):
                return (yield from stop(fault))

    def _known_client(self, site: TokenSource, kept: JsonObject) -> OAuthClient | None:
        """Return the client that is registered with this issuer; a client of another issuer is not used."""
        issuer = site.issuer.identifier
        given = given_client(self.options, site.issuer)
        if given is not None:
            return given
        return self._clients.get(issuer) or read_entry(OAuthClient, entry_of(kept, CLIENTS, issuer))

    def _granted(self, site: TokenSource, scope: str) -> Steps[TokenResponse]:
        given = yield from must(self._bound_client(site))
        match grant_of(self.options, site.issuer):
            case "client_credentials":
                return (yield from client_credentials(site, given or OAuthClient(""), scope))
            case "jwt-bearer":
                return (yield from jwt_bearer(site, given, scope, self.options.oauth_assertion))
            case "token-exchange":
                return (yield from identity_assertion(site, given, scope, self.options))
            case "authorization_code":
                return (yield from self._by_browser(site, scope))

    def _bound_client(self, site: TokenSource) -> Result[OAuthClient | None]:
        """Return the user's client, which belongs to the first issuer that it was used with."""
        given = given_client(self.options, site.issuer)
        issuer = site.issuer.identifier
        if given is not None and self._client_issuer not in ("", issuer):
            # MCP 2026-07-28, authorization server binding: "clients SHOULD surface an error rather than silently
            # attempting to use mismatched credentials".
            problem = f"{given.id} is not registered at {issuer}, the server's new authorization server"
            return Failure(Unauthorized(problem, hints=("register a client there, or omit --oauth-client-id",)))
        self._client_issuer = issuer if given is not None else self._client_issuer
        return Success(given)

    def _by_browser(self, site: TokenSource, scope: str) -> Steps[TokenResponse]:
        if not self._may_identify():
            yield from stop(Unauthorized(f"{self.server} requires a user to authorize mcpi", hints=self._next_steps()))
        yield from must(checked_pkce(site))
        wider = with_offline(scope, site.issuer)
        client = yield from self._client(site, wider)
        drawn = ((yield from random_token()), (yield from random_token()))
        request = yield from must(authorization_request(site, client.id, client.redirect_uri, wider, drawn))
        answer = yield from self._redirect_url(request, client)
        code = yield from must(code_from_redirect(answer, request.state, site))
        yield from mark_secret(code, request.verifier)
        return (
            yield from request_token(
                site, client, code_grant(code, request.verifier, request.redirect_uri, site.resource)
            )
        )

    def _redirect_url(self, request: AuthorizationRequest, client: OAuthClient) -> Steps[str]:
        """Return the final redirect URL, from the user's browser or by following the redirects."""
        command = self.options.auth_open
        if command is not None:
            return (yield from must(cast("Result[str]", (yield OpenBrowser(request.url, command)))))
        return (yield from follow_redirects(request, self._next_steps(client)))

    def _may_identify(self) -> bool:
        """Tell whether the user gave a client ID or metadata document, or allowed mcpi to register a client."""
        given = (self.options.oauth_client_id, self.options.client_metadata_url)
        return any(one is not None for one in given) or self._may_register()

    def _may_register(self) -> bool:
        options = self.options
        return options.auth == "register" or options.auth_store is not None or options.auth_open is not None

    def _next_steps(self, client: OAuthClient | None = None) -> tuple[str, ...]:
        """Return hints for completing the authorization: in a browser, with a token, or step by step."""
        server = quote(self.server)
        step = f"oauth/register {server} --redirect-uri {REDIRECT_URI}"
        if client is not None:
            who = f"--oauth-client-id {quote(client.id)} --redirect-uri {quote(client.redirect_uri)}"
            step = f"oauth/authorize-url {server} {who}"
        return (
            "to log in with a browser, add --auth-open COMMAND (xdg-open, or open on macOS)",
            "to use a token that you have, add --token env:NAME",
            f"to authorize step by step: mcpi {step}",
        )

    def _client(self, site: TokenSource, scope: str) -> Steps[OAuthClient]:
        """Return the client for the issuer, in the order of the MCP specification, with a redirect URI."""
        client = self._known_client(site, (yield from load_stored()))
        if client is not None and not client.may_ask(scope):
            # A client that was registered for fewer scopes cannot get more: a step-up needs a new registration.
            client = None
        client, redirect_uri = yield from self._with_listener(client)
        if client is None and self._has_document(site):
            client = OAuthClient(self.options.client_metadata_url or "")
        if client is None:
            if not self._may_register():
                problem = "the authorization server does not accept the given client"
                yield from stop(Unauthorized(problem, hints=("--auth register allows mcpi to register one",)))
            _, client = yield from register_client(site.issuer, self.options.client_name, redirect_uri, scope)
            yield from store(CLIENTS, site.issuer.identifier, client_entry(client))
        self._clients[site.issuer.identifier] = client = evolve(client, redirect_uri=redirect_uri)
        return client

    def _with_listener(self, client: OAuthClient | None) -> Steps[tuple[OAuthClient | None, str]]:
        """Return the client and the redirect URI of a running listener."""
        if self.options.redirect_uri is None and client is not None and client.redirect_uri:
            heard = cast("Result[str]", (yield ListenForRedirect(client.redirect_uri)))
            if isinstance(heard, Success):
                return client, heard.unwrap()
            # The port is in use by another program: a different port requires a new registration.
            client = None
        return client, (yield from loopback(self.options.redirect_uri or ""))

    def _has_document(self, site: TokenSource) -> bool:
        # MCP 2025-11-25, authorization: client_id_metadata_document_supported means that a URL is accepted as an id.
        return self.options.client_metadata_url is not None and site.issuer.supports(
            "client_id_metadata_document_supported"
        )

    def _store_token(self, site: TokenSource, token: Token) -> Steps[None]:
        """Store the new token, unless another run cannot use it."""
        client = self._known_client(site, (yield from load_stored()))
        if token.kind == "Bearer":
            # A token that is bound to this run's key cannot be used by another run.
            entry = token_entry(token, site.issuer.identifier, client.id if client is not None else "")
            yield from store(TOKENS, site.resource, entry)


def _stored_for(site: TokenSource, stored: JsonObject) -> Token | None:
    """Return the stored token for the resource, if it is from the same issuer."""
    entry = entry_of(stored, TOKENS, site.resource)
    return read_entry(Token, entry) if entry.get("issuer") == site.issuer.identifier else None

"""A token for a server that wants one, as far as it can be had without a person."""

from shlex import quote
from typing import cast

from attrs import evolve

from mcpi.core.auth.access_token import Token, code_grant, refresh_grant, token_of
from mcpi.core.auth.authorize import AuthorizationRequest, authorization, code_from_redirect, visit
from mcpi.core.auth.endpoint_urls import is_secure
from mcpi.core.auth.grants import client_credentials, given_client, grant_of, identity_assertion, jwt_bearer
from mcpi.core.auth.metadata import Site, checked_pkce, first_scope, union, with_offline
from mcpi.core.auth.metadata_discovery import discover
from mcpi.core.auth.oauth_client import OAuthClient
from mcpi.core.auth.proofs import WANTS_NONCE
from mcpi.core.auth.token_exchange import (
    TokenResponse,
    enroll,
    load_stored,
    loopback,
    mark_secret,
    obtain,
    proof_algorithm,
    random_token,
    store,
    wall_clock,
)
from mcpi.core.auth.token_store import CLIENTS, TOKENS, as_member, client_entry, client_in, token_entry, token_in
from mcpi.core.flags.options import AuthOptions
from mcpi.core.jsontext.values import JsonObject, as_text
from mcpi.core.outcome.faults import HttpFailed, Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, caught, must, stop
from mcpi.core.plans.world_steps import Browse, Loopback
from mcpi.core.wire import challenge
from mcpi.core.wire.challenge import Challenge


class Authorization:
    """What was tried and what was got, for one server in one run."""

    def __init__(self, server: str, wishes: AuthOptions) -> None:
        """Nothing has been asked for."""
        self.server = server
        self.wishes = wishes
        self.token: Token | None = None
        self.algorithm: str = ""
        """What proofs are signed with, where the token is bound to a key."""
        self._scope = ""
        self._issuer = ""
        self._given_to = ""
        self._clients: dict[str, OAuthClient] = {}

    def renew(self, fault: HttpFailed) -> Steps[Token]:
        """A token that the server may take where it took none, or not the last."""
        asked = challenge.of(fault.headers)
        if self.token is not None and asked.nonce and asked.error == WANTS_NONCE:
            return self.token
        if not is_secure(self.server):
            hint = "no token is sent over plain HTTP to another machine"
            yield from stop(evolve(fault, hints=(*fault.hints, hint)))
        site = yield from discover(self.server, asked, self.wishes.oauth_resource or "")
        entry = as_member((yield from load_stored()), TOKENS, site.resource)
        if entry.get("issuer") != site.issuer.identifier:
            self._move(site, entry)
            entry = {}
        held = token_in(entry)
        scope = self._wanted(site, held)
        token = yield from self._stored(held, scope, asked)
        if token is None:
            token = yield from self._other(site, scope, asked, held, fault)
        yield from self._got(site, token, scope)
        return token

    def _move(self, site: Site, entry: JsonObject) -> None:
        """The token that is kept, and the client that is given, may belong to an issuer that the server has left."""
        before = as_text(entry.get("issuer"))
        if before and entry.get("client_id") == self.wishes.oauth_client_id:
            self._given_to = before
        self.token = self.token if self._issuer == site.issuer.identifier else None

    def _wanted(self, site: Site, held: Token | None) -> str:
        before = self._scope or (held.scope if held is not None else "")
        # MCP 2026-07-28, step-up: "the union of the client's previously requested scope set and the scopes from the
        # current challenge".
        wished = self.wishes.oauth_scope or ""
        return union(before, wished, site.challenged) if before else first_scope(site, wished)

    def _stored(self, held: Token | None, scope: str, asked: Challenge) -> Steps[Token | None]:
        """The token that is kept, if it is another than the one refused and would do."""
        if held is None or (self.token is not None and self.token.access == held.access):
            return None
        any_will_do = asked.error != "insufficient_scope" and self.wishes.oauth_scope is None
        enough = any_will_do or set(scope.split()) <= set(held.scope.split())
        return held if enough and held.is_good((yield from wall_clock())) else None

    def _other(self, site: Site, scope: str, asked: Challenge, held: Token | None, fault: HttpFailed) -> Steps[Token]:
        if site.bound:
            self.algorithm = yield from must(proof_algorithm(site.issuer))
        last = self.token or held
        if last is not None and last.refresh and asked.error != "insufficient_scope":
            token = yield from self._refreshed(site, last)
            if token is not None:
                return token
        outcome = yield from caught(self._granted(site, scope))
        match outcome:
            case Success(exchanged):
                return (yield from must(token_of(exchanged.document, exchanged.at, scope, bound=site.bound)))
            case Failure(HttpFailed()) if site.issuer.assumed:
                # Nobody had said that there are such endpoints: what the server said itself tells more.
                tried = f"no authorization server was found: {', '.join(one.url for one in site.attempts)}"
                return (yield from stop(evolve(fault, hints=(*fault.hints, tried))))
            case Failure(failure):
                return (yield from stop(failure))

    def _refreshed(self, site: Site, last: Token) -> Steps[Token | None]:
        """A new token for the refresh token, if the server still takes it."""
        client = self._known(site, (yield from load_stored()))
        if client is None:
            return None
        outcome = yield from caught(obtain(site, client, refresh_grant(last.refresh, site.resource)))
        match outcome:
            case Success(exchanged):
                found = yield from must(token_of(exchanged.document, exchanged.at, last.scope, bound=site.bound))
                # RFC 6749 section 6: without a new refresh token the old one stays.
                return found if found.refresh else evolve(found, refresh=last.refresh)
            case Failure(Unauthorized()):
                return None
            case Failure(fault):
                return (yield from stop(fault))

    def _known(self, site: Site, kept: JsonObject) -> OAuthClient | None:
        """The client that the issuer knows already; one that belongs to another issuer is none."""
        issuer = site.issuer.identifier
        given = given_client(self.wishes, site.issuer)
        if given is not None:
            return given
        return self._clients.get(issuer) or client_in(as_member(kept, CLIENTS, issuer))

    def _granted(self, site: Site, scope: str) -> Steps[TokenResponse]:
        given = yield from must(self._bound_client(site))
        match grant_of(self.wishes, site.issuer):
            case "client_credentials":
                return (yield from client_credentials(site, given or OAuthClient(""), scope))
            case "jwt-bearer":
                return (yield from jwt_bearer(site, given, scope, self.wishes.oauth_assertion))
            case "token-exchange":
                return (yield from identity_assertion(site, given, scope, self.wishes))
            case "authorization_code":
                return (yield from self._by_browser(site, scope))

    def _bound_client(self, site: Site) -> Result[OAuthClient | None]:
        """The client that the user gave, which belongs to the first issuer that it was used with."""
        given = given_client(self.wishes, site.issuer)
        issuer = site.issuer.identifier
        if given is not None and self._given_to not in ("", issuer):
            # MCP 2026-07-28, authorization server binding: "clients SHOULD surface an error rather than silently
            # attempting to use mismatched credentials".
            problem = f"the server has moved from {self._given_to} to {issuer}, which does not know {given.id}"
            return Failure(Unauthorized(problem, hints=("register a client there, or leave --oauth-client-id away",)))
        self._given_to = issuer if given is not None else self._given_to
        return Success(given)

    def _by_browser(self, site: Site, scope: str) -> Steps[TokenResponse]:
        yield from must(checked_pkce(site))
        wider = with_offline(scope, site.issuer)
        client = yield from self._client(site, wider)
        drawn = ((yield from random_token()), (yield from random_token()))
        asked = yield from must(authorization(site, client.id, client.redirect_uri, wider, drawn))
        answer = yield from self._answer(asked, client)
        code = yield from must(code_from_redirect(answer, asked.state, site))
        yield from mark_secret(code, asked.verifier)
        return (yield from obtain(site, client, code_grant(code, asked.verifier, asked.redirect_uri, site.resource)))

    def _answer(self, asked: AuthorizationRequest, client: OAuthClient) -> Steps[str]:
        """Where the browser came out: a person's, or the one that nobody sits before."""
        command = self.wishes.auth_open
        if command is not None:
            return (yield from must(cast("Result[str]", (yield Browse(asked.url, command)))))
        return (yield from visit(asked, self._next(asked, client)))

    def _next(self, asked: AuthorizationRequest, client: OAuthClient) -> tuple[str, ...]:
        """What a person can do."""
        waiting = "or give --auth-open COMMAND, and mcpi shows the URL and waits for the answer"
        if client.secret and self.wishes.oauth_client_secret is None:
            steps = (
                "register yourself with --method oauth/register, whose secret the further steps want: see docs/oauth.md"
            )
            return (steps, waiting)
        secret = " --oauth-client-secret env:NAME" if client.secret else ""
        who = f"--oauth-client-id {quote(client.id)}{secret} --redirect-uri {quote(asked.redirect_uri)}"
        what = f"--oauth-code-verifier={quote(asked.verifier)} --oauth-code=CODE"
        command = f"mcpi --method oauth/token --server-url {quote(self.server)} {who} {what}"
        return (f"then, with the code from the address it leads to: {command}", waiting)

    def _client(self, site: Site, scope: str) -> Steps[OAuthClient]:
        """Who we are to the issuer, in the order of the MCP specification; without a redirect URI it gets one."""
        client = self._known(site, (yield from load_stored()))
        if client is not None and not client.may_ask(scope):
            # What was registered for less gets no more: who steps up needs a registration for all of it.
            client = None
        client, redirect_uri = yield from self._listening(client)
        if client is None and self._has_document(site):
            client = OAuthClient(self.wishes.client_metadata_url or "")
        if client is None:
            _, client = yield from enroll(site.issuer, self.wishes.client_name, redirect_uri, scope)
            yield from store(CLIENTS, site.issuer.identifier, client_entry(client))
        self._clients[site.issuer.identifier] = client = evolve(client, redirect_uri=redirect_uri)
        return client

    def _listening(self, client: OAuthClient | None) -> Steps[tuple[OAuthClient | None, str]]:
        """Who we are, and where somebody listens for us."""
        if self.wishes.redirect_uri is None and client is not None and client.redirect_uri:
            heard = cast("Result[str]", (yield Loopback(client.redirect_uri)))
            if isinstance(heard, Success):
                return client, heard.unwrap()
            # Somebody else has the port by now: only a registration of its own gets another.
            client = None
        return client, (yield from loopback(self.wishes.redirect_uri or ""))

    def _has_document(self, site: Site) -> bool:
        # MCP 2025-11-25, authorization: client_id_metadata_document_supported says that a URL is taken as an id.
        return self.wishes.client_metadata_url is not None and site.issuer.states(
            "client_id_metadata_document_supported"
        )

    def _got(self, site: Site, token: Token, scope: str) -> Steps[None]:
        """The token is known, secret, and kept where something is kept."""
        self.token, self._scope, self._issuer = token, scope, site.issuer.identifier
        yield from mark_secret(token.access, token.refresh)
        client = self._known(site, (yield from load_stored()))
        if token.kind == "Bearer":
            # A token that is bound to this run's key is of no use to another run.
            entry = token_entry(token, site.issuer.identifier, client.id if client is not None else "")
            yield from store(TOKENS, site.resource, entry)

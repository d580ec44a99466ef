"""Find the authorization server that issues a server's tokens."""

from mcpi.core.auth.endpoint_urls import (
    canonical,
    is_secure,
    issuer_metadata_urls,
    may_refer_to,
    resource_metadata_urls,
    root,
    split,
)
from mcpi.core.auth.metadata import Attempt, Issuer, ProtectedResource, TokenSource, parse, parse_issuer, parse_resource
from mcpi.core.flags.pairs import invalid
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Unauthorized, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Steps, fetch, must, stop
from mcpi.core.plans.world_steps import Fetch, Response
from mcpi.core.wire.challenge import Challenge, parse_response
from mcpi.core.wire.http_headers import ACCEPT

OK, UNAUTHORIZED = 200, 401


def probe(server: str) -> Steps[tuple[Challenge, Attempt]]:
    """Send a request without a token; return the server's challenge and the attempt."""
    yield from must(checked_url("--server-url", server))
    # A ping has no side effects, and a server checks the authorization before it reads the message.
    body = dump({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    response = yield from must(
        (yield from fetch(Fetch(server, "POST", {"accept": ACCEPT, "content-type": "application/json"}, body)))
    )
    challenge = parse_response(response.headers) if response.status == UNAUTHORIZED else Challenge()
    return challenge, Attempt(server, response.status, method="POST")


def checked_url(flag: str, url: str) -> Result[str]:
    """Return the URL, or a failure if it is invalid."""
    return Success(url) if split(url) is not None else invalid(flag, f"expected a URL, got {url!r}")


def discover(
    server: str, challenge: Challenge, wished: str = "", before: tuple[Attempt, ...] = ()
) -> Steps[TokenSource]:
    """Find the source of the server's tokens; `wished` is the resource that the user names."""
    attempts = [*before]
    found = yield from _resource(server, challenge, attempts)
    if found is None:
        legacy = yield from _legacy(server, attempts)
        resource = wished or canonical(server)
        return TokenSource(
            server,
            resource,
            legacy,
            "",
            challenge.scope,
            challenge.requires_dpop,
            described=False,
            attempts=tuple(attempts),
        )
    issuer = yield from _issuer(server, found.issuer, attempts)
    bound = found.bound or challenge.requires_dpop
    return TokenSource(
        server, wished or found.identifier, issuer, found.scopes, challenge.scope, bound, attempts=tuple(attempts)
    )


def _resource(server: str, challenge: Challenge, attempts: list[Attempt]) -> Steps[ProtectedResource | None]:
    # MCP 2025-11-25, authorization: the address in the challenge, else below the path, else at the root.
    # RFC 9728 section 3: the URL uses https; a plain HTTP server may name a URL of its own origin.
    url = challenge.metadata_url
    named = (url,) if may_refer_to(server, url) else ()
    for address in dict.fromkeys((*named, *resource_metadata_urls(server))):
        document = yield from _document(address, attempts, needed=False)
        if document is not None:
            found = yield from must(parse_resource(document, server, address))
            if found.issuer:
                return found
            attempts[-1] = Attempt(address, OK, "it does not name an authorization server")
    return None


def _issuer(server: str, identifier: str, attempts: list[Attempt]) -> Steps[Issuer]:
    if split(identifier) is None:
        yield from stop(Unauthorized(f"the authorization server {identifier!r} is not a URL"))
    if not may_refer_to(server, identifier):
        # Otherwise a remote server could make mcpi contact a URL that only this machine can reach.
        yield from stop(
            Unauthorized(
                f"the authorization server {identifier} has a local address, but {server} does not"
                if is_secure(identifier)
                else f"the authorization server {identifier} is not secure"
            )
        )
    for address in issuer_metadata_urls(identifier):
        document = yield from _document(address, attempts)
        if document is not None:
            return (yield from must(parse_issuer(document, identifier, address)))
    tried = tuple(f"{attempt.url}: {attempt.problem}" for attempt in attempts if attempt.problem)
    return (yield from stop(Unauthorized(f"the authorization server {identifier} has no metadata", tried)))


def _legacy(server: str, attempts: list[Attempt]) -> Steps[Issuer]:
    """Use a server older than version 2025-06-18 as its own authorization server."""
    base = root(server)
    # MCP 2025-03-26, authorization: the authorization base URL is the server's URL without its path.
    for address in dict.fromkeys((*issuer_metadata_urls(canonical(server)), *issuer_metadata_urls(base))):
        document = yield from _document(address, attempts)
        if document is not None:
            names = (f"{base}/", server, canonical(server))
            return (yield from must(parse_issuer(document, base, address, names)))
    return Issuer(base, assumed=True)


def _document(address: str, attempts: list[Attempt], *, needed: bool = True) -> Steps[Exact | None]:
    """Fetch the document at the URL; an unreachable server is a fault only if the document is needed."""
    outcome = yield from fetch(Fetch(address, headers={"accept": "application/json"}))
    match outcome:
        case Success(response):
            return _read(response, address, attempts)
        case Failure(Unreachable() as fault) if not needed:
            attempts.append(Attempt(address, None, fault.problem))
            return None
        case Failure(fault):
            return (yield from stop(fault))


def _read(response: Response, address: str, attempts: list[Attempt]) -> Exact | None:
    document = parse(response.body) if response.status == OK else None
    problem = "" if document is not None else "not a JSON object" if response.status == OK else "not found"
    attempts.append(Attempt(address, response.status, problem))
    return document

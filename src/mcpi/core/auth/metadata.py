"""Parse and check the metadata of protected resources and authorization servers."""

from collections.abc import Mapping

from attrs import field

from mcpi.core.auth.endpoint_urls import covers, is_secure, may_refer_to, root
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, Printable, parse_json_text
from mcpi.core.jsontext.values import as_list, as_object, as_text, is_utf8_encodable
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success

OFFLINE = "offline_access"
_ASSUMED = {"authorization_endpoint": "authorize", "token_endpoint": "token", "registration_endpoint": "register"}


@frozen
class Attempt:
    """One HTTP request made to obtain a token, and its result."""

    url: str
    status: int | None = None
    """Status of the response, or None if there was none."""
    problem: str = ""
    method: str = "GET"

    def as_json(self) -> dict[str, Printable]:
        """Return the attempt as it is printed."""
        return {"method": self.method, "url": self.url, "status": self.status, "problem": self.problem or None}


@frozen
class Issuer:
    """An authorization server: its identifier, and its metadata as received."""

    identifier: str
    document: Exact | None = None
    assumed: bool = False
    """True if the endpoints are the defaults because there is no metadata."""

    def string_list(self, name: str) -> tuple[str, ...] | None:
        """Return the strings of a list, or None if the list is missing."""
        found = as_object(self.document.value).get(name) if self.document is not None else None
        return tuple(as_text(one) for one in found) if isinstance(found, list) else None

    def supports(self, name: str) -> bool:
        """Tell whether a member is present and true."""
        return self.document is not None and as_object(self.document.value).get(name) is True

    def endpoint(self, name: str) -> str:
        """Return the URL of an endpoint, or an empty string."""
        if self.assumed:
            # MCP 2025-03-26, authorization: the "default endpoint paths" of a server without metadata.
            return f"{root(self.identifier)}/{_ASSUMED[name]}" if name in _ASSUMED else ""
        return as_text(as_object(self.document.value).get(name)) if self.document is not None else ""

    def safe_endpoint(self, name: str) -> Result[str]:
        """Return the URL of an endpoint, if secrets may be sent to it."""
        url = self.endpoint(name)
        if not url:
            return Failure(Unauthorized(f"the authorization server {self.identifier} has no {name}"))
        if not (is_secure(url) and may_refer_to(self.identifier, url)):
            hint = "secrets are sent only over https, or over http to this machine"
            return Failure(
                Unauthorized(f"the {name} {url} has a local address, but {self.identifier} does not")
                if is_secure(url)
                else Unauthorized(f"the {name} {url} is not secure", hints=(hint,))
            )
        return Success(url)


@frozen
class TokenSource:
    """The source of a server's tokens: resource, issuer and scopes."""

    server: str
    resource: str
    issuer: Issuer
    scopes: str = ""
    """The scopes that the resource lists, separated by spaces."""
    challenged: str = ""
    bound: bool = False
    """True if tokens must be bound to a key."""
    described: bool = True
    """True if the server's own metadata names its issuer."""
    attempts: tuple[Attempt, ...] = field(factory=tuple)


@frozen
class ProtectedResource:
    """The metadata of a protected resource (RFC 9728, section 2)."""

    identifier: str
    issuer: str
    scopes: str = ""
    bound: bool = False


def parse(text: str) -> Exact | None:
    """Parse a JSON object; return None if the text is anything else."""
    found = parse_json_text(text)
    return None if isinstance(found, JsonSyntaxProblem) or not isinstance(found.value, dict) else found


def parse_resource(document: Exact, server: str, address: str) -> Result[ProtectedResource]:
    """Parse the metadata of the resource, if it covers the server."""
    members = as_object(document.value)
    identifier = as_text(members.get("resource"))
    if not covers(identifier, server):
        # RFC 9728 section 3.3: if the values "are not identical, the data contained in the response MUST NOT be used".
        problem = f"{address} describes the resource {identifier or '(unnamed)'} instead of {server}"
        return Failure(Unauthorized(problem, hints=("a token for another resource would be rejected",)))
    servers = [as_text(one) for one in as_list(members.get("authorization_servers"))]
    scopes = " ".join(as_text(one) for one in as_list(members.get("scopes_supported")))
    if not is_utf8_encodable(scopes):
        return Failure(Unauthorized(f"{address} lists a scope with invalid characters"))
    bound = members.get("dpop_bound_access_tokens_required") is True
    return Success(ProtectedResource(identifier, servers[0] if servers else "", scopes, bound))


def parse_issuer(document: Exact, identifier: str, address: str, also: tuple[str, ...] = ()) -> Result[Issuer]:
    """Parse the metadata of the authorization server; `also` lists other accepted identifiers."""
    named = as_text(as_object(document.value).get("issuer"))
    if named not in (identifier, *also):
        # RFC 8414 section 3.3: the issuer "MUST be identical to the authorization server's issuer identifier value".
        problem = f"{address} names the issuer {named or '(unnamed)'} instead of {identifier}"
        return Failure(
            Unauthorized(problem, hints=("mcpi does not use its endpoints, as they may belong to another server",))
        )
    return Success(Issuer(named, document))


def checked_pkce(site: TokenSource) -> Result[None]:
    """Check that the authorization server supports PKCE with S256."""
    methods = site.issuer.string_list("code_challenge_methods_supported")
    # MCP 2025-11-25, authorization: if absent, "MCP clients MUST refuse to proceed"; 2025-03-26 did not require it.
    if not site.described or site.issuer.assumed or (methods is not None and "S256" in methods):
        return Success(None)
    offered = "none" if methods is None else ", ".join(methods)
    return Failure(Unauthorized(f"{site.issuer.identifier} does not offer PKCE with S256 (it offers: {offered})"))


def union(*scopes: str) -> str:
    """Join the scopes in their order, without duplicates."""
    return " ".join(dict.fromkeys(word for one in scopes for word in one.split()))


def first_scope(site: TokenSource, wished: str = "") -> str:
    """Return the scope for the first request."""
    # MCP 2025-11-25, scope selection: the challenge, else scopes_supported of the resource, else no scope at all.
    return wished or site.challenged or site.scopes


def with_offline(scope: str, issuer: Issuer) -> str:
    """Add offline_access, for a refresh token, if the issuer lists it as a scope."""
    # MCP 2026-07-28, refresh tokens: MAY add offline_access "when the Authorization Server metadata contains it".
    offered = OFFLINE in (issuer.string_list("scopes_supported") or ())
    return union(scope, OFFLINE) if scope and offered else scope


def as_output(site: TokenSource) -> dict[str, Printable]:
    """Return the metadata as received, with the resource, the scope and the attempts."""
    known: Mapping[str, Printable] = site.issuer.document.members() if site.issuer.document is not None else {}
    if site.issuer.assumed:
        assumed = {name: site.issuer.endpoint(name) for name in _ASSUMED}
        known = {"issuer": site.issuer.identifier, **assumed, "assumed": True}
    scope = with_offline(first_scope(site), site.issuer)
    attempts: list[Printable] = [attempt.as_json() for attempt in site.attempts]
    return {**known, "resource": site.resource, "scope": scope or None, "attempts": attempts}

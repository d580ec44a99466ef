"""Grants, and what a token endpoint answers to them."""

from collections.abc import Mapping

from mcpi.core.auth.metadata import parse
from mcpi.core.auth.proofs import SCHEME
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json, as_object, as_text, has_bytes
from mcpi.core.outcome.faults import Fault, Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Response
from mcpi.core.wire.http_headers import failure

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105 - the name of a grant
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"
MARGIN = 10
"""Seconds before its end at which a token is taken for expired."""
LONGEST = 1 << 40
"""Seconds beyond which nobody counts: no token is that old."""
_FINE = (200, 201)
_MEANING = {
    "invalid_request": "a parameter is missing or wrong",
    "invalid_client": "the client is unknown, or did not prove who it is",
    "invalid_grant": "the code, assertion or refresh token is expired, used up, or not this client's",
    "unauthorized_client": "the client may not use this grant",
    "unsupported_grant_type": "the server does not know this grant",
    "invalid_scope": "a scope is unknown or may not be had",
}
"""The errors of RFC 6749, section 5.2."""
_SENT = ("access_token", "refresh_token", "scope", "client_id", "client_secret")
"""What an answer brings to be sent back one day."""


@frozen
class Token:
    """An access token, and what is known of it."""

    access: str
    kind: str = "Bearer"
    refresh: str = ""
    scope: str = ""
    expires: int | None = None
    """When it ends, in seconds since 1970."""

    def is_good(self, at: int) -> bool:
        """Whether it has not expired."""
        return self.expires is None or at + MARGIN < self.expires


def code_grant(code: str, verifier: str, redirect_uri: str, resource: str) -> dict[str, str]:
    """The grant that an authorization code is."""
    grant = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
    return {**grant, "redirect_uri": redirect_uri, "resource": resource}


def refresh_grant(token: str, resource: str, scope: str = "") -> dict[str, str]:
    """The grant that a refresh token is."""
    return {"grant_type": "refresh_token", "refresh_token": token, "resource": resource, "scope": scope}


def client_grant(resource: str, scope: str) -> dict[str, str]:
    """The grant of a client that acts for itself."""
    return {"grant_type": "client_credentials", "resource": resource, "scope": scope}


def assertion_grant(assertion: str, resource: str, scope: str) -> dict[str, str]:
    """The grant that somebody else's signed word is (RFC 7523, section 2.1)."""
    return {"grant_type": JWT_BEARER, "assertion": assertion, "resource": resource, "scope": scope}


def exchange_grant(subject: str, kind: str, audience: str, resource: str, scope: str) -> dict[str, str]:
    """The request for an assertion about a person, to be shown to another authorization server (RFC 8693)."""
    # MCP ext-auth, enterprise-managed authorization, section 4: audience is the issuer of the other server.
    grant = {"grant_type": TOKEN_EXCHANGE, "requested_token_type": ID_JAG, "audience": audience}
    return {**grant, "resource": resource, "scope": scope, "subject_token": subject, "subject_token_type": kind}


def granted(response: Response, what: str) -> Result[Exact]:
    """The answer, if it brings what was asked for."""
    document = parse(response.body)
    if response.status not in _FINE or document is None:
        return Failure(refusal(response, what))
    for name in _SENT:
        if not has_bytes(as_text(as_object(document.value).get(name))):
            return Failure(Unauthorized(f"{response.url} answered {what} with what cannot be sent back: its {name}"))
    return Success(document)


def refusal(response: Response, what: str) -> Fault:
    """The fault that an unwelcome answer is; a good status with a bad body is not quoted, it may hold secrets."""
    document = parse(response.body)
    members = as_object(document.value) if document is not None else {}
    error = as_text(members.get("error"))
    if error:
        return refused(error, members, f"{response.url} refused {what}", response.status)
    if response.status in _FINE:
        return Unauthorized(f"{response.url} answered {what} with status {response.status} and no JSON object")
    return failure(response.status, response.url, response.headers, response.body, what)


def refused(error: str, said: Mapping[str, Json], who: str, status: int | None = None) -> Unauthorized:
    """The fault that an error response is, with all its fields."""
    fields: dict[str, Printable] = {"error": error}
    told = {name: as_text(said.get(name)) for name in ("error_description", "error_uri")}
    fields |= {name: text for name, text in told.items() if text}
    because = f": {told['error_description']}" if told["error_description"] else ""
    evidence = (f"more at {told['error_uri']}",) if told["error_uri"] else ()
    hints = (f"{error} means: {_MEANING[error]}",) if error in _MEANING else ()
    about = fields if status is None else {"status": status, **fields}
    return Unauthorized(f"{who} with {error}{because}", evidence, hints, about)


def seconds(value: Json) -> int | None:
    """The number of seconds that it is, if it is one that ends."""
    return int(value) if isinstance(value, int | float) and abs(value) <= LONGEST else None


def token_of(document: Exact, at: int, asked: str, *, bound: bool) -> Result[Token]:
    """The token of an answer; at is when it came, asked the scope that was wanted."""
    members = as_object(document.value)
    access, kind = as_text(members.get("access_token")), as_text(members.get("token_type")) or "Bearer"
    if not access:
        return Failure(Unauthorized("the authorization server answered without an access_token"))
    # RFC 6749, appendix A.12: access-token = 1*VSCHAR, and nothing else can stand in a header.
    if not (access.isascii() and access.isprintable()):
        return Failure(Unauthorized("the authorization server answered with an access_token that no header can hold"))
    if kind.lower() not in {"bearer", "dpop"}:
        return Failure(Unauthorized(f"the token is of the type {kind!r}, which cannot be used with MCP"))
    if bound and kind.lower() != "dpop":
        # RFC 9449 section 5: who needs a bound token "MUST discard the response" if its type is another.
        return Failure(Unauthorized("the server wants a token that is bound to a key, and got none that is"))
    lasts = seconds(members.get("expires_in"))
    expires = None if lasts is None else at + lasts
    scope = as_text(members.get("scope")) or asked
    # RFC 6749 section 7.1: the name of a type is compared without regard to case.
    written = SCHEME if kind.lower() == "dpop" else "Bearer"
    return Success(Token(access, written, as_text(members.get("refresh_token")), scope, expires))

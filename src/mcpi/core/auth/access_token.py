"""Token grants, and the responses of a token endpoint."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeAlias

from attrs import field

from mcpi.core.auth.metadata import parse
from mcpi.core.auth.proofs import SCHEME
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json, as_object, as_text, is_utf8_encodable
from mcpi.core.outcome.faults import Fault, Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Response
from mcpi.core.wire.http_headers import http_failure

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105 - the name of a grant
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"
EXPIRY_MARGIN = 10
"""Seconds before its expiry at which a token is treated as expired."""
MAX_SECONDS = 1 << 40
"""Maximum lifetime or timestamp in seconds; larger numbers are ignored."""
_SUCCESS = (200, 201)
_MEANING = {
    "invalid_request": "a parameter is missing or invalid",
    "invalid_client": "the client is unknown or failed to authenticate",
    "invalid_grant": "the code, assertion or refresh token has expired, was already used, or belongs to another client",
    "unauthorized_client": "the client is not allowed to use this grant",
    "unsupported_grant_type": "the server does not support this grant",
    "invalid_scope": "a scope is unknown or not allowed",
}
"""Explanations of the error codes in RFC 6749, section 5.2."""
_SENT = ("access_token", "refresh_token", "scope", "client_id", "client_secret")
"""The members of a response that later requests send back."""


Timestamp: TypeAlias = Annotated[int, "seconds since 1970"]


@frozen
class Token:
    """An access token and its attributes; each field's `key` is its name in the token store."""

    EXTRA_KEYS: ClassVar = True

    access: str = field(metadata={"key": "access_token"})
    kind: str = field(default="Bearer", metadata={"key": "token_type"})
    refresh: str = field(default="", metadata={"key": "refresh_token"})
    scope: str = field(default="", metadata={"key": "scope"})
    expires: Timestamp | None = field(default=None, metadata={"key": "expires_at"})
    """The expiry time in seconds since 1970."""

    def is_valid_at(self, at: int) -> bool:
        """Tell whether the token has not expired."""
        return self.expires is None or at + EXPIRY_MARGIN < self.expires


def code_grant(code: str, verifier: str, redirect_uri: str, resource: str) -> dict[str, str]:
    """Build an authorization code grant."""
    grant = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
    return {**grant, "redirect_uri": redirect_uri, "resource": resource}


def refresh_grant(token: str, resource: str, scope: str = "") -> dict[str, str]:
    """Build a refresh token grant."""
    return {"grant_type": "refresh_token", "refresh_token": token, "resource": resource, "scope": scope}


def client_grant(resource: str, scope: str) -> dict[str, str]:
    """Build a client credentials grant."""
    return {"grant_type": "client_credentials", "resource": resource, "scope": scope}


def assertion_grant(assertion: str, resource: str, scope: str) -> dict[str, str]:
    """Build a JWT bearer grant with a signed assertion (RFC 7523, section 2.1)."""
    return {"grant_type": JWT_BEARER, "assertion": assertion, "resource": resource, "scope": scope}


def exchange_grant(subject: str, kind: str, audience: str, resource: str, scope: str) -> dict[str, str]:
    """Build a token exchange grant for an assertion to use at another authorization server (RFC 8693)."""
    # MCP ext-auth, enterprise-managed authorization, section 4: audience is the issuer of the other server.
    grant = {"grant_type": TOKEN_EXCHANGE, "requested_token_type": ID_JAG, "audience": audience}
    return {**grant, "resource": resource, "scope": scope, "subject_token": subject, "subject_token_type": kind}


def granted_document(response: Response, request: str) -> Result[Exact]:
    """Return the response's document, or a failure if the grant was rejected."""
    document = parse(response.body)
    if response.status not in _SUCCESS or document is None:
        return Failure(token_fault(response, request))
    for name in _SENT:
        if not is_utf8_encodable(as_text(as_object(document.value).get(name))):
            return Failure(Unauthorized(f"{response.url} answered {request} with an invalid {name}"))
    return Success(document)


def token_fault(response: Response, request: str) -> Fault:
    """Build the fault for an error response; the body of a successful response may be secret and is not quoted."""
    document = parse(response.body)
    members = as_object(document.value) if document is not None else {}
    error = as_text(members.get("error"))
    if error:
        return oauth_error_fault(error, members, f"{response.url} rejected {request}", response.status)
    if response.status in _SUCCESS:
        return Unauthorized(f"{response.url} answered {request} with HTTP status {response.status} and no JSON object")
    return http_failure(response.status, response.url, response.headers, response.body, request)


def oauth_error_fault(
    error: str, members: Mapping[str, Json], rejection: str, status: int | None = None
) -> Unauthorized:
    """Build the fault for an OAuth error, with all its fields."""
    fields: dict[str, Printable] = {"error": error}
    texts = {name: as_text(members.get(name)) for name in ("error_description", "error_uri")}
    fields |= {name: text for name, text in texts.items() if text}
    description = f": {texts['error_description']}" if texts["error_description"] else ""
    evidence = (f"more at {texts['error_uri']}",) if texts["error_uri"] else ()
    hints = (f"{error} means: {_MEANING[error]}",) if error in _MEANING else ()
    about = fields if status is None else {"status": status, **fields}
    return Unauthorized(f"{rejection} with {error}{description}", evidence, hints, about)


def seconds(value: Json) -> int | None:
    """Convert a JSON number to whole seconds; return None if it is too large or not a number."""
    return int(value) if isinstance(value, int | float) and abs(value) <= MAX_SECONDS else None


def parse_token(document: Exact, at: int, requested_scope: str, *, bound: bool) -> Result[Token]:
    """Parse the token of a response that arrived at the time `at` for `requested_scope`."""
    members = as_object(document.value)
    access, kind = as_text(members.get("access_token")), as_text(members.get("token_type")) or "Bearer"
    if not access:
        return Failure(Unauthorized("the authorization server's response has no access_token"))
    # RFC 6749, appendix A.12: access-token = 1*VSCHAR; other characters are invalid in a header.
    if not (access.isascii() and access.isprintable()):
        return Failure(
            Unauthorized(
                "the access_token from the authorization server contains characters that are not allowed in a header"
            )
        )
    if kind.lower() not in {"bearer", "dpop"}:
        return Failure(Unauthorized(f"the token type {kind!r} cannot be used with MCP"))
    if bound and kind.lower() != "dpop":
        # RFC 9449 section 5: a client that requires a bound token "MUST discard the response" if it has another type.
        return Failure(
            Unauthorized("the server requires a token bound to a key (DPoP), but the issued token is not bound")
        )
    lasts = seconds(members.get("expires_in"))
    expires = None if lasts is None else at + lasts
    scope = as_text(members.get("scope")) or requested_scope
    # RFC 6749 section 7.1: token types are case-insensitive.
    written = SCHEME if kind.lower() == "dpop" else "Bearer"
    return Success(Token(access, written, as_text(members.get("refresh_token")), scope, expires))

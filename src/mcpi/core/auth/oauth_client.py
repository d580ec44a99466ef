"""OAuth clients: registration, and authentication at the token endpoint."""

from base64 import b64encode
from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias
from urllib.parse import quote_plus, urlencode

from attrs import field

from mcpi.core.auth.endpoint_urls import is_loopback, split
from mcpi.core.auth.metadata import Issuer
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Fetch

AuthMethod: TypeAlias = Literal["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]

FORM = "application/x-www-form-urlencoded"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
LIFETIME = 300
"""Lifetime of a client assertion, in seconds."""
NAME = "mcpi"
AUTH_METHODS: Mapping[str, AuthMethod] = {
    "none": "none",
    "client_secret_basic": "client_secret_basic",
    "client_secret_post": "client_secret_post",
}
"""The authentication methods of a new client, in order of preference."""


@frozen
class OAuthClient:
    """A client that an authorization server knows; fields with a `key` in their metadata are stored."""

    EXTRA_KEYS: ClassVar = True

    id: str = field(metadata={"key": "client_id"})
    secret: str = field(default="", metadata={"key": "client_secret"})
    auth_method: AuthMethod = field(default="none", metadata={"key": "token_endpoint_auth_method"})
    key: str = ""
    algorithm: str = ""
    redirect_uri: str = field(default="", metadata={"key": "redirect_uri"})
    scope: str = field(default="", metadata={"key": "scope"})
    """The scopes that its registration allows; an empty string allows any."""

    def may_ask(self, scope: str) -> bool:
        """Tell whether the registration allows the scope (RFC 7591, section 2)."""
        return not self.scope or set(scope.split()) <= set(self.scope.split())


def _supported(issuer: Issuer) -> tuple[str, ...]:
    # RFC 8414 section 2: "If omitted, the default is client_secret_basic".
    if issuer.assumed:
        return ("none", "client_secret_basic", "client_secret_post")
    return issuer.string_list("token_endpoint_auth_methods_supported") or ("client_secret_basic",)


def known_client(issuer: Issuer, name: str, secret: str, key: str, algorithm: str = "") -> OAuthClient:
    """Build a client that was registered before, with an authentication method that the issuer supports."""
    if key:
        return OAuthClient(name, "", "private_key_jwt", key, algorithm)
    if not secret:
        return OAuthClient(name)
    supported = _supported(issuer)
    post = "client_secret_post" in supported and "client_secret_basic" not in supported
    return OAuthClient(name, secret, "client_secret_post" if post else "client_secret_basic")


def registration_metadata(issuer: Issuer, name: str, redirect_uri: str, scope: str = "") -> dict[str, Printable]:
    """Build the client metadata for a registration (RFC 7591, section 2)."""
    supported = issuer.string_list("grant_types_supported")
    grants = ["authorization_code", "refresh_token"]
    if supported is not None and "refresh_token" not in supported:
        grants = grants[:1]
    metadata: dict[str, Printable] = {
        "client_name": name,
        "redirect_uris": [redirect_uri],
        "grant_types": grants,
        "response_types": ["code"],
        "token_endpoint_auth_method": preferred_auth_method(issuer),
        # MCP 2026-07-28, client registration: "MCP clients MUST specify an appropriate application_type".
        "application_type": "native" if _is_native(redirect_uri) else "web",
    }
    return {**metadata, "scope": scope} if scope else metadata


def preferred_auth_method(issuer: Issuer) -> AuthMethod:
    """Return the authentication method for a new client: none if possible, as a local program cannot keep a secret."""
    supported = _supported(issuer)
    for name, way in AUTH_METHODS.items():
        if name in supported:
            return way
    return "client_secret_basic"


def _is_native(redirect_uri: str) -> bool:
    return is_loopback(redirect_uri) or split(redirect_uri) is None


def register_request(issuer: Issuer, metadata: Mapping[str, Printable]) -> Result[Fetch]:
    """Build the request that registers a client."""
    match issuer.safe_endpoint("registration_endpoint"):
        case Success(url):
            headers = {"accept": "application/json", "content-type": "application/json"}
            return Success(Fetch(url, "POST", headers, dump(dict(metadata))))
        case Failure() as failed:
            return failed


def parse_registration(document: Exact, requested: AuthMethod, redirect_uri: str) -> Result[OAuthClient]:
    """Parse the client from a registration response (RFC 7591, section 3.2.1)."""
    members = as_object(document.value)
    name, secret = as_text(members.get("client_id")), as_text(members.get("client_secret"))
    if not name:
        return Failure(Unauthorized("the authorization server registered a client without a client_id"))
    method = as_text(members.get("token_endpoint_auth_method")) or requested
    way = AUTH_METHODS.get(method, requested)
    return Success(
        OAuthClient(
            name,
            secret,
            way if secret else "none",
            redirect_uri=redirect_uri,
            scope=as_text(members.get("scope")),
        )
    )


def token_request(issuer: Issuer, client: OAuthClient, grant: Mapping[str, str], assertion: str = "") -> Result[Fetch]:
    """Build a token request with client authentication (RFC 6749, section 2.3)."""
    match issuer.safe_endpoint("token_endpoint"):
        case Success(url):
            return Success(authenticated_form(url, client, grant, assertion))
        case Failure() as failed:
            return failed


def authenticated_form(url: str, client: OAuthClient, grant: Mapping[str, str], assertion: str = "") -> Fetch:
    """Build the form for a token endpoint, with client authentication."""
    headers = {"accept": "application/json", "content-type": FORM}
    form = {name: value for name, value in grant.items() if value}
    match client.auth_method:
        case "none":
            form |= {"client_id": client.id} if client.id else {}
        case "client_secret_basic":
            # RFC 6749 section 2.3.1: both are form-encoded before they are joined.
            pair = f"{quote_plus(client.id)}:{quote_plus(client.secret)}"
            headers["authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
            # Servers built on the MCP SDK compare the client_id with that of the code; it is not a secret.
            form |= {"client_id": client.id}
        case "client_secret_post":
            form |= {"client_id": client.id, "client_secret": client.secret}
        case "private_key_jwt":
            form |= {"client_id": client.id, "client_assertion_type": ASSERTION, "client_assertion": assertion}
    return Fetch(url, "POST", headers, urlencode(form))


def assertion_claims(issuer: Issuer, client: OAuthClient, at: int, unique: str) -> dict[str, Printable]:
    """Build the claims of a client assertion (RFC 7523, section 3)."""
    who = {"iss": client.id, "sub": client.id, "aud": issuer.identifier}
    return {**who, "jti": unique, "iat": at, "exp": at + LIFETIME}

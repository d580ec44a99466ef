"""Who we are to an authorization server: registration, and how a token request says it."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Literal, TypeAlias
from urllib.parse import quote_plus, urlencode

from mcpi.core.auth.endpoint_urls import is_loopback, split
from mcpi.core.auth.metadata import Issuer
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Fetch

Way: TypeAlias = Literal["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]

FORM = "application/x-www-form-urlencoded"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
LIFETIME = 300
"""Seconds for which a client assertion is good."""
NAME = "mcpi"
WAYS: Mapping[str, Way] = {
    "none": "none",
    "client_secret_basic": "client_secret_basic",
    "client_secret_post": "client_secret_post",
}
"""The ways of a new client, the preferred one first."""


@frozen
class OAuthClient:
    """A client as an authorization server knows it."""

    id: str
    secret: str = ""
    way: Way = "none"
    key: str = ""
    algorithm: str = ""
    redirect_uri: str = ""
    scope: str = ""
    """All that it may ask for, if its registration says that."""

    def may_ask(self, scope: str) -> bool:
        """Whether its registration lets it ask for the scope (RFC 7591, section 2)."""
        return not self.scope or set(scope.split()) <= set(self.scope.split())


def _supported(issuer: Issuer) -> tuple[str, ...]:
    # RFC 8414 section 2: "If omitted, the default is client_secret_basic".
    if issuer.assumed:
        return ("none", "client_secret_basic", "client_secret_post")
    return issuer.said("token_endpoint_auth_methods_supported") or ("client_secret_basic",)


def known_client(issuer: Issuer, name: str, secret: str, key: str, algorithm: str = "") -> OAuthClient:
    """A client that was registered before, with the way of authentication that both sides know."""
    if key:
        return OAuthClient(name, "", "private_key_jwt", key, algorithm)
    if not secret:
        return OAuthClient(name)
    supported = _supported(issuer)
    post = "client_secret_post" in supported and "client_secret_basic" not in supported
    return OAuthClient(name, secret, "client_secret_post" if post else "client_secret_basic")


def registration(issuer: Issuer, name: str, redirect_uri: str, scope: str = "") -> dict[str, Printable]:
    """What a client says of itself (RFC 7591, section 2)."""
    supported = issuer.said("grant_types_supported")
    grants = ["authorization_code", "refresh_token"]
    if supported is not None and "refresh_token" not in supported:
        grants = grants[:1]
    said: dict[str, Printable] = {
        "client_name": name,
        "redirect_uris": [redirect_uri],
        "grant_types": grants,
        "response_types": ["code"],
        "token_endpoint_auth_method": preferred(issuer),
        # MCP 2026-07-28, client registration: "MCP clients MUST specify an appropriate application_type".
        "application_type": "native" if _is_native(redirect_uri) else "web",
    }
    return {**said, "scope": scope} if scope else said


def preferred(issuer: Issuer) -> Way:
    """How a new client will authenticate itself: a program on somebody's machine keeps no secret if it need not."""
    supported = _supported(issuer)
    for name, way in WAYS.items():
        if name in supported:
            return way
    return "client_secret_basic"


def _is_native(redirect_uri: str) -> bool:
    return is_loopback(redirect_uri) or split(redirect_uri) is None


def register_request(issuer: Issuer, said: Mapping[str, Printable]) -> Result[Fetch]:
    """The request that registers a client."""
    match issuer.safe_endpoint("registration_endpoint"):
        case Success(url):
            headers = {"accept": "application/json", "content-type": "application/json"}
            return Success(Fetch(url, "POST", headers, dump(dict(said))))
        case Failure() as failed:
            return failed


def registered(document: Exact, asked: Way, redirect_uri: str) -> Result[OAuthClient]:
    """The client that the answer to a registration describes (RFC 7591, section 3.2.1)."""
    members = as_object(document.value)
    name, secret = as_text(members.get("client_id")), as_text(members.get("client_secret"))
    if not name:
        return Failure(Unauthorized("the authorization server registered a client without a client_id"))
    said = as_text(members.get("token_endpoint_auth_method")) or asked
    way = WAYS.get(said, asked)
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
    """The request for a token, in which the client says who it is (RFC 6749, section 2.3)."""
    match issuer.safe_endpoint("token_endpoint"):
        case Success(url):
            return Success(authenticated(url, client, grant, assertion))
        case Failure() as failed:
            return failed


def authenticated(url: str, client: OAuthClient, grant: Mapping[str, str], assertion: str = "") -> Fetch:
    """A form for a token endpoint."""
    headers = {"accept": "application/json", "content-type": FORM}
    said = {name: value for name, value in grant.items() if value}
    match client.way:
        case "none":
            said |= {"client_id": client.id} if client.id else {}
        case "client_secret_basic":
            # RFC 6749 section 2.3.1: both are form-encoded before they are put together.
            pair = f"{quote_plus(client.id)}:{quote_plus(client.secret)}"
            headers["authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
            # The id alone proves nothing, and servers that are built on the SDK compare it with the code's.
            said |= {"client_id": client.id}
        case "client_secret_post":
            said |= {"client_id": client.id, "client_secret": client.secret}
        case "private_key_jwt":
            said |= {"client_id": client.id, "client_assertion_type": ASSERTION, "client_assertion": assertion}
    return Fetch(url, "POST", headers, urlencode(said))


def assertion_claims(issuer: Issuer, client: OAuthClient, at: int, unique: str) -> dict[str, Printable]:
    """What a client says of itself under its signature (RFC 7523, section 3)."""
    who = {"iss": client.id, "sub": client.id, "aud": issuer.identifier}
    return {**who, "jti": unique, "iat": at, "exp": at + LIFETIME}

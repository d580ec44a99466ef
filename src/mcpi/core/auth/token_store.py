"""The store of tokens and client registrations between runs: tokens by resource, registrations by issuer."""

from mcpi.core.auth.access_token import Token, seconds
from mcpi.core.auth.oauth_client import AUTH_METHODS, OAuthClient
from mcpi.core.jsontext.exact import JsonSyntaxProblem, Printable, parse_json_text
from mcpi.core.jsontext.values import JsonObject, as_object, as_text
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Store

VERSION = 1
TOKENS, CLIENTS = "tokens", "clients"


def parse(path: str, text: str) -> Result[JsonObject]:
    """Parse the store; an empty file is an empty store."""
    if not text.strip():
        return Success({})
    found = parse_json_text(text)
    if isinstance(found, JsonSyntaxProblem) or as_object(found.value).get("version") != VERSION:
        problem = f"{path} is no store of mcpi's"
        return Failure(Invalid("INVALID_ARGUMENT", "--auth-store", problem, ("name another file, or remove it",)))
    return Success(as_object(found.value))


def apply_change(held: JsonObject, change: Store) -> dict[str, Printable]:
    """Return the store with one entry changed."""
    section = {name: value for name, value in as_object(held.get(change.section)).items() if name != change.name}
    kept: dict[str, Printable] = dict(section)
    if change.value is not None:
        kept[change.name] = dict(change.value)
    return {**held, "version": VERSION, change.section: kept}


def token_entry(token: Token, issuer: str, client_id: str) -> dict[str, Printable]:
    """Build the entry for a token, with its issuer and client."""
    about = {"issuer": issuer, "client_id": client_id, "access_token": token.access, "token_type": token.kind}
    return {**about, "refresh_token": token.refresh, "scope": token.scope, "expires_at": token.expires}


def token_in(entry: JsonObject) -> Token | None:
    """Parse the token of an entry; return None if it has none."""
    access, kind = as_text(entry.get("access_token")), as_text(entry.get("token_type"))
    if not access:
        return None
    ends = seconds(entry.get("expires_at"))
    return Token(access, kind or "Bearer", as_text(entry.get("refresh_token")), as_text(entry.get("scope")), ends)


def client_entry(client: OAuthClient) -> dict[str, Printable]:
    """Build the entry for a registered client."""
    about = {"client_id": client.id, "client_secret": client.secret, "redirect_uri": client.redirect_uri}
    return {**about, "token_endpoint_auth_method": client.auth_method, "scope": client.scope}


def client_in(entry: JsonObject) -> OAuthClient | None:
    """Parse the client of an entry; return None if it has none."""
    name, secret = as_text(entry.get("client_id")), as_text(entry.get("client_secret"))
    if not name:
        return None
    way = AUTH_METHODS.get(as_text(entry.get("token_endpoint_auth_method")), "none")
    return OAuthClient(
        name, secret, way, redirect_uri=as_text(entry.get("redirect_uri")), scope=as_text(entry.get("scope"))
    )


def entry_of(held: JsonObject, section: str, name: str) -> JsonObject:
    """Return one entry of a section, or an empty object."""
    return as_object(as_object(held.get(section)).get(name))

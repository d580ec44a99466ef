"""The store of tokens and client registrations between runs: tokens by resource, registrations by issuer."""

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from attrs import field, fields

from mcpi.core.auth.access_token import Timestamp, Token, seconds
from mcpi.core.auth.oauth_client import OAuthClient
from mcpi.core.flags.structure import CONVERTER, exact_members, structure
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import JsonSyntaxProblem, Printable, parse_json_text
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Store

T = TypeVar("T", Token, OAuthClient)

VERSION = 1
TOKENS, CLIENTS = "tokens", "clients"


@frozen(kw_only=True)
class StoreDocument:
    """The content of the store."""

    EXTRA_KEYS: ClassVar = True

    tokens: Mapping[str, Token] = field(factory=dict)
    clients: Mapping[str, OAuthClient] = field(factory=dict)


CONVERTER.register_structure_hook_func(lambda kind: kind == Timestamp, lambda value, _: seconds(value.value))


def parse(path: str, text: str) -> Result[JsonObject]:
    """Parse the store; an empty file is an empty store."""
    if not text.strip():
        return Success({})
    found, wrong = parse_json_text(text), ""
    if not isinstance(found, JsonSyntaxProblem) and as_object(found.value).get("version") == VERSION:
        match structure(StoreDocument, found):
            case Success():
                return Success(as_object(found.value))
            case Failure(mistakes):
                wrong = ": " + "; ".join(one.sentence("it") for one in mistakes)
    problem = f"{path} is not an mcpi token store{wrong}"
    return Failure(Invalid("INVALID_ARGUMENT", "--auth-store", problem, ("use another file, or delete this one",)))


def apply_change(held: JsonObject, change: Store) -> dict[str, Printable]:
    """Return the store with one entry changed."""
    section = {name: value for name, value in as_object(held.get(change.section)).items() if name != change.name}
    kept: dict[str, Printable] = dict(section)
    if change.value is not None:
        kept[change.name] = dict(change.value)
    return {**held, "version": VERSION, change.section: kept}


def token_entry(token: Token, issuer: str, client_id: str) -> dict[str, Printable]:
    """Build the entry for a token, with its issuer and client."""
    return {"issuer": issuer, "client_id": client_id, **client_entry(token)}


def client_entry(value: Token | OAuthClient) -> dict[str, Printable]:
    """Build the entry for a registered client, or the token's part of an entry."""
    return {one.metadata["key"]: getattr(value, one.name) for one in fields(type(value)) if one.metadata}


def read_entry(kind: type[T], entry: JsonObject) -> T | None:
    """Read the token or the client of an entry; return None if it has none."""
    match structure(kind, exact_members(entry)):
        case Success(found):
            return found
        case Failure():
            return None


def entry_of(held: JsonObject, section: str, name: str) -> JsonObject:
    """Return one entry of a section, or an empty object."""
    return as_object(as_object(held.get(section)).get(name))

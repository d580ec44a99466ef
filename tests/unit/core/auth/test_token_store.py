"""The token store: reading, changing and validating its entries."""

from mcpi.core.auth.access_token import Token
from mcpi.core.auth.oauth_client import OAuthClient
from mcpi.core.auth.token_store import apply_change, client_entry, entry_of, parse, read_entry, token_entry
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.world_steps import Store


def test_empty_file_is_an_empty_store() -> None:
    assert parse("f", " \n") == Success({})


def test_valid_store_is_parsed() -> None:
    assert parse("f", '{"version": 1, "tokens": {}}') == Success({"version": 1, "tokens": {}})


def test_file_that_is_not_a_token_store_is_rejected() -> None:
    wrong = Failure(
        Invalid(
            "INVALID_ARGUMENT",
            "--auth-store",
            "f is not an mcpi token store",
            ("use another file, or delete this one",),
        )
    )

    assert parse("f", "not json") == wrong
    assert parse("f", "[]") == wrong
    assert parse("f", '{"version": 2}') == wrong


def test_each_error_in_a_store_is_reported_with_its_path() -> None:
    text = """{"version": 1, "clients": {"i": {"client_id": 5}}, "tokens": {"a": {"scope": []}, "b": 1}}"""
    expected = (
        "f is not an mcpi token store: clients.i.client_id: expected a string, found number; "
        "it requires 'tokens.a.access_token'; "
        "tokens.a.scope: expected a string, found array; tokens.b: expected an object, found number"
    )

    assert parse("f", text) == Failure(
        Invalid("INVALID_ARGUMENT", "--auth-store", expected, ("use another file, or delete this one",))
    )


def test_change_of_an_entry_keeps_the_other_entries() -> None:
    held: JsonObject = {"version": 1, "tokens": {"a": {"x": 1}, "b": {"x": 2}}, "other": 3}

    assert apply_change(held, Store("tokens", "a", {"x": 9})) == {
        "version": 1,
        "tokens": {"b": {"x": 2}, "a": {"x": 9}},
        "other": 3,
    }
    assert apply_change(held, Store("tokens", "a", None))["tokens"] == {"b": {"x": 2}}
    assert apply_change({}, Store("clients", "i", {})) == {"version": 1, "clients": {"i": {}}}


def test_token_round_trips_through_the_store() -> None:
    token = Token("t", "Bearer", "r", "read", 99)
    entry = token_entry(token, "issuer", "me")

    assert (entry["issuer"], entry["client_id"]) == ("issuer", "me")
    assert read_entry(Token, entry) == token  # type: ignore[arg-type] # an entry is JSON
    assert read_entry(Token, {"access_token": "t", "scope": "read", "expires_at": 99.0}) == Token(
        "t", scope="read", expires=99
    )
    assert read_entry(Token, {"access_token": "t", "expires_at": None}) == Token("t")
    assert (read_entry(Token, {}), read_entry(Token, {"access_token": 5})) == (None, None)


def test_client_round_trips_through_the_store() -> None:
    client = OAuthClient("me", "s", "client_secret_post", redirect_uri="u", scope="a")

    assert read_entry(OAuthClient, client_entry(client)) == client  # type: ignore[arg-type] # an entry is JSON
    assert read_entry(OAuthClient, {"client_id": "me"}) == OAuthClient("me")
    assert read_entry(OAuthClient, {}) is None


def test_missing_entry_is_empty() -> None:
    assert entry_of({"tokens": {"a": {"b": 1}}}, "tokens", "a") == {"b": 1}
    assert entry_of({"tokens": []}, "tokens", "a") == {}

"""Metadata of resources and issuers is validated before use."""

import json

import pytest

from mcpi.core.auth.metadata import (
    Attempt,
    Issuer,
    ProtectedResource,
    TokenSource,
    as_output,
    checked_pkce,
    first_scope,
    parse,
    parse_issuer,
    parse_resource,
    union,
    with_offline,
)
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Success
from support.replay import exact
from support.web import AS, MCP, METADATA, PRM

AT = Attempt(PRM, 200)


def issuer(**fields: object) -> Issuer:
    return Issuer(AS, exact(json.loads(json.dumps(fields))))


def resource_document(known: Issuer, *, described: bool = True, scopes: str = "", challenged: str = "") -> TokenSource:
    return TokenSource(MCP, MCP, known, scopes, challenged, described=described, attempts=(AT,))


@pytest.mark.parametrize(
    ("text", "found"), [("{}", Exact("{}", {})), ("[]", None), ("", None), ("<html>", None), ('"x"', None)]
)
def test_metadata_document_must_be_a_json_object(text: str, found: Exact | None) -> None:
    assert parse(text) == found


def test_resource_metadata_names_the_authorization_server() -> None:
    fields = exact(
        {"resource": MCP, "authorization_servers": [AS, "https://b.example"], "scopes_supported": ["a", "b"]}
    )

    assert parse_resource(fields, MCP, PRM) == Success(ProtectedResource(MCP, AS, "a b"))


def test_resource_may_require_dpop_bound_tokens() -> None:
    fields = exact({"resource": MCP, "dpop_bound_access_tokens_required": True})

    assert parse_resource(fields, MCP, PRM) == Success(ProtectedResource(MCP, "", "", bound=True))


def test_scope_with_invalid_characters_is_rejected() -> None:
    fields = exact({"resource": MCP, "scopes_supported": ["a", "\ud800"]})

    assert parse_resource(fields, MCP, PRM) == Failure(Unauthorized(f"{PRM} lists a scope with invalid characters"))


@pytest.mark.parametrize(
    ("named", "message"), [("https://evil.example/mcp", "https://evil.example/mcp"), ("", "(unnamed)")]
)
def test_metadata_of_another_resource_is_rejected(named: str, message: str) -> None:
    hint = "a token for another resource would be rejected"

    assert parse_resource(exact({"resource": named}), MCP, PRM) == Failure(
        Unauthorized(f"{PRM} describes the resource {message} instead of {MCP}", hints=(hint,))
    )


def test_issuer_must_match_one_of_the_expected_identifiers() -> None:
    fields = exact({"issuer": AS})

    assert parse_issuer(fields, AS, METADATA) == Success(Issuer(AS, fields))
    assert parse_issuer(fields, "https://other.example", METADATA, (AS,)) == Success(Issuer(AS, fields))


@pytest.mark.parametrize(
    ("named", "message"),
    [(f"{AS}/", f"{AS}/"), ("https://evil.example", "https://evil.example"), (None, "(unnamed)")],
)
def test_metadata_with_another_issuer_is_rejected(named: str | None, message: str) -> None:
    hint = "mcpi does not use its endpoints, as they may belong to another server"

    assert parse_issuer(exact({"issuer": named}), AS, METADATA) == Failure(
        Unauthorized(f"{METADATA} names the issuer {message} instead of {AS}", hints=(hint,))
    )


def test_endpoint_is_read_from_the_metadata() -> None:
    assert issuer(token_endpoint=f"{AS}/t").safe_endpoint("token_endpoint") == Success(f"{AS}/t")


def test_issuer_without_metadata_has_default_endpoints() -> None:
    assumed = Issuer(f"{AS}/tenant", assumed=True)

    assert assumed.safe_endpoint("authorization_endpoint") == Success(f"{AS}/authorize")
    assert assumed.endpoint("revocation_endpoint") == ""


def test_missing_token_endpoint_is_an_error() -> None:
    missing = Failure(Unauthorized(f"the authorization server {AS} has no token_endpoint"))

    assert issuer().safe_endpoint("token_endpoint") == missing
    assert Issuer(AS).safe_endpoint("token_endpoint") == missing


INSECURE_TOKEN_ENDPOINT = Unauthorized(
    "the token_endpoint http://as.example/token is not secure",
    hints=("secrets are sent only over https, or over http to this machine",),
)


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://as.example/token", INSECURE_TOKEN_ENDPOINT),
        (
            "http://127.0.0.1:6379/token",
            Unauthorized(f"the token_endpoint http://127.0.0.1:6379/token has a local address, but {AS} does not"),
        ),
        (
            "https://localhost/token",
            Unauthorized(f"the token_endpoint https://localhost/token has a local address, but {AS} does not"),
        ),
    ],
)
def test_token_endpoint_over_plain_http_or_on_localhost_is_rejected(url: str, fault: Unauthorized) -> None:
    assert issuer(token_endpoint=url).safe_endpoint("token_endpoint") == Failure(fault)


def test_string_list_is_none_unless_the_value_is_an_array() -> None:
    known = issuer(grant_types_supported=["a", 1], scopes_supported="a")

    assert (known.string_list("grant_types_supported"), known.string_list("scopes_supported")) == (("a", ""), None)
    assert (Issuer(AS).string_list("x"), Issuer(AS).supports("x")) == (None, False)


def test_supports_accepts_only_the_boolean_true() -> None:
    known = issuer(yes=True, no=False, word="true")

    assert [known.supports(name) for name in ("yes", "no", "word", "absent")] == [True, False, False, False]


@pytest.mark.parametrize("methods", [["S256"], ["plain", "S256"]])
def test_pkce_with_s256_is_accepted(methods: list[str]) -> None:
    assert checked_pkce(resource_document(issuer(code_challenge_methods_supported=methods))) == Success(None)


@pytest.mark.parametrize(
    ("fields", "message"), [({}, "none"), ({"code_challenge_methods_supported": ["plain"]}, "plain")]
)
def test_issuer_without_s256_is_rejected(fields: dict[str, object], message: str) -> None:
    problem = f"{AS} does not offer PKCE with S256 (it offers: {message})"

    assert checked_pkce(resource_document(issuer(**fields))) == Failure(Unauthorized(problem))


def test_legacy_server_need_not_advertise_pkce() -> None:
    assert checked_pkce(resource_document(issuer(), described=False)) == Success(None)
    assert checked_pkce(resource_document(Issuer(AS, assumed=True))) == Success(None)


def test_union_of_scopes_removes_duplicates() -> None:
    assert union("a b", "", "b  c") == "a b c"


@pytest.mark.parametrize(
    ("challenged", "listed", "requested", "scope"),
    [("c", "l", "w", "w"), ("c", "l", "", "c"), ("", "l", "", "l"), ("", "", "", "")],
)
def test_challenge_scope_precedes_scopes_supported(challenged: str, listed: str, requested: str, scope: str) -> None:
    assert first_scope(resource_document(issuer(), scopes=listed, challenged=challenged), requested) == scope


def test_offline_access_is_added_if_the_server_supports_it() -> None:
    offering = issuer(scopes_supported=["read", "offline_access"])

    assert with_offline("read", offering) == "read offline_access"
    assert with_offline("", offering) == ""
    assert with_offline("read", issuer()) == "read"


def test_metadata_is_printed_as_received() -> None:
    known = Issuer(AS, Exact('{"issuer": "x",  "n": 1.0}', {"issuer": "x", "n": 1.0}))
    attempt = {"method": "GET", "url": PRM, "status": 200, "problem": None}

    assert as_output(resource_document(known, scopes="read")) == {
        "issuer": Exact('"x"', "x"),
        "n": Exact("1.0", 1.0),
        "resource": MCP,
        "scope": "read",
        "attempts": [attempt],
    }


def test_assumed_endpoints_are_printed() -> None:
    assert as_output(TokenSource(MCP, MCP, Issuer(AS, assumed=True), attempts=(Attempt(PRM, 404, "not found"),))) == {
        "issuer": AS,
        "authorization_endpoint": f"{AS}/authorize",
        "token_endpoint": f"{AS}/token",
        "registration_endpoint": f"{AS}/register",
        "assumed": True,
        "resource": MCP,
        "scope": None,
        "attempts": [{"method": "GET", "url": PRM, "status": 404, "problem": "not found"}],
    }


def test_output_without_metadata_has_only_resource_and_attempts() -> None:
    assert as_output(TokenSource(MCP, MCP, Issuer(AS))) == {"resource": MCP, "scope": None, "attempts": []}

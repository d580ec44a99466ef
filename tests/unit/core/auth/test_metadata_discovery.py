"""Discovery of the authorization server from a server's URL; invalid metadata ends it."""

import pytest

from mcpi.core.auth.metadata import Attempt, TokenSource
from mcpi.core.auth.metadata_discovery import discover, probe
from mcpi.core.outcome.faults import Invalid, TimedOut, Unauthorized, Unreachable
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.world_steps import Response
from mcpi.core.wire.challenge import Challenge
from support.web import AS, MCP, METADATA, PRM, SERVER, FakeWeb, oauth_web, page, unauthorized

ROOT = "https://mcp.example/.well-known/oauth-protected-resource"
OWN = "https://mcp.example/.well-known/oauth-authorization-server"
GONE = Unreachable("TLS_FAILED", "no secure connection")


def discovered(web: FakeWeb, challenge: Challenge | None = None, requested: str = "") -> TokenSource:
    ended = web.run(discover(MCP, challenge or Challenge(), requested))
    assert ended.fault is None
    assert isinstance(ended.result, TokenSource)
    return ended.result


def test_discovery_follows_resource_metadata_to_issuer_metadata() -> None:
    web = oauth_web()
    site = discovered(web)

    assert (site.resource, site.issuer.identifier, site.scopes, site.described) == (MCP, AS, "read", True)
    assert site.issuer.endpoint("token_endpoint") == f"{AS}/token"
    assert web.requests == [f"GET {PRM}", f"GET {METADATA}"]


def test_resource_metadata_url_is_taken_from_the_challenge() -> None:
    web = oauth_web()
    web.pages["https://mcp.example/custom.json"] = web.pages.pop(PRM)
    challenge = Challenge(("bearer",), {"resource_metadata": "https://mcp.example/custom.json", "scope": "write"})

    assert discovered(web, challenge).challenged == "write"
    assert web.requests[0] == "GET https://mcp.example/custom.json"


@pytest.mark.parametrize(
    "address", ["/relative", "http://example.com/meta", "http://127.0.0.1:8/meta", "https://localhost/meta", ""]
)
def test_invalid_or_unsafe_resource_metadata_url_is_ignored(address: str) -> None:
    web = oauth_web()
    discovered(web, Challenge(("bearer",), {"resource_metadata": address}))

    assert web.requests[0] == f"GET {PRM}"


def test_root_is_tried_after_the_path_specific_metadata_url() -> None:
    web = oauth_web()
    web.pages[ROOT] = web.pages.pop(PRM)
    site = discovered(web)

    assert [(one.url, one.status, one.problem) for one in site.attempts] == [
        (PRM, 404, "not found"),
        (ROOT, 200, ""),
        (METADATA, 200, ""),
    ]


def test_openid_configuration_is_accepted_as_issuer_metadata() -> None:
    web = oauth_web()
    web.pages[f"{AS}/.well-known/openid-configuration"] = web.pages.pop(METADATA)

    assert discovered(web).issuer.identifier == AS


def test_page_that_is_not_a_json_object_is_skipped() -> None:
    web = oauth_web()
    web.pages[f"{AS}/.well-known/openid-configuration"] = web.pages[METADATA]
    web.pages[METADATA] = Response(200, METADATA, {}, "<html>")

    assert [one.problem for one in discovered(web).attempts] == ["", "not a JSON object", ""]


def test_resource_can_be_overridden() -> None:
    assert discovered(oauth_web(), requested="urn:mine").resource == "urn:mine"


def test_dpop_is_required_by_the_resource_or_the_challenge() -> None:
    web = oauth_web()
    web.pages[PRM] = page({"resource": MCP, "authorization_servers": [AS], "dpop_bound_access_tokens_required": True})

    assert discovered(web).bound
    assert discovered(oauth_web(), Challenge(("dpop",))).bound
    assert not discovered(oauth_web(), Challenge(("bearer",))).bound


def test_metadata_of_another_resource_ends_discovery() -> None:
    web = oauth_web()
    web.pages[PRM] = page({"resource": "https://evil.example/mcp", "authorization_servers": [AS]})
    ended = web.run(discover(MCP, Challenge()))

    assert isinstance(ended.fault, Unauthorized)
    assert web.requests == [f"GET {PRM}"]


def test_metadata_of_another_issuer_ends_discovery() -> None:
    web = oauth_web(issuer="https://evil.example")
    ended = web.run(discover(MCP, Challenge()))

    assert isinstance(ended.fault, Unauthorized)
    assert web.requests == [f"GET {PRM}", f"GET {METADATA}"]


def test_issuer_without_metadata_ends_discovery() -> None:
    web = oauth_web()
    del web.pages[METADATA]

    assert web.run(discover(MCP, Challenge())) == PlanResult(
        None,
        Unauthorized(
            f"the authorization server {AS} has no metadata",
            (f"{METADATA}: not found", f"{AS}/.well-known/openid-configuration: not found"),
        ),
    )


def test_issuer_that_is_not_a_url_ends_discovery() -> None:
    web = oauth_web()
    web.pages[PRM] = page({"resource": MCP, "authorization_servers": ["as"]})

    assert web.run(discover(MCP, Challenge())) == PlanResult(
        None, Unauthorized("the authorization server 'as' is not a URL")
    )


@pytest.mark.parametrize(
    ("issuer", "fault"),
    [
        ("http://169.254.169.254/latest", "is not secure"),
        ("http://127.0.0.1:6379", f"has a local address, but {MCP} does not"),
        ("http://as.example", "is not secure"),
    ],
)
def test_issuer_at_a_local_or_insecure_address_is_rejected(issuer: str, fault: str) -> None:
    web = oauth_web()
    web.pages[PRM] = page({"resource": MCP, "authorization_servers": [issuer]})
    ended = web.run(discover(MCP, Challenge()))

    problem = f"the authorization server {issuer} {fault}"
    assert (ended, web.requests) == (PlanResult(None, Unauthorized(problem)), [f"GET {PRM}"])


def test_plain_http_server_may_host_its_own_resource_metadata() -> None:
    server, own = "http://mcp.example/mcp", "http://mcp.example/meta"
    web = oauth_web()
    web.pages[own] = page({"resource": server, "authorization_servers": [AS]})
    ended = web.run(discover(server, Challenge(("bearer",), {"resource_metadata": own})))

    assert (ended.fault, web.requests[0]) == (None, f"GET {own}")


def test_unreachable_resource_metadata_url_is_skipped() -> None:
    web = oauth_web()
    web.pages["https://gone.example/meta"] = Failure(GONE)
    site = discovered(web, Challenge(("bearer",), {"resource_metadata": "https://gone.example/meta"}))

    assert [(one.status, one.problem) for one in site.attempts[:2]] == [(None, "no secure connection"), (200, "")]


def test_timeout_ends_discovery() -> None:
    late = TimedOut("REQUEST_TIMEOUT", 30.0, f"GET {PRM}")
    web = oauth_web()
    web.pages[PRM] = Failure(late)

    assert web.run(discover(MCP, Challenge())) == PlanResult(None, late)


def test_failed_connection_ends_discovery() -> None:
    web = oauth_web()
    web.pages[METADATA] = Failure(GONE)

    assert web.run(discover(MCP, Challenge())) == PlanResult(None, GONE)


def test_legacy_server_is_its_own_issuer() -> None:
    web = FakeWeb({OWN: page({**SERVER, "issuer": "https://mcp.example"})})
    site = discovered(web)

    assert (site.issuer.identifier, site.resource, site.described) == ("https://mcp.example", MCP, False)


@pytest.mark.parametrize("name", ["https://mcp.example/", MCP])
def test_legacy_server_may_use_several_issuer_identifiers(name: str) -> None:
    assert discovered(FakeWeb({OWN: page({**SERVER, "issuer": name})})).issuer.identifier == name


def test_legacy_server_without_metadata_has_default_endpoints() -> None:
    site = discovered(FakeWeb(), requested="")

    assert (site.issuer.assumed, site.issuer.endpoint("token_endpoint")) == (True, "https://mcp.example/token")
    assert [one.url for one in site.attempts] == [
        PRM,
        ROOT,
        f"{OWN}/mcp",
        "https://mcp.example/.well-known/openid-configuration/mcp",
        "https://mcp.example/mcp/.well-known/openid-configuration",
        OWN,
        "https://mcp.example/.well-known/openid-configuration",
    ]


def test_resource_without_an_authorization_server_is_skipped() -> None:
    web = FakeWeb({PRM: page({"resource": MCP}), OWN: page({**SERVER, "issuer": "https://mcp.example"})})

    assert discovered(web).attempts[0].problem == "it does not name an authorization server"


def test_probe_returns_the_challenge_of_a_401() -> None:
    web = FakeWeb({MCP: Response(401, MCP, unauthorized(header='Bearer scope="a"'), "")})

    assert web.outcome(probe(MCP)) == (Challenge(("bearer",), {"scope": "a"}), Attempt(MCP, 401, method="POST"))
    assert web.requests == [f"POST {MCP}"]


def test_probe_returns_no_challenge_for_status_200() -> None:
    assert web_with_status(200).outcome(probe(MCP)) == (Challenge(), Attempt(MCP, 200, method="POST"))


def web_with_status(status: int) -> FakeWeb:
    return FakeWeb({MCP: Response(status, MCP, unauthorized(), "")})


def test_probe_rejects_an_invalid_url_before_the_request() -> None:
    web = FakeWeb()

    assert web.run(probe("mcp.example")) == PlanResult(
        None, Invalid("INVALID_ARGUMENT", "--server-url", "expected a URL, got 'mcp.example'")
    )
    assert web.requests == []


def test_probe_of_an_unreachable_server_fails() -> None:
    assert FakeWeb({MCP: Failure(GONE)}).run(probe(MCP)) == PlanResult(None, GONE)

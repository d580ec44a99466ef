"""Checks of URLs: secure transport, matching resources, metadata locations."""

import pytest

from mcpi.core.auth.endpoint_urls import (
    canonical,
    covers,
    is_loopback,
    is_secure,
    issuer_metadata_urls,
    may_refer_to,
    resource_metadata_urls,
    root,
    split,
)


@pytest.mark.parametrize(
    "url", ["", "x", "ftp://a", "https://", "https://[::1", "https://a:99999", "/path", "a:b", "https://a/\ud800"]
)
def test_url_without_a_host_is_invalid(url: str) -> None:
    assert split(url) is None
    assert not is_secure(url)
    assert not is_loopback(url)


@pytest.mark.parametrize(
    "url",
    ["http://localhost:3000/x", "http://127.0.0.1", "http://127.9.8.7/", "http://[::1]:8", "http://app.localhost/"],
)
def test_localhost_is_loopback_and_secure(url: str) -> None:
    assert is_loopback(url)
    assert is_secure(url)


@pytest.mark.parametrize("url", ["http://example.com", "http://127.0.0.1.example.com", "http://localhost.example"])
def test_remote_host_is_secure_only_over_https(url: str) -> None:
    assert not is_loopback(url)
    assert not is_secure(url)
    assert is_secure(url.replace("http:", "https:"))


@pytest.mark.parametrize(
    ("server", "url", "may"),
    [
        ("https://a.example/mcp", "https://b.example/meta", True),
        ("https://a.example/mcp", "http://b.example/meta", False),
        ("https://a.example/mcp", "http://a.example/meta", False),
        ("http://a.example/mcp", "http://a.example/meta", True),
        ("https://a.example/mcp", "http://169.254.169.254/latest", False),
        ("https://a.example/mcp", "http://127.0.0.1:6379/", False),
        ("https://a.example/mcp", "https://localhost:8443/", False),
        ("https://a.example/mcp", "http://[::1]:80/", False),
        ("http://localhost:3000/mcp", "http://127.0.0.1:9000/meta", True),
        ("http://localhost:3000/mcp", "https://b.example/meta", True),
        ("https://a.example/mcp", "file:///etc/passwd", False),
        ("https://a.example/mcp", "", False),
    ],
)
def test_remote_server_must_not_refer_to_a_local_address(server: str, url: str, may: bool) -> None:  # noqa: FBT001
    assert may_refer_to(server, url) is may


@pytest.mark.parametrize(
    ("resource", "server", "covered"),
    [
        ("https://a.example/mcp", "https://a.example/mcp", True),
        ("https://a.example/mcp/", "https://a.example/mcp", True),
        ("https://A.example:443", "https://a.example/mcp?x=1", True),
        ("https://a.example/", "https://a.example", True),
        ("https://a.example/mc", "https://a.example/mcp", False),
        ("https://a.example/mcp/deeper", "https://a.example/mcp", False),
        ("http://a.example/mcp", "https://a.example/mcp", False),
        ("https://b.example/mcp", "https://a.example/mcp", False),
        ("https://a.example:8443/mcp", "https://a.example/mcp", False),
        ("mcp", "https://a.example/mcp", False),
    ],
)
def test_resource_covers_urls_below_it_on_the_same_origin(resource: str, server: str, covered: bool) -> None:  # noqa: FBT001
    assert covers(resource, server) is covered


def test_canonical_resource_has_no_query_or_fragment() -> None:
    assert canonical("HTTPS://A.Example/MCP/?q=1#f") == "https://a.example/MCP"
    assert root("https://a.example:8443/mcp?q") == "https://a.example:8443"


def test_resource_metadata_urls_are_path_specific_and_root() -> None:
    assert resource_metadata_urls("https://a.example/mcp/") == (
        "https://a.example/.well-known/oauth-protected-resource/mcp",
        "https://a.example/.well-known/oauth-protected-resource",
    )
    assert resource_metadata_urls("https://a.example") == ("https://a.example/.well-known/oauth-protected-resource",)


def test_issuer_with_a_path_has_three_metadata_urls() -> None:
    # MCP 2025-11-25, authorization server metadata discovery, in this order.
    assert issuer_metadata_urls("https://a.example/tenant1") == (
        "https://a.example/.well-known/oauth-authorization-server/tenant1",
        "https://a.example/.well-known/openid-configuration/tenant1",
        "https://a.example/tenant1/.well-known/openid-configuration",
    )


def test_issuer_without_a_path_has_two_metadata_urls() -> None:
    assert issuer_metadata_urls("https://a.example/") == (
        "https://a.example/.well-known/oauth-authorization-server",
        "https://a.example/.well-known/openid-configuration",
    )

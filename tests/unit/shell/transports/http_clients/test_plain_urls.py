"""Plain URLs are parsed and joined as by the HTTP library."""

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.shell.transports.http_clients.plain_urls import PlainUrl, join_plain, parse_plain

HOSTS: tuple[str, ...] = (
    "localhost",
    "127.0.0.1",
    "mcp.example",
    "a-b.c",
    "[::1]",
    "[2001:db8::7]",
    "127.1",
    "[0:0::1]",
    "xn--e1a.test",
)
HOSTS += ("LOCALHOST", "a..b", "256.0.0.1", "user:pass@host", "[::ffff:1.2.3.4]", "-", "ä.test")
PORTS = ("", ":8080", ":80", ":65535", ":65536", ":0", ":08", ":")
PATHS = st.text(st.sampled_from("/.ab0~!$&'()*+,;=:@-%4C?# \"<>`{}|\\^é\t"), max_size=12)


def test_plain_url_is_parsed() -> None:
    assert parse_plain("http://[::1]:8080/mcp?a=b") == PlainUrl("::1", 8080, b"[::1]:8080", b"/mcp?a=b")
    assert parse_plain("http://localhost") == PlainUrl("localhost", 80, b"localhost", b"/")
    assert parse_plain("http://as.example/.well-known/x") is not None


@pytest.mark.parametrize(
    "url",
    [
        *("https://localhost/", "http://LOCALHOST/", "http://user@host/", "http://host:80/", "http://host/a b"),
        *("http://host/a/../b", "http://host/.", "http://host/#part", "http://host/%zz", "http://127.1/"),
        *("http://xn--e1a.test/", "http://host:99999/", "http://[::g]/", "http://[0::1]/", "http:///"),
    ],
)
def test_a_url_that_needs_normalization_is_left_to_the_library(url: str) -> None:
    assert parse_plain(url) is None


@given(st.sampled_from(HOSTS), st.sampled_from(PORTS), PATHS)
def test_plain_url_is_parsed_as_by_the_library(host: str, port: str, rest: str) -> None:
    url = f"http://{host}{port}{'/' if rest else ''}{rest}"
    plain = parse_plain(url)

    if plain is not None:
        theirs = httpx2.URL(url)
        assert (plain.host, plain.port) == (theirs.host, theirs.port or 80)
        assert (plain.authority, plain.target) == (theirs.netloc, theirs.raw_path)


@given(PATHS)
def test_plain_reference_is_resolved_as_by_the_library(reference: str) -> None:
    url = "http://localhost:8080/mcp/sse?x=1"
    joined = join_plain(url, reference)

    if joined is not None:
        assert joined == str(httpx2.URL(url).join(reference))


def test_only_absolute_paths_are_resolved_without_the_library() -> None:
    assert join_plain("http://localhost/sse", "/messages?id=1") == "http://localhost/messages?id=1"
    for reference in ("messages", "//elsewhere/", "http://localhost/", "/a/../b", "/a b"):
        assert join_plain("http://localhost/sse", reference) is None
    assert join_plain("https://localhost/sse", "/messages") is None

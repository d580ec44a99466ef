"""Transport detection, URL joining and origins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.flags.pairs import Header
from mcpi.core.outcome.faults import Correction, Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.targets.target import Http, Sse, Stdio, Target, detect_transport, transport_of
from mcpi.core.wire.urls import Transport, join_url, origin

WORDS = st.text(st.characters(exclude_categories=()))
TRANSPORTS: st.SearchStrategy[Transport | None] = st.sampled_from([None, "stdio", "http", "sse"])


def invalid(problem: str, *hints: str) -> Failure[Invalid]:
    """The fault of an invalid target."""
    return Failure(Invalid("INVALID_ARGUMENT", "target", problem, hints))


@pytest.mark.parametrize(
    ("first", "transport"),
    [
        ("https://example.com/mcp", "http"),
        ("http://localhost:3000/mcp", "http"),
        ("https://example.com", "http"),
        ("https://example.com/anything/else", "http"),
        ("HTTPS://EXAMPLE.COM/mcp", "http"),
        ("http://[::1]:3000/mcp", "http"),
        ("http://sse", "http"),
        ("http://sse/", "http"),
        ("http://sse:8080/mcp", "http"),
        ("http://localhost/notsse", "http"),
        ("http://localhost/sse/more", "http"),
        ("http://localhost/mcp?next=/sse", "http"),
        ("http://localhost/mcp#/sse", "http"),
        ("http://localhost:3000/sse", "sse"),
        ("http://localhost/a/sse", "sse"),
        ("http://localhost/sse/", "sse"),
        ("http://localhost/sse?token=1", "sse"),
        ("http://localhost/sse#x", "sse"),
        ("node", "stdio"),
        ("./server", "stdio"),
        ("/usr/bin/env", "stdio"),
        ("C:\\server.exe", "stdio"),
        ("http", "stdio"),
        ("example.com/sse", "stdio"),
        ("", "stdio"),
    ],
)
def test_transport_is_detected_from_the_first_word(first: str, transport: Transport) -> None:
    assert detect_transport(first, None) == Success(transport)


@pytest.mark.parametrize(
    ("first", "transport"),
    [
        ("https://example.com/sse", "http"),
        ("https://example.com/mcp", "sse"),
        ("htp://odd-command", "stdio"),
        ("node", "stdio"),
    ],
)
def test_transport_flag_overrides_detection(first: str, transport: Transport) -> None:
    assert detect_transport(first, transport) == Success(transport)


@pytest.mark.parametrize(("url", "right"), [("http://h/mcp", "http"), ("https://h/sse", "sse")])
def test_stdio_for_a_url_is_rejected(url: str, right: str) -> None:
    fault = detect_transport(url, "stdio").failure()

    assert (fault.where, fault.problem) == ("--transport", f"stdio does not apply to the URL {url!r}")
    assert fault.correction == Correction("stdio", (right,))
    assert detect_transport("http://", "stdio") == invalid("'http://' has no host")


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_http_transport_for_a_command_is_rejected(transport: Transport) -> None:
    assert detect_transport("node", transport) == invalid(
        f"--transport {transport} requires a URL, got the command 'node'"
    )


@pytest.mark.parametrize("scheme", ["ftp", "ws", "file", "WSS", "x+y.z-1"])
@pytest.mark.parametrize("transport", [None, "http", "sse"])
def test_unknown_url_scheme_is_rejected(scheme: str, transport: Transport | None) -> None:
    assert detect_transport(f"{scheme}://localhost/mcp", transport) == invalid(
        f"{scheme}:// is not a supported URL scheme", "use http:// or https://"
    )


@given(WORDS | WORDS.map(lambda rest: f"http://{rest}"), TRANSPORTS)
def test_any_word_has_a_transport_or_a_fault(first: str, transport: Transport | None) -> None:
    match detect_transport(first, transport):
        case Success(found):
            assert found in ({"stdio", "http", "sse"} if transport is None else {transport})
        case Failure(fault):
            assert fault.code == "INVALID_ARGUMENT"
            assert fault.where in {"target", "--transport"}


@pytest.mark.parametrize(
    ("target", "transport"),
    [
        (Stdio(("node",)), "stdio"),
        (Http("https://example.com", (Header("X", "y"),)), "http"),
        (Sse("https://example.com"), "sse"),
    ],
    ids=["stdio", "http", "sse"],
)
def test_a_target_has_a_transport(target: Target, transport: Transport) -> None:
    assert transport_of(target) == transport


@pytest.mark.parametrize(
    ("url", "bound"),
    [
        ("https://Example.com/mcp", ("https", "example.com", 443)),
        ("http://example.com/", ("http", "example.com", 80)),
        ("https://example.com:8443", ("https", "example.com", 8443)),
        ("http://user:secret@example.com:80/x?y", ("http", "example.com", 80)),
        ("HTTP://[::1]:3000/mcp", ("http", "::1", 3000)),
        ("/mcp", ("", "", 80)),
        ("http://localhost:99999/", ("", "", 0)),
        ("http://[::1/", ("", "", 0)),
    ],
)
def test_credentials_are_bound_to_scheme_host_and_port(url: str, bound: tuple[str, str, int]) -> None:
    assert origin(url) == bound


@pytest.mark.parametrize(
    ("place", "found"), [("/b", "https://a.example/b"), ("http://b.example", "http://b.example"), ("http://[::1", "")]
)
def test_invalid_url_is_joined_to_an_empty_string(place: str, found: str) -> None:
    assert join_url("https://a.example/x", place) == found

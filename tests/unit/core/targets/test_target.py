"""A target is a command or a URL."""

import pytest

from mcpi.core.outcome.faults import Correction, Invalid, Unreachable, with_correction
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.target import (
    Http,
    Sse,
    Stdio,
    Target,
    as_url,
    detect_transport,
    is_launcher,
    parse_target,
    secrets_in_target,
    split_command,
    with_quoted_scripts,
)


def invalid(problem: str, *hints: str) -> Failure[Invalid]:
    """The fault of an invalid target."""
    return Failure(Invalid("INVALID_ARGUMENT", "target", problem, hints))


@pytest.mark.parametrize("url", ["http://", "https:///mcp", "http://:3000/mcp", "http://?x"])
def test_url_requires_a_host(url: str) -> None:
    assert detect_transport(url, None) == invalid(f"{url!r} has no host")


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://localhost:port/", "the port is not a number"),
        ("http://\u2100.example/", "the host is not a valid name"),
        ("http://localhost:99999/", "Port out of range 0-65535"),
        ("http://[::1/mcp", "Invalid IPv6 URL"),
    ],
)
def test_invalid_url_names_the_problem(url: str, problem: str) -> None:
    assert detect_transport(url, None) == invalid(f"{url!r} is not a URL: {problem}")


def test_all_words_belong_to_the_command() -> None:
    assert parse_target(("node", "server.js", "--port", "1"), None) == Success(
        Stdio(("node", "server.js", "--port", "1"))
    )


def test_command_may_have_a_url_argument() -> None:
    assert parse_target(("npx", "mcp-remote", "https://example.com/sse"), None) == Success(
        Stdio(("npx", "mcp-remote", "https://example.com/sse"))
    )


def test_a_url_is_an_http_target() -> None:
    assert parse_target(("https://example.com/mcp",), None) == Success(Http("https://example.com/mcp"))


def test_a_url_that_ends_in_sse_is_an_sse_target() -> None:
    assert parse_target(("https://example.com/sse",), None) == Success(Sse("https://example.com/sse"))


def test_transport_flag_overrides_the_url_path() -> None:
    assert [parse_target(("https://example.com/sse",), "http"), parse_target(("https://example.com/mcp",), "sse")] == [
        Success(Http("https://example.com/sse")),
        Success(Sse("https://example.com/mcp")),
    ]


def test_error_message_masks_secrets() -> None:
    assert [
        parse_target(("https://u:p4ss@h:0x/mcp?key=s",), None),
        parse_target(("https://h/?k=s", "--key=s"), None),
    ] == [
        invalid("'https://***@h:0x/mcp?key=***' is not a URL: the port is not a number"),
        invalid("unexpected word '--key=***' after the URL https://h/?k=***"),
    ]


def test_error_message_quotes_the_unexpanded_url() -> None:
    assert parse_target(("https://h:port",), None, "https://h:${PORT}") == invalid(
        "'https://h:${PORT}' is not a URL: the port is not a number"
    )


def test_url_with_further_words_is_rejected() -> None:
    assert parse_target(("https://example.com/mcp", "server.js"), None) == invalid(
        "unexpected word 'server.js' after the URL https://example.com/mcp"
    )


def test_error_message_does_not_quote_a_word_that_looks_like_a_key() -> None:
    assert parse_target(("http://h/mcp", "f3a9c1e8b7d64a5f9c0e"), None) == invalid(
        "unexpected word '***' after the URL http://h/mcp"
    )


def test_empty_target_is_rejected() -> None:
    problem = "expected a command or a URL, got an empty string"

    assert (
        parse_target((), None)
        == parse_target(("", "x"), None)
        == Failure(Invalid("INVALID_ARGUMENT", "target", problem))
    )


def test_unknown_url_scheme_is_rejected() -> None:
    assert parse_target(("ws://localhost",), None) == invalid(
        "ws:// is not a supported URL scheme", "use http:// or https://"
    )


def fault_of(url: str, shown: str = "") -> Invalid:
    """The fault of a target that is not a URL."""
    found = parse_target((url,), None, shown)
    assert isinstance(found, Failure)
    fault = found.failure()
    assert isinstance(fault, Invalid)
    return fault


@pytest.mark.parametrize(
    ("url", "right"),
    [
        ("https:/example.com/mcp", "https://example.com/mcp"),
        ("HTTP:example.com:3000", "http://example.com:3000"),
        ("htp://localhost/mcp?a=1", "http://localhost/mcp?a=1"),
        ("htps://[::1]:3000/mcp", "https://[::1]:3000/mcp"),
    ],
)
def test_misspelt_url_scheme_is_corrected(url: str, right: str) -> None:
    fault = fault_of(url)

    assert fault.correction == Correction(url, (right,))
    assert fault.hints == (f"did you mean {right}?",)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http:", "'http:' is not a URL"),
        ("ftp://example.com", "ftp:// is not a supported URL scheme"),
        ("htp://u:secret-word@h", "htp:// is not a supported URL scheme"),
        ("https:/h/mcp?key=abcdefgh1", "'https:/h/mcp?key=***' is not a URL"),
    ],
)
def test_url_that_cannot_be_corrected_safely_is_rejected_with_a_general_hint(url: str, problem: str) -> None:
    fault = fault_of(url)

    assert (fault.problem, fault.hints, fault.correction) == (problem, ("use http:// or https://",), None)


@pytest.mark.parametrize(
    ("word", "url"),
    [
        ("localhost:3000/mcp", "http://localhost:3000/mcp"),
        (":3000/mcp", "http://localhost:3000/mcp"),
        ("//localhost:3000/mcp", "http://localhost:3000/mcp"),
        ("://localhost/mcp", "http://localhost/mcp"),
        ("http//localhost:3000/mcp", "http://localhost:3000/mcp"),
        ("htp://h/mcp", "http://h/mcp"),
        ("mcp.example.com", "https://mcp.example.com"),
        ("server.js", None),
        ("node", None),
        ("a//b", None),
        ("//server/share", None),
    ],
)
def test_host_without_a_scheme_becomes_a_url(word: str, url: str | None) -> None:
    assert as_url(word) == url


def test_header_after_a_url_gets_its_flag() -> None:
    found = parse_target(("http://h/mcp", "X-Team:tools"), None)
    failed = invalid("unexpected word 'X-Team:tools' after the URL http://h/mcp").failure()

    assert isinstance(failed, Invalid)
    assert found == Failure(
        with_correction(failed, Correction("X-Team:tools", ("-H", "X-Team: tools"), "write a header with -H"))
    )


@pytest.mark.parametrize(("word", "shown"), [("X-API-Key:abcdefgh1", "X-API-Key:***"), ("X-Key:", "X-Key:")])
def test_secret_or_missing_value_of_a_header_is_not_suggested(word: str, shown: str) -> None:
    assert parse_target(("http://h/mcp", word), None) == invalid(
        f"unexpected word {shown!r} after the URL http://h/mcp",
        f"write a header as -H '{word.partition(':')[0]}: VALUE'",
    )


@pytest.mark.parametrize("word", ["http://h", "a b:c"])
def test_other_word_after_a_url_is_no_header(word: str) -> None:
    assert parse_target(("http://h/mcp", word), None) == invalid(f"unexpected word {word!r} after the URL http://h/mcp")


def test_url_of_a_config_file_is_not_corrected() -> None:
    assert fault_of("htp://localhost", "the URL of a").correction is None


def test_targets_have_no_environment_or_headers_by_default() -> None:
    assert (Stdio(("node",)).env, Stdio(("node",)).cwd, Http("http://x").headers, Sse("http://x").headers) == (
        {},
        None,
        (),
        (),
    )


@pytest.mark.parametrize(
    ("target", "hidden"),
    [
        (Http("https://x.example/mcp"), ()),
        (Http("https://me:pass%20word@x.example/mcp"), ("pass%20word", "pass word", "bWU6cGFzcyB3b3Jk")),
        (Http("https://t0ken@x.example/mcp"), ("t0ken", "dDBrZW46")),
        (Sse("https://x.example/sse?x=12345678&apiKey=s3cr3t-k3y&token=short"), ("s3cr3t-k3y", "short")),
        (Http("https://x.example/mcp?access_token=a%2Fb-secret&key"), ("a%2Fb-secret", "a/b-secret")),
        (Stdio(("node", "x.js", "--token", "s3cr3t-t0ken")), ("s3cr3t-t0ken",)),
        (Stdio(("node",), {"API_KEY": "s3cr3t-k3y", "HOME": "/home/somebody", "AUTH": "none"}), ("s3cr3t-k3y",)),
    ],
)
def test_secrets_in_a_target_are_found(target: Target, hidden: tuple[str, ...]) -> None:
    assert secrets_in_target(target) == hidden


def test_command_in_one_word_is_split_like_a_shell_command() -> None:
    assert split_command("node 'my server.js' --x") == Success(("node", "my server.js", "--x"))
    assert split_command("https://example.com/a b") == Success(("https://example.com/a b",))
    assert split_command("node 'x") == invalid('cannot split "node \'x" into words: No closing quotation')


@pytest.mark.parametrize("word", ["node", "/usr/bin/python3.12", r"C:\Python\python.exe", "py/bin/python", "uvx"])
def test_launcher_is_recognized_with_path_and_version(word: str) -> None:
    assert is_launcher(word)


@pytest.mark.parametrize("word", ["notes", "server.py", "pythons", "node/", ""])
def test_other_words_are_no_launchers(word: str) -> None:
    assert not is_launcher(word)


def test_scripts_without_interpreters_are_quoted_where_a_command_is_one_word() -> None:
    missing = Unreachable("COMMAND_NOT_FOUND", "x")
    script = with_correction(missing, Correction("a.py", ("python3", "a.py"), "start it"))
    other = with_correction(missing, Correction("nod", ("node",)))

    found: Result[int] = with_quoted_scripts(Failure(script), ("a.py", "b.mjs"))
    assert isinstance(found, Failure)
    corrected = found.failure()
    assert isinstance(corrected, Unreachable)
    assert corrected.correction == Correction("a.py", ("python3 a.py",), also=Correction("b.mjs", ("node b.mjs",)))
    assert corrected.hints == ("did you mean python3 a.py?",)
    assert with_quoted_scripts(Failure(other), ("nod", None)) == Failure(other)
    assert with_quoted_scripts(Success(1), ("a.py",)) == Success(1)

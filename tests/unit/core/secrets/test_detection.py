"""Secrets in commands, variables and URLs are detected by position, name or format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.secrets.detection import (
    MIN_LENGTH,
    is_secret_header,
    mask_url,
    mask_word,
    mask_words,
    secrets_in_pairs,
    secrets_in_url,
    secrets_in_variable,
    secrets_in_words,
)
from mcpi.core.secrets.redactor import Redactor

WORDS = st.lists(st.text() | st.sampled_from(["--api-key", "TOKEN=abcdefgh", "https://u:abcdefgh@h/?key=abcdefgh"]))


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        (["sh", "-c", "exit 3", "x", "--api-key", "s3cr3t-k3y"], ["s3cr3t-k3y"]),
        (["x", "--api-key=s3cr3t-k3y", "-e", "TOKEN=s3cr3t-t0ken"], ["s3cr3t-k3y", "s3cr3t-t0ken"]),
        (["x", "--header", "Authorization: Bearer t0ken-of-x"], ["Bearer t0ken-of-x", "t0ken-of-x"]),
        (["x", "--header", "Authorization: Bearer t0k"], ["Bearer t0k"]),
        (
            ["x", "https://u:p4ssw0rd@h/mcp?key=s3cr3t-k3y&q=something"],
            ["p4ssw0rd", "dTpwNHNzdzByZA==", "s3cr3t-k3y", "something"],
        ),
        (["x", "--url=https://h/mcp?key=s3cr3t-k3y"], ["s3cr3t-k3y"]),
        (["x", "--auth=https://h/mcp"], ["https://h/mcp"]),
        (["x", "https://[h"], []),
        (["x", "--auth", "https://h/mcp"], ["https://h/mcp"]),
        (["x", "serve ghp_abcdefghijklmnop now"], ["ghp_abcdefghijklmnop"]),
        (["x", "--token", "short", "--key-file", "/run/secrets/key", "--auth", "--verbose"], []),
        (["x", "--token", "${TOKEN_OF_X}", "--key=${KEY_OF_X}"], []),
        ([], []),
    ],
)
def test_secrets_in_a_command_are_detected(words: list[str], hidden: list[str]) -> None:
    assert secrets_in_words(words) == hidden


def test_variable_with_a_secret_name_is_secret() -> None:
    named = {"API_KEY": "s3cr3t-k3y", "AUTH": "none", "HOME": "/home/somebody", "KEY_FILE": "/home/somebody/key"}

    assert secrets_in_pairs(named.items()) == ["s3cr3t-k3y"]


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        *(
            (name, True)
            for name in ("key", "apikey", "SSH_KEYS", "authorization", "Authorisation", "OAUTH", "x-auth-org")
        ),
        *((name, False) for name in ("author", "GIT_AUTHOR_NAME", "authority", "keyword", "Keyboard", "monkey")),
    ],
)
def test_name_that_only_resembles_that_of_a_secret_is_not_secret(name: str, *, is_secret: bool) -> None:
    assert secrets_in_pairs([(name, "Jane Austen")]) == (["Jane Austen"] if is_secret else [])


def test_url_credentials_are_also_secret_in_basic_auth_form() -> None:
    assert secrets_in_url("http://me:p%40ss@h/mcp") == ["p%40ss", "p@ss", "bWU6cEBzcw=="]


URLS = (
    "https://h/mcp?q=rainfall1&k=s3cr3t-k3y&x=s3cr3t-t0ken&page=20",
    "https://h/s/abcdef1234567890abcdef1234/x-k3y0123456789/mcp",
    "https://h/mcp?s3cr3t-k3y#s3cr3t-t0ken",
    "https://user:p4ssw0rd@h/mcp",
)


@pytest.mark.parametrize("url", URLS)
def test_masked_parts_of_a_url_are_detected_as_secrets(url: str) -> None:
    shown = Redactor(secrets_in_url(url))(url)

    assert shown.replace("user:", "") == mask_url(url) == mask_word(f"--url={url}").removeprefix("--url=")
    assert secrets_in_words([url]) == secrets_in_words([f"--url={url}"]) == secrets_in_url(url)


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("API_KEY", "short", ["short"]),
        ("TENANT", "s3cr3t-t3nant", ["s3cr3t-t3nant"]),
        ("TENANT", "production", []),
        ("PORT", "8080", []),
        ("HOME", "/home/somebody/folder", []),
        ("FOLDER", "/srv/k3y0123456789abc/data", ["k3y0123456789abc"]),
        ("FOLDER", "C:\\data", []),
        ("SERVER", "https://h/mcp?key=s3cr3t-k3y", ["s3cr3t-k3y"]),
    ],
)
def test_secrets_in_a_variable_are_detected(name: str, value: str, secrets: list[str]) -> None:
    assert secrets_in_variable(name, value) == secrets


def test_invalid_url_has_no_secrets() -> None:
    assert secrets_in_url("https://[h") == []


@given(WORDS)
def test_detected_secrets_in_a_command_are_masked(words: list[str]) -> None:
    shown = mask_words(words)

    assert len(shown) == len(words)
    assert all(len(one) >= MIN_LENGTH for one in secrets_in_words(words))
    assert "abcdefgh" not in "".join(one for word, one in zip(words, shown, strict=True) if "abcdefgh" in word)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["x", "--api-key", "s", "y"], ["x", "--api-key", "***", "y"]),
        (["x", "--api-key=s", "y"], ["x", "--api-key=***", "y"]),
        (["x", "--api-key", "${KEY}"], ["x", "--api-key", "${KEY}"]),
        (["--header", "Authorization: Bearer s"], ["--header", "Authorization: ***"]),
        (["--header", "Authorization: Bearer ${T}"], ["--header", "Authorization: Bearer ${T}"]),
        (["x", "--api-key", "--verbose"], ["x", "--api-key", "--verbose"]),
        (["x", "--token-file", "/run/token"], ["x", "--token-file", "/run/token"]),
        (["x", "--password=a=b"], ["x", "--password=***"]),
        (["key=key"], ["key=***"]),
        (["sh", "-c", "serve ghp_abcdefghijklmnop now"], ["sh", "-c", "serve *** now"]),
        (["mcp-remote", "https://u:p@h/mcp?k=v"], ["mcp-remote", "https://***@h/mcp?k=***"]),
        (["--url=https://h/mcp"], ["--url=https://h/mcp"]),
    ],
)
def test_secret_in_a_command_is_masked(words: list[str], shown: list[str]) -> None:
    assert mask_words(words) == shown


@pytest.mark.parametrize("word", ["ghp_abcdefghijklmnop", "sk-abcdefghijklmnop", "eyJhbGciOiJIUzI1NiJ9.e30.abc"])
def test_token_like_word_is_masked(word: str) -> None:
    assert mask_word(word) == "***"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://h:8/mcp", "https://h:8/mcp"),
        ("https://${USER}@h/mcp?key=${KEY}&x=1", "https://${USER}@h/mcp?key=${KEY}&x=1"),
        (
            "https://h/mcp?q=rain&K=1&x=s3cr3t-k3y&page=20&id=12345678",
            "https://h/mcp?q=***&K=***&x=***&page=20&id=12345678",
        ),
        ("https://h/mcp?s3cr3t-k3y&key", "https://h/mcp?***&key"),
        ("https://h/mcp#s3cr3t-k3y", "https://h/mcp#***"),
        ("https://h/mcp#tools", "https://h/mcp#tools"),
        ("https://h/k3y0123456789abc/sk-abcdefghijklmnop/mcp", "https://h/***/***/mcp"),
        ("https://h/s/abcdef1234567890abcdef1234/mcp", "https://h/s/***/mcp"),
        ("https://h/a-name-that-is-long-but-readable", "https://h/a-name-that-is-long-but-readable"),
        ("https://[h", "https://[h"),
        ("https://u:p@x@[h/mcp?key=s#t", "https://***@[h/mcp?***"),
        ("h:8/mcp?key=s", "h:8/mcp?key=***"),
        ("u:p@h/mcp", "***@h/mcp"),
    ],
)
def test_secret_in_a_url_is_masked(url: str, shown: str) -> None:
    assert mask_url(url) == shown


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("X-Team", "tools", False),
        ("X-Team", "tools-and-more", True),
        ("X-Trace", "a1b2c3d4", True),
        ("X-Api-Key", "tools", True),
        ("Authorization", "tools", True),
        ("Cookie", "a=b", True),
        ("Accept", "text/html", False),
        ("User-Agent", "mine/1.0", False),
    ],
)
def test_header_is_secret_unless_it_is_a_plain_word(name: str, value: str, secret: bool) -> None:  # noqa: FBT001
    assert is_secret_header(name, value) is secret

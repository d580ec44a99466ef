"""A list of servers shows how they are reached, and none of their secrets."""

import pytest

from mcpi.core.servers import listed, shown_url, shown_word, shown_words, unreadable
from mcpi.core.values import Json, JsonObject


def one(entry: Json, **environment: str) -> object:
    return listed("mcp.json", {"a": entry}, environment)[0]


def test_a_command_is_shown_with_the_names_of_its_variables() -> None:
    assert one({"command": "node", "args": ["x.js", 3], "env": {"TOKEN": "t"}}) == {
        "name": "a",
        "config": "mcp.json",
        "kind": "stdio",
        "command": ["node", "x.js", "3"],
        "env": ["TOKEN"],
        "problem": None,
    }


def test_a_url_is_shown_with_the_names_of_its_headers() -> None:
    assert one({"url": "https://h/sse", "headers": {"Authorization": "Bearer t"}}) == {
        "name": "a",
        "config": "mcp.json",
        "kind": "sse",
        "url": "https://h/sse",
        "headers": ["Authorization"],
        "problem": None,
    }


def test_what_stands_in_the_environment_is_not_filled_in() -> None:
    entry: JsonObject = {"command": "node", "args": ["--token", "${TOKEN}", "--key=${KEY}"]}
    shown = one(entry, TOKEN="t", KEY="k")

    assert isinstance(shown, dict)
    assert shown["command"] == ["node", "--token", "${TOKEN}", "--key=${KEY}"]


@pytest.mark.parametrize(
    ("entry", "about"),
    [
        (3, {"kind": None, "problem": "its entry is no object"}),
        ({}, {"kind": None, "problem": "the server 'a' has no 'command'"}),
        (
            {"command": "x", "args": ["${GONE}"]},
            {
                "kind": "stdio",
                "command": ["x", "${GONE}"],
                "env": [],
                "problem": "a.args wants the environment variable GONE, which is not set",
            },
        ),
        (
            {"url": "h/mcp"},
            {
                "kind": "http",
                "url": "h/mcp",
                "headers": [],
                "problem": "a.url is no URL: 'h/mcp'",
            },
        ),
    ],
)
def test_why_a_server_cannot_be_used_is_said(entry: Json, about: dict[str, object]) -> None:
    assert one(entry) == {"name": "a", "config": "mcp.json", **about}


def test_a_server_that_is_switched_off_says_so() -> None:
    shown = one({"command": "x", "disabled": True})

    assert isinstance(shown, dict)
    assert (shown["disabled"], shown["problem"]) == (True, None)


def test_a_file_that_cannot_be_read_has_a_line_too() -> None:
    assert unreadable("mcp.json", "not JSON") == {
        "name": None,
        "config": "mcp.json",
        "kind": None,
        "problem": "not JSON",
    }


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["x", "--api-key", "s", "y"], ["x", "--api-key", "***", "y"]),
        (["x", "--api-key=s", "y"], ["x", "--api-key=***", "y"]),
        (["x", "--api-key", "${KEY}"], ["x", "--api-key", "${KEY}"]),
        (["--header", "Authorization: Bearer s"], ["--header", "Authorization: ***"]),
        (["--header", "Authorization: Bearer ${T}"], ["--header", "Authorization: Bearer ${T}"]),
        (["mcp-remote", "https://u:p@h/mcp?k=v"], ["mcp-remote", "https://***@h/mcp?k=***"]),
        (["--url=https://h/mcp"], ["--url=https://h/mcp"]),
    ],
)
def test_a_secret_in_a_command_is_left_out(words: list[str], shown: list[str]) -> None:
    assert shown_words(words) == shown


@pytest.mark.parametrize("word", ["ghp_abcdefghijklmnop", "sk-abcdefghijklmnop", "eyJhbGciOiJIUzI1NiJ9.e30.abc"])
def test_a_word_that_looks_like_a_token_is_left_out(word: str) -> None:
    assert shown_word(word) == "***"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://h:8/mcp", "https://h:8/mcp"),
        ("https://${USER}@h/mcp?key=${KEY}&x=1", "https://${USER}@h/mcp?key=${KEY}&x=***"),
        ("https://h/s/abcdef1234567890abcdef1234/mcp", "https://h/s/***/mcp"),
        ("https://h/a-name-that-is-long-but-readable", "https://h/a-name-that-is-long-but-readable"),
        ("https://[h", "***"),
    ],
)
def test_a_secret_in_a_url_is_left_out(url: str, shown: str) -> None:
    assert shown_url(url) == shown

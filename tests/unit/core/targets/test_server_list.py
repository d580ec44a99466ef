"""The list of servers shows their commands and URLs without secrets."""

import pytest

from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.targets.server_list import describe_servers, unreadable_entry


def one(entry: Json, **environment: str) -> object:
    return describe_servers("mcp.json", {"a": entry}, environment)[0]


def test_command_is_listed_with_the_names_of_its_variables() -> None:
    assert one({"command": "node", "args": ["x.js", 3], "env": {"TOKEN": "t"}}) == {
        "name": "a",
        "config": "mcp.json",
        "kind": "stdio",
        "command": ["node", "x.js", "3"],
        "env": ["TOKEN"],
        "problem": None,
    }


def test_url_is_listed_with_the_names_of_its_headers() -> None:
    assert one({"url": "https://h/sse", "headers": {"Authorization": "Bearer t"}}) == {
        "name": "a",
        "config": "mcp.json",
        "kind": "sse",
        "url": "https://h/sse",
        "headers": ["Authorization"],
        "problem": None,
    }


def test_variables_are_not_expanded_in_the_list() -> None:
    entry: JsonObject = {"command": "node", "args": ["--token", "${TOKEN}", "--key=${KEY}"]}
    shown = one(entry, TOKEN="t", KEY="k")

    assert isinstance(shown, dict)
    assert shown["command"] == ["node", "--token", "${TOKEN}", "--key=${KEY}"]


@pytest.mark.parametrize(
    ("entry", "about"),
    [
        (3, {"kind": None, "problem": "its entry is not an object"}),
        ({}, {"kind": None, "problem": "the server 'a' has no 'command'"}),
        (
            {"command": "x", "args": ["${GONE}"]},
            {
                "kind": "stdio",
                "command": ["x", "${GONE}"],
                "env": [],
                "problem": "a.args requires the environment variable GONE, which is not set",
            },
        ),
        (
            {"url": "h/mcp"},
            {
                "kind": "http",
                "url": "h/mcp",
                "headers": [],
                "problem": "a.url is not a URL: 'h/mcp'",
            },
        ),
    ],
)
def test_problem_of_an_unusable_server_is_listed(entry: Json, about: dict[str, object]) -> None:
    assert one(entry) == {"name": "a", "config": "mcp.json", **about}


def test_problem_of_an_unusable_server_has_no_variable_values() -> None:
    urls = ["h/mcp?api_key=${KEY}", "https://u:${KEY}@h:99999/", "https://h:${KEY}/", "https://${KEY}/mcp"]
    shown = [one({"url": url}, KEY="s3cr3t[") for url in urls]

    assert [entry["problem"] for entry in shown if isinstance(entry, dict)] == [
        "a.url is not a URL: 'h/mcp?api_key=${KEY}'",
        "the server 'a': 'https://***@h:99999/' is not a URL: Invalid IPv6 URL",
        "the server 'a': 'https://h:${KEY}/' is not a URL: Invalid IPv6 URL",
        "the server 'a': 'https://${KEY}/mcp' is not a URL: Invalid IPv6 URL",
    ]


def test_disabled_server_is_marked() -> None:
    shown = one({"command": "x", "disabled": True})

    assert isinstance(shown, dict)
    assert (shown["disabled"], shown["problem"]) == (True, None)


def test_unreadable_file_has_an_entry() -> None:
    assert unreadable_entry("mcp.json", "not JSON") == {
        "name": None,
        "config": "mcp.json",
        "kind": None,
        "problem": "not JSON",
    }

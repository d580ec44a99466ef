"""Suggested command lines contain no secrets, and work when pasted."""

import shlex

import pytest

from mcpi.core.cli.foreign_flags import BASIC
from mcpi.core.cli.pasteable import command_line, pasteable, with_secrets_hint


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("tools/list --demo 'a b'", "tools/list --demo 'a b'"),
        ("ping http://h --token abc", "ping http://h --token env:TOKEN"),
        ("ping http://h --token=abc", "ping http://h --token=env:TOKEN"),
        ("ping http://h --token env:MINE", "ping http://h --token env:MINE"),
        ("--oauth-client-secret=abc", "--oauth-client-secret=env:OAUTH_CLIENT_SECRET"),
        ("-H 'X-Api-Key: abcdefghi'", "-H 'X-Api-Key: env:X_API_KEY'"),
        ("-H 'X-Api-Key: env:MINE'", "-H 'X-Api-Key: env:MINE'"),
        ("-H 'X-Team: tools'", "-H 'X-Team: tools'"),
        (f"-H '{BASIC}'", f'-H "{BASIC}"'),
        ("-H 'Authorization: Basic YTpi'", "-H 'Authorization: env:AUTHORIZATION'"),
        ("-e API_KEY=abc", "-e API_KEY=abc"),
        ("-e API_KEY=abcdefghi", '-e API_KEY="$API_KEY"'),
        ("--env=API_KEY=abcdefghi", '--env=API_KEY="$API_KEY"'),
        ("-e A=b", "-e A=b"),
        ("tools/call x api_key=abc", "tools/call x 'api_key=***'"),
        ("ping -- node --token abc", "ping -- node --token '***'"),
    ],
)
def test_secrets_are_read_from_variables_or_masked(line: str, shown: str) -> None:
    assert pasteable(shlex.split(line)) == shown


def test_command_of_the_server_goes_after_the_separator() -> None:
    assert command_line(["ping"], ["node", "a b.js"]) == "ping -- node 'a b.js'"
    assert command_line(["ping", "--demo"]) == "ping --demo"


def test_parts_that_stand_for_secrets_are_named() -> None:
    line = "did you mean: mcpi ping http://h?key=*** -H 'A: env:A' -e B=\"$B\" --token env:MINE"
    argv = ("png", "http://h?key=abc", "-H", "A: abc", "-e", "B=abc", "--token", "env:MINE")

    assert with_secrets_hint((line, "more"), argv) == (
        line,
        "more",
        'replace *** and env:A and "$B" with the secrets, which mcpi does not print',
    )


def test_line_without_secrets_needs_no_explanation() -> None:
    assert with_secrets_hint(("did you mean: mcpi ping",), ("png",)) == ("did you mean: mcpi ping",)
    assert with_secrets_hint(("to read a secret, write env:NAME",), ("png",)) == ("to read a secret, write env:NAME",)


def test_placeholder_for_a_password_is_named() -> None:
    line = f'send it: mcpi ping -H "{BASIC}"'

    assert with_secrets_hint((line,), ("ping", "-u", "a:b"))[1:] == (
        "replace USER:PASSWORD with the secret, which mcpi does not print",
    )

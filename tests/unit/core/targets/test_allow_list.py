"""What an agent may reach."""

import pytest

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.allow_list import AllowList
from mcpi.core.targets.target import Http, Stdio, Target

CONFIG = AllowList("mcp.json", {"mine": {"command": "node", "args": ["${FILE}"]}}, environment={"FILE": "s.js"})


def test_a_server_of_the_config_file_is_reached_by_its_name() -> None:
    assert CONFIG.by_name("mine") == Success(Stdio(("node", "s.js")))


def test_another_name_is_refused_with_the_nearest() -> None:
    problem = "no server is called 'mien'"
    assert CONFIG.by_name("mien") == Failure(Invalid("INVALID_ARGUMENT", "server", problem, ("did you mean mine?",)))


def test_a_name_like_no_other_is_refused_with_all() -> None:
    problem = "no server is called 'x'"
    assert CONFIG.by_name("x") == Failure(Invalid("INVALID_ARGUMENT", "server", problem, ("there are mine",)))
    assert AllowList().by_name("x") == Failure(Invalid("INVALID_ARGUMENT", "server", problem, ("there are none",)))


@pytest.mark.parametrize(
    ("allowed", "words", "expected"),
    [
        (AllowList(commands=("node",)), ("node", "x.js"), Success(Stdio(("node", "x.js")))),
        (AllowList(commands=("*",)), ("rm", "x"), Success(Stdio(("rm", "x")))),
        (AllowList(urls=("http://a.example",)), ("http://a.example:80/mcp",), Success(Http("http://a.example:80/mcp"))),
        (AllowList(urls=("*",)), ("http://b.example/",), Success(Http("http://b.example/"))),
    ],
)
def test_what_is_on_a_list_may_be_reached(allowed: AllowList, words: tuple[str, ...], expected: Result[Target]) -> None:
    assert allowed.by_words(words) == expected


def test_a_command_that_is_on_no_list_is_refused() -> None:
    refused = Invalid(
        "INVALID_ARGUMENT",
        "target",
        "the command 'rm' may not be started",
        ("mcpi-serve was not started with --allow-command rm",),
    )

    assert AllowList(commands=("node",), urls=("*",)).by_words(("rm", "-rf")) == Failure(refused)


@pytest.mark.parametrize("urls", [(), ("https://a.example",), ("http://a.example:8080",), ("http://b.example",)])
def test_a_url_of_another_origin_is_refused(urls: tuple[str, ...]) -> None:
    refused = Invalid(
        "INVALID_ARGUMENT",
        "target",
        "http://a.example/mcp may not be contacted",
        ("mcpi-serve was not started with --allow-url http://a.example/mcp",),
    )

    assert AllowList(commands=("*",), urls=urls).by_words(("http://a.example/mcp",)) == Failure(refused)


def test_what_is_no_target_at_all_is_told_as_such() -> None:
    assert AllowList(commands=("*",)).by_words(("htp://x",)) == Failure(
        Invalid(
            "INVALID_ARGUMENT",
            "target",
            "htp:// is no scheme that MCP servers have",
            ("write http:// or https://",),
        )
    )


@pytest.mark.parametrize(
    ("commands", "command"),
    [
        (("node",), "node --inspect-brk=0 x.js".replace("=", " ")),
        (("*",), "node x.js; rm -rf /"),
        (("a", "node"), " node x"),
    ],
)
def test_a_command_for_the_shell_may_be_on_the_list(commands: tuple[str, ...], command: str) -> None:
    assert AllowList(commands=commands).check_shell_command(command) == Success(None)


@pytest.mark.parametrize("command", ["node x; rm y", "node $(rm y)", "node x > y", "node 'x'", "node \n rm"])
def test_a_command_with_the_shell_s_syntax_wants_all_allowed(command: str) -> None:
    hint = "mcpi-serve was not started with --allow-command '*', which allows what a shell can do"

    assert AllowList(commands=("node",)).check_shell_command(command) == Failure(
        Invalid("INVALID_ARGUMENT", "command", f"{command!r} is more than a command's words", (hint,))
    )


@pytest.mark.parametrize(("command", "named"), [("rm x", "rm"), ("A=1 node x", "A=1"), ("", "")])
def test_another_command_for_the_shell_is_refused(command: str, named: str) -> None:
    problem, hint = (
        f"the command {named!r} may not be started",
        f"mcpi-serve was not started with --allow-command {named}",
    )

    assert AllowList(commands=("node",)).check_shell_command(command) == Failure(
        Invalid("INVALID_ARGUMENT", "command", problem, (hint,))
    )

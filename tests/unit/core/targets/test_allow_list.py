"""The commands, URLs and config servers that mcpi-serve allows an agent to use."""

import pytest

from mcpi.core.flags.pairs import Header
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.allow_list import AllowList
from mcpi.core.targets.target import Http, Stdio, Target

CONFIG = AllowList("mcp.json", {"mine": {"command": "node", "args": ["${FILE}"]}}, environment={"FILE": "s.js"})


def test_config_server_is_found_by_name() -> None:
    assert CONFIG.by_name("mine") == Success(Stdio(("node", "s.js")))


def test_unknown_server_suggests_nearest_name() -> None:
    problem = "unknown server 'mien'"
    assert CONFIG.by_name("mien") == Failure(Invalid("INVALID_ARGUMENT", "server", problem, ("did you mean mine?",)))


def test_unknown_server_without_near_match_lists_all_names() -> None:
    problem = "unknown server 'x'"
    assert CONFIG.by_name("x") == Failure(Invalid("INVALID_ARGUMENT", "server", problem, ("available: mine",)))
    assert AllowList().by_name("x") == Failure(Invalid("INVALID_ARGUMENT", "server", problem, ("available: none",)))


@pytest.mark.parametrize(
    ("allowed", "words", "expected"),
    [
        (AllowList(commands=("node",)), ("node", "x.js"), Success(Stdio(("node", "x.js")))),
        (AllowList(commands=("*",)), ("rm", "x"), Success(Stdio(("rm", "x")))),
        (AllowList(urls=("http://a.example",)), ("http://a.example:80/mcp",), Success(Http("http://a.example:80/mcp"))),
        (AllowList(urls=("*",)), ("http://b.example/",), Success(Http("http://b.example/"))),
    ],
)
def test_allowed_targets_are_accepted(allowed: AllowList, words: tuple[str, ...], expected: Result[Target]) -> None:
    assert allowed.by_words(words) == expected


def test_unlisted_command_is_refused() -> None:
    refused = Invalid(
        "INVALID_ARGUMENT",
        "target",
        "starting the command 'rm' is not allowed",
        ("ask the user to start mcpi-serve with --allow-command rm",),
    )

    assert AllowList(commands=("node",), urls=("*",)).by_words(("rm", "-rf")) == Failure(refused)


@pytest.mark.parametrize("urls", [(), ("https://a.example",), ("http://a.example:8080",), ("http://b.example",)])
def test_url_of_another_origin_is_refused(urls: tuple[str, ...]) -> None:
    refused = Invalid(
        "INVALID_ARGUMENT",
        "target",
        "contacting http://a.example/mcp is not allowed",
        ("ask the user to start mcpi-serve with --allow-url http://a.example/mcp",),
    )

    assert AllowList(commands=("*",), urls=urls).by_words(("http://a.example/mcp",)) == Failure(refused)


def test_invalid_target_is_reported_as_invalid() -> None:
    assert AllowList(commands=("*",)).by_words(("ws://x",)) == Failure(
        Invalid(
            "INVALID_ARGUMENT",
            "target",
            "ws:// is not a supported URL scheme",
            ("use http:// or https://",),
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
def test_allowed_shell_command_is_accepted(commands: tuple[str, ...], command: str) -> None:
    assert AllowList(commands=commands).check_shell_command(command) == Success(None)


@pytest.mark.parametrize("command", ["node x; rm y", "node $(rm y)", "node x > y", "node 'x'", "node \n rm"])
def test_shell_syntax_requires_all_commands_to_be_allowed(command: str) -> None:
    hint = "ask the user to start mcpi-serve with --allow-command '*', which allows all shell commands"

    assert AllowList(commands=("node",)).check_shell_command(command) == Failure(
        Invalid("INVALID_ARGUMENT", "command", f"{command!r} contains shell syntax", (hint,))
    )


@pytest.mark.parametrize(("command", "named"), [("rm x", "rm"), ("A=1 node x", "A=1"), ("", "")])
def test_unlisted_shell_command_is_refused(command: str, named: str) -> None:
    problem, hint = (
        f"starting the command {named!r} is not allowed",
        f"ask the user to start mcpi-serve with --allow-command {named}",
    )

    assert AllowList(commands=("node",)).check_shell_command(command) == Failure(
        Invalid("INVALID_ARGUMENT", "command", problem, (hint,))
    )


NODE = Stdio(("node", "x.js"), {"A": "1"}, "/here")
URL = Http("http://a.example/mcp", (Header("X-Old", "1"), Header("X-Both", "2")))


@pytest.mark.parametrize(
    ("allowed", "target", "settings", "expected"),
    [
        (AllowList(), NODE, ({}, None, {}), NODE),
        (AllowList(variables=("B",)), NODE, ({"B": "2"}, None, {}), Stdio(NODE.command, {"A": "1", "B": "2"}, "/here")),
        (AllowList(variables=("*",)), NODE, ({"B": "2"}, None, {}), Stdio(NODE.command, {"A": "1", "B": "2"}, "/here")),
        (AllowList(commands=("*",)), NODE, ({"A": "2"}, "/x", {}), Stdio(NODE.command, {"A": "2"}, "/x")),
        (AllowList(commands=("node",)), NODE, ({}, "/x", {}), Stdio(NODE.command, {"A": "1"}, "/x")),
        (AllowList(commands=("/a/b",)), Stdio(("/a/b",)), ({}, "/x", {}), Stdio(("/a/b",), {}, "/x")),
        (
            AllowList(),
            URL,
            ({}, None, {"x-both": "3"}),
            Http(URL.url, (Header("X-Old", "1"), Header("x-both", "3"))),
        ),
    ],
)
def test_settings_are_added_to_a_target(
    allowed: AllowList, target: Target, settings: tuple[dict[str, str], str | None, dict[str, str]], expected: Target
) -> None:
    assert allowed.with_settings(target, *settings) == Success(expected)


@pytest.mark.parametrize(
    ("allowed", "target", "settings", "where", "problem"),
    [
        (AllowList(), NODE, ({"PATH": "/x"}, None, {}), "env", "setting the variable 'PATH' is not allowed"),
        (AllowList(), NODE, ({}, "/x", {}), "cwd", "starting the command 'node' in the directory '/x' is not allowed"),
        (
            AllowList(commands=("./a",)),
            Stdio(("./a",)),
            ({}, "/x", {}),
            "cwd",
            "starting the command './a' in the directory '/x' is not allowed",
        ),
        (AllowList(), NODE, ({}, None, {"X": "1"}), "headers", "applies only to a URL, not to a command"),
        (AllowList(), URL, ({"A": "1"}, None, {}), "env", "applies only to a command, not to a URL"),
        (AllowList(), URL, ({}, "/x", {}), "cwd", "applies only to a command, not to a URL"),
        (AllowList(), URL, ({}, None, {"a b": "1"}), "headers", "'a b' is not a valid header name"),
    ],
)
def test_disallowed_or_unsuitable_settings_are_refused(
    allowed: AllowList,
    target: Target,
    settings: tuple[dict[str, str], str | None, dict[str, str]],
    where: str,
    problem: str,
) -> None:
    refused = allowed.with_settings(target, *settings).failure()

    assert isinstance(refused, Invalid)
    assert (refused.where, refused.problem) == (where, problem)


def test_only_allowed_commands_may_be_debugged() -> None:
    assert AllowList(commands=("node",)).check_debugging(NODE) == Success(None)
    assert AllowList().check_debugging(NODE) == Failure(
        Invalid(
            "INVALID_ARGUMENT",
            "debug",
            "debugging the command 'node' is not allowed",
            ("ask the user to start mcpi-serve with --allow-command node",),
        )
    )
    problem = "applies only to a command, not to a URL"
    assert AllowList(commands=("*",)).check_debugging(URL) == Failure(Invalid("INVALID_ARGUMENT", "debug", problem))


def test_attaching_requires_all_commands_to_be_allowed() -> None:
    hint = "ask the user to start mcpi-serve with --allow-command '*'"

    assert AllowList(commands=("*",)).check_attach() == Success(None)
    assert AllowList(commands=("node",)).check_attach() == Failure(
        Invalid("INVALID_ARGUMENT", "attach", "debugging a running program is not allowed", (hint,))
    )


def test_flags_name_programs_origins_and_variables() -> None:
    programs, urls, variables = ("node", "/opt/my server/run", "*"), ("http://a:1", "*"), ("A", "*")

    assert AllowList(commands=programs, urls=urls, variables=variables).check_flags() == Success(None)


@pytest.mark.parametrize("program", ["node x.js", "", "no*", "http://a"])
def test_invalid_program_is_rejected(program: str) -> None:
    problem = f"expected the first word of a command, such as node, or * alone; got {program!r}"

    assert AllowList(commands=(program,)).check_flags() == Failure(
        Invalid("INVALID_ARGUMENT", "--allow-command", problem)
    )


@pytest.mark.parametrize("url", ["localhost:1", "ftp://a", "http://*:1"])
def test_invalid_url_is_rejected(url: str) -> None:
    problem = f"expected a URL, such as http://localhost:3000, or * alone; got {url!r}"

    assert AllowList(urls=(url,)).check_flags() == Failure(Invalid("INVALID_ARGUMENT", "--allow-url", problem))


@pytest.mark.parametrize("name", ["A=1", "MY_*", ""])
def test_invalid_variable_is_rejected(name: str) -> None:
    problem = f"expected the name of a variable, such as LOG_LEVEL, or * alone; got {name!r}"

    assert AllowList(variables=(name,)).check_flags() == Failure(Invalid("INVALID_ARGUMENT", "--allow-env", problem))

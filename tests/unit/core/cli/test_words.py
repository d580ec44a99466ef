"""Roles of the words of a command line, and the corrected lines suggested by errors."""

import pytest

from mcpi.core.cli.words import (
    Roles,
    method_group,
    named_flags,
    normalized_line,
    repeated_flags,
    roles,
    stray_word,
    subcommand_place,
    with_named_words,
    with_repeated_flags,
    with_sides,
)
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.plugins.methods.describe import Describe
from mcpi.plugins.methods.diff import Diff
from mcpi.plugins.methods.prompts import GetPrompt
from mcpi.plugins.methods.resources import OneResource
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, Describe, CallTool, GetPrompt, OneResource))
METHODS = ("tools/list", "tools/call", "ping")


def test_value_of_a_flag_is_not_a_bare_word() -> None:
    assert roles(["--demo", "a", "--timeout", "5", "-e", "A=1", "--cwd=x", "b", "--unknown", "c", "-"], KNOWN) == Roles(
        (0, 2, 4, 6, 8), (1, 7, 9, 10)
    )


def test_flag_spellings_are_resolved_to_flag_names() -> None:
    assert named_flags(["-e", "A=1", "--tool-args-json={}", "--unknown", "node"], KNOWN) == {"--env", "--tool-args"}


def test_flags_that_are_given_more_than_once_are_found_under_any_spelling() -> None:
    words = ["-o", "a", "--output=b", "--quiet", "-q", "--unknown", "--unknown", "--demo", "-H", "a: b"]

    assert repeated_flags(words, KNOWN) == ("--output", "--quiet")


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("tools/list node", 0),
        ("--demo tools/list", 1),
        ("--timeout 5 ping", 2),
        ("--tool-name ping node", None),
        ("node tools/list", None),
        ("", None),
    ],
)
def test_first_bare_word_may_be_the_method(line: str, place: int | None) -> None:
    assert subcommand_place(line.split(), KNOWN, METHODS) == place


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("node a.js --method tools/list", "tools"),
        ("node a.js --method=resources/templates/list", "resources"),
        ("node a.js -m tools/list", "tools"),
        ("--method ping -- node --method tools/list", "ping"),
        ("--demo tools/list node", "tools"),
        ("node a.js --script s.json", "node"),
        ("--demo --method", ""),
    ],
)
def test_method_group_is_the_first_part_of_its_name(line: str, part: str) -> None:
    assert method_group(line.split(), KNOWN) == part


@pytest.mark.parametrize(
    ("method", "line", "spelled"),
    [
        ("tools/call", "echo a=1 b:=2 --demo", "--tool-name=echo --tool-arg=a=1 --tool-arg=b:=2 --demo"),
        ("tools/call", "--demo --tool-name echo a=1", "--demo --tool-name echo --tool-arg=a=1"),
        ("tools/call", "http://h/mcp echo a=@f", "http://h/mcp --tool-name=echo --tool-arg=a=@f"),
        ("tools/call", "--config c.json echo", "--config c.json --tool-name=echo"),
        ("prompts/get", "--demo hello name=Ada", "--demo --prompt-name=hello --prompt-arg=name=Ada"),
        ("resources/read", "--server x file:///a=b", "--server x --uri=file:///a=b"),
        ("resources/read", "--demo a b", "--demo a b"),
        ("resources/read", "--demo a b=c", "--demo a b=c"),
        ("tools/call", "--demo echo more", "--demo --tool-name=echo --tool-arg=more"),
        ("tools/call", "--demo --tool-name echo more", "--demo --tool-name echo more"),
        ("tools/call", "node a.js", "node a.js"),
        ("tools/call", "http://h/mcp", "http://h/mcp"),
        ("tools/list", "--demo echo", "--demo echo"),
        ("tools/call", '--demo echo {"a":1}', '--demo --tool-name=echo --tool-args={"a":1}'),
        ("prompts/get", '--demo hello {"a":"1"}', '--demo --prompt-name=hello --prompt-args={"a":"1"}'),
        ("tools/call", "--demo", "--demo"),
        ("describe", "node a.js add", "node a.js --item=add"),
        ("describe", "node --quiet", "node --quiet"),
        ("describe", "--item add node a.js", "--item add node a.js"),
        ("describe", "node a.js", "node a.js"),
        ("describe", "node a.js file:///b.py", "node a.js --item=file:///b.py"),
        ("describe", "add http://h/mcp", "--item=add http://h/mcp"),
        ("describe", "add localhost:3000/mcp", "--item=add localhost:3000/mcp"),
        ("tools/call", "add a=1 http://h/mcp", "--tool-name=add --tool-arg=a=1 http://h/mcp"),
        ("tools/call", "add http://h/mcp a=1", "--tool-name=add http://h/mcp --tool-arg=a=1"),
        ("tools/call", 'add {"a":1} http://h/mcp', '--tool-name=add --tool-args={"a":1} http://h/mcp'),
        ("tools/call", "add a=1 --quiet localhost:80/mcp", "--tool-name=add --tool-arg=a=1 --quiet localhost:80/mcp"),
        ("tools/call", "w a=1 b http://h/mcp", "--tool-name=w --tool-arg=a=1 --tool-arg=b http://h/mcp"),
        ("resources/read", "file:///a http://h/mcp", "--uri=file:///a http://h/mcp"),
        ("resources/read", "a b http://h/mcp", "a b http://h/mcp"),
        ("resources/read", "a b=c http://h/mcp", "a b=c http://h/mcp"),
        ("tools/call", "npx http://h/mcp", "npx http://h/mcp"),
        ("tools/call", "./server http://h/mcp", "./server http://h/mcp"),
        ("tools/call", "npx mcp-remote http://h/mcp", "npx mcp-remote http://h/mcp"),
        ("tools/call", "mcp-proxy run http://h/mcp", "mcp-proxy run http://h/mcp"),
        ("tools/call", "--tool-name add mcp-proxy http://h/mcp", "--tool-name add mcp-proxy http://h/mcp"),
        ("tools/call", "add http://h/mcp localhost:80", "add http://h/mcp localhost:80"),
        ("tools/call", "localhost:80/mcp", "localhost:80/mcp"),
        ("describe", "./server localhost:3000/mcp", "./server --item=localhost:3000/mcp"),
        ("describe", "node a.js http://h/b", "node a.js --item=http://h/b"),
        ("describe", "http://h/mcp add", "http://h/mcp --item=add"),
        ("describe", "http://h/mcp http://h/a", "http://h/mcp --item=http://h/a"),
        ("describe", "node http://h/a", "node --item=http://h/a"),
        ("describe", "./server http://h/a", "./server --item=http://h/a"),
        ("describe", "a.py http://h/a", "a.py --item=http://h/a"),
        ("describe", "uvx server http://h/a", "uvx server --item=http://h/a"),
        ("describe", "a://b/c.py http://h/mcp", "--item=a://b/c.py http://h/mcp"),
    ],
)
def test_name_and_arguments_may_follow_the_method(method: str, line: str, spelled: str) -> None:
    assert with_named_words(method, line.split(), KNOWN, has_command=False) == tuple(spelled.split())


def test_name_may_follow_the_method_if_a_separator_precedes_the_command() -> None:
    assert with_named_words("tools/call", ["echo"], KNOWN, has_command=True) == ("--tool-name=echo",)


def test_word_separate_from_the_target_is_quoted() -> None:
    assert stray_word("b", ["a"]).problem == "'b' is separated from 'a' by a flag; keep the words of a command together"


@pytest.mark.parametrize(
    ("words", "spelled"),
    [
        (["a.json", "node s.js"], ("--old=a.json", "--new=node s.js")),
        (["a.json", "--compact"], ("--old=a.json", "--compact")),
        (["--old", "x", "a.json"], ("--old", "x", "--new=a.json")),
        (["a.json", "https://example.com/mcp"], ("--old=a.json", "https://example.com/mcp")),
        (["a.json", "node", "s.js"], ("--old=a.json", "node", "s.js")),
        (["--old", "x", "node", "s.js"], ("--old", "x", "node", "s.js")),
        (["--old", "x", "https://example.com/mcp"], ("--old", "x", "https://example.com/mcp")),
        (["https://example.com/mcp"], ("--old=https://example.com/mcp",)),
        (["https://example.com/mcp", "--new-era=modern"], ("https://example.com/mcp", "--new-era=modern")),
        (["--old=x", "--new=y", "z"], ("--old=x", "--new=y", "z")),
        ([], ()),
    ],
)
def test_words_after_diff_become_old_and_new(words: list[str], spelled: tuple[str, ...]) -> None:
    assert with_sides(words, by_spelling((*GROUPS, Diff))) == spelled


def test_method_may_belong_to_a_plugin_of_another_name() -> None:
    assert method_group(["lock", "node", "s.js"], KNOWN) == "diff"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("help", "--help"),
        ("help tools/call", "tools/call --help"),
        ("--script --help", "script --help"),
        ("--script a.json --help", "--script a.json --help"),
        ("help -- x", "help -- x"),
        ("version", "--version"),
        ("version x", "version x"),
        ("ci.json", "--script ci.json"),
        ("ci.jsonc -- node server.js", "--script ci.jsonc -- node server.js"),
        ("--timeout 5s ci.json node server.js", "--timeout 5s --script ci.json node server.js"),
        ("ci.json --method ping", "ci.json --method ping"),
        ("--xyzzy ci.json", "--xyzzy ci.json"),
        ("file:///a.json", "file:///a.json"),
        ("-- ci.json", "-- ci.json"),
        ("node ci.json", "node ci.json"),
        ("mcp.json", "mcp.json"),
        ("mcp.json tools/list", "mcp.json tools/list"),
        ("", ""),
    ],
)
def test_help_version_and_script_words_become_flags(line: str, meant: str) -> None:
    assert normalized_line(tuple(line.split()), KNOWN) == tuple(meant.split())


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("--tool-arg a=1 b=2 c:=3", "--tool-arg a=1 --tool-arg b=2 --tool-arg c:=3"),
        ("-a=a=1 b=2 node", "-a=a=1 -a b=2 node"),
        ("-e A=1 B=2 node x=1", "-e A=1 -e B=2 node x=1"),
        ("--tool-arg a=1 --demo b=2", "--tool-arg a=1 --demo b=2"),
        ("--tool-name x b=2", "--tool-name x b=2"),
        ("--unknown b=2", "--unknown b=2"),
        ("--tool-arg a=1 -- b=2", "--tool-arg a=1 -- b=2"),
        ("add a=1 b=2", "add a=1 b=2"),
    ],
)
def test_flag_is_repeated_for_the_pairs_that_follow_its_value(line: str, meant: str) -> None:
    assert with_repeated_flags(line.split(), KNOWN) == tuple(meant.split())

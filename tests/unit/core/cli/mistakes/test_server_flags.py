"""Flags of the server's command are moved after the separator."""

import shlex

import pytest

from mcpi.core.cli.mistakes.server_flags import with_separator, with_server_flags_hint
from mcpi.core.cli.words import AFTER
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Invalid
from mcpi.plugins.methods.diff import Diff
from mcpi.plugins.methods.resources import OneResource
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool, OneResource, Diff))
UNKNOWN = Invalid("INVALID_ARGUMENT", "-y", "unknown flag")


def moved(method: str, line: str, refused: str, server: str = "") -> str:
    """Return the line with the refused flag after the separator."""
    words = shlex.split(line)
    return shlex.join(with_separator(method, words, words.index(refused), server.split(), KNOWN))


@pytest.mark.parametrize(
    ("line", "refused", "corrected"),
    [
        ("npx -y pkg --method ping", "-y", "--method ping -- npx -y pkg"),
        ("--era auto npx -y pkg --port 1 -x", "-y", "--era auto -- npx -y pkg --port 1 -x"),
        ("node -e 'a b' --timeout 5 --method ping", "-e", "--timeout 5 --method ping -- node -e 'a b'"),
        ("node --token=x --bogus", "--bogus", "--token=x -- node --bogus"),
        ("node a.js --method ping --port 1 --era auto", "--port", "--method ping --era auto -- node a.js --port 1"),
        ("node a.js --method ping -e x", "-e", ""),
        ("ci.json node --port 1", "--port", "ci.json -- node --port 1"),
        ("ci.json mine --port 1", "--port", "ci.json -- mine --port 1"),
        ("mcp.json node -y", "-y", "-- mcp.json node -y"),
        ("-y npx pkg", "-y", ""),
        ("-y", "-y", ""),
        ("http://h -y", "-y", ""),
        ("--demo a -y", "-y", ""),
    ],
)
def test_corrected_line_has_server_flags_after_the_separator(line: str, refused: str, corrected: str) -> None:
    assert moved("", line, refused) == corrected


@pytest.mark.parametrize(
    ("method", "line", "refused", "corrected"),
    [
        ("tools/list", "npx -y pkg", "-y", "tools/list -- npx -y pkg"),
        ("tools/call", "add a=1 b=2 npx -y pkg", "-y", "tools/call add a=1 b=2 -- npx -y pkg"),
        ("tools/call", "add a=1 --compact npx -y pkg", "-y", "tools/call add a=1 --compact -- npx -y pkg"),
        ("tools/call", "add a=1 mine -y", "-y", "tools/call add a=1 -- mine -y"),
        ("tools/call", "mine -y", "-y", "tools/call NAME -- mine -y"),
        ("tools/call", "npx -y pkg", "-y", "tools/call NAME -- npx -y pkg"),
        ("tools/call", "node -y a.js add a=1", "-y", "tools/call add a=1 -- node -y a.js"),
        ("tools/call", "-n add a=1 mine -y", "-y", "tools/call -n add a=1 -- mine -y"),
        (
            "resources/read",
            "file:///a.py py/bin/python -u a.py",
            "-u",
            "resources/read file:///a.py -- py/bin/python -u a.py",
        ),
        ("diff", "a.json node --port 1", "--port", "diff a.json -- node --port 1"),
        ("diff", "a.json mine --port 1", "--port", "diff a.json -- mine --port 1"),
        ("diff", "--old a.json mine --port 1", "--port", "diff --old a.json -- mine --port 1"),
    ],
)
def test_name_and_arguments_stay_before_the_separator(method: str, line: str, refused: str, corrected: str) -> None:
    assert moved(method, line, refused) == corrected


@pytest.mark.parametrize(("line", "server"), [("add -sku=A", "node a.js"), ("add --sku A node a.js", "")])
def test_flag_after_the_name_alone_is_not_moved(line: str, server: str) -> None:
    assert moved("tools/call", line, line.split()[1], server) == ""


def test_corrected_line_keeps_the_words_after_the_separator() -> None:
    assert moved("", "npx -y", "-y", "--port 1") == "-- npx -y --port 1"


@pytest.mark.parametrize(
    ("method", "line", "spelled", "hints"),
    [
        ("ping", "npx -y pkg", "-y", (f"{AFTER}: mcpi ping -- npx -y pkg",)),
        ("", "npx -y pkg --method ping", "-y", (f"{AFTER}: mcpi --method ping -- npx -y pkg",)),
        ("", "ci.json npx -y pkg", "-y", (f"{AFTER}: mcpi ci.json -- npx -y pkg",)),
        ("", "-o ci.json npx -y", "-y", (f"{AFTER}, for example: mcpi tools/list -o ci.json -- npx -y",)),
        ("ping", "-y npx", "-y", (AFTER,)),
        ("ping", "-y http://h", "-y", ()),
        ("ping", "npx --timeout", "--timeout", ()),
        ("ping", "npx", "", ()),
        ("ping", "npx", "-y", (AFTER,)),
    ],
)
def test_hint_shows_the_line(method: str, line: str, spelled: str, hints: tuple[str, ...]) -> None:
    assert with_server_flags_hint(UNKNOWN, spelled, (method, line.split(), ()), KNOWN).hints == hints


@pytest.mark.parametrize(
    ("line", "spelled", "moved_line"),
    [
        ("npx -y pkg -m ping", "-y", "--method ping -- npx -y pkg"),
        ("npx -y pkg -m tools/call add a=1", "-y", "tools/call add a=1 -- npx -y pkg"),
        ("npx -y pkg -m tools/call -n add", "-y", "--method tools/call -n add -- npx -y pkg"),
        ("npx -y pkg tools/call add a=1", "-y", "tools/call add a=1 -- npx -y pkg"),
        ("python3 -m server -m ping", "-m", "--method ping -- python3 -m server"),
        ("python3 -m server ping", "-m", "ping -- python3 -m server"),
        ("tools npx -y pkg", "-y", "tools/list -- npx -y pkg"),
        ("call add --params {} npx -y pkg", "-y", "tools/call add --tool-args '{}' -- npx -y pkg"),
        ("npx -y pkg ping --script a", "-y", "--script a -- npx -y pkg ping"),
    ],
)
def test_method_after_the_command_stays_before_the_separator(line: str, spelled: str, moved_line: str) -> None:
    methods = ("tools/list", "tools/call", "ping")
    fault = with_server_flags_hint(UNKNOWN, spelled, ("", line.split(), ()), KNOWN, methods)

    assert fault.hints == (f"{AFTER}: mcpi {moved_line}",)


def test_script_is_not_taken_for_a_server() -> None:
    assert with_server_flags_hint(UNKNOWN, "-k", ("", ["s.json", "-k"], ()), KNOWN) == UNKNOWN
    assert with_server_flags_hint(UNKNOWN, "-k", ("", ["s.json", "-k", "name"], ()), KNOWN).hints == (AFTER,)


def test_command_of_another_tool_is_not_taken_for_a_server() -> None:
    fault = with_server_flags_hint(UNKNOWN, "-y", ("", ["list", "-y", "x"], ()), KNOWN, ("tools/list",))

    assert fault.hints == (AFTER,)


def test_hint_is_omitted_if_the_line_has_a_separator() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--bail", "unknown flag")

    assert with_server_flags_hint(fault, "--bail", ("ping", ["--bail"], ["node"]), KNOWN) is fault


def test_misspelled_flag_of_mcpi_is_not_moved_to_the_server() -> None:
    line = ("tools/call", ["echo", "text=a", "--sumary", "node", "a.js"], ())

    assert with_server_flags_hint(UNKNOWN, "--sumary", line, KNOWN).hints == (AFTER,)


def test_port_is_a_flag_of_the_server() -> None:
    line = ("ping", ["node", "a.js", "--port", "1"], ())

    assert with_server_flags_hint(UNKNOWN, "--port", line, KNOWN).hints == (
        f"{AFTER}: mcpi ping -- node a.js --port 1",
    )

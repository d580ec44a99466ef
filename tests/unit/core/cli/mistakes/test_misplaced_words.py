"""Words of the target that the method, or the script, takes in another way."""

import pytest

from mcpi.core.cli.corrections import replaced
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.misplaced_words import (
    misplaced_file,
    target_problem,
    unquoted_problem,
    with_debug_command,
    with_passed_flags,
    with_quoted_commands,
)
from mcpi.core.flags.declare import GivenFlags, by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Correction
from mcpi.core.targets.json_kinds import JsonKind
from mcpi.plugins.methods.debug import DebugScript

KNOWN = by_spelling((*GROUPS, DebugScript))


@pytest.mark.parametrize(
    ("method", "flags", "words", "server", "problem"),
    [
        ("diff", {"--old": ("node",)}, "a.js", "", "diff takes each command as one word in quotes, got 'node'"),
        ("diff", {"--old": ("node a.js",)}, "node b.js", "", None),
        ("debug/script", {}, "", "node a.js", "debug/script requires --debug-command or --attach"),
        ("debug/script", {}, "a.js", "", "debug/script requires --debug-command or --attach"),
        ("debug/script", {"--attach": ("1",)}, "a.js", "", None),
        ("debug/script", {}, "ws://h", "", None),
        ("debug/script", {}, "", "", None),
        ("lock", {}, "a.json", "", "'a.json' names a file, not a server"),
        ("lock", {}, "a.lock", "", "'a.lock' names a file, not a server"),
        ("lock", {}, "http://h a.json", "", "'a.json' names a file, not a server"),
        ("lock", {}, "node a.json", "", None),
        ("lock", {}, "http://h", "", None),
        ("lock", {}, "", "node a.json", None),
        ("", {"--script": ("a.json",)}, "b.json", "node", "takes one script, got 'a.json' and 'b.json'"),
        ("", {"--follow": ("true",)}, "b.json", "", "cannot be combined with --follow"),
        ("", {"--script": ("a.json",)}, "mcp.json", "", None),
        ("", {"--script": ("a.json",)}, "", "node", None),
        ("", {"--script": ("a.json",)}, "run", "", "takes no method, got 'run'"),
        ("ping", {}, "a.json", "", None),
    ],
)
def test_word_in_the_place_of_the_target_is_reported(
    method: str, flags: dict[str, tuple[str, ...]], words: str, server: str, problem: str | None
) -> None:
    found = target_problem(GivenFlags(flags, tuple(words.split())), method, server.split())

    assert (None if found is None else found.problem) == problem


def test_lock_file_gets_its_flag() -> None:
    found = target_problem(GivenFlags({}, ("a.json",)), "lock", ())

    assert found is not None
    assert found.correction == Correction("a.json", ("-o", "a.json"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("diff node a.js node b.js", "diff 'node a.js' 'node b.js'"),
        ("diff npx -y a npx -y b --compact", "diff 'npx -y a' 'npx -y b' --compact"),
        ("diff uv run python a uv run python b", "diff 'uv run python a' 'uv run python b'"),
        ("diff node a.js python3 b.py", "diff 'node a.js' 'python3 b.py'"),
        ("diff node a.js -- node b.js", "diff 'node a.js' -- node b.js"),
        ("diff node a.js http://h/mcp --compact", "diff 'node a.js' http://h/mcp --compact"),
        ("diff node", None),
        ("diff --old-era modern --new-era handshake node a.js", None),
    ],
)
def test_commands_get_quotes(line: str, expected: str | None) -> None:
    found = with_quoted_commands(line.split(), KNOWN)

    assert (None if found is None else found.hint.removeprefix("quote each command: mcpi ")) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("diff node a.js", "diff mcpi.lock.json 'node a.js'"),
        ("diff node a.js --compact", "diff mcpi.lock.json 'node a.js' --compact"),
        ("diff node a.js a.lock", "diff a.lock 'node a.js'"),
        ("diff node a.js -o b.json", "diff mcpi.lock.json 'node a.js' -o b.json"),
        ("diff node a.js --timeout=5s", "diff mcpi.lock.json 'node a.js' --timeout=5s"),
    ],
)
def test_single_command_without_quotes_is_compared_with_a_lock_file(line: str, expected: str) -> None:
    found = with_quoted_commands(line.split(), KNOWN)

    assert found is not None
    assert found.hint == f"to compare it with a lock file: mcpi {expected}"


@pytest.mark.parametrize(
    ("line", "is_reported"),
    [
        ("diff npx -y a npx -y b", True),
        ("diff npx -y a", True),
        ("diff a.json npx -y b", False),
        ("diff --old a.json node b.js", False),
        ("diff node b.js --new=a.json", False),
        ("diff node b.js --baseline a.json", False),
        ("diff node b.js --demo", False),
        ("lock npx a npx b", False),
        ("diff", False),
    ],
)
def test_commands_without_quotes_are_reported(line: str, is_reported: bool) -> None:  # noqa: FBT001 - a result
    assert (unquoted_problem(line.split(), KNOWN) is not None) is is_reported


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("debug/script --breakpoint a:1 -- node --inspect-brk=0 a.js", "--breakpoint a:1 ; node --inspect-brk=0 a.js"),
        ("debug/script a.js x --breakpoint a:1", "--breakpoint a:1 ; node --inspect-brk=0 a.js x"),
        ("debug/script -- npm start", "; npm start"),
    ],
)
def test_program_to_debug_gets_its_flag(line: str, expected: str) -> None:
    ours, command = expected.split("; ")

    assert with_debug_command(line.split(), KNOWN) == CorrectedLine(
        ("debug/script", *ours.split(), "--debug-command", command), "give the program with a flag"
    )
    assert with_debug_command(["debug/script"], KNOWN) is None


def test_flags_after_the_command_are_put_before_the_separator() -> None:
    line = "debug/script -- node a.js --breakpoint a:1 --expression=x --stack -x --its 1"
    moved = " ".join(with_passed_flags(line.split(), KNOWN).argv)

    assert moved == "debug/script --breakpoint a:1 --expression=x --stack -- node a.js -x --its 1"


FILES: dict[str, JsonKind] = {"c.json": "config file", "l.json": "lock file", "s.json": "script", "x.json": "JSON file"}


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("http://h c.json", "--config c.json"),
        ("ping http://h c.json", "ping --config c.json"),
        ("--demo ping c.json", "ping --config c.json"),
        ("--script c.json --demo", "--config c.json"),
        ("--script=c.json", "--config c.json"),
        ("--script s.json c.json", "--script s.json --config c.json"),
        ("http://h ping s.json", "http://h --script s.json"),
        ("script s.json", "--script s.json"),
        ("check s.json http://h", "--script s.json http://h"),
        ("--script l.json http://h", "diff l.json http://h"),
        ("ping http://h l.json", "diff l.json http://h"),
        ("ping w a=1 s.json", None),
        ("ping node a.js c.json", None),
        ("node a.js c.json", None),
        ("unknown node a.js s.json", None),
        ("node a.js s.json", "node a.js --script s.json"),
        ("c.json node a.js", "--config c.json node a.js"),
        ("diff l.json", None),
        ("--script s.json s.json", None),
        ("http://h x.json", None),
        ("http://h unknown.json", None),
        ("http://h s.txt", None),
        ("http://h -- s.json", None),
    ],
)
def test_json_file_gets_its_flag(line: str, right: str | None) -> None:
    found = misplaced_file(line.split(), KNOWN, ("ping",), FILES.get)
    fixed = None if found is None else replaced(line.split(), found.correction)

    assert (None if fixed is None else " ".join(fixed)) == right


def test_message_tells_the_purpose_of_the_file() -> None:
    found = misplaced_file(["http://h", "s.json"], KNOWN, (), FILES.get)

    assert found is not None
    assert found.problem == "'s.json' is a script"
    assert found.hints == ("to run it, use --script: mcpi --script s.json",)

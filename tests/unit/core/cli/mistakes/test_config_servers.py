"""Words that name a server of the config file."""

import pytest

from mcpi.core.cli.mistakes.config_servers import joined_tool, lacks_target, may_name_server, with_known_server
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.flags.pairs import NO_PAIR
from mcpi.core.outcome.faults import Correction, Fault, Interrupted, Invalid
from mcpi.core.targets.target import NEEDS_SERVER
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool))
TWO = Invalid("INVALID_ARGUMENT", "--config", "--config and the target 'node' are both targets; give only one")
SEVERAL = Invalid("INVALID_CONFIG", "a.json", f"{NEEDS_SERVER} because the file has 2 servers", ("servers: b, c",))
PAIR = Invalid("INVALID_ARGUMENT", "--tool-arg", f"{NO_PAIR}, got 'node'")


@pytest.mark.parametrize(
    ("fault", "line", "expected"),
    [
        (TWO, "ping --config a.json node", True),
        (PAIR, "tools/call w --config=a.json node", True),
        (PAIR, "tools/call w --config a.json --server b node", False),
        (Invalid("UNKNOWN_METHOD", "", "unknown method 'call'"), "call b.w --config a.json", True),
        (Invalid("INVALID_ARGUMENT", "--item", "describe takes one name, got"), "describe b w --config a.json", True),
        (PAIR, "tools/call w node --demo", False),
        (SEVERAL, "tools/call b.w --config a.json", True),
        (Invalid("INVALID_ARGUMENT", "--timeout", "x"), "ping --config a.json node", False),
        (Interrupted("SIGINT"), "ping --config a.json node", False),
    ],
)
def test_word_beside_a_config_file_may_be_a_server(fault: Fault, line: str, expected: bool) -> None:  # noqa: FBT001 - a result
    assert may_name_server(fault, line.split(), KNOWN) is expected


def test_server_of_the_file_gets_its_flag() -> None:
    argv = ["tools/call", "w", "--config", "a.json", "node", "--", "x"]

    assert with_known_server(PAIR, argv, KNOWN, {"node": "a.json", "x": "a.json"}).correction == Correction(
        "node", ("--server", "node")
    )
    assert with_known_server(PAIR, argv, KNOWN, {"x": "a.json"}) is PAIR


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("call http://h/mcp.add a=1", ("http://h/mcp", "add")),
        ("tools/call https://h/a/mcp.add", ("https://h/a/mcp", "add")),
        ("call http://h/mcp.php a=1", None),
        ("call http://h.example a=1", None),
        ("call http://h/mcp.add add", None),
        ("ping http://h/mcp.add", None),
        ("call", None),
    ],
)
def test_name_of_a_tool_is_separated_from_the_url(line: str, right: tuple[str, ...] | None) -> None:
    fault = joined_tool(line.split(), KNOWN)

    assert (fault and fault.correction) == (right and Correction(line.split()[1], right))


NO_TARGET = Invalid("MISSING_ARGUMENT", "target", "no server given")
NO_METHOD = Invalid("MISSING_ARGUMENT", "--method", "no method given")
PATHS = {"tickets": ".mcp.json", "node": ".mcp.json"}


@pytest.mark.parametrize(
    ("fault", "line", "expected"),
    [
        (NO_TARGET, "tools/call tickets list", True),
        (Invalid("UNKNOWN_METHOD", "", "x"), "tickets list", True),
        (NO_TARGET, "tools/call tickets --demo", False),
        (NO_TARGET, "tools/call tickets -- node", False),
        (NO_TARGET, "tools/lst node a.js", False),
        (TWO, "tools/call tickets", False),
        (Interrupted("SIGINT"), "tools/call tickets", False),
    ],
)
def test_word_of_a_line_without_a_target_may_be_a_server(fault: Fault, line: str, expected: bool) -> None:  # noqa: FBT001 - a result
    assert lacks_target(fault, line.split(), KNOWN) is expected


@pytest.mark.parametrize(
    ("line", "wrong", "right"),
    [
        ("tools/call tickets list state=open", "tickets", ("--server", "tickets")),
        ("tools/call tickets.list state=open", "tickets.list", ("list", "--server", "tickets")),
        ("tickets.list state=open", "tickets.list", ("list", "--server", "tickets")),
        ("tools/call mcp__tickets__list", "mcp__tickets__list", ("list", "--server", "tickets")),
        ("describe tickets__list", "tickets__list", ("list", "--server", "tickets")),
        ("list tickets", "tickets", ("--server", "tickets")),
        ("tools/call -n tickets.list -a a=1", "tickets.list", ("list", "--server", "tickets")),
        ("--method tools/call --tool-name tickets.list", "tickets.list", ("list", "--server", "tickets")),
    ],
)
def test_configured_server_gets_its_flag(line: str, wrong: str, right: tuple[str, ...]) -> None:
    found = with_known_server(NO_METHOD, line.split(), KNOWN, PATHS)

    assert found.problem == "'tickets' is a server in .mcp.json"
    assert found.correction == Correction(wrong, right)


@pytest.mark.parametrize(
    "line",
    [
        *("tools/call tickets", "tools/call x.list", "tools/call tickets.", "", "tools/call -n tickets"),
        *("tools/call -n", "diff tickets.lock.json", "diff tickets.lock", "tickets.lock.json"),
        *("--method diff tickets.x", "lock tickets.txt", "tools/call tickets.py", "tools/list tickets.list"),
    ],
)
def test_other_words_are_not_servers(line: str) -> None:
    assert with_known_server(NO_METHOD, line.split(), KNOWN, PATHS) is NO_METHOD


def test_configured_server_is_shown_if_no_server_is_given() -> None:
    found = with_known_server(NO_TARGET, ["tools/list"], KNOWN, PATHS)

    assert found.hints == (".mcp.json configures servers, for example: mcpi tools/list --server tickets",)
    assert with_known_server(NO_TARGET, ["tools/list"], KNOWN, {}) is NO_TARGET


def test_server_of_a_file_with_several_is_shown() -> None:
    found = with_known_server(SEVERAL, ["ping", "--config", "a.json"], KNOWN, {"b": "a.json", "c": "a.json"})

    assert found.hints == ("servers: b, c", "for example: mcpi ping --config a.json --server b")

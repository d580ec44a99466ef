"""Words that name a server of the config file."""

import pytest

from mcpi.core.cli.mistakes.config_servers import may_name_server, with_server_flag
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.flags.pairs import NO_PAIR
from mcpi.core.outcome.faults import Correction, Fault, Interrupted, Invalid

KNOWN = by_spelling(GROUPS)
TWO = Invalid("INVALID_ARGUMENT", "--config", "--config and the target 'node' are both targets; give only one")
PAIR = Invalid("INVALID_ARGUMENT", "--tool-arg", f"{NO_PAIR}, got 'node'")


@pytest.mark.parametrize(
    ("fault", "line", "expected"),
    [
        (TWO, "ping --config a.json node", True),
        (PAIR, "tools/call w --config=a.json node", True),
        (PAIR, "tools/call w --config a.json --server b node", False),
        (PAIR, "tools/call w node --demo", False),
        (Invalid("INVALID_ARGUMENT", "--timeout", "x"), "ping --config a.json node", False),
        (Interrupted("SIGINT"), "ping --config a.json node", False),
    ],
)
def test_word_beside_a_config_file_may_be_a_server(fault: Fault, line: str, expected: bool) -> None:  # noqa: FBT001 - a result
    assert may_name_server(fault, line.split(), KNOWN) is expected


def test_server_of_the_file_gets_its_flag() -> None:
    argv = ["tools/call", "w", "--config", "a.json", "node", "--", "x"]

    assert with_server_flag(PAIR, argv, KNOWN, ("node", "x")).correction == Correction("node", ("--server", "node"))
    assert with_server_flag(PAIR, argv, KNOWN, ("x",)) is PAIR

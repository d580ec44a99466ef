"""The help fits the terminal, whatever its width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.cli.help_text import (
    CLOSING,
    EXAMPLES,
    USAGE,
    FlagHelp,
    Help,
    MethodHelp,
    of_method,
    section,
    spelled,
    whole,
)
from mcpi.core.text.colors import colorize


def flag(name: str, value: str = "", text: str = "", short: str = "", *, required: bool = False) -> FlagHelp:
    return FlagHelp(name=name, short=short, value=value, text=text, required=required, repeatable=False)


FORCE = flag("--force", "", "Send it anyway.")
PAGES = [flag("--cursor", "TEXT", "Start here.")]
CALL: MethodHelp = {
    "name": "tools/call",
    "summary": "call a tool",
    "connects": True,
    "flags": [flag("--tool-name", "NAME", "Name of the tool to call.", required=True), FORCE],
}
LISTS: list[MethodHelp] = [
    {"name": name, "summary": "list them", "connects": True, "flags": PAGES} for name in ("prompts/list", "tools/list")
]
KNOWN: Help = {
    "groups": [
        {"title": "Target", "about": "what to connect to", "flags": [flag("--env", "NAME=VALUE", "For it.", "-e")]},
        {"title": "Method", "about": "", "flags": [flag("--method", "NAME", "What to do.")]},
        {"title": "Protocol", "about": "how to speak", "flags": [FORCE]},
        {"title": "Answers", "about": "", "flags": []},
    ],
    "methods": [LISTS[0], CALL, LISTS[1]],
}


def test_the_whole_help_goes_from_the_target_by_the_method_to_the_rest() -> None:
    assert whole(KNOWN, 100) == (
        "mcpi exercises and diagnoses MCP servers: every input is a flag or a file, every output is JSON.\n"
        "\n"
        f"Usage:\n{USAGE}\n"
        "\n"
        "Methods:\n"
        "  prompts/list                list them\n"
        "  tools/call                  call a tool\n"
        "  tools/list                  list them\n"
        "\n"
        "Target: what to connect to\n"
        "  -e, --env NAME=VALUE        For it.\n"
        "\n"
        "Method:\n"
        "  --method NAME               What to do.\n"
        "\n"
        "Arguments of prompts/list, tools/list:\n"
        "  --cursor TEXT               Start here.\n"
        "\n"
        "Arguments of tools/call:\n"
        "  --tool-name NAME            Name of the tool to call. (required)\n"
        "\n"
        "Protocol: how to speak\n"
        "  --force                     Send it anyway.\n"
        "\n"
        f"Examples:\n{EXAMPLES}\n"
        "\n"
        f"{CLOSING}\n"
    )


def test_a_method_is_shown_with_what_it_takes_and_nothing_else() -> None:
    assert of_method(KNOWN, CALL, 100) == (
        "tools/call: call a tool\n"
        "\n"
        "Usage:\n"
        "  mcpi TARGET --method tools/call --tool-name NAME [flags]\n"
        "\n"
        "Arguments:\n"
        "  --tool-name NAME            Name of the tool to call. (required)\n"
        "\n"
        "Also:\n"
        "  --force                     Send it anyway.\n"
        "\n"
        "mcpi --help shows the flags of every method: target, time, output and so on.\n"
    )


def test_a_method_without_a_server_has_no_target_and_keeps_its_own_word_for_a_general_flag() -> None:
    debug: MethodHelp = {
        "name": "debug/script",
        "summary": "look into a program",
        "connects": False,
        "flags": [flag("--force", "TEXT", "Its own.", required=True)],
    }

    assert of_method(KNOWN, debug, 100).split("\n\n")[1:3] == [
        "Usage:\n  mcpi --method debug/script --force TEXT [flags]",
        "Arguments:\n  --force TEXT                Its own. (required)",
    ]


def test_a_flag_is_spelled_with_its_short_form_and_what_it_wants() -> None:
    assert [spelled(flag("--env", "K=V", short="-e")), spelled(flag("--demo"))] == ["-e, --env K=V", "--demo"]


def test_a_name_that_reaches_the_column_stands_alone() -> None:
    flags = [flag("--exactly-at-the-edge", "TEXT", "text"), flag("--exactly-at-the-edges", "TEXT", "text")]

    assert section({"title": "Edge", "about": "", "flags": flags}, 80) == (
        "Edge:\n  --exactly-at-the-edge TEXT  text\n  --exactly-at-the-edges TEXT\n                              text"
    )


def test_a_long_text_goes_on_in_its_column_and_breaks_no_flag() -> None:
    flags = [flag("--x", "TEXT", "some words that --go-on"), flag("--y")]

    assert section({"title": "One", "about": "", "flags": flags}, 50) == (
        "One:\n  --x TEXT                    some words that\n                              --go-on\n  --y"
    )


def test_a_group_without_flags_is_not_shown() -> None:
    assert section({"title": "Nothing", "about": "at all", "flags": []}, 80) == ""


def test_titles_and_names_are_painted_without_moving_a_column() -> None:
    shown = section({"title": "One", "about": "of them", "flags": [flag("--x", "N", "text")]}, 80, colorize)

    assert shown == "\x1b[1mOne\x1b[0m: of them\n  \x1b[36m--x N\x1b[0m                       text"


@pytest.mark.parametrize(("width", "counts"), [(-1, 50), (0, 50), (49, 50), (111, 110), (400, 110)])
def test_a_width_that_is_hard_to_read_counts_as_a_better_one(width: int, counts: int) -> None:
    assert whole(KNOWN, width) == whole(KNOWN, counts)


@given(st.integers(50, 110))
def test_no_text_is_wider_than_the_terminal(width: int) -> None:
    given_lines = {*USAGE.splitlines(), *EXAMPLES.splitlines(), *CLOSING.splitlines()}
    lines = [line for line in whole(KNOWN, width).splitlines() if line not in given_lines]

    assert [line for line in lines if len(line) > width] == []
    assert [line for line in lines if line != line.rstrip()] == []

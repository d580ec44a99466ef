"""What could stand at the end of a command line, told without touching anything."""

import pytest

from mcpi.core.cli.completer import CompletionRequest, completion_request, connecting, fitting, flags_for
from mcpi.core.cli.help_text import FlagHelp, Help


def flag(name: str, value: str = "", short: str = "", *, many: bool = False) -> FlagHelp:
    return FlagHelp(name=name, short=short, value=value, text=f"{name}.", required=False, repeatable=many)


KNOWN: Help = {
    "groups": [
        {
            "title": "Target",
            "about": "",
            "flags": [
                flag("--config", "FILE"),
                flag("--server", "NAME"),
                flag("--demo"),
                flag("--cwd", "DIR"),
                flag("--env", "K=V", "-e", many=True),
            ],
        },
        {
            "title": "Method",
            "about": "",
            "flags": [
                flag("--method", "NAME"),
                flag("--era", "auto|modern"),
                flag("--handle", "JSON|auto"),
                flag("--timeout", "DURATION"),
                flag("--help", "", "-h"),
            ],
        },
    ],
    "methods": [
        {"name": "ping", "summary": "alive", "connects": True, "flags": []},
        {
            "name": "tools/call",
            "summary": "call",
            "connects": True,
            "flags": [flag("--tool-name", "NAME"), flag("--tool-arg", "K=V", many=True), flag("--uri", "URI")],
        },
    ],
}
METHODS = (("ping", "alive"), ("tools/call", "call"))
CALL = ["--method", "tools/call"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (["--method", "t"], CompletionRequest("words", METHODS, "t")),
        (["--help", ""], CompletionRequest("words", METHODS)),
        (["-h", ""], CompletionRequest("words", METHODS)),
        (["--method=t"], CompletionRequest("words", METHODS, "t", "--method=")),
        (["--era", ""], CompletionRequest("words", (("auto", ""), ("modern", "")))),
        (["--handle", ""], CompletionRequest("words", (("auto", ""),))),
        (["--timeout", ""], CompletionRequest("words")),
        (["--config", "m"], CompletionRequest("files", (), "m")),
        (["--cwd", ""], CompletionRequest("folders")),
        (["--server", ""], CompletionRequest("servers")),
        ([*CALL, "--tool-name", "e"], CompletionRequest("tools", (), "e")),
        ([*CALL, "--tool-arg", ""], CompletionRequest("arguments")),
        ([*CALL, "--uri=x"], CompletionRequest("resources", (), "x", "--uri=")),
        (["node", "s"], CompletionRequest("files", (), "s")),
        (["--demo", "x"], CompletionRequest("files", (), "x")),
        (["--unknown=x"], CompletionRequest("words", completion_request(["-"], KNOWN).words, "--unknown=x")),
        ([], CompletionRequest("files")),
        # What follows -- is the server's, as soon as it is known what is wanted from it.
        ([*CALL, "--", "node", "--e"], CompletionRequest("files", (), "--e")),
        (["--script", "s.json", "--", "--e"], CompletionRequest("files", (), "--e")),
        (
            [*CALL, "--", "node", "--", "--er"],
            CompletionRequest("words", completion_request([*CALL, "--er"], KNOWN).words, "--er"),
        ),
        (["--", "node", "--method", "p"], CompletionRequest("words", METHODS, "p")),
    ],
)
def test_what_could_stand_there_depends_on_what_stands_before(line: list[str], found: CompletionRequest) -> None:
    assert completion_request(line, KNOWN) == found


def test_flags_are_offered_with_the_methods_own_and_without_those_that_are_given() -> None:
    names = [
        name for name, _ in completion_request([*CALL, "--tool-arg", "a=1", "--demo", "-e", "a=b", "--"], KNOWN).words
    ]

    assert names == [
        *("--config", "--cwd", "--env", "--era", "--handle", "--help", "--server", "--timeout"),
        *("--tool-arg", "--tool-name", "--uri"),
    ]


def test_what_fits_begins_as_it_was_typed() -> None:
    assert fitting(CompletionRequest("words", METHODS, "p", "--method=")) == (("--method=ping", "alive"),)


def test_a_flag_is_known_by_each_of_its_spellings() -> None:
    assert flags_for([], KNOWN)["-e"] == flags_for([], KNOWN)["--env"]
    assert "--tool-name" not in flags_for(["--method", "ping"], KNOWN)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (["--demo", *CALL, "--tool-arg", "a=1"], ["--demo"]),
        (["node", "s.js", *CALL, "--era", "modern", "-e", "A=1"], ["node", "s.js", "--era", "modern", "-e", "A=1"]),
        (["--config=x", "--server", "a", "--timeout", "5s"], ["--config=x", "--server", "a"]),
        ([*CALL, "--", "node", "--method"], ["--", "node", "--method"]),
        (
            ["node", "s.js", "--", "--port", "3", *CALL, "--era", "modern"],
            ["node", "s.js", "--era", "modern", "--", "--port", "3"],
        ),
        (["--cwd"], ["--cwd"]),
    ],
)
def test_a_connection_needs_what_says_which_server_is_meant(line: list[str], kept: list[str]) -> None:
    assert connecting(line, KNOWN) == kept

"""Shell completion of the last word of a command line, without I/O."""

import pytest
from attrs import frozen

from mcpi.core.cli.completer import (
    CompletionRequest,
    completion_request,
    connecting,
    fitting,
    flags_for,
    with_named_flags,
)
from mcpi.core.flags.canned_answers import SamplingAnswer
from mcpi.core.flags.pairs import Pair
from mcpi.core.flags.types import Clients, Name, ServerOrLock, Uri
from mcpi.core.plans.catalog import Catalog, OwnedMethod
from mcpi.core.plans.method import AnyMethod, Method, RawParams
from mcpi.core.plans.steps import request


@frozen(kw_only=True)
class CallTool:
    """Call one tool."""

    tool_name: Name
    tool_arg: tuple[Pair, ...] = ()
    uri: Uri | None = None
    old: ServerOrLock | None = None
    handle: SamplingAnswer | None = None
    for_: tuple[Clients, ...] = ()


PING: AnyMethod = Method("ping", RawParams, lambda _: request("ping"), "alive")
CALLED: AnyMethod = Method("tools/call", CallTool, lambda _: request("tools/call"), "call")
KNOWN = Catalog({one.name: OwnedMethod(one, "own") for one in (PING, CALLED)})
TEXTS = {"--demo": "a demo"}
METHODS = (("ping", "alive"), ("tools/call", "call"))
CLIENTS = tuple((name, "") for name in ("claude", "openai", "gemini", "vscode", "cursor"))
TOPICS = (*METHODS, ("all", "all flags"), ("script", "how to write scripts"))
CALL = ["--method", "tools/call"]
ERAS = (("auto", ""), ("handshake", ""), ("modern", ""))


def parsed_request(line: list[str]) -> CompletionRequest:
    """Return the completion request for this line."""
    return completion_request(line, KNOWN, TEXTS)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (["--method", "t"], CompletionRequest("words", METHODS, "t")),
        (["--help", ""], CompletionRequest("words", TOPICS)),
        (["-h", ""], CompletionRequest("words", TOPICS)),
        (["help", "s"], CompletionRequest("words", TOPICS, "s")),
        (["--method=t"], CompletionRequest("words", METHODS, "t", "--method=")),
        (["--era", ""], CompletionRequest("words", ERAS)),
        (["--timeout", ""], CompletionRequest("words")),
        (["--config", "m"], CompletionRequest("files", (), "m")),
        (["--cwd", ""], CompletionRequest("folders")),
        (["tools/call", "--old", ""], CompletionRequest("files")),
        (["tools/call", "--for=cu"], CompletionRequest("words", CLIENTS, "cu", "--for=")),
        (["tools/call", "--handle", ""], CompletionRequest("words", (("auto", ""), ("reject", "")))),
        (["--server", ""], CompletionRequest("servers")),
        ([*CALL, "--tool-name", "e"], CompletionRequest("tools", (), "e")),
        ([*CALL, "--tool-arg", ""], CompletionRequest("arguments")),
        ([*CALL, "--uri=x"], CompletionRequest("resources", (), "x", "--uri=")),
        (["node", "s"], CompletionRequest("files", (), "s")),
        (["--demo", "x"], CompletionRequest("files", (), "x")),
        (["--unknown=x"], CompletionRequest("words", parsed_request(["-"]).words, "--unknown=x")),
        ([], CompletionRequest("words", METHODS)),
        (["too"], CompletionRequest("words", METHODS, "too")),
        (["--demo", "t"], CompletionRequest("words", METHODS, "t")),
        (["tools/call", "t"], CompletionRequest("files", (), "t")),
        (["tools/call", "--tool-name", "e"], CompletionRequest("tools", (), "e")),
        (["tools/call", "-a", ""], CompletionRequest("arguments")),
        # Words after -- belong to the server once the method is given.
        ([*CALL, "--", "node", "--e"], CompletionRequest("files", (), "--e")),
        (["tools/call", "--", "node", "--e"], CompletionRequest("files", (), "--e")),
        (["tools/call", "a", "--", "--tool-name", "e"], CompletionRequest("files", (), "e")),
        (["--script", "s.json", "--", "--e"], CompletionRequest("files", (), "--e")),
        (
            [*CALL, "--", "node", "--", "--er"],
            CompletionRequest("words", parsed_request([*CALL, "--er"]).words, "--er"),
        ),
        (["--", "node", "--method", "p"], CompletionRequest("words", METHODS, "p")),
    ],
)
def test_completions_depend_on_the_preceding_words(line: list[str], found: CompletionRequest) -> None:
    assert parsed_request(line) == found


def test_flags_of_the_method_are_completed_and_given_flags_omitted() -> None:
    names = [name for name, _ in parsed_request([*CALL, "--tool-arg", "a=1", "--demo", "-e", "a=b", "-q", "--"]).words]

    assert {"--config", "--env", "--tool-arg", "--tool-name", "--uri"} <= {*names}
    assert {"--demo", "--method", "--quiet"} & {*names} == set()


def test_flags_are_completed_with_their_help() -> None:
    assert ("--demo", "a demo") in parsed_request(["--d"]).words


def test_completions_keep_the_typed_prefix() -> None:
    assert fitting(CompletionRequest("words", METHODS, "p", "--method=")) == (("--method=ping", "alive"),)


@pytest.mark.parametrize(
    "name",
    [
        *('na\U000e0999";touch x;"', "na';touch x;'", "na$(touch x)", "na`touch x`", "na;x", "na x", "na\nx", "na\\x"),
        *("na\x1b[31m", "na\ud800", "na*", "na?", "na{a,b}", "na|x", "na&x", "na>x", "na<x", "na!x", "na#x", "na^x"),
        *("né", "~root", "=ls", "--output=x", "@x", ""),
    ],
)
def test_name_with_shell_metacharacters_is_not_completed(name: str) -> None:
    assert fitting(CompletionRequest("tools", ((name, "hostile"), ("name", "")))) == (("name", ""),)


@pytest.mark.parametrize("name", ["get_file", "a.b", "demo://greeting/Ada", "x-y:z", "scope@tool", "a=", "100%"])
def test_name_of_safe_characters_is_completed(name: str) -> None:
    assert fitting(CompletionRequest("tools", ((name, ""),))) == ((name, ""),)


def test_flag_is_found_by_each_of_its_spellings() -> None:
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
        (["tools/call", "--tool-name", "a", "--demo"], ["--demo"]),
        (["tools/call", "--", "node", "--method"], ["--", "node", "--method"]),
        (["--cwd"], ["--cwd"]),
    ],
)
def test_connection_keeps_only_words_that_select_the_server(line: list[str], kept: list[str]) -> None:
    assert connecting(line, KNOWN) == kept


@pytest.mark.parametrize(
    ("line", "spelled"),
    [
        (["tools/call", "--demo", "e"], ["tools/call", "--demo", "--tool-name", "e"]),
        (["tools/call", "--demo", ""], ["tools/call", "--demo", "--tool-name", ""]),
        (["--demo", "tools/call", ""], ["--demo", "tools/call", "--tool-name", ""]),
        (["tools/call", "--server", "a", "e"], ["tools/call", "--server", "a", "--tool-name", "e"]),
        (["tools/call", "http://x", "e"], ["tools/call", "http://x", "--tool-name", "e"]),
        (["tools/call", "--demo", "e", "m"], ["tools/call", "--demo", "--tool-name=e", "--tool-arg", "m"]),
        (
            ["tools/call", "--demo", "e", "a=1", ""],
            ["tools/call", "--demo", "--tool-name=e", "--tool-arg=a=1", "--tool-arg", ""],
        ),
        (["tools/call", "--demo", "-n", "e", "m"], ["tools/call", "--demo", "-n", "e", "--tool-arg", "m"]),
        (["tools/call", "e", "--demo", "--q"], ["tools/call", "e", "--demo", "--q"]),
    ],
)
def test_positional_names_are_completed_as_the_values_of_flags(line: list[str], spelled: list[str]) -> None:
    assert with_named_flags(line, KNOWN) == tuple(spelled)


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["ping", "--demo", ""],
        ["tools/call", "e"],
        ["tools/call", "node", "e"],
        ["tools/call", "http://x"],
        ["tools/call", "--config", "m"],
        ["tools/call", "--demo", "--tool-name", "e"],
        ["tools/call", "--demo", "--", "e"],
        ["--method", "tools/call", "--demo", "e"],
    ],
)
def test_other_words_are_not_completed_as_names(line: list[str]) -> None:
    assert with_named_flags(line, KNOWN) == tuple(line or [""])

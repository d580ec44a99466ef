"""The command line is split into flags of mcpi and the server command."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.cli.split import SplitLine, before_separator, split_line, value_of

tokens = st.lists(st.sampled_from(["--", "--method", "--method=x", "--script", "-e", "node", "x", "-"]), max_size=9)


def split_words(line: str) -> SplitLine:
    """Split a command line into its parts."""
    return split_line(line.split())


def test_line_without_a_separator_belongs_to_mcpi() -> None:
    assert split_words("node server.js --method tools/list") == SplitLine(
        ("node", "server.js", "--method", "tools/list"), ()
    )


def test_empty_line_has_two_empty_parts() -> None:
    assert split_line([]) == SplitLine((), ())


def test_words_after_the_separator_belong_to_the_server() -> None:
    assert split_words("--method tools/list -- node server.js --port 3000") == SplitLine(
        ("--method", "tools/list"), ("node", "server.js", "--port", "3000")
    )


@pytest.mark.parametrize("mode", ["--method tools/list", "--method=tools/list", "--follow", "--script steps.json"])
def test_mode_before_the_separator_leaves_later_modes_to_the_server(mode: str) -> None:
    assert split_words(f"{mode} -- node server.js --method mine --follow --script s").server == (
        "node",
        "server.js",
        "--method",
        "mine",
        "--follow",
        "--script",
        "s",
    )


def test_command_may_precede_the_separator_and_its_flags() -> None:
    assert split_words("node server.js -- --port 3000 --method tools/list") == SplitLine(
        ("node", "server.js", "--method", "tools/list"), ("--port", "3000")
    )


@pytest.mark.parametrize("mode", ["--method tools/list", "--method=tools/list", "--follow", "--script steps.json"])
def test_first_mode_after_the_separator_returns_to_mcpi_flags(mode: str) -> None:
    assert split_words(f"node server.js -- --port 3000 {mode} --timeout 5s") == SplitLine(
        ("node", "server.js", *mode.split(), "--timeout", "5s"), ("--port", "3000")
    )


def test_other_mcpi_flags_before_the_separator_are_not_a_mode() -> None:
    assert split_words("--timeout 5s -- node server.js --method tools/list") == SplitLine(
        ("--timeout", "5s", "--method", "tools/list"), ("node", "server.js")
    )


@pytest.mark.parametrize("near", ["--methods", "--method-x", "-method", "method", "--scripts=x"])
def test_flag_similar_to_a_mode_belongs_to_the_server(near: str) -> None:
    assert split_words(f"-- node server.js {near}").server == ("node", "server.js", near)


def test_line_without_a_mode_has_server_words_after_the_separator() -> None:
    assert split_words("--demo -- node server.js") == SplitLine(("--demo",), ("node", "server.js"))


def test_second_separator_ends_the_server_command() -> None:
    assert split_words("-- node server.js --method mine -- --method tools/list") == SplitLine(
        ("--method", "tools/list"), ("node", "server.js", "--method", "mine")
    )


def test_second_separator_ends_the_server_command_after_a_mode() -> None:
    assert split_words("--method tools/list -- node server.js --port 1 -- --timeout 5s") == SplitLine(
        ("--method", "tools/list", "--timeout", "5s"), ("node", "server.js", "--port", "1")
    )


@pytest.mark.parametrize("flag", ["-e A=b", "-H X:y", "-h"])
def test_short_flag_may_follow_a_second_separator(flag: str) -> None:
    assert split_words(f"--method ping -- node server.js -- {flag}") == SplitLine(
        ("--method", "ping", *flag.split()), ("node", "server.js")
    )


def test_second_separator_may_be_the_last_word() -> None:
    assert split_words("--method ping -- node server.js --") == SplitLine(("--method", "ping"), ("node", "server.js"))


def test_separator_before_a_bare_word_belongs_to_the_server() -> None:
    assert split_words("--method tools/list -- npm exec -- server --port 1") == SplitLine(
        ("--method", "tools/list"), ("npm", "exec", "--", "server", "--port", "1")
    )


def test_separator_of_the_server_may_precede_a_second_separator() -> None:
    assert split_words("-- npm exec -- server -- --method tools/list") == SplitLine(
        ("--method", "tools/list"), ("npm", "exec", "--", "server")
    )


def test_separator_of_the_server_may_precede_a_mode() -> None:
    assert split_words("-- npm exec -- server --method tools/list") == SplitLine(
        ("--method", "tools/list"), ("npm", "exec", "--", "server")
    )


def test_leading_separator_gives_all_words_to_the_server() -> None:
    assert split_words("-- node server.js") == SplitLine((), ("node", "server.js"))


@given(tokens)
def test_splitting_drops_only_separators(argv: list[str]) -> None:
    given, kept = Counter(argv), Counter((*split_line(argv).ours, *split_line(argv).server))

    assert given - kept in (Counter(), Counter({"--": 1}), Counter({"--": 2}))
    assert kept <= given


@given(tokens)
def test_words_before_the_first_separator_belong_to_mcpi(argv: list[str]) -> None:
    before = argv[: argv.index("--")] if "--" in argv else argv

    assert split_line(argv).ours[: len(before)] == tuple(before)


@given(tokens)
def test_server_command_is_contiguous_after_the_first_separator(argv: list[str]) -> None:
    start = argv.index("--") + 1 if "--" in argv else len(argv)
    server = split_line(argv).server

    assert server == tuple(argv[start : start + len(server)])


@given(tokens.filter(lambda argv: "--" not in argv), tokens.filter(lambda argv: "--" not in argv))
def test_two_separators_delimit_the_server_command(flags: list[str], server: list[str]) -> None:
    assert split_line(["--", *server, "--", "--demo", *flags]) == SplitLine(("--demo", *flags), tuple(server))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("--method ping", "ping"),
        ("--method=ping", "ping"),
        ("--method=a=b", "a=b"),
        ("--method=", ""),
        ("node x --method ping --timeout 5", "ping"),
        ("-m ping", "ping"),
        ("--method ping --method tools/list", "tools/list"),
        ("--method=ping --method tools/list", "tools/list"),
        ("--method ping --method", "ping"),
        ("--method", None),
        ("--methods ping", None),
        ("ping", None),
        ("", None),
    ],
)
def test_flag_value_is_found_before_flags_are_parsed(line: str, value: str | None) -> None:
    assert value_of(("--method", "-m"), line.split()) == value


def test_method_given_as_a_word_leaves_the_method_flag_to_the_server() -> None:
    argv = ["tools/list", "--", "node", "server.js", "--method", "mine"]

    assert split_line(argv, has_method=True).server == ("node", "server.js", "--method", "mine")


def test_before_separator_returns_the_leading_words() -> None:
    assert [list(before_separator(line.split())) for line in ("a b", "a -- b -- c", "-- a")] == [["a", "b"], ["a"], []]

"""The command line falls apart into our flags and the server's command."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.cli.split import SplitLine, before_separator, split_line, value_of

tokens = st.lists(st.sampled_from(["--", "--method", "--method=x", "--script", "-e", "node", "x", "-"]), max_size=9)


def parted(line: str) -> SplitLine:
    """The parts of a command line."""
    return split_line(line.split())


def test_without_a_separator_all_is_ours() -> None:
    assert parted("node server.js --method tools/list") == SplitLine(
        ("node", "server.js", "--method", "tools/list"), ()
    )


def test_nothing_falls_apart_into_nothing() -> None:
    assert split_line([]) == SplitLine((), ())


def test_all_after_the_separator_belongs_to_the_server() -> None:
    assert parted("--method tools/list -- node server.js --port 3000") == SplitLine(
        ("--method", "tools/list"), ("node", "server.js", "--port", "3000")
    )


@pytest.mark.parametrize("mode", ["--method tools/list", "--method=tools/list", "--follow", "--script steps.json"])
def test_a_mode_before_the_separator_leaves_the_same_flag_to_the_server(mode: str) -> None:
    assert parted(f"{mode} -- node server.js --method mine --follow --script s").server == (
        "node",
        "server.js",
        "--method",
        "mine",
        "--follow",
        "--script",
        "s",
    )


def test_a_command_may_stand_before_the_separator_and_its_flags_after_it() -> None:
    assert parted("node server.js -- --port 3000 --method tools/list") == SplitLine(
        ("node", "server.js", "--method", "tools/list"), ("--port", "3000")
    )


@pytest.mark.parametrize("mode", ["--method tools/list", "--method=tools/list", "--follow", "--script steps.json"])
def test_without_a_mode_before_the_separator_the_first_one_after_it_is_ours_again(mode: str) -> None:
    assert parted(f"node server.js -- --port 3000 {mode} --timeout 5s") == SplitLine(
        ("node", "server.js", *mode.split(), "--timeout", "5s"), ("--port", "3000")
    )


def test_other_flags_of_ours_before_the_separator_are_no_mode() -> None:
    assert parted("--timeout 5s -- node server.js --method tools/list") == SplitLine(
        ("--timeout", "5s", "--method", "tools/list"), ("node", "server.js")
    )


@pytest.mark.parametrize("near", ["--methods", "--method-x", "-method", "method", "--scripts=x"])
def test_what_only_looks_like_a_mode_belongs_to_the_server(near: str) -> None:
    assert parted(f"-- node server.js {near}").server == ("node", "server.js", near)


def test_without_any_mode_all_after_the_separator_belongs_to_the_server() -> None:
    assert parted("--demo -- node server.js") == SplitLine(("--demo",), ("node", "server.js"))


def test_a_second_separator_ends_the_server_s_part() -> None:
    assert parted("-- node server.js --method mine -- --method tools/list") == SplitLine(
        ("--method", "tools/list"), ("node", "server.js", "--method", "mine")
    )


def test_a_second_separator_ends_the_server_s_part_also_after_a_mode() -> None:
    assert parted("--method tools/list -- node server.js --port 1 -- --timeout 5s") == SplitLine(
        ("--method", "tools/list", "--timeout", "5s"), ("node", "server.js", "--port", "1")
    )


@pytest.mark.parametrize("flag", ["-e A=b", "-H X:y", "-h"])
def test_a_short_flag_follows_a_second_separator_as_well(flag: str) -> None:
    assert parted(f"--method ping -- node server.js -- {flag}") == SplitLine(
        ("--method", "ping", *flag.split()), ("node", "server.js")
    )


def test_a_second_separator_may_be_the_last_word() -> None:
    assert parted("--method ping -- node server.js --") == SplitLine(("--method", "ping"), ("node", "server.js"))


def test_a_second_separator_before_a_word_is_the_server_s_own() -> None:
    assert parted("--method tools/list -- npm exec -- server --port 1") == SplitLine(
        ("--method", "tools/list"), ("npm", "exec", "--", "server", "--port", "1")
    )


def test_the_server_s_own_separator_may_be_followed_by_ours() -> None:
    assert parted("-- npm exec -- server -- --method tools/list") == SplitLine(
        ("--method", "tools/list"), ("npm", "exec", "--", "server")
    )


def test_the_server_s_own_separator_may_be_followed_by_a_mode() -> None:
    assert parted("-- npm exec -- server --method tools/list") == SplitLine(
        ("--method", "tools/list"), ("npm", "exec", "--", "server")
    )


def test_a_separator_first_makes_all_the_server_s() -> None:
    assert parted("-- node server.js") == SplitLine((), ("node", "server.js"))


@given(tokens)
def test_no_word_is_lost_but_separators(argv: list[str]) -> None:
    given, kept = Counter(argv), Counter((*split_line(argv).ours, *split_line(argv).server))

    assert given - kept in (Counter(), Counter({"--": 1}), Counter({"--": 2}))
    assert kept <= given


@given(tokens)
def test_what_stands_before_the_first_separator_is_ours(argv: list[str]) -> None:
    before = argv[: argv.index("--")] if "--" in argv else argv

    assert split_line(argv).ours[: len(before)] == tuple(before)


@given(tokens)
def test_the_server_s_part_stands_together_after_the_first_separator(argv: list[str]) -> None:
    start = argv.index("--") + 1 if "--" in argv else len(argv)
    server = split_line(argv).server

    assert server == tuple(argv[start : start + len(server)])


@given(tokens.filter(lambda argv: "--" not in argv), tokens.filter(lambda argv: "--" not in argv))
def test_two_separators_part_exactly(flags: list[str], server: list[str]) -> None:
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
def test_a_flag_s_value_is_found_before_the_flags_are_known(line: str, value: str | None) -> None:
    assert value_of(("--method", "-m"), line.split()) == value


def test_a_method_as_a_word_leaves_the_same_flag_to_the_server() -> None:
    argv = ["tools/list", "--", "node", "server.js", "--method", "mine"]

    assert split_line(argv, has_method=True).server == ("node", "server.js", "--method", "mine")


def test_the_words_before_the_separator_are_found() -> None:
    assert [list(before_separator(line.split())) for line in ("a b", "a -- b -- c", "-- a")] == [["a", "b"], ["a"], []]

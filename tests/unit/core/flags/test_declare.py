"""Words and variables become the fields of the classes that declare the flags."""

from typing import Any, Literal

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.flags.declare import (
    Flag,
    GivenFlags,
    build_options,
    check,
    flags_of,
    sources,
    tokenize,
    with_environment,
    without_off_switches,
)
from mcpi.core.flags.pairs import File, Header, Pair, Variable
from mcpi.core.flags.types import JSON, PAIR, TEXT, Secret, Source
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Result, Success


@frozen(kw_only=True)
class Options:
    """Flags of every kind that matters here."""

    tool_name: str
    tool_arg: tuple[Pair, ...] = ()
    tool_args: Exact | None = None
    header: tuple[Header, ...] = ()
    env: tuple[str, ...] = ()
    token: Secret | None = None
    retry: int = 0
    era: Literal["auto", "modern"] = "auto"
    verbose: bool = False
    color: bool = True


KNOWN = {flag.name: flag for flag in flags_of(Options)}


def tokenized(*tokens: str) -> Result[GivenFlags]:
    """What the words say."""
    return tokenize(tokens, KNOWN, lambda token: Invalid("INVALID_ARGUMENT", token, "there is no such flag"))


def given_of(**values: tuple[str, ...]) -> GivenFlags:
    """What the user gave, by the names of the fields."""
    return GivenFlags({f"--{name.replace('_', '-')}": texts for name, texts in values.items()})


def wrong(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """What a bad flag is."""
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


def test_a_field_is_a_flag() -> None:
    assert flags_of(Options)[:3] == (
        Flag("--tool-name", "tool_name", TEXT, repeatable=False, required=True, default=KNOWN["--tool-name"].default),
        Flag("--tool-arg", "tool_arg", PAIR, repeatable=True, required=False, default=()),
        Flag("--tool-args", "tool_args", JSON, repeatable=False, required=False, default=None),
    )


def test_the_flags_stand_in_the_order_of_the_fields() -> None:
    assert [flag.name for flag in flags_of(Options)] == [
        "--tool-name",
        "--tool-arg",
        "--tool-args",
        "--header",
        "--env",
        "--token",
        "--retry",
        "--era",
        "--verbose",
        "--color",
    ]


def test_the_flags_of_a_class_are_found_once() -> None:
    assert flags_of(Options) is flags_of(Options)


def test_a_flag_has_a_variable_and_a_key() -> None:
    flag = KNOWN["--tool-name"]

    assert (flag.variable, flag.key) == ("MCPI_TOOL_NAME", "toolName")


def test_a_flag_of_many_words_has_a_key_in_one() -> None:
    assert evolve(KNOWN["--era"], field="output_schema_validate").key == "outputSchemaValidate"


def test_a_flag_of_one_word_is_its_own_key() -> None:
    assert KNOWN["--era"].key == "era"


@pytest.mark.parametrize(
    "line",
    [
        "node server.js --tool-name echo --era modern",
        "--tool-name echo --era modern node server.js",
        "--tool-name echo node server.js --era modern",
    ],
)
def test_flags_stand_before_and_after_the_words(line: str) -> None:
    assert tokenized(*line.split()) == Success(
        GivenFlags({"--tool-name": ("echo",), "--era": ("modern",)}, ("node", "server.js"))
    )


@pytest.mark.parametrize("flag", ["--verbose", "--tool-arg=a=1", "--tool-arg a=1"])
def test_a_word_that_no_flag_takes_is_not_passed_on(flag: str) -> None:
    assert tokenized("node", "a.js", *flag.split(), "b=2") == wrong(
        "target",
        "'b=2' stands apart from 'node a.js', where one target was expected",
        "a flag takes one value: repeat the flag for more",
    )


def test_nothing_says_nothing() -> None:
    assert tokenized() == Success(GivenFlags({}))


def test_a_value_may_follow_an_equals_sign() -> None:
    assert tokenized("--tool-arg=a=b", "--tool-name=") == Success(
        GivenFlags({"--tool-arg": ("a=b",), "--tool-name": ("",)})
    )


def test_a_flag_may_be_repeated() -> None:
    assert tokenized("--tool-arg", "a=1", "--verbose", "--tool-arg", "b=2") == Success(
        GivenFlags({"--tool-arg": ("a=1", "b=2"), "--verbose": ("true",)})
    )


@pytest.mark.parametrize(("alias", "name"), [("-H", "--header"), ("-e", "--env"), ("--tool-args-json", "--tool-args")])
def test_a_flag_may_have_another_spelling(alias: str, name: str) -> None:
    assert tokenized(alias, "x", f"{alias}=y") == Success(GivenFlags({name: ("x", "y")}))


def test_a_dash_alone_is_a_word_or_a_value() -> None:
    assert tokenized("--tool-args", "-", "-") == Success(GivenFlags({"--tool-args": ("-",)}, ("-",)))


@pytest.mark.parametrize("value", ["-5", "-x", "--port", "--", "a b", ""])
def test_a_value_may_look_like_a_flag_that_we_do_not_have(value: str) -> None:
    assert tokenized("--tool-name", value) == Success(GivenFlags({"--tool-name": (value,)}))


def test_a_switch_takes_no_value() -> None:
    assert tokenized("--verbose", "node") == Success(GivenFlags({"--verbose": ("true",)}, ("node",)))


def test_a_switch_may_be_set_explicitly() -> None:
    assert tokenized("--verbose=no") == Success(GivenFlags({"--verbose": ("no",)}))


def test_a_switch_is_set_to_true_or_false() -> None:
    assert tokenized("--verbose=loud") == wrong("--verbose", "expected true or false, got 'loud'")


@pytest.mark.parametrize("spelled", ["--tool-name", "-e"])
def test_a_value_must_not_be_missing_at_the_end(spelled: str) -> None:
    assert tokenized(spelled) == wrong(spelled, "needs a value")


@pytest.mark.parametrize("follows", ["--era", "--era=modern", "--verbose", "-H", "-e=A", "--tool-args-json"])
def test_a_flag_of_ours_is_no_value(follows: str) -> None:
    assert tokenized("--tool-name", follows) == wrong(
        "--tool-name", f"needs a value, but {follows!r} follows", "if that is the value write --tool-name=..."
    )


def test_a_flag_of_ours_can_be_given_as_a_value() -> None:
    assert tokenized("--tool-name=--era") == Success(GivenFlags({"--tool-name": ("--era",)}))


@pytest.mark.parametrize("token", ["--tool-nam", "--tool", "-x", "--port=3000", "--", "-He", "--TOOL-NAME", "---"])
def test_a_flag_that_nobody_has_is_refused(token: str) -> None:
    assert tokenized("node", token, "x") == wrong(token, "there is no such flag")


@given(st.lists(st.text() | st.sampled_from([*KNOWN, "-e", "-H", "-", "--", "--verbose=1", "a=b"]), max_size=8))
def test_no_words_make_tokenizing_fail(tokens: list[str]) -> None:
    match tokenized(*tokens):
        case Success(given):
            assert [word for word in given.words if word.startswith("-") and word != "-"] == []
            assert set(given.values) <= set(KNOWN)
        case Failure(fault):
            assert isinstance(fault, Invalid)


@given(st.lists(st.tuples(st.sampled_from(["--tool-name", "--env", "--era"]), st.text()), max_size=6))
def test_what_was_given_is_kept_in_its_order(pairs: list[tuple[str, str]]) -> None:
    found = tokenized(*(f"{name}={text}" for name, text in pairs)).unwrap()

    assert found.values == {
        name: tuple(text for one, text in pairs if one == name) for name in dict.fromkeys(one for one, _ in pairs)
    }


@given(st.lists(st.text().filter(lambda word: not word.startswith("-"))))
def test_words_are_kept_in_their_order(words: list[str]) -> None:
    assert tokenized(*words) == Success(GivenFlags({}, tuple(words)))


def test_a_variable_speaks_where_the_command_line_is_silent() -> None:
    assert with_environment(GivenFlags({}), KNOWN.values(), {"MCPI_RETRY": "3", "RETRY": "4"}) == GivenFlags(
        {"--retry": ("3",)}, (), {"--retry": "MCPI_RETRY"}
    )


def test_the_command_line_wins_over_a_variable() -> None:
    given = given_of(retry=("1",))

    assert with_environment(given, KNOWN.values(), {"MCPI_RETRY": "3"}) == given


def test_an_empty_variable_says_nothing() -> None:
    assert with_environment(GivenFlags({}), KNOWN.values(), {"MCPI_RETRY": "", "MCPI_ENV": ""}) == GivenFlags({})


def test_an_empty_variable_of_a_switch_says_no() -> None:
    assert with_environment(GivenFlags({}), KNOWN.values(), {"MCPI_VERBOSE": ""}).values == {"--verbose": ("",)}


def test_a_variable_of_a_flag_that_repeats_has_a_value_a_line() -> None:
    assert with_environment(GivenFlags({}), KNOWN.values(), {"MCPI_ENV": "A=1\nB=2 3"}).values == {
        "--env": ("A=1", "B=2 3")
    }


def test_words_and_origins_stay_beside_the_environment() -> None:
    given = GivenFlags({"--era": ("modern",)}, ("node",), {"--era": "MCPI_ERA"})

    assert with_environment(given, KNOWN.values(), {"MCPI_RETRY": "3"}) == GivenFlags(
        {"--era": ("modern",), "--retry": ("3",)}, ("node",), {"--era": "MCPI_ERA", "--retry": "MCPI_RETRY"}
    )


def test_a_message_names_where_a_value_came_from() -> None:
    given = GivenFlags({}, (), {"--retry": "MCPI_RETRY"})

    assert (given.origin(KNOWN["--retry"]), given.origin(KNOWN["--era"])) == ("MCPI_RETRY", "--era")


@pytest.mark.parametrize("off", ["", "0", "false", "no", "OFF"])
def test_a_switch_that_is_off_was_not_asked_for(off: str) -> None:
    assert without_off_switches(given_of(verbose=(off,), era=("auto",)), KNOWN.values()) == given_of(era=("auto",))


@pytest.mark.parametrize("on", ["true", "1", "maybe"])
def test_any_other_switch_stays(on: str) -> None:
    assert without_off_switches(given_of(verbose=(on,)), KNOWN.values()) == given_of(verbose=(on,))


def test_the_last_word_on_a_switch_counts() -> None:
    assert [
        without_off_switches(given_of(verbose=("true", "no")), KNOWN.values()),
        without_off_switches(given_of(verbose=("no", "true")), KNOWN.values()),
    ] == [GivenFlags({}), given_of(verbose=("no", "true"))]


def test_a_switch_that_is_on_by_itself_stays_off() -> None:
    assert without_off_switches(given_of(color=("no",)), KNOWN.values()) == given_of(color=("no",))


def test_a_value_that_looks_like_off_is_a_value() -> None:
    assert without_off_switches(given_of(tool_name=("no",)), KNOWN.values()) == given_of(tool_name=("no",))


def test_words_and_origins_stay_when_switches_go() -> None:
    given = GivenFlags({"--verbose": ("no",)}, ("node",), {"--verbose": "MCPI_VERBOSE"})

    assert without_off_switches(given, KNOWN.values()) == GivenFlags({}, ("node",), {"--verbose": "MCPI_VERBOSE"})


def test_what_must_be_read_is_told_with_the_flag_that_wants_it() -> None:
    given = GivenFlags(
        {
            "--tool-args": ("@args.json",),
            "--tool-arg": ("a=1", "b=@b.txt", "c:=@-"),
            "--token": ("env:TOKEN",),
            "--header": ("X: file:x",),
        },
        (),
        {"--token": "MCPI_TOKEN"},
    )

    assert sources(given, KNOWN.values()) == (
        ("--tool-arg", File("b.txt")),
        ("--tool-arg", File("-")),
        ("--tool-args", File("args.json")),
        ("--header", File("x")),
        ("MCPI_TOKEN", Variable("TOKEN")),
    )


def test_nothing_must_be_read_for_plain_values() -> None:
    assert sources(given_of(tool_name=("@x",), tool_arg=("a=1",)), KNOWN.values()) == ()


def test_the_class_is_filled_with_the_values() -> None:
    given = given_of(tool_name=("echo",), tool_arg=("a=1", "b:=2"), retry=("3",), era=("modern",), verbose=("yes",))

    assert build_options(Options, given, {}) == Success(
        Options(
            tool_name="echo",
            tool_arg=(Pair("a", "1"), Pair("b", Exact("2", 2))),
            retry=3,
            era="modern",
            verbose=True,
        )
    )


def test_what_is_not_given_keeps_its_default() -> None:
    assert build_options(Options, given_of(tool_name=("echo",)), {}) == Success(Options(tool_name="echo"))


def test_the_last_value_of_a_flag_counts() -> None:
    assert build_options(Options, given_of(tool_name=("a", "b")), {}) == Success(Options(tool_name="b"))


def test_what_stands_elsewhere_is_filled_in() -> None:
    given = given_of(
        tool_name=("@x",),
        tool_args=("@args.json",),
        tool_arg=("a=@a.txt", "b=1"),
        header=("X-Key: env:KEY",),
        token=("file:token",),
    )
    contents: dict[Source, str] = {
        File("args.json"): '{"x": 1}',
        File("a.txt"): "first\n",
        Variable("KEY"): "k3y",
        File("token"): "t0ken\n",
    }

    assert build_options(Options, given, contents) == Success(
        Options(
            tool_name="@x",
            tool_args=Exact('{"x": 1}', {"x": 1}),
            tool_arg=(Pair("a", "first\n"), Pair("b", "1")),
            header=(Header("X-Key", "k3y"),),
            token=Secret("t0ken"),
        )
    )


MISSING: list[tuple[str, Result[Any]]] = [
    ("tools/call needs it", build_options(Options, GivenFlags({}), {}, "tools/call")),
    ("this needs it", build_options(Options, GivenFlags({}), {})),
    ("tools/call needs it", check(Options, GivenFlags({}), "tools/call")),
    ("this needs it", check(Options, GivenFlags({}))),
]


@pytest.mark.parametrize(("problem", "outcome"), MISSING, ids=["fill-for", "fill", "check-for", "check"])
def test_what_is_required_must_not_be_missing(problem: str, outcome: Result[Any]) -> None:
    assert outcome == Failure(Invalid("MISSING_ARGUMENT", "--tool-name", problem))


def test_a_value_that_cannot_be_read_names_its_flag() -> None:
    given = given_of(tool_name=("echo",), retry=("often",))

    assert build_options(Options, given, {}) == wrong("--retry", "expected a whole number, got 'often'")


def test_a_value_that_cannot_be_read_names_its_variable() -> None:
    given = GivenFlags({"--tool-name": ("echo",), "--retry": ("often",)}, (), {"--retry": "MCPI_RETRY"})

    assert [build_options(Options, given, {}), check(Options, given)] == [
        wrong("MCPI_RETRY", "expected a whole number, got 'often'"),
        wrong("MCPI_RETRY", "expected a whole number, got 'often'"),
    ]


def test_what_a_file_holds_is_read_as_the_value() -> None:
    given = given_of(tool_name=("echo",), tool_args=("@args.json",))

    assert build_options(Options, given, {File("args.json"): ""}) == wrong(
        "--tool-args", "is empty, where JSON was expected"
    )


def test_all_is_well_where_every_value_can_be_read() -> None:
    assert check(Options, given_of(tool_name=("echo",), tool_arg=("a=1",), retry=("2",))) == Success(None)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (given_of(retry=("x", "1")), wrong("--retry", "expected a whole number, got 'x'")),
        (given_of(era=("old",)), wrong("--era", "expected auto or modern, got 'old'")),
        (given_of(tool_arg=("a=@f", "b")), wrong("--tool-arg", "expected key=value or key:=json, got 'b'")),
        (given_of(verbose=("loud",)), wrong("--verbose", "expected true or false, got 'loud'")),
    ],
    ids=["number", "choice", "pair", "switch"],
)
def test_a_mistake_is_found_before_anything_is_read(given: GivenFlags, fault: Failure[Invalid]) -> None:
    assert check(Options, GivenFlags({**given.values, "--tool-name": ("echo",)})) == fault


def test_what_stands_elsewhere_is_not_checked_before_it_is_read() -> None:
    given = given_of(tool_name=("echo",), tool_args=("@args.json",), header=("X: env:X",))

    assert check(Options, given) == Success(None)


def test_an_unknown_flag_is_told_as_the_caller_wants() -> None:
    def explain(token: str) -> Fault:
        return Invalid("UNKNOWN_METHOD", token, "belongs to another")

    assert tokenize(["--x=1"], KNOWN, explain) == Failure(Invalid("UNKNOWN_METHOD", "--x=1", "belongs to another"))

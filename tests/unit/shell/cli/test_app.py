"""A command line is checked before anything is touched."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attrs import evolve, frozen
from hypothesis import given as drawn
from hypothesis import strategies as st

from mcpi.core.cli.command_line import Draft, misfit
from mcpi.core.cli.flag_rules import WHAT
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.options import GROUPS, ModeOptions, TimeOptions
from mcpi.core.flags.pairs import Pair
from mcpi.core.flags.types import Duration
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog, OwnedMethod, PluginOffer
from mcpi.core.plans.method import AnyMethod, Method, RawParams
from mcpi.core.plans.responders import Accept, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Steps, request
from mcpi.core.targets.target import Http, Sse, Stdio
from mcpi.core.wire.server_info import EMPTY
from mcpi.shell.cli.app import read


@frozen(kw_only=True)
class CallTool:
    """Call one tool."""

    tool_name: str
    tool_arg: tuple[Pair, ...] = ()
    tool_args: Exact | None = None


@frozen(kw_only=True)
class Read:
    """Read one resource."""

    uri: str


@frozen(kw_only=True)
class Flags:
    """The flags of an answer."""

    handle_x: str = ""


def answer(_: Flags, __: ServerRequest) -> Steps[Reply]:
    """Anything."""
    yield from ()
    return Accept(EMPTY)


def method(name: str, args: type[Any] = RawParams, *, wire: bool = True, connects: bool = True) -> AnyMethod:
    """A method with these flags."""
    return Method(name, args, lambda _: request(name), "", is_protocol_method=wire, connects=connects)


METHODS = (
    method("tools/list"),
    method("tools/call", CallTool),
    method("resources/read", Read),
    method("resources/subscribe", Read),
    method("server/info", wire=False),
    method("discover", wire=False),
    method("oauth/discover", connects=False),
)
FAILED = PluginOffer("skills", "acme", problem="ImportError: no")
RESPONDERS = (Responder("x/y", "x", Flags, lambda _, __: {}, answer, lambda _: False),)
CATALOG = Catalog({one.name: OwnedMethod(one, "own") for one in METHODS}, (FAILED,), responders=RESPONDERS)
LIST = CATALOG.owned["tools/list"].method
GO_AFTER = "flags of the server's own command go after --"
AFTER = f"{GO_AFTER}, for example: mcpi tools/list -- node --mehtod tools/list"


def drafted(line: str | Sequence[str], **environment: str) -> Result[Draft]:
    """What becomes of a command line."""
    argv = line.split() if isinstance(line, str) else line
    return read(argv, {f"MCPI_{name}": text for name, text in environment.items()}, CATALOG)


def values(line: str | Sequence[str], **environment: str) -> Mapping[str, tuple[str, ...]]:
    """The values that a good command line gives."""
    return drafted(line, **environment).unwrap().given.values


def wrong(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """What a bad command line is."""
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


def missing(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """What a command line is that lacks something."""
    return Failure(Invalid("MISSING_ARGUMENT", flag, problem, hints))


def test_a_draft_holds_what_was_given() -> None:
    assert drafted("node server.js --method tools/list --timeout 5s") == Success(
        Draft(
            GivenFlags({"--method": ("tools/list",), "--timeout": ("5s",)}, ("node", "server.js")),
            LIST,
            RESPONDERS,
            options={TimeOptions: TimeOptions(timeout=Duration(5.0)), ModeOptions: ModeOptions(method="tools/list")},
        )
    )


def test_a_draft_knows_whose_flags_may_be_given() -> None:
    assert [drafted(line).unwrap().owners for line in ("--help", "--method tools/call --help")] == [
        (*GROUPS, Flags),
        (*GROUPS, Flags, CallTool),
    ]


def test_the_server_s_words_after_the_separator_are_kept_apart() -> None:
    draft = drafted("node server.js -- --port 3000 --method tools/list").unwrap()

    assert (draft.given.words, draft.server, draft.method) == (("node", "server.js"), ("--port", "3000"), LIST)


def test_the_flags_of_a_method_and_of_the_answers_are_known() -> None:
    assert values("node --method tools/call --tool-name echo --tool-arg a=1 --handle-x y") == {
        "--method": ("tools/call",),
        "--tool-name": ("echo",),
        "--tool-arg": ("a=1",),
        "--handle-x": ("y",),
    }


def test_nothing_to_do_is_told() -> None:
    assert drafted("node server.js") == missing("--method", "no method given", *WHAT)


@pytest.mark.parametrize("flag", ["--follow", "--watch 5s", "--script steps.json"])
def test_without_a_method_there_may_be_another_purpose(flag: str) -> None:
    assert isinstance(drafted(f"node server.js {flag}"), Success)


def test_a_misspelt_method_names_the_nearest_one() -> None:
    assert drafted("node --method tools/lst") == Failure(
        Invalid(
            "UNKNOWN_METHOD",
            "--method",
            "unknown method 'tools/lst'",
            ("did you mean tools/list?", "for a method of the server's own, add --params"),
        )
    )


def test_an_empty_method_is_no_method() -> None:
    assert drafted(["node", "--method", ""], METHOD="tools/list") == Failure(
        Invalid(
            "UNKNOWN_METHOD",
            "--method",
            "unknown method ''",
            ("for a method of the server's own, add --params",),
        )
    )


def test_a_method_without_a_name_is_told() -> None:
    assert drafted("node --method") == wrong("--method", "requires a value")


def test_the_method_of_a_broken_plugin_is_told_even_with_params() -> None:
    assert drafted("node --method skills/get --params {}") == Failure(
        Invalid("PLUGIN_FAILED", "--method", "the plugin 'skills' of acme failed: ImportError: no")
    )


@pytest.mark.parametrize("line", ["--method acme/x --params {}", "--method=acme/x --params={}"])
def test_a_method_of_the_server_s_own_is_sent_with_its_parameters(line: str) -> None:
    draft = drafted(f"node {line}").unwrap()

    assert draft.method is not None
    assert (draft.method.name, draft.method.args) == ("acme/x", RawParams)


def test_its_parameters_may_stand_in_the_environment() -> None:
    assert values("node --method acme/x", PARAMS="{}") == {"--method": ("acme/x",), "--params": ("{}",)}


def test_empty_parameters_in_the_environment_are_none() -> None:
    assert drafted("node --method tools/lst", PARAMS="").failure() == drafted("node --method tools/lst").failure()


def test_a_misspelt_flag_names_the_nearest_one() -> None:
    assert drafted("node --mehtod tools/list") == wrong("--mehtod", "unknown flag", "did you mean --method?", AFTER)


def test_a_misspelt_flag_of_the_method_names_the_nearest_one() -> None:
    assert drafted("node --method tools/call --tool-nam=echo") == wrong(
        "--tool-nam",
        "unknown flag",
        "did you mean --tool-name?",
        f"{GO_AFTER}: mcpi --method tools/call -- node --tool-nam=echo",
    )


def test_a_misspelt_flag_of_another_method_says_whose_it_is() -> None:
    assert drafted("node --method tools/list --tool-nam x") == wrong(
        "--tool-nam",
        "unknown flag",
        "--tool-name is a flag of tools/call",
        f"{GO_AFTER}: mcpi --method tools/list -- node --tool-nam x",
    )


def test_a_part_of_a_flags_name_finds_it() -> None:
    assert drafted("--demo --method tools/list --junit x") == wrong(
        "--junit", "unknown flag", "did you mean --report-junit?"
    )


def test_without_a_command_no_flag_is_the_server_s() -> None:
    assert drafted("--help --xyzzy") == wrong("--xyzzy", "unknown flag")


def test_a_flag_like_none_may_be_the_server_s() -> None:
    assert drafted("node x.js --xyzzy 3000 --method tools/list") == wrong(
        "--xyzzy", "unknown flag", f"{GO_AFTER}: mcpi --method tools/list -- node x.js --xyzzy 3000"
    )


@pytest.mark.parametrize(
    "target", ["https://example.com/mcp", "http://localhost", "--demo", "--config x.json", "--config=x.json"]
)
def test_a_target_that_is_no_command_has_no_flags_of_its_own(target: str) -> None:
    assert drafted(f"{target} --xyzzy 3000 --method tools/list") == wrong("--xyzzy", "unknown flag")


def test_a_flag_of_another_method_says_whose_it_is() -> None:
    assert drafted("node --method tools/list --uri x") == wrong(
        "--uri", "--uri belongs to resources/read, resources/subscribe, not to tools/list"
    )


def test_a_flag_of_a_method_says_which_method_is_missing() -> None:
    assert drafted("node --tool-name=echo") == wrong("--tool-name", "belongs to tools/call; add --method tools/call")


def test_a_flag_of_several_methods_names_them_all() -> None:
    assert drafted("node --uri x") == wrong(
        "--uri", "belongs to resources/read, resources/subscribe; add --method resources/read"
    )


def test_what_a_method_requires_must_not_be_missing() -> None:
    assert drafted("node --method tools/call") == missing("--tool-name", "tools/call requires --tool-name")


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        ("--timeout soon", wrong("--timeout", "expected a duration such as 500, 500ms, 30s or 2m, got 'soon'")),
        ("--retry often", wrong("--retry", "expected an integer, got 'often'")),
        ("--transport ws", wrong("--transport", "expected stdio, sse or http, got 'ws'")),
        ("--metadata a", wrong("--metadata", "expected key=value or key:=json, got 'a'")),
        ("-e INVALID_FORMAT", wrong("--env", "expected NAME=VALUE, got 'INVALID_FORMAT'")),
        ("--header InvalidHeader", wrong("--header", "expected 'Name: Value', got no colon")),
        (
            "--max-message-bytes 0",
            wrong("--max-message-bytes", "expected a number of bytes such as 1048576 or 64m, got '0'"),
        ),
        (
            "--params {",
            wrong(
                "--params",
                "is not valid JSON: Expecting property name enclosed in double quotes at character 2, near '{'",
            ),
        ),
        ("--verbose=loud", wrong("--verbose", "expected true or false, got 'loud'")),
    ],
    ids=["duration", "number", "choice", "pair", "assignment", "header", "size", "json", "switch"],
)
def test_a_bad_value_is_told_before_anything_is_read(flags: str, fault: Failure[Invalid]) -> None:
    assert drafted(f"node --method tools/list {flags}") == fault


def test_a_bad_value_of_a_variable_names_the_variable() -> None:
    assert drafted("node --method tools/list", ENV="NOTHING") == wrong("MCPI_ENV", "expected NAME=VALUE, got 'NOTHING'")


@pytest.mark.parametrize(
    "line",
    [
        *("--help", "-h", "--version", "-h --method tools/call", "--print-schema envelope"),
        *("--list-methods", "--list-plugins --compact"),
    ],
)
def test_who_asks_for_information_needs_nothing_else(line: str) -> None:
    assert isinstance(drafted(line), Success)


def test_a_mistake_beside_the_wish_for_help_is_passed_over() -> None:
    assert isinstance(drafted("--help --timeout soon --header x"), Success)


def test_help_switched_off_is_no_wish_for_help() -> None:
    assert drafted("--help=no node") == missing("--method", "no method given", *WHAT)


def test_a_variable_may_ask_for_help() -> None:
    assert values("node", HELP="1") == {"--help": ("true",)}


def test_a_variable_that_says_no_asks_for_nothing() -> None:
    assert values("node --method tools/list", HELP="0", VERSION="", DEMO="false") == {"--method": ("tools/list",)}


def test_a_variable_of_another_meaning_is_told() -> None:
    assert drafted("node --method tools/list", VERSION="1.2.3") == wrong(
        "MCPI_VERSION", "expected true or false, got '1.2.3'"
    )


def test_parameters_are_all_that_a_method_takes() -> None:
    assert drafted("node --method tools/call --params {} --tool-name echo") == wrong(
        "--params", "cannot be combined with --tool-name"
    )


def test_parameters_replace_what_a_method_requires() -> None:
    assert values("node --method tools/call --params {}") == {"--method": ("tools/call",), "--params": ("{}",)}


def test_a_variable_beside_parameters_does_not_matter() -> None:
    assert isinstance(drafted("node --method tools/call --params {}", TOOL_NAME="echo"), Success)


def test_parameters_in_a_variable_are_named_so() -> None:
    assert drafted("node --method tools/call --tool-name echo", PARAMS="{}") == wrong(
        "MCPI_PARAMS", "cannot be combined with --tool-name"
    )


def test_parameters_are_of_a_method() -> None:
    assert drafted("node --follow --params {}") == wrong("--params", "requires --method")


def test_a_method_that_is_not_the_protocol_s_takes_no_parameters() -> None:
    assert drafted("node --method server/info --params {}") == wrong(
        "--params", "server/info is not a protocol method and takes only its own flags"
    )


@pytest.mark.parametrize("beside", ["--method tools/list", "--follow", "--watch 5s", "--expect /a=1", "--dry-run"])
def test_a_script_says_what_to_do(beside: str) -> None:
    assert drafted(f"node --script x.json {beside}") == wrong(
        "--script", f"cannot be combined with {beside.split(maxsplit=1)[0]}"
    )


@pytest.mark.parametrize(
    ("stray", "where"), [("--var A=b", "requires --script"), ("--ndjson", "requires --script or --follow")]
)
def test_some_flags_go_with_a_script(stray: str, where: str) -> None:
    assert drafted(f"node --method tools/list {stray}") == wrong(stray.split(maxsplit=1)[0], where)
    assert isinstance(drafted(f"node --script x.json {stray}"), Success)


def test_events_may_be_live() -> None:
    assert isinstance(drafted("node --follow --ndjson"), Success)


@pytest.mark.parametrize(("era", "version"), [("modern", "2025-11-25"), ("handshake", "2026-07-28")])
def test_a_version_of_the_other_era_is_refused(era: str, version: str) -> None:
    other = "handshake" if era == "modern" else "modern"
    assert drafted(f"node --method tools/list --era {era} --protocol-version {version}") == wrong(
        "--protocol-version", f"{version} belongs to the {other} era and conflicts with --era {era}"
    )
    for wide in (other, "auto"):
        assert isinstance(drafted(f"node --method tools/list --era {wide} --protocol-version {version}"), Success)


def test_a_script_s_lines_are_no_document() -> None:
    assert drafted("node --script x.json --ndjson --output y.json") == wrong(
        "--ndjson", "cannot be combined with --output"
    )
    assert isinstance(drafted("node --script x.json --output y.json"), Success)
    assert isinstance(drafted("node --script x.json --ndjson", OUTPUT="y.json"), Success)


@pytest.mark.parametrize("purpose", ["--follow", "--watch 5s"])
def test_without_a_method_there_is_no_request_to_show_and_no_result_to_measure(purpose: str) -> None:
    unsent = "requires --method"
    assert drafted(f"node {purpose} --dry-run") == wrong("--dry-run", unsent)
    assert drafted(f"node {purpose}", DRY_RUN="1") == wrong("MCPI_DRY_RUN", unsent)
    assert drafted(f"node {purpose} --expect /a=1") == wrong("--expect", "requires --method")
    assert isinstance(drafted(f"node {purpose}", EXPECT="/a=1"), Success)
    assert isinstance(drafted(f"node --method tools/list {purpose} --dry-run --expect /a=1"), Success)


@pytest.mark.parametrize("stray", ["--max-events 3", "--refetch", "--ping-interval 5s"])
def test_some_flags_go_with_following(stray: str) -> None:
    assert drafted(f"node --method tools/list {stray}") == wrong(stray.split(maxsplit=1)[0], "requires --follow")
    assert isinstance(drafted(f"node --follow {stray}"), Success)


@pytest.mark.parametrize("other", ["--structured", "--watch 5s", "--output x.json", "--summary"])
def test_a_stream_is_no_document(other: str) -> None:
    assert drafted(f"node --follow {other}") == wrong(
        "--follow",
        f"cannot be combined with {other.split(maxsplit=1)[0]}",
        "use --watch for a document",
    )


def test_a_variable_does_not_turn_a_stream_into_a_document() -> None:
    assert values("node --follow", STRUCTURED="1", OUTPUT="x", WATCH="5s", SUMMARY="1", MAX_EVENTS="3") == {
        "--follow": ("true",),
        "--max-events": ("3",),
    }


def test_variables_that_need_a_purpose_do_not_matter_without_it() -> None:
    assert isinstance(drafted("node --method tools/list", MAX_EVENTS="3", NDJSON="1", VAR="A=b"), Success)


def test_a_script_may_need_none() -> None:
    assert isinstance(drafted("--script x.json"), Success)


def test_no_target_is_told() -> None:
    assert drafted("--method tools/list") == missing(
        "target",
        "no server given: add a command, a URL, --config FILE or --demo",
        "for example: mcpi node server.js --method tools/list",
    )


def test_a_purpose_without_a_method_needs_a_target_too() -> None:
    assert drafted("--follow") == drafted("--method tools/list")


def test_a_method_that_talks_to_no_mcp_server_needs_no_target() -> None:
    assert values("--method oauth/discover") == {"--method": ("oauth/discover",)}


@pytest.mark.parametrize("target", ["--demo", "--config x.json", "node", "-- node server.js", "https://example.com"])
def test_one_target_is_enough(target: str) -> None:
    assert isinstance(drafted(f"--method tools/list {target}"), Success)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("--demo node", wrong("--demo", "--demo and the target 'node' are both targets; give one")),
        ("--demo --config x", wrong("--demo", "--demo and --config are both targets; give one")),
        (
            "--config x node",
            wrong("--config", "--config and the target 'node' are both targets; give one"),
        ),
        ("--server a node", wrong("--server", "requires --config")),
        ("--server a --demo", wrong("--server", "requires --config")),
        (
            "https://x.example more",
            wrong("target", "unexpected word 'more' after the URL https://x.example"),
        ),
        (
            "htp://x.example",
            wrong("target", "htp:// is not a scheme of MCP servers", "write http:// or https://"),
        ),
        ("--transport http node", wrong("target", "--transport http requires a URL, got the command 'node'")),
    ],
)
def test_what_cannot_be_one_target_is_told(line: str, fault: Failure[Invalid]) -> None:
    assert drafted(f"--method tools/list {line}") == fault


@pytest.mark.parametrize("target", ["node", "-- node", "https://example.com", "--demo"])
def test_the_target_on_the_command_line_wins_over_the_environment(target: str) -> None:
    given = values(f"--method tools/list {target}", CONFIG="x.json", SERVER="a", DEMO="1")

    assert set(given) == {"--method", *({"--demo"} if target == "--demo" else ())}


def test_the_config_file_on_the_command_line_wins_over_the_environment_s_demo() -> None:
    assert values("--method tools/list --config x.json", DEMO="1", SERVER="a") == {
        "--method": ("tools/list",),
        "--config": ("x.json",),
        "--server": ("a",),
    }


def test_the_environment_names_a_target_where_the_command_line_does_not() -> None:
    assert values("--method tools/list", CONFIG="x.json", SERVER="a") == {
        "--method": ("tools/list",),
        "--config": ("x.json",),
        "--server": ("a",),
    }


def test_the_environment_may_name_the_demo() -> None:
    assert values("--method tools/list", DEMO="1") == {"--method": ("tools/list",), "--demo": ("true",)}


def test_a_flag_for_the_server_of_a_config_file_is_judged_later() -> None:
    assert isinstance(drafted("--method tools/list --config x.json --header A:b --env C=d"), Success)


def test_a_demo_switched_off_is_no_target() -> None:
    assert values("--method tools/list --demo=no", DEMO="1", CONFIG="x.json") == {
        "--method": ("tools/list",),
        "--config": ("x.json",),
    }


def test_the_environment_names_a_method_where_the_command_line_does_not() -> None:
    draft = drafted("node", METHOD="tools/list").unwrap()

    assert (draft.method, draft.given.values) == (LIST, {"--method": ("tools/list",)})


def test_the_environment_names_a_script_where_the_command_line_has_no_purpose() -> None:
    assert values("node", SCRIPT="x.json") == {"--script": ("x.json",)}


def test_the_method_on_the_command_line_wins_over_the_environment() -> None:
    draft = drafted("node --method tools/list", METHOD="tools/call", SCRIPT="x.json").unwrap()

    assert (draft.method, draft.given.values) == (LIST, {"--method": ("tools/list",)})


@pytest.mark.parametrize("purpose", ["--follow", "--watch=5s"])
def test_a_purpose_on_the_command_line_wins_over_the_environment_s_script(purpose: str) -> None:
    assert "--script" not in values(f"node {purpose}", SCRIPT="x.json")


def test_a_script_on_the_command_line_wins_over_the_environment() -> None:
    draft = drafted("node --script x.json", METHOD="tools/call", FOLLOW="1", PARAMS="{}").unwrap()

    assert (draft.method, draft.given.values) == (None, {"--script": ("x.json",)})


@pytest.mark.parametrize(("name", "text"), [("DRY_RUN", "1"), ("EXPECT", "/a=1")])
def test_what_would_send_less_or_check_more_is_not_ignored_beside_a_script(name: str, text: str) -> None:
    told = f"cannot be combined with MCPI_{name}"

    assert drafted("node --script x.json", **{name: text}) == wrong("--script", told)


@pytest.mark.parametrize("flag", ["--trace", "--report-junit", "--report-tap", "--report-html"])
def test_stdout_is_for_the_result_alone(flag: str) -> None:
    told = "stdout is reserved for the result"

    assert drafted(f"node --method tools/list {flag} -") == wrong(flag, told, "for example /dev/stderr")
    assert values("node --method tools/list --output -")["--output"] == ("-",)


def test_the_demo_server_speaks_by_stdio() -> None:
    assert drafted("--demo --method tools/list --transport sse") == wrong(
        "--transport", "the demo server supports only stdio"
    )
    assert isinstance(drafted("--demo --method tools/list --transport stdio"), Success)
    assert isinstance(drafted("--demo --method tools/list", TRANSPORT="sse"), Success)


@pytest.mark.parametrize("other", ["--structured", "--watch=5s", "--output=x.json", "--summary"])
def test_a_document_on_the_command_line_wins_over_the_environment_s_stream(other: str) -> None:
    assert "--follow" not in values(f"node --method tools/list {other}", FOLLOW="1")


@pytest.mark.parametrize(
    ("line", "flag", "wanted", "shown"),
    [
        ("node --header A:b", "--header", "URL", "the command 'node'"),
        ("node --token t", "--token", "URL", "the command 'node'"),
        ("--demo --token t", "--token", "URL", "the demo server"),
        ("--demo -e A=b", "--env", "command", "the demo server"),
        ("--demo --cwd /", "--cwd", "command", "the demo server"),
        ("https://x.example -e A=b", "--env", "command", "the URL https://x.example"),
        ("https://x.example/sse --cwd /", "--cwd", "command", "the URL https://x.example/sse"),
    ],
)
def test_a_flag_that_means_nothing_for_the_target_is_refused(line: str, flag: str, wanted: str, shown: str) -> None:
    assert drafted(f"--method tools/list {line}") == wrong(flag, f"applies only to a {wanted}, not to {shown}")


@pytest.mark.parametrize("target", ["node", "https://x.example", "--demo"])
def test_a_variable_that_means_nothing_for_the_target_does_not_matter(target: str) -> None:
    environment = {"HEADER": "A: b", "TOKEN": "t", "ENV": "A=b", "CWD": "/"}

    assert isinstance(drafted(f"--method tools/list {target}", **environment), Success)


@pytest.mark.parametrize(
    ("target", "flag"),
    [(Stdio(("node",)), "--env"), (Http("http://x"), "--token"), (Sse("http://x"), "--header")],
    ids=["stdio", "http", "sse"],
)
def test_a_flag_that_fits_the_target_is_fine(target: Stdio | Http | Sse, flag: str) -> None:
    assert misfit(GivenFlags({flag: ("A=b",)}), target) is None


PIECES = ["node", "--", "--method", "tools/call", "tools/list", "--tool-name", "echo", "--demo", "--config", "x.json"]
MORE = ["https://x.example", "--params", "{}", "--follow", "--script", "--header", "A: b", "--env", "A=b", "-h", "-x"]


@drawn(st.lists(st.sampled_from([*PIECES, *MORE]) | st.text(max_size=3), max_size=8))
def test_no_command_line_makes_reading_it_fail(argv: list[str]) -> None:
    match drafted(argv):
        case Success(draft):
            implied = {"--help", "--env", "--method", "--tool-name"}
            assert set(draft.given.values) <= {*(word for word in argv if word.startswith("--")), *implied}
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert fault.problem


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("--breakpoint a.js:3", "--breakpoint: requires --expression"),
        ("--expression x", "--expression: requires --breakpoint"),
        ("--max-results 5", "--max-results: requires --breakpoint"),
        ("--breakpoint a.js --expression x", "--breakpoint: expected FILE:LINE with a line number from 1, got 'a.js'"),
    ],
)
def test_a_look_into_the_server_wants_a_place_and_an_expression(line: str, problem: str) -> None:
    outcome = read(f"--method tools/list {line} -- node x.js".split(), {}, CATALOG)

    assert isinstance(outcome, Failure)
    assert explain.sentence(outcome.failure()) == problem


def test_only_a_command_can_be_looked_into() -> None:
    words = ["--method", "tools/list", "--breakpoint", "a.js:3", "--expression", "x", "http://127.0.0.1/mcp"]
    problem = "applies only to a command, not to the URL http://127.0.0.1/mcp"

    assert read(words, {}, CATALOG) == Failure(Invalid("INVALID_ARGUMENT", "--breakpoint", problem))


def test_a_method_without_a_server_has_flags_of_its_own() -> None:
    outcome = read(["--method", "oauth/discover", "--expression", "x"], {}, CATALOG)

    assert isinstance(outcome, Success)


@pytest.mark.parametrize(
    ("line", "method"),
    [("node --summary", "discover"), ("node --summary --method tools/list", "tools/list")],
)
def test_a_summary_is_of_everything_unless_a_method_is_given(line: str, method: str) -> None:
    draft = drafted(line).unwrap()

    assert draft.method is not None
    assert draft.method.name == method


@pytest.mark.parametrize(
    ("line", "corrected"),
    [
        ("npx -y pkg --method tools/list --timeout 5s", "--method tools/list --timeout 5s -- npx -y pkg"),
        ("tools/list npx -y pkg", "tools/list -- npx -y pkg"),
        ("tools/list node -e code --timeout 5s", "tools/list --timeout 5s -- node -e code"),
        ("tools/list python -m server", "tools/list -- python -m server"),
        ("tools/list npx -q pkg", "tools/list -- npx -q pkg"),
        ("tools/list node -env", "tools/list -- node -env"),
    ],
)
def test_a_flag_that_may_be_the_server_s_is_told_with_the_corrected_line(line: str, corrected: str) -> None:
    match drafted(line):
        case Failure(Invalid(hints=hints)):
            assert hints[-1] == f"{GO_AFTER}: mcpi {corrected}"
        case outcome:
            pytest.fail(str(outcome))


def test_a_name_without_a_separator_is_told_with_the_corrected_line() -> None:
    assert drafted("tools/call echo a=1 node a.js") == missing(
        "--tool-name",
        "tools/call requires --tool-name",
        "the server's command goes after --: mcpi tools/call echo a=1 -- node a.js",
    )


def test_two_methods_are_refused() -> None:
    told = "tools/list and tools/call are both methods; give one"

    assert drafted("tools/call --demo --method tools/list") == wrong("--method", told)
    assert drafted("--demo -m tools/list --method tools/call") == wrong("--method", told)


def test_a_word_is_the_method_wherever_it_is_the_first() -> None:
    assert [drafted(line).unwrap().method for line in ("tools/list node", "--demo tools/list")] == [LIST, LIST]
    assert drafted("--method tools/list -- tools/list").unwrap().server == ("tools/list",)


def test_a_name_and_arguments_may_follow_the_method() -> None:
    assert values("tools/call echo a=1 b:=2 -- node a.js") == {
        "--method": ("tools/call",),
        "--tool-name": ("echo",),
        "--tool-arg": ("a=1", "b:=2"),
    }


FLAGS = ["--demo", "--timeout=5s", "--structured", "--follow", "--params={}", "--tool-arg=a=1", "--tool-name=echo"]
ANY = ["--header=A: b", "--handle-x=y", "--metadata=a=1", "--demo=off", "--era=auto", "--bogus", "--retry=x", "--help"]
LINES = st.lists(st.sampled_from([*FLAGS, *ANY]), max_size=6)


def without_hints(outcome: Result[Draft]) -> Fault:
    """The fault without its hints, which quote the line."""
    assert isinstance(outcome, Failure)
    return evolve(outcome.failure(), hints=())


@drawn(st.sampled_from(["tools/list", "tools/call", "discover", "oauth/discover"]), LINES)
def test_a_method_as_a_word_and_as_a_flag_are_the_same(name: str, flags: list[str]) -> None:
    word, flag = (drafted([*words, *flags, "--", "node"]) for words in ([name], ["--method", name]))

    assert word == flag if isinstance(word, Success) else without_hints(word) == without_hints(flag)


@drawn(st.sampled_from([[], ["tools/list"], ["tools/call"], ["server/info"], ["--watch=5s"]]), LINES)
def test_the_flags_that_are_not_named_do_not_matter(purpose: list[str], flags: list[str]) -> None:
    line = [*purpose, *flags, "node"]

    assert read(line, {}, CATALOG, whole=True) == read(line, {}, CATALOG)


def test_flags_are_parsed_the_same_if_a_plugin_has_imported_pydantic() -> None:
    importlib.import_module("pydantic")

    parsed = read(["tools/list", "--demo", "--no-fail-on-error"], {"MCPI_FAIL_ON_ERROR": "1"}, CATALOG, whole=True)
    assert isinstance(parsed, Success)
    assert parsed.unwrap().given.values["--no-fail-on-error"] == ("true",)


@pytest.mark.parametrize(
    "line", ["__complete --method tools/list", "__complete", "--method __complete --params {} node"]
)
def test_a_word_that_cyclopts_keeps_for_itself_is_refused(line: str) -> None:
    assert drafted(line) == wrong("target", "__complete is a reserved name", "a server's command may go after --")


def test_a_method_that_stands_behind_a_flag_without_its_value_is_no_word() -> None:
    assert drafted("--tool-name --method tools/call tools/list").failure().where == "--tool-name"  # type: ignore[union-attr]

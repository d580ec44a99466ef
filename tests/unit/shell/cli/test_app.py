"""Command lines are checked before anything is read or started."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attrs import evolve, frozen
from hypothesis import given as drawn
from hypothesis import strategies as st

from mcpi.core.cli.command_line import Draft, target_flag_problem
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
class CallFlags:
    """Call one tool."""

    tool_name: str
    tool_arg: tuple[Pair, ...] = ()
    tool_args: Exact | None = None


@frozen(kw_only=True)
class ReadFlags:
    """Read one resource."""

    uri: str


@frozen(kw_only=True)
class Flags:
    """The flags of an answer."""

    handle_x: str = ""


def answer(_: Flags, __: ServerRequest) -> Steps[Reply]:
    """Accept with an empty result."""
    yield from ()
    return Accept(EMPTY)


def method(name: str, args: type[Any] = RawParams, *, wire: bool = True, connects: bool = True) -> AnyMethod:
    """A method with these flags."""
    return Method(name, args, lambda _: request(name), "", is_protocol_method=wire, connects=connects)


METHODS = (
    method("tools/list"),
    method("tools/call", CallFlags),
    method("resources/read", ReadFlags),
    method("resources/subscribe", ReadFlags),
    method("server/info", wire=False),
    method("discover", wire=False),
    method("oauth/discover", connects=False),
)
FAILED = PluginOffer("skills", "acme", problem="ImportError: no")
RESPONDERS = (Responder("x/y", "x", Flags, lambda _, __: {}, answer, lambda _: False),)
CATALOG = Catalog({one.name: OwnedMethod(one, "own") for one in METHODS}, (FAILED,), responders=RESPONDERS)
LIST = CATALOG.owned["tools/list"].method
GO_AFTER = "put flags of the server's command after --"


def draft_of(line: str | Sequence[str], **environment: str) -> Result[Draft]:
    """Parse a command line."""
    argv = line.split() if isinstance(line, str) else line
    return read(argv, {f"MCPI_{name}": text for name, text in environment.items()}, CATALOG)


def values(line: str | Sequence[str], **environment: str) -> Mapping[str, tuple[str, ...]]:
    """The flag values of a valid command line."""
    return draft_of(line, **environment).unwrap().given.values


def invalid(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """The fault of an invalid command line."""
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


def missing(flag: str, problem: str, *hints: str) -> Failure[Invalid]:
    """The fault of a command line with a missing argument."""
    return Failure(Invalid("MISSING_ARGUMENT", flag, problem, hints))


def test_draft_has_the_given_flags_and_options() -> None:
    assert draft_of("node server.js --method tools/list --timeout 5s") == Success(
        Draft(
            GivenFlags({"--method": ("tools/list",), "--timeout": ("5s",)}, ("node", "server.js")),
            LIST,
            RESPONDERS,
            options={TimeOptions: TimeOptions(timeout=Duration(5.0)), ModeOptions: ModeOptions(method="tools/list")},
        )
    )


def test_draft_has_the_owners_of_the_allowed_flags() -> None:
    assert [draft_of(line).unwrap().owners for line in ("--help", "--method tools/call --help")] == [
        (*GROUPS, Flags),
        (*GROUPS, Flags, CallFlags),
    ]


def test_words_after_the_separator_belong_to_the_server() -> None:
    draft = draft_of("node server.js -- --port 3000 --method tools/list").unwrap()

    assert (draft.given.words, draft.server, draft.method) == (("node", "server.js"), ("--port", "3000"), LIST)


def test_flags_of_methods_and_responders_are_accepted() -> None:
    assert values("node --method tools/call --tool-name echo --tool-arg a=1 --handle-x y") == {
        "--method": ("tools/call",),
        "--tool-name": ("echo",),
        "--tool-arg": ("a=1",),
        "--handle-x": ("y",),
    }


def test_missing_method_is_reported() -> None:
    assert draft_of("node server.js") == missing("--method", "no method given", *WHAT)


@pytest.mark.parametrize("flag", ["--follow", "--watch 5s", "--script steps.json"])
def test_follow_watch_and_script_need_no_method(flag: str) -> None:
    assert isinstance(draft_of(f"node server.js {flag}"), Success)


def test_misspelled_method_suggests_nearest_name() -> None:
    assert draft_of("node --method tools/lst") == Failure(
        Invalid(
            "UNKNOWN_METHOD",
            "--method",
            "unknown method 'tools/lst'",
            ("did you mean tools/list?", "to call a method that mcpi does not know, add --params"),
        )
    )


def test_empty_method_is_rejected() -> None:
    assert draft_of(["node", "--method", ""], METHOD="tools/list") == Failure(
        Invalid(
            "UNKNOWN_METHOD",
            "--method",
            "unknown method ''",
            ("to call a method that mcpi does not know, add --params",),
        )
    )


def test_method_flag_without_value_is_rejected() -> None:
    assert draft_of("node --method") == invalid("--method", "requires a value")


def test_method_of_a_broken_plugin_is_reported_even_with_params() -> None:
    assert draft_of("node --method skills/get --params {}") == Failure(
        Invalid("PLUGIN_FAILED", "--method", "the plugin 'skills' of acme failed: ImportError: no")
    )


@pytest.mark.parametrize("line", ["--method acme/x --params {}", "--method=acme/x --params={}"])
def test_unknown_method_is_accepted_with_params(line: str) -> None:
    draft = draft_of(f"node {line}").unwrap()

    assert draft.method is not None
    assert (draft.method.name, draft.method.args) == ("acme/x", RawParams)


def test_params_may_be_set_by_the_environment() -> None:
    assert values("node --method acme/x", PARAMS="{}") == {"--method": ("acme/x",), "--params": ("{}",)}


def test_empty_params_in_the_environment_are_ignored() -> None:
    assert draft_of("node --method tools/lst", PARAMS="").failure() == draft_of("node --method tools/lst").failure()


def test_misspelled_flag_suggests_nearest_name() -> None:
    assert draft_of("node --mehtod tools/list") == invalid(
        "--mehtod", "unknown flag", "did you mean --method?", GO_AFTER
    )


def test_misspelled_flag_of_the_method_suggests_nearest_name() -> None:
    assert draft_of("node --method tools/call --tool-nam=echo") == invalid(
        "--tool-nam",
        "unknown flag",
        "did you mean --tool-name?",
        GO_AFTER,
    )


def test_misspelled_flag_of_another_method_names_that_method() -> None:
    assert draft_of("node --method tools/list --tool-nam x") == invalid(
        "--tool-nam",
        "unknown flag",
        "--tool-name is a flag of tools/call",
        GO_AFTER,
    )


def test_partial_flag_name_suggests_the_flag() -> None:
    assert draft_of("--demo --method tools/list --junit x") == invalid(
        "--junit", "unknown flag", "did you mean --report-junit?"
    )


def test_separator_is_not_suggested_without_a_command() -> None:
    assert draft_of("--help --xyzzy") == invalid("--xyzzy", "unknown flag")


def test_separator_is_suggested_for_an_unknown_flag() -> None:
    assert draft_of("node x.js --xyzzy 3000 --method tools/list") == invalid(
        "--xyzzy", "unknown flag", f"{GO_AFTER}: mcpi --method tools/list -- node x.js --xyzzy 3000"
    )


@pytest.mark.parametrize(
    "target", ["https://example.com/mcp", "http://localhost", "--demo", "--config x.json", "--config=x.json"]
)
def test_separator_is_not_suggested_for_other_targets(target: str) -> None:
    assert draft_of(f"{target} --xyzzy 3000 --method tools/list") == invalid("--xyzzy", "unknown flag")


def test_flag_of_another_method_names_that_method() -> None:
    assert draft_of("node --method tools/list --uri x") == invalid(
        "--uri", "--uri is a flag of resources/read, resources/subscribe, not of tools/list"
    )


def test_flag_without_its_method_names_the_method_to_add() -> None:
    assert draft_of("node --tool-name=echo") == invalid(
        "--tool-name", "--tool-name is a flag of tools/call; no method given"
    )


def test_flag_of_several_methods_names_them_all() -> None:
    assert draft_of("node --uri x") == invalid(
        "--uri", "--uri is a flag of resources/read, resources/subscribe; no method given"
    )


def test_missing_required_flag_is_rejected() -> None:
    assert draft_of("node --method tools/call") == missing("--tool-name", "tools/call requires --tool-name")


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        ("--timeout soon", invalid("--timeout", "expected a duration such as 500, 500ms, 30s or 2m, got 'soon'")),
        ("--retry often", invalid("--retry", "expected an integer of at least 0, got 'often'")),
        ("--transport ws", invalid("--transport", "expected stdio, sse or http, got 'ws'")),
        ("--metadata a", invalid("--metadata", "expected key=value or key:=json, got 'a'")),
        ("-e =x", invalid("--env", "expected NAME=VALUE, got '=x'")),
        ("--header InvalidHeader", invalid("--header", "expected 'Name: Value', but there is no colon")),
        (
            "--max-message-bytes 0",
            invalid("--max-message-bytes", "expected a number of bytes such as 1048576 or 64m, got '0'"),
        ),
        (
            "--params {",
            invalid(
                "--params",
                "invalid JSON: Expecting property name enclosed in double quotes at line 1, column 2, near '{'",
            ),
        ),
        ("--verbose=loud", invalid("--verbose", "expected true or false, got 'loud'")),
    ],
    ids=["duration", "number", "choice", "pair", "assignment", "header", "size", "json", "switch"],
)
def test_invalid_flag_value_names_the_expected_format(flags: str, fault: Failure[Invalid]) -> None:
    assert draft_of(f"node --method tools/list {flags}") == fault


def test_invalid_value_of_a_variable_names_the_variable() -> None:
    assert draft_of("node --method tools/list", ENV="NO=THING\n=") == invalid(
        "MCPI_ENV", "expected NAME=VALUE, got '='"
    )


@pytest.mark.parametrize(
    "line",
    [
        *("--help", "-h", "--version", "-h --method tools/call", "--print-schema envelope"),
        *("--list-methods", "--list-plugins --compact"),
    ],
)
def test_help_and_information_flags_need_no_target_or_method(line: str) -> None:
    assert isinstance(draft_of(line), Success)


def test_format_of_a_list_is_not_a_file() -> None:
    found = draft_of("--list-methods -o json")

    assert isinstance(found, Failure)
    assert explain.sentence(found.failure()) == "--output: expected a file, got the format 'json'"


def test_errors_beside_help_are_ignored() -> None:
    assert isinstance(draft_of("--help -o json"), Success)
    assert isinstance(draft_of("--help --timeout soon --header x"), Success)


def test_disabled_help_flag_is_ignored() -> None:
    assert draft_of("--help=no node") == missing("--method", "no method given", *WHAT)


def test_help_may_be_enabled_by_a_variable() -> None:
    assert values("node", HELP="1") == {"--help": ("true",)}


def test_disabled_variables_are_ignored() -> None:
    assert values("node --method tools/list", HELP="0", VERSION="", DEMO="false") == {"--method": ("tools/list",)}


def test_invalid_boolean_variable_is_rejected() -> None:
    assert draft_of("node --method tools/list", VERSION="1.2.3") == invalid(
        "MCPI_VERSION", "expected true or false, got '1.2.3'"
    )


def test_params_cannot_be_combined_with_method_flags() -> None:
    assert draft_of("node --method tools/call --params {} --tool-name echo") == invalid(
        "--params", "cannot be combined with --tool-name"
    )


def test_params_replace_required_flags() -> None:
    assert values("node --method tools/call --params {}") == {"--method": ("tools/call",), "--params": ("{}",)}


def test_method_variables_are_ignored_with_params() -> None:
    assert isinstance(draft_of("node --method tools/call --params {}", TOOL_NAME="echo"), Success)


def test_params_in_a_variable_are_named_by_the_variable() -> None:
    assert draft_of("node --method tools/call --tool-name echo", PARAMS="{}") == invalid(
        "MCPI_PARAMS", "cannot be combined with --tool-name"
    )


def test_params_require_a_method() -> None:
    assert draft_of("node --follow --params {}") == invalid("--params", "requires --method")


def test_method_outside_the_protocol_takes_no_params() -> None:
    assert draft_of("node --method server/info --params {}") == invalid(
        "--params", "server/info is not a protocol method and takes only its own flags"
    )


@pytest.mark.parametrize("line", ["node --script x.json --method tools/list", "tools/list --script x.json node"])
def test_script_cannot_be_combined_with_a_method(line: str) -> None:
    assert draft_of(line) == invalid("--script", "cannot be combined with the method tools/list")


@pytest.mark.parametrize(
    "line", ["tools/list resources/read node", "--demo tools/list discover", "discover tools/list"]
)
def test_second_method_is_not_the_target(line: str) -> None:
    first, second = (word for word in line.split() if word not in {"node", "--demo"})

    assert draft_of(line) == invalid("--method", f"{first} and {second} are both methods; give only one")


@pytest.mark.parametrize("flags", ["--follow", "--watch 5s", "--expect /a=1", "--dry-run"])
def test_script_cannot_be_combined_with_other_modes(flags: str) -> None:
    assert draft_of(f"node --script x.json {flags}") == invalid(
        "--script", f"cannot be combined with {flags.split(maxsplit=1)[0]}"
    )


def test_variables_require_a_script() -> None:
    assert draft_of("node --method tools/list --var A=b") == invalid("--var", "requires --script")
    assert isinstance(draft_of("node --script x.json --var A=b"), Success)


@pytest.mark.parametrize("mode", ["--follow", "--script x.json", "--method tools/list"])
def test_ndjson_requires_a_mode(mode: str) -> None:
    assert draft_of("node --ndjson --watch 1s") == invalid("--ndjson", "requires --script, --follow or --method")
    assert isinstance(draft_of(f"node {mode} --ndjson"), Success)


@pytest.mark.parametrize(("era", "version"), [("modern", "2025-11-25"), ("handshake", "2026-07-28")])
def test_version_of_the_other_era_is_rejected(era: str, version: str) -> None:
    other = "handshake" if era == "modern" else "modern"
    assert draft_of(f"node --method tools/list --era {era} --protocol-version {version}") == invalid(
        "--protocol-version", f"{version} belongs to the {other} era and conflicts with --era {era}"
    )
    for wide in (other, "auto"):
        assert isinstance(draft_of(f"node --method tools/list --era {wide} --protocol-version {version}"), Success)


def test_ndjson_of_a_script_cannot_be_combined_with_output() -> None:
    assert draft_of("node --script x.json --ndjson --output y.json") == invalid(
        "--ndjson", "cannot be combined with --output"
    )
    assert isinstance(draft_of("node --script x.json --output y.json"), Success)
    assert isinstance(draft_of("node --script x.json --ndjson", OUTPUT="y.json"), Success)


def test_ndjson_variable_is_ignored_if_a_document_is_requested() -> None:
    assert not draft_of("node --method tools/list --structured", NDJSON="1").unwrap().of(ModeOptions).ndjson
    assert draft_of("node --script x.json --structured", NDJSON="1").unwrap().of(ModeOptions).ndjson


@pytest.mark.parametrize("purpose", ["--follow", "--watch 5s"])
def test_dry_run_and_expect_require_a_method(purpose: str) -> None:
    unsent = "requires --method"
    assert draft_of(f"node {purpose} --dry-run") == invalid("--dry-run", unsent)
    assert draft_of(f"node {purpose}", DRY_RUN="1") == invalid("MCPI_DRY_RUN", unsent)
    assert draft_of(f"node {purpose} --expect /a=1") == invalid("--expect", "requires --method")
    assert isinstance(draft_of(f"node {purpose}", EXPECT="/a=1"), Success)
    assert isinstance(draft_of(f"node --method tools/list {purpose} --dry-run --expect /a=1"), Success)


@pytest.mark.parametrize("stray", ["--max-events 3", "--refetch", "--ping-interval 5s"])
def test_follow_flags_require_follow(stray: str) -> None:
    assert draft_of(f"node --method tools/list {stray}") == invalid(stray.split(maxsplit=1)[0], "requires --follow")
    assert isinstance(draft_of(f"node --follow {stray}"), Success)


@pytest.mark.parametrize("other", ["--structured", "--watch 5s", "--output x.json", "--summary"])
def test_follow_cannot_be_combined_with_document_flags(other: str) -> None:
    assert draft_of(f"node --follow {other}") == invalid(
        "--follow",
        f"cannot be combined with {other.split(maxsplit=1)[0]}",
        "use --watch to print one document",
    )


def test_document_variables_are_ignored_with_follow() -> None:
    assert values("node --follow", STRUCTURED="1", OUTPUT="x", WATCH="5s", SUMMARY="1", MAX_EVENTS="3") == {
        "--follow": ("true",),
        "--max-events": ("3",),
    }


def test_variables_of_other_modes_are_ignored() -> None:
    assert isinstance(draft_of("node --method tools/list", MAX_EVENTS="3", NDJSON="1", VAR="A=b"), Success)


def test_script_needs_no_target() -> None:
    assert isinstance(draft_of("--script x.json"), Success)


def test_missing_target_is_reported() -> None:
    assert draft_of("--method tools/list") == missing(
        "target",
        "no server given: add a command, a URL, --config FILE or --demo",
        "for example: mcpi tools/list node server.js",
    )


def test_follow_requires_a_target() -> None:
    assert draft_of("--follow") == draft_of("--method tools/list")


def test_method_that_does_not_connect_needs_no_target() -> None:
    assert values("--method oauth/discover") == {"--method": ("oauth/discover",)}


@pytest.mark.parametrize("target", ["--demo", "--config x.json", "node", "-- node server.js", "https://example.com"])
def test_one_target_is_accepted(target: str) -> None:
    assert isinstance(draft_of(f"--method tools/list {target}"), Success)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("--demo node", invalid("--demo", "--demo and the target 'node' are both targets; give only one")),
        ("--demo --config x", invalid("--demo", "--demo and --config are both targets; give only one")),
        (
            "--config x node",
            invalid("--config", "--config and the target 'node' are both targets; give only one"),
        ),
        ("--server a node", invalid("--server", "--server and the target 'node' are both targets; give only one")),
        ("--server a --demo", invalid("--demo", "--demo cannot be combined with --server")),
        (
            "--server a x.json",
            invalid("target", "'x.json' is a config file; use --config", "did you mean --config x.json?"),
        ),
        (
            "https://x.example more",
            invalid("target", "unexpected word 'more' after the URL https://x.example"),
        ),
        (
            "ws://x.example",
            invalid("target", "ws:// is not a supported URL scheme", "use http:// or https://"),
        ),
        ("--transport http node", invalid("target", "--transport http requires a URL, got the command 'node'")),
    ],
)
def test_conflicting_or_invalid_targets_are_rejected(line: str, fault: Failure[Invalid]) -> None:
    assert draft_of(f"--method tools/list {line}") == fault


@pytest.mark.parametrize(
    ("line", "flag"),
    [
        ("tools/call --demo -n a --tool-name=b", "--tool-name"),
        ("tools/list --demo -o a -o b", "--output"),
        ("--script a --script b node", "--script"),
        ("resources/read --uri a --uri a node", "--uri"),
    ],
)
def test_second_value_is_rejected(line: str, flag: str) -> None:
    assert draft_of(line) == invalid(
        flag, "given more than once, but takes one value", "to use each value, run mcpi once for each"
    )


def test_last_timeout_wins() -> None:
    assert values("tools/list --demo --timeout 1s --timeout 2s --quiet -q")["--timeout"] == ("2s",)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            "tools/list node --compact a.js",
            invalid(
                "target",
                "'a.js' is separated from 'node' by a flag; keep the words of a command together",
                "to give several values, repeat the flag",
            ),
        ),
        (
            "tools/call add more --compact http://h/mcp",
            missing(
                "--tool-name",
                "tools/call requires --tool-name",
                "did you mean: mcpi tools/call http://h/mcp add more --compact",
            ),
        ),
        (
            "acme/x --params {} http://h/mcp",
            Failure(Invalid("UNKNOWN_METHOD", "", "unknown method 'acme/x'", ("mcpi --help lists the methods",))),
        ),
    ],
)
def test_word_after_a_flag_is_rejected_if_the_line_is_valid_otherwise(line: str, fault: Failure[Invalid]) -> None:
    assert draft_of(line) == fault


@pytest.mark.parametrize("target", ["node", "-- node", "https://example.com", "--demo"])
def test_target_on_the_command_line_overrides_the_environment(target: str) -> None:
    given = values(f"--method tools/list {target}", CONFIG="x.json", SERVER="a", DEMO="1")

    assert set(given) == {"--method", *({"--demo"} if target == "--demo" else ())}


def test_config_flag_overrides_the_demo_variable() -> None:
    assert values("--method tools/list --config x.json", DEMO="1", SERVER="a") == {
        "--method": ("tools/list",),
        "--config": ("x.json",),
        "--server": ("a",),
    }


def test_target_may_be_set_by_the_environment() -> None:
    assert values("--method tools/list", CONFIG="x.json", SERVER="a") == {
        "--method": ("tools/list",),
        "--config": ("x.json",),
        "--server": ("a",),
    }


def test_demo_may_be_enabled_by_the_environment() -> None:
    assert values("--method tools/list", DEMO="1") == {"--method": ("tools/list",), "--demo": ("true",)}


def test_target_flags_are_not_checked_yet_for_a_config_file() -> None:
    assert isinstance(draft_of("--method tools/list --config x.json --header A:b --env C=d"), Success)


def test_disabled_demo_flag_is_not_a_target() -> None:
    assert values("--method tools/list --demo=no", DEMO="1", CONFIG="x.json") == {
        "--method": ("tools/list",),
        "--config": ("x.json",),
    }


def test_method_may_be_set_by_the_environment() -> None:
    draft = draft_of("node", METHOD="tools/list").unwrap()

    assert (draft.method, draft.given.values) == (LIST, {"--method": ("tools/list",)})


def test_script_may_be_set_by_the_environment() -> None:
    assert values("node", SCRIPT="x.json") == {"--script": ("x.json",)}


def test_method_on_the_command_line_overrides_the_environment() -> None:
    draft = draft_of("node --method tools/list", METHOD="tools/call", SCRIPT="x.json").unwrap()

    assert (draft.method, draft.given.values) == (LIST, {"--method": ("tools/list",)})


@pytest.mark.parametrize("purpose", ["--follow", "--watch=5s"])
def test_follow_and_watch_flags_override_the_script_variable(purpose: str) -> None:
    assert "--script" not in values(f"node {purpose}", SCRIPT="x.json")


def test_script_on_the_command_line_overrides_the_environment() -> None:
    draft = draft_of("node --script x.json", METHOD="tools/call", FOLLOW="1", PARAMS="{}").unwrap()

    assert (draft.method, draft.given.values) == (None, {"--script": ("x.json",)})


@pytest.mark.parametrize(("name", "text"), [("DRY_RUN", "1"), ("EXPECT", "/a=1")])
def test_dry_run_and_expect_variables_conflict_with_a_script(name: str, text: str) -> None:
    expected = f"cannot be combined with MCPI_{name}"

    assert draft_of("node --script x.json", **{name: text}) == invalid("--script", expected)


@pytest.mark.parametrize("flag", ["--trace", "--report-junit", "--report-tap", "--report-html"])
def test_stdout_is_reserved_for_the_result(flag: str) -> None:
    expected = "stdout is reserved for the result"

    assert draft_of(f"node --method tools/list {flag} -") == invalid(
        flag, expected, "use another file, such as /dev/stderr"
    )
    assert draft_of("node --method tools/list --report md=-") == invalid(
        "--report", expected, "use another file, such as /dev/stderr"
    )
    assert values("node --method tools/list --output -")["--output"] == ("-",)


def test_demo_server_supports_only_stdio() -> None:
    assert draft_of("--demo --method tools/list --transport sse") == invalid(
        "--transport", "the demo server supports only stdio"
    )
    assert isinstance(draft_of("--demo --method tools/list --transport stdio"), Success)
    assert isinstance(draft_of("--demo --method tools/list", TRANSPORT="sse"), Success)


@pytest.mark.parametrize("other", ["--structured", "--watch=5s", "--output=x.json", "--summary"])
def test_document_flags_override_the_follow_variable(other: str) -> None:
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
def test_flag_that_does_not_apply_to_the_target_is_rejected(line: str, flag: str, wanted: str, shown: str) -> None:
    assert draft_of(f"--method tools/list {line}") == invalid(flag, f"applies only to a {wanted}, not to {shown}")


@pytest.mark.parametrize("target", ["node", "https://x.example", "--demo"])
def test_variable_that_does_not_apply_to_the_target_is_ignored(target: str) -> None:
    environment = {"HEADER": "A: b", "TOKEN": "t", "ENV": "A=b", "CWD": "/"}

    assert isinstance(draft_of(f"--method tools/list {target}", **environment), Success)


@pytest.mark.parametrize(
    ("target", "flag"),
    [(Stdio(("node",)), "--env"), (Http("http://x"), "--token"), (Sse("http://x"), "--header")],
    ids=["stdio", "http", "sse"],
)
def test_flag_that_applies_to_the_target_is_accepted(target: Stdio | Http | Sse, flag: str) -> None:
    assert target_flag_problem(GivenFlags({flag: ("A=b",)}), target) is None


PIECES = ["node", "--", "--method", "tools/call", "tools/list", "--tool-name", "echo", "--demo", "--config", "x.json"]
MORE = ["https://x.example", "--params", "{}", "--follow", "--script", "--header", "A: b", "--env", "A=b", "-h", "-x"]


@drawn(st.lists(st.sampled_from([*PIECES, *MORE]) | st.text(max_size=3), max_size=8))
def test_any_command_line_gives_a_draft_or_a_fault(argv: list[str]) -> None:
    match draft_of(argv):
        case Success(draft):
            implied = {"--help", "--env", "--method", "--tool-name", "--tool-arg", "--tool-args"}
            assert set(draft.given.values) <= {*(word for word in argv if word.startswith("--")), *implied}
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert fault.problem


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("--breakpoint a.js:3", "--breakpoint requires --expression"),
        ("--expression x", "--expression requires --breakpoint"),
        ("--max-results 5", "--max-results requires --breakpoint"),
        ("--breakpoint a.js --expression x", "--breakpoint: expected FILE:LINE with a line number from 1, got 'a.js'"),
    ],
)
def test_breakpoint_and_expression_are_required_together(line: str, problem: str) -> None:
    outcome = read(f"--method tools/list {line} -- node x.js".split(), {}, CATALOG)

    assert isinstance(outcome, Failure)
    assert explain.sentence(outcome.failure()) == problem


def test_breakpoint_requires_a_command_target() -> None:
    words = ["--method", "tools/list", "--breakpoint", "a.js:3", "--expression", "x", "http://127.0.0.1/mcp"]
    problem = "applies only to a command, not to the URL http://127.0.0.1/mcp"

    assert read(words, {}, CATALOG) == Failure(Invalid("INVALID_ARGUMENT", "--breakpoint", problem))


def test_expression_without_breakpoint_is_ignored_if_not_connecting() -> None:
    outcome = read(["--method", "oauth/discover", "--expression", "x"], {}, CATALOG)

    assert isinstance(outcome, Success)


@pytest.mark.parametrize(
    ("line", "method"),
    [("node --summary", "discover"), ("node --summary --method tools/list", "tools/list")],
)
def test_summary_uses_discover_unless_a_method_is_given(line: str, method: str) -> None:
    draft = draft_of(line).unwrap()

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
def test_possible_server_flag_suggests_the_corrected_command_line(line: str, corrected: str) -> None:
    match draft_of(line):
        case Failure(Invalid(hints=hints)):
            assert hints[-1] == f"{GO_AFTER}: mcpi {corrected}"
        case outcome:
            pytest.fail(str(outcome))


def test_missing_separator_suggests_the_corrected_command_line() -> None:
    assert draft_of("tools/call echo a=1 node a.js") == missing(
        "--tool-name",
        "tools/call requires --tool-name",
        "put the server's command after --: mcpi tools/call echo a=1 -- node a.js",
    )


def test_two_methods_are_rejected() -> None:
    expected = "tools/list and tools/call are both methods; give only one"

    assert draft_of("tools/call --demo --method tools/list") == invalid("--method", expected)
    assert draft_of("--demo -m tools/list --method tools/call") == invalid("--method", expected)


def test_first_positional_word_may_be_the_method() -> None:
    assert [draft_of(line).unwrap().method for line in ("tools/list node", "--demo tools/list")] == [LIST, LIST]
    assert draft_of("--method tools/list -- tools/list").unwrap().server == ("tools/list",)


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
def test_positional_method_and_method_flag_are_equivalent(name: str, flags: list[str]) -> None:
    word, flag = (draft_of([*words, *flags, "--", "node"]) for words in ([name], ["--method", name]))

    assert word == flag if isinstance(word, Success) else without_hints(word) == without_hints(flag)


@drawn(st.sampled_from([[], ["tools/list"], ["tools/call"], ["server/info"], ["--watch=5s"]]), LINES)
def test_parsing_only_the_named_flags_gives_the_same_result(purpose: list[str], flags: list[str]) -> None:
    line = [*purpose, *flags, "node"]

    assert read(line, {}, CATALOG, whole=True) == read(line, {}, CATALOG)


def test_flags_are_parsed_the_same_if_pydantic_is_imported() -> None:
    importlib.import_module("pydantic")

    parsed = read(["tools/list", "--demo", "--no-fail-on-error"], {"MCPI_FAIL_ON_ERROR": "1"}, CATALOG, whole=True)
    assert isinstance(parsed, Success)
    assert parsed.unwrap().given.values["--no-fail-on-error"] == ("true",)


@pytest.mark.parametrize(
    "line", ["__complete --method tools/list", "__complete", "--method __complete --params {} node"]
)
def test_reserved_word_of_cyclopts_is_rejected(line: str) -> None:
    assert draft_of(line) == invalid("target", "__complete is a reserved name", "put a server's command after --")


def test_word_after_a_flag_without_value_is_not_the_method() -> None:
    assert draft_of("--tool-name --method tools/call tools/list").failure().where == "--tool-name"  # type: ignore[union-attr]

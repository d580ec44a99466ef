"""Rules about combinations of flags, independent of the parser."""

import re
from typing import Any

from mcpi.core.cli.command_line import (
    NO_SIDE,
    Draft,
    checked,
    find_method,
    flags_with_ignored_variables,
    passed_flags_warning,
    prints_information,
    two_methods,
    unknown_flag,
)
from mcpi.core.cli.flag_rules import check_params
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.options import OutputOptions, TimeOptions
from mcpi.core.flags.types import ServerOrLock
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Correction, Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.catalog import Catalog, OwnedMethod
from mcpi.core.plans.method import Method, RawParams
from mcpi.core.plans.steps import request
from mcpi.plugins.methods.diff import Diff, diff
from mcpi.plugins.methods.prompts import GetPrompt, get_prompt
from mcpi.plugins.methods.tools.tools import CallTool, call_tool

PING = Method("ping", RawParams, lambda _: request("ping"), "")
HELP = GivenFlags({"--help": ("true",)})


def test_draft_has_defaults_for_flags_that_were_not_given() -> None:
    draft = Draft(HELP, None, (), options={OutputOptions: OutputOptions(compact=True)})

    assert (draft.of(OutputOptions).compact, draft.of(TimeOptions)) == (True, TimeOptions())


def test_help_needs_no_method_or_target() -> None:
    assert (prints_information(HELP), prints_information(GivenFlags({}))) == (True, False)
    assert checked(Draft(HELP, None, ())) == Success(Draft(HELP, None, ()))


def test_argument_after_method_is_not_a_target() -> None:
    given = GivenFlags({"--method": ("tools/call",), "--tool-name": ("add",)}, ("a=1",))
    call = Method("tools/call", RawParams, lambda _: request("tools/call"), "")
    found = checked(Draft(given, call, ()))

    assert isinstance(found, Failure)
    fault = found.failure()
    assert isinstance(fault, Invalid)
    assert fault.correction == Correction("a=1", ("--tool-arg", "a=1"), "with --method, arguments need --tool-arg")
    assert checked(Draft(GivenFlags({}, ("a=1",)), PING, ())) == Success(Draft(GivenFlags({}, ("a=1",)), PING, ()))


def test_server_flag_alone_is_a_target() -> None:
    draft = Draft(GivenFlags({"--server": ("mine",), "--method": ("ping",)}), PING, ())

    assert checked(draft) == Success(draft)


def test_command_line_takes_precedence_over_environment_variables() -> None:
    assert flags_with_ignored_variables({"--method"}, has_words=True) == {"--config", "--demo", "--server", "--script"}
    assert flags_with_ignored_variables({"--config"}, has_words=False) == {"--demo"}
    assert flags_with_ignored_variables({"--fail-on-error"}, has_words=False) == {"--no-fail-on-error"}
    assert flags_with_ignored_variables({"--no-fail-on-error"}, has_words=False) == {"--fail-on-error"}


def test_flags_of_mcpi_among_the_words_of_the_server_are_warned_of() -> None:
    def passed(*server: str) -> list[str]:
        flags = [
            re.findall(r"(?<!\w)--?\w[\w-]*", one.partition(" passed ")[0])
            for one in passed_flags_warning(Draft(GivenFlags({}), PING, (), server))
        ]
        return flags[0] if flags else []

    assert passed("node", "a.js", "--output", "x", "--compact", "--output=y", "--port", "-v") == [
        "--output",
        "--compact",
    ]
    assert passed_flags_warning(Draft(GivenFlags({}), PING, (), ("node", "--compact"))) == (
        "--compact was passed to the server; to give it to mcpi, put it before --",
    )
    assert passed("node", "-v") == []
    assert passed("node", "-o", "out.json") == passed("node", "-o", "-") == ["-o"]
    assert passed("node", "-e", "KEY=1") == ["-e"]
    assert passed("node", "-H", "X-Key: 1") == ["-H"]
    assert passed("node", "-e", "key=1") == passed("docker", "-e", "KEY=1", "image") == []
    assert passed("bin/mcpi-serve", "--config", "a.json", "--timeout", "1s") == ["--timeout"]
    assert passed("ssh", "-o", "BatchMode=yes", "host") == passed("node", "-o", "-v") == passed("node", "-o") == []


def test_wait_does_not_apply_to_a_url() -> None:
    given = GivenFlags({"--wait": ("true",)}, ("http://h/mcp", "30"))
    fault = checked(Draft(given, PING, ())).failure()

    assert isinstance(fault, Invalid)
    assert (fault.where, fault.problem) == ("--wait", "applies only to a command, not to the URL http://h/mcp")
    assert fault.hints == ("to wait until a server has started, use --retry N",)


def test_variable_for_wait_does_not_concern_a_url() -> None:
    given = GivenFlags({"--wait": ("true",)}, ("http://h/mcp", "30"), {"--wait": "MCPI_WAIT"})
    fault = checked(Draft(given, PING, ())).failure()

    assert isinstance(fault, Invalid)
    assert fault.problem == "unexpected word '30' after the URL http://h/mcp"


def test_unknown_method_is_accepted_only_with_params() -> None:
    found = find_method(Catalog(), "vendor/x", has_params=True).unwrap()

    assert found.name == "vendor/x"
    assert isinstance(find_method(Catalog(), "vendor/x", has_params=False), Failure)


def test_two_methods_are_rejected() -> None:
    problem = "a and b are both methods; give only one"

    assert two_methods("a", "b") == Failure(Invalid("INVALID_ARGUMENT", "--method", problem))


def test_unknown_flag_suggests_the_nearest_flag() -> None:
    assert unknown_flag("--tiemout=5", ["--timeout"], Catalog(), None) == Invalid(
        "INVALID_ARGUMENT", "--tiemout", "unknown flag", ("did you mean --timeout?",)
    )


def test_flag_of_node_is_not_a_method() -> None:
    assert unknown_flag("--inspect", ["--timeout"], Catalog(), None).hints == (
        "to evaluate code in a Node.js server: --breakpoint FILE:1 --expression CODE",
    )


def test_flag_without_a_counterpart_has_a_hint() -> None:
    for token in ("-uUSER:PASSWORD", "-uUSER:p://=x"):
        assert unknown_flag(token, ["--url"], Catalog(), None) == unknown_flag("-u", ["--url"], Catalog(), None)
    assert unknown_flag("-u", ["--url"], Catalog(), None).hints == (
        'send the user and the password in a header: -H "Authorization: Basic $(printf %s USER:PASSWORD | base64)"',
    )


def test_hint_may_be_only_a_sentence() -> None:
    assert unknown_flag("--snapshot", [], Catalog(), None).hints == (
        "lock saves the server's definitions, and diff compares them",
    )


def test_flag_of_another_method_is_suggested_only_if_it_is_very_similar() -> None:
    one = Method("x/a", Diff, diff, "")
    catalog = Catalog({one.name: OwnedMethod(one, "x")})

    assert unknown_flag("--accepted", [], catalog, PING).hints == ("--accept is a flag of x/a",)
    assert unknown_flag("--exact", [], catalog, PING).hints == ()
    assert unknown_flag("--baseline", [], catalog, PING).hints == ()
    assert unknown_flag("--baseline", ["--old"], catalog, one).hints == ("did you mean --old?",)


def test_flag_of_a_tool_is_replaced_by_that_of_a_prompt() -> None:
    call, get = Method("tools/call", CallTool, call_tool, ""), Method("prompts/get", GetPrompt, get_prompt, "")
    catalog = Catalog({one.name: OwnedMethod(one, "x") for one in (call, get)})

    assert unknown_flag("-a", [], catalog, get).hints == ("did you mean --prompt-arg?",)
    assert unknown_flag("--tool-args", [], catalog, get).hints == ("did you mean --prompt-args?",)
    assert unknown_flag("--name", [], catalog, get).hints == ("--prompt-name is a flag of prompts/get",)
    assert unknown_flag("--tool-name", [], catalog, PING).hints == ()
    assert unknown_flag("--debug-script", [], catalog, None).hints == ("did you mean debug/script?",)


def test_at_most_three_methods_of_a_flag_are_listed() -> None:
    methods = [Method(f"x/{one}", Diff, diff, "") for one in "abcde"]
    catalog = Catalog({one.name: OwnedMethod(one, "x") for one in methods})

    assert unknown_flag("--old", [], catalog, PING).problem == (
        "--old is a flag of x/a, x/b, x/c and 2 more, not of ping"
    )
    assert (
        unknown_flag("--old", [], catalog, None).problem
        == "--old is a flag of x/a, x/b, x/c and 2 more; no method given"
    )


def test_flag_of_another_tool_is_translated() -> None:
    assert unknown_flag("--bearer", ["--token"], Catalog(), None).hints == ("did you mean --token?",)
    assert unknown_flag("--bearer", ["--uri"], Catalog(), None).hints == ()
    assert unknown_flag("--cacert", ["--accept"], Catalog(), None).hints == ()
    assert unknown_flag("--url", ["--uri"], Catalog(), None).hints == ("did you mean --uri?",)


def test_typographic_dash_of_a_flag_is_refused() -> None:
    found = checked(Draft(GivenFlags({"--method": ("ping",)}, ("\u2014demo",)), PING, ()))

    assert isinstance(found, Failure)
    assert explain.sentence(found.failure()) == "'\u2014demo' begins with the character em dash (U+2014)"
    assert isinstance(checked(Draft(GivenFlags({"--method": ("ping",)}, ("d\u00e9mo",)), PING, ())), Success)


def test_word_beside_a_server_flag_may_be_a_config_file() -> None:
    def fault(flags: dict[str, tuple[str, ...]], *words: str) -> Invalid:
        found = checked(Draft(GivenFlags({"--method": ("ping",), **flags}, words), PING, ()))
        assert isinstance(found, Failure)
        result = found.failure()
        assert isinstance(result, Invalid)
        return result

    assert fault({"--config": ("f",)}, "mine").correction is None
    assert fault({"--server": ("a",)}, "x.json").correction == Correction("x.json", ("--config", "x.json"))
    assert fault({"--server": ("a",)}, "node", "x.js").problem == (
        "--server and the target 'node' are both targets; give only one"
    )
    assert (
        explain.sentence(fault({"--server": ("a",), "--demo": ("true",)})) == "--demo cannot be combined with --server"
    )


def test_file_after_lock_is_the_output() -> None:
    lock = Method("lock", RawParams, lambda _: request("ping"), "")
    found = checked(Draft(GivenFlags({"--method": ("lock",)}, ("a.lock.json",)), lock, (), ("node", "a.js")))

    assert isinstance(found, Failure)
    fault = found.failure()
    assert isinstance(fault, Invalid)
    assert fault.problem == "'a.lock.json' names a file, not a server"
    assert fault.correction == Correction("a.lock.json", ("-o", "a.lock.json"))
    assert isinstance(checked(Draft(GivenFlags({"--method": ("lock",)}, ("node",)), lock, ())), Success)


def test_switch_that_is_off_by_default_cannot_be_switched_off() -> None:
    own = Method("x", OutputOptions, lambda _: request("ping"), "")
    found = unknown_flag("--no-force", [], Catalog(), None)
    timeout = unknown_flag("--no-timeout", [], Catalog(), own)

    assert found.correction == Correction("--no-force", (), "--force is off by default")
    assert found.hints == ("--force is off by default",)
    assert timeout.correction is None


def test_params_cannot_be_combined_with_flags_of_the_method() -> None:
    assert check_params(PING, "--params") is None
    assert check_params(PING, "--params", "--x") == Failure(
        Invalid("INVALID_ARGUMENT", "--params", "cannot be combined with --x")
    )


def test_method_with_both_targets_given_rejects_another_target() -> None:
    method = Method("diff", Diff, diff, "", needs_target=lambda args: args.new is None)
    both: dict[type, Any] = {Diff: Diff(old=ServerOrLock("a"), new=ServerOrLock("b"))}

    assert isinstance(checked(Draft(GivenFlags({}), method, (), options=both)), Success)
    assert isinstance(checked(Draft(GivenFlags({"--config": ("f",)}), method, (), options=both)), Success)
    assert checked(Draft(GivenFlags({"--demo": ("true",)}), method, (), options=both)) == Failure(
        Invalid("INVALID_ARGUMENT", "--demo", "OLD and NEW already name both sides", ("omit --demo, OLD or NEW",))
    )
    assert checked(Draft(GivenFlags({}), method, ())) == NO_SIDE

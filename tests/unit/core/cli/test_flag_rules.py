"""Conflicting flags are rejected; tests of whole command lines are in tests/unit/shell."""

import pytest

from mcpi.core.cli.flag_rules import flag_problem, shared_file
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.pairs import File, Variable, invalid
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.method import Method, RawParams
from mcpi.core.plans.steps import request
from mcpi.plugins.methods.resources import OneResource
from mcpi.plugins.methods.tools.tools import CallTool

PING = Method("ping", RawParams, lambda _: request("ping"), "ping")
READ = Method("resources/read", OneResource, lambda _: request("resources/read"), "read")
CALL = Method("tools/call", CallTool, lambda _: request("tools/call"), "call")


def flags_with_values(*flags: str) -> GivenFlags:
    """Build flags, each with a value."""
    return GivenFlags(values=dict.fromkeys(flags, ("x",)))


@pytest.mark.parametrize(
    ("flags", "where", "problem"),
    [
        (("--max-events",), "--max-events", "requires --follow"),
        (("--breakpoint",), "--breakpoint", "requires --expression"),
        (("--follow", "--output"), "--follow", "cannot be combined with --output"),
        (("--ndjson", "--watch"), "--ndjson", "cannot be combined with --watch"),
        (("--tool-args", "--tool-arg"), "--tool-args", "cannot be combined with --tool-arg"),
        (("--prompt-args", "--prompt-arg"), "--prompt-args", "cannot be combined with --prompt-arg"),
    ],
)
def test_conflicting_flags_are_named(flags: tuple[str, ...], where: str, problem: str) -> None:
    found = flag_problem(flags_with_values("--method", *flags), PING)

    assert isinstance(found, Failure)
    fault = found.failure()
    assert isinstance(fault, Invalid)
    assert (fault.where, fault.problem) == (where, problem)


@pytest.mark.parametrize("flag", ["--script", "--params", "--output", "--report-md", "--trace", "--config", "--uri"])
def test_second_value_is_rejected_if_the_first_would_be_lost(flag: str) -> None:
    given = GivenFlags({"--method": ("resources/read",), flag: ("b",)}, repeated=("--timeout", flag))

    assert flag_problem(given, READ) == invalid(
        flag, "given more than once, but takes one value", "to use each value, run mcpi once for each"
    )


@pytest.mark.parametrize("flag", ["--timeout", "--era", "--tool-arg", "--poll"])
def test_last_value_of_a_setting_wins(flag: str) -> None:
    given = GivenFlags({"--method": ("tools/call",), flag: ("a=1", "b=2")}, repeated=(flag,))

    assert flag_problem(given, CALL) is None


@pytest.mark.parametrize("word", ["json", "table"])
def test_output_format_is_not_a_file(word: str) -> None:
    given = GivenFlags({"--method": ("ping",), "--output": (word,)})

    assert flag_problem(given, PING) == invalid(
        "--output",
        f"expected a file, got the format {word!r}",
        "the output is already JSON",
        f"to write a file of this name, use ./{word}",
    )


def test_single_method_has_no_conflict() -> None:
    assert flag_problem(flags_with_values("--method"), PING) is None


def absolute(name: str) -> str:
    """Return the absolute form of a name; the working directory is /work."""
    return name if name.startswith("/") else f"/work/{name.removeprefix('./')}"


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"--trace": ("./x",), "--output": ("x",)}, ("--trace", "./x is already used by --output")),
        ({"--report-html": ("x",), "--output": ("/work/x",)}, ("--report-html", "x is already used by --output")),
        ({"--report": ("junit=x", "html=x")}, ("--report", "x is already used by --report")),
        (
            {"--old": ("mcpi.lock.json",), "--output": ("mcpi.lock.json",)},
            ("--output", "mcpi.lock.json is already used by --old"),
        ),
        ({"--output": ("/work/in.json",)}, ("--output", "/work/in.json is already used by --tool-args")),
    ],
)
def test_file_to_write_is_named_once(values: dict[str, tuple[str, ...]], problem: tuple[str, str]) -> None:
    read = (("--token", Variable("in.json")), ("--tool-args", File("in.json")))

    assert shared_file(GivenFlags(values), read, absolute) == invalid(*problem, "choose another file")


def test_shared_file_is_reported_under_the_name_of_its_variable() -> None:
    given = GivenFlags({"--output": ("x",)}, origins={"--output": "MCPI_OUTPUT"})

    assert shared_file(given, (("--script", File("x")),), absolute) == invalid(
        "MCPI_OUTPUT", "x is already used by --script", "choose another file"
    )


@pytest.mark.parametrize(
    "values",
    [
        {"--trace": ("/dev/null",), "--report-junit": ("/dev/null",)},
        {"--output": ("-",), "--report-junit": ("x",)},
        {"--config": ("in.json",)},
    ],
)
def test_devices_and_files_to_read_may_be_shared(values: dict[str, tuple[str, ...]]) -> None:
    assert shared_file(GivenFlags(values), (("--script", File("-")), ("--params", File("in.json"))), absolute) is None

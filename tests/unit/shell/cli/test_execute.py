"""Verdicts, streams and exit codes of complete command lines with an in-memory server."""

from typing import Any

import pytest

from support.script_worlds import SERVER, call, run_script, script_world, server
from support.world import World

MIXED = [
    call("add", name="add two numbers"),
    call("add", name="wrong sum", expect={"/structuredContent/sum": 4}, onError="continue"),
    call("fail", allowFailure=True),
    call("refuse"),
    {"method": "ping"},
]
LINES = [
    "ok   1  add two numbers   (0 ms)",
    "FAIL 2  wrong sum  /structuredContent/sum: expected 4, got 3",
    "warn 3  tools/call fail  the tool 'fail' reports an error",
    "        no paper",
    "FAIL 4  tools/call refuse  tools/call failed: -32000 no",
    "skip 5  ping",
    "5 steps: 1 passed, 2 failed, 1 allowed, 1 skipped in 0.00 s",
]


def test_piped_script_prints_envelopes_on_stdout_and_verdicts_on_stderr() -> None:
    world = script_world(MIXED)

    # The first failure is an expectation that does not hold.
    assert world.run(*SERVER, "--script", "-") == 1
    assert [(step["index"], step["success"]) for step in world.json] == [(0, True), (1, False), (2, False), (3, False)]
    assert world.stderr.getvalue().splitlines() == LINES


def test_script_prints_only_verdicts_on_a_terminal() -> None:
    world = script_world(MIXED, terminal=True)

    assert world.run(*SERVER, "--script", "-") == 1
    assert (world.stdout.getvalue(), world.stderr.getvalue().splitlines()) == ("", LINES)


@pytest.mark.parametrize("flag", ["--structured", "--ndjson"])
def test_structured_flag_prints_envelopes_on_a_terminal(flag: str) -> None:
    world = script_world([{"method": "ping"}], terminal=True)

    assert world.run(*SERVER, "--script", "-", flag) == 0
    assert '"index":0' in world.stdout.getvalue().replace('": ', '":')
    assert world.stderr.getvalue().startswith("ok   1  ping")


def test_quiet_prints_only_failures() -> None:
    assert run_script(MIXED, "--quiet") == (1, [line for line in LINES if line.startswith("FAIL")])


@pytest.mark.parametrize(
    ("steps", "flags", "environment", "code"),
    [
        ([call("fail")], (), {}, 1),
        ([call("fail", expect={"/isError": True})], (), {}, 0),
        ([call("fail")], ("--no-fail-on-error",), {}, 0),
        ([call("fail")], ("--fail-on-error=false",), {}, 0),
        ({"failOnError": False, "steps": [call("fail")]}, (), {}, 0),
        ({"failOnError": False, "steps": [call("fail")]}, ("--fail-on-error",), {}, 1),
        ({"failOnError": False, "steps": [call("fail", failOnError=True)]}, (), {}, 1),
        ([call("fail", failOnError=False)], ("--fail-on-error",), {}, 0),
        ([call("fail")], (), {"MCPI_NO_FAIL_ON_ERROR": "1"}, 0),
        ([call("fail")], ("--fail-on-error",), {"MCPI_NO_FAIL_ON_ERROR": "1"}, 1),
        ([call("fail")], ("--no-fail-on-error",), {"MCPI_FAIL_ON_ERROR": "1"}, 0),
        ([call("fail", onError="continue"), call("refuse")], (), {}, 1),
        ([call("refuse", onError="continue"), call("fail")], (), {}, 2),
        ([call("die", allowFailure=True), {"method": "ping"}], (), {}, 1),
        ([{"method": "ping"}, call("die", allowFailure=True)], (), {}, 0),
    ],
)
def test_a_script_exits_with_the_code_of_its_first_failure(
    steps: Any, flags: tuple[str, ...], environment: dict[str, str], code: int
) -> None:
    assert run_script(steps, *flags, environment=environment)[0] == code


def test_opposite_flags_are_rejected() -> None:
    expected = "mcpi: --no-fail-on-error cannot be combined with --fail-on-error"

    assert run_script([], "--fail-on-error", "--no-fail-on-error") == (1, [expected])


@pytest.mark.parametrize(
    ("tool", "flags", "code"),
    [
        ("fail", (), 0),
        ("fail", ("--fail-on-error",), 1),
        ("fail", ("--fail-on-error", "--expect", "/isError=true"), 0),
        ("noisy", (), 0),
        ("noisy", ("--fail-on-violation",), 1),
        ("odd", (), 0),
        ("odd", ("--fail-on-violation",), 1),
        ("add", ("--fail-on-violation",), 0),
        ("refuse", ("--fail-on-violation",), 2),
    ],
)
def test_a_single_call_succeeds_unless_the_flags_are_stricter(tool: str, flags: tuple[str, ...], code: int) -> None:
    world = World(server)

    assert world.run(*SERVER, "--method", "tools/call", "--tool-name", tool, *flags) == code


def test_violations_of_a_call_are_reported_once_with_a_verdict() -> None:
    world = World(server)
    world.run(*SERVER, "--method", "tools/call", "--tool-name", "noisy", "--fail-on-violation")
    warning, *_, verdict = world.stderr.getvalue().splitlines()

    assert warning.startswith("mcpi: warning: ")
    assert verdict.startswith("mcpi: the server violated the protocol")


def test_envelope_of_a_call_has_the_violation_code() -> None:
    world = World(server)
    world.run(*SERVER, "--method", "tools/call", "--tool-name", "noisy", "--fail-on-violation", "--structured")

    assert (world.json["error"]["code"], world.json["success"]) == ("VIOLATION", False)
    assert world.json["result"] == {"content": []}


def test_violations_of_a_script_are_reported_only_in_the_verdict() -> None:
    code, lines = run_script([call("noisy"), {"method": "ping"}], "--fail-on-violation")

    closing = "2 steps: 1 failed, 1 skipped in 0.10 s; 1 protocol violation"
    assert (code, lines[0][:26], lines[-2:]) == (1, "FAIL 1  tools/call noisy  ", ["skip 2  ping", closing])
    assert not any("warning" in line for line in lines)


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize(("flags", "count"), [((), 1), (("--quiet",), 0), (("--structured",), 0), (("--ndjson",), 1)])
def test_violation_of_a_script_is_told_once(flags: tuple[str, ...], count: int, *, terminal: bool) -> None:
    world = script_world([call("noisy"), {"method": "ping"}], terminal=terminal)
    world.run(*SERVER, "--script", "-", *flags)
    lines = world.stderr.getvalue().splitlines()

    warnings = [at for at, line in enumerate(lines) if line.startswith("        warning: jsonrpc is ")]
    assert warnings == [1] * count
    assert str(lines).count("jsonrpc") == 2 * count

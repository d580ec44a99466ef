"""The --summary flag."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from running import Mcpi
from terminal import PIPE, SAME, on_terminal


def test_summary_is_on_stderr_and_json_on_stdout(mcpi: Mcpi) -> None:
    ran = mcpi("--demo", "--method", "discover", "--validate", "--summary", env={"COLUMNS": "100"})
    lines = ran.stderr.splitlines()

    assert ran.json == mcpi("--demo", "--method", "discover").json
    assert lines[0] == "mcpi-demo 1.0.0 (mcpi demo server)"
    assert "  offers      8 tools, 3 resources, 1 resource template, 2 prompts; logging, completions" in lines
    assert "              add(a, b)               Add two numbers; the result includes structured content." in lines
    assert any(re.fullmatch(r"  violations  none in [56] messages", line) for line in lines)
    assert " 4 responses in " in lines[-1]


def test_summary_without_a_method_runs_discover(mcpi: Mcpi) -> None:
    assert mcpi("--demo", "--summary").json == mcpi("--demo", "--method", "discover").json


def test_summary_replaces_the_json_on_a_terminal() -> None:
    shown = on_terminal("--demo", "--summary", stderr=SAME)

    assert shown.stdout.startswith("\x1b[1mmcpi-demo 1.0.0 (mcpi demo server)\x1b[0m\n  \x1b[36mprotocol\x1b[0m    ")
    assert "{\n" not in shown.stdout


def test_json_is_printed_when_there_is_no_summary() -> None:
    shown = on_terminal("--demo", "--summary", "--dry-run", stderr=PIPE, env={"NO_COLOR": "1"})

    assert json.loads(shown.stdout)["messages"] != []
    assert shown.stderr == ""


def test_output_file_gets_the_json(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    shown = on_terminal("--demo", "--summary", "--output", str(file), stderr=PIPE)

    assert len(json.loads(file.read_text())["tools"]) == 8
    assert shown.stdout == ""
    assert "offers" in shown.stderr


def test_summary_reports_violations(mcpi: Mcpi, faulty: Callable[[str], tuple[str, ...]]) -> None:
    ran = mcpi("--method", "tools/list", "--summary", "--era", "handshake", "--", *faulty("one_bad_tool_of_three"))

    assert "  violations  schema" in ran.stderr
    assert "warning" not in ran.stderr


def test_unreachable_server_prints_the_error_without_a_summary(mcpi: Mcpi) -> None:
    ran = mcpi("no-such-command", "--summary")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "mcpi: command not found: 'no-such-command'\n"


def test_table_of_a_method_replaces_the_json_on_a_terminal() -> None:
    shown = on_terminal("lint", "--demo", "--summary", stderr=SAME, env={"NO_COLOR": "1"})

    assert shown.stdout.startswith("no findings in 8 tools, about ")
    assert "{" not in shown.stdout


def test_error_is_printed_once_below_the_summary(mcpi: Mcpi) -> None:
    ran = mcpi("tools/call", "nope", "--demo", "--summary")

    assert ran.stderr.count("unknown tool 'nope'") == 1
    assert ran.stderr.splitlines()[-1].startswith("mcpi: --tool-name: unknown tool 'nope'")


def test_error_of_a_tool_is_in_the_summary(mcpi: Mcpi) -> None:
    assert (
        "  error       the tool 'fail' reports an error\n" in mcpi("tools/call", "fail", "--demo", "--summary").stderr
    )


def test_error_of_a_tool_is_printed_once_on_a_terminal() -> None:
    for flags in ((), ("--fail-on-error",)):
        shown = on_terminal("tools/call", "fail", "--demo", "--summary", *flags, stderr=SAME, env={"NO_COLOR": "1"})

        assert shown.exit_code == len(flags)
        assert shown.stdout.startswith("the tool reports an error:\n")
        assert shown.stdout.count("reports an error") == 1


def test_error_of_a_tool_is_still_written_to_a_redirected_stderr() -> None:
    shown = on_terminal("tools/call", "fail", "--demo", "--summary", "--fail-on-error", stderr=PIPE)

    assert "mcpi: the tool 'fail' reports an error\n" in shown.stderr


def test_mistake_of_the_user_is_printed_without_a_summary(mcpi: Mcpi) -> None:
    ran = mcpi("describe", "nosuch", "--demo", "--summary")

    assert ran.stderr.startswith("mcpi: --item: unknown tool, prompt or resource 'nosuch'\n")

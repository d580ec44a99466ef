"""First aid for a person."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from running import Mcpi
from terminal import PIPE, SAME, on_terminal


def test_a_summary_stands_on_stderr_and_the_json_stays_on_stdout(mcpi: Mcpi) -> None:
    ran = mcpi("--demo", "--method", "discover", "--validate", "--summary", env={"COLUMNS": "100"})
    lines = ran.stderr.splitlines()

    assert ran.json == mcpi("--demo", "--method", "discover").json
    assert lines[0] == "mcpi-demo 1.0.0 (mcpi demo server)"
    assert "  offers      8 tools, 3 resources, 1 resource template, 2 prompts; logging, completions" in lines
    assert "              add(a, b)               Adds two numbers; the result is structured." in lines
    assert any(re.fullmatch(r"  violations  none in [56] messages of the server's", line) for line in lines)
    assert " 4 answers in " in lines[-1]


def test_alone_it_means_everything_that_can_be_known(mcpi: Mcpi) -> None:
    assert mcpi("--demo", "--summary").json == mcpi("--demo", "--method", "discover").json


def test_on_a_terminal_it_takes_the_place_of_the_json() -> None:
    shown = on_terminal("--demo", "--summary", stderr=SAME)

    assert shown.stdout.startswith("\x1b[1mmcpi-demo 1.0.0 (mcpi demo server)\x1b[0m\n  \x1b[36mspeaks\x1b[0m      ")
    assert "{\n" not in shown.stdout


def test_where_there_is_no_summary_the_json_stays() -> None:
    shown = on_terminal("--demo", "--summary", "--dry-run", stderr=PIPE, env={"NO_COLOR": "1"})

    assert json.loads(shown.stdout)["messages"] != []
    assert shown.stderr == ""


def test_the_json_is_still_there_for_who_says_where(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    shown = on_terminal("--demo", "--summary", "--output", str(file), stderr=PIPE)

    assert len(json.loads(file.read_text())["tools"]) == 8
    assert shown.stdout == ""
    assert "offers" in shown.stderr


def test_what_a_server_violates_is_told(mcpi: Mcpi, faulty: Callable[[str], tuple[str, ...]]) -> None:
    ran = mcpi("--method", "tools/list", "--summary", "--era", "handshake", "--", *faulty("one_bad_tool_of_three"))

    assert "  violations  schema" in ran.stderr
    assert "warning" not in ran.stderr


def test_a_server_that_is_not_met_gets_no_summary_but_the_error(mcpi: Mcpi) -> None:
    ran = mcpi("no-such-command", "--summary")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "mcpi: command not found: 'no-such-command'\n"

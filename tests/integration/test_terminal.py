"""Output on a terminal, and its absence in a pipe."""

import json
import re
from pathlib import Path

import pytest

from running import Mcpi
from terminal import OWN, PIPE, SAME, on_terminal

CODES = re.compile("\x1b\\[[0-9;]*[mK]")
ECHO = ("--demo", "--era", "handshake", "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=hi")
SLOW = (
    *("--demo", "--era", "handshake", "--method", "tools/call", "--tool-name", "slow"),
    *("--tool-arg", "steps=6", "--tool-arg", "delayMs=150", "--compact"),
)
DONE = '{"content":[{"text":"Done after 6 steps.","type":"text"}],"isError":false}\n'


def test_json_is_colored_on_a_terminal_without_other_changes(mcpi: Mcpi) -> None:
    shown = on_terminal(*ECHO, stderr=PIPE)

    assert '\x1b[34m"content"\x1b[0m: [' in shown.stdout
    assert CODES.sub("", shown.stdout) == mcpi(*ECHO).stdout


def test_stream_is_colored_on_a_terminal() -> None:
    shown = on_terminal(*ECHO, "--follow", "--timeout", "6s", stderr=PIPE)
    first = shown.stdout.splitlines()[0]

    assert "\x1b[34m" in first
    assert json.loads(CODES.sub("", first))["content"] == [{"text": "hi", "type": "text"}]


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colors_can_be_disabled(env: dict[str, str], mcpi: Mcpi) -> None:
    assert on_terminal(*ECHO, env=env).stdout == mcpi(*ECHO).stdout


def test_colors_are_decided_per_stream() -> None:
    failing = ("--demo", "--method", "tools/lst")

    assert on_terminal(*failing, stdout=PIPE).stderr.startswith("\x1b[1;31mmcpi: --method: unknown method")
    assert on_terminal(*failing, stderr=PIPE).stderr.startswith("mcpi: --method: unknown method")


def test_error_is_red_below_the_faint_stderr_of_the_server() -> None:
    shown = on_terminal("--method", "discover", "--", "sh", "-c", "echo no database >&2; exit 3", stdout=PIPE)
    stderr, sentence = shown.stderr.splitlines()

    assert stderr == "\x1b[2mno database\x1b[0m"
    assert sentence.startswith("\x1b[1;31mmcpi: the server 'sh -c echo no database >&2; exit 3' exited with code 3")


def test_stderr_of_the_server_is_printed_once_in_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"method": "ping"}]', "utf-8")
    shown = on_terminal("--script", str(script), "--", "sh", "-c", "echo no database >&2; exit 3", stderr=PIPE)

    assert [line.strip() for line in shown.stderr.splitlines()].count("no database") == 1


def test_control_characters_are_escaped_on_a_terminal() -> None:
    shown = on_terminal(*ECHO[:-1], 'text:="\\u009b2J"', env={"NO_COLOR": "1"})

    assert "\x9b" not in shown.stdout
    assert json.loads(shown.stdout)["content"][0]["text"] == "\x9b2J"


def test_progress_bar_is_replaced_by_the_result() -> None:
    shown = on_terminal(*SLOW, stderr=SAME, env={"NO_COLOR": "1"})
    *bars, last = shown.stdout.split("\r\x1b[K")

    assert bars[1].startswith("[####--------------------]  17%  1/6  ")
    assert bars[-1].startswith("[########################] 100%  6/6  ")
    assert re.search(r"  \d[\d.]*/s  Step 6 of 6\.$", bars[-1])
    assert last == DONE


@pytest.mark.parametrize("flag", ["--quiet", "--verbose", "--follow"])
def test_progress_bar_is_hidden_by_quiet_verbose_and_follow(flag: str) -> None:
    shown = on_terminal(*SLOW, flag, "--timeout", "3s", stdout=PIPE)

    assert "[###" not in shown.stderr


def test_progress_bar_is_not_printed_to_a_pipe(mcpi: Mcpi) -> None:
    ran = mcpi(*SLOW)

    assert (ran.stdout, ran.stderr) == (DONE, "")


def test_progress_bar_is_on_stderr_when_stdout_is_a_pipe() -> None:
    shown = on_terminal(*SLOW, stdout=PIPE, stderr=OWN)

    assert shown.stdout == DONE
    assert "6/6" in shown.stderr
    assert shown.stderr.endswith("\r\x1b[K")


def test_script_on_a_terminal_prints_only_verdicts(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('[{"method": "tools/list"}, {"method": "tools/call", "toolName": "fail"}]')
    flags = ("--demo", "--script", str(script))

    shown = on_terminal(*flags)
    forced = on_terminal(*flags, "--structured", env={"NO_COLOR": "1"})

    assert (shown.exit_code, shown.stdout) == (1, "")
    assert shown.stderr.splitlines()[1] == "\x1b[1;31mFAIL 2  tools/call fail  the tool 'fail' reports an error\x1b[0m"
    assert [step["index"] for step in json.loads(forced.stdout)] == [0, 1]


def test_follow_mode_tells_on_a_terminal_that_it_waits() -> None:
    line = "mcpi: connected to mcpi-demo; waiting for events (Ctrl-C to stop)\n"
    flags = ("--demo", "--era", "handshake", "--follow", "--timeout", "4s")

    assert on_terminal(*flags, env={"NO_COLOR": "1"}).stderr == line
    assert on_terminal("ping", *flags, "--max-events", "0", env={"NO_COLOR": "1"}).stderr == line
    assert on_terminal(*flags, "--quiet").stderr == ""
    assert on_terminal(*flags, stderr=PIPE).stderr == ""

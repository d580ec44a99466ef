"""Completion in real shells, and the completion scripts and agent help that mcpi prints."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import warm
from running import Mcpi, clean_environment, processes, wait_until

ROOT = Path(__file__).parents[2]
AGENT_HELP = (ROOT / "src" / "mcpi" / "agent-help.txt").read_text()
BASH = """
eval "$(mcpi --completion bash)"
COMP_LINE=$1 COMP_POINT=${#1}
_mcpi 2> /dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
LINES = [
    ("mcpi --era h", ["handshake"]),
    ("mcpi --method=resources/te", ["resources/templates/list"]),
    ("mcpi --help resources/te", ["resources/templates/list"]),
    ("mcpi resources/te", ["resources/templates/list"]),
    ("mcpi --demo tools/call --tool-name ec", ["echo"]),
    ("mcpi --demo acme/count --at", ["--at-least"]),
    ("mcpi --demo --comp", ["--compact", "--completion"]),
    ("mcpi --demo --method tools/call --tool-n", ["--tool-name"]),
    ("mcpi --demo --method tools/call --tool-name ec", ["echo"]),
    ("mcpi --demo --method tools/call --tool-name add --tool-arg ", ["a=", "b="]),
    ("mcpi --demo --method prompts/get --prompt-name summarize --prompt-arg s", ["style="]),
    ("mcpi --config CONFIG --server b", ["beta"]),
    ("mcpi tools/call --demo ec", ["echo"]),
    ("mcpi tools/call --demo add ", ["a=", "b="]),
    ("mcpi --demo prompts/get summ", ["summarize"]),
    ("mcpi describe --demo --item ec", ["echo"]),
    ("mcpi describe --demo summ", ["summarize"]),
    ("mcpi logging/setLevel --demo er", ["error"]),
    ("mcpi lint --for cu", ["cursor"]),
    ("mcpi help sc", ["script"]),
]
STAYS = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(os.path.join(os.path.dirname(__file__), "began"), "w").close()
sys.stdin.readline()
time.sleep(60)
"""
needs = {shell: pytest.mark.skipif(not shutil.which(shell), reason=f"no {shell} here") for shell in ("zsh", "fish")}


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A config file with two servers."""
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"alpha": {"command": "x"}, "beta": {"command": "y"}}}')
    return str(file)


def environment() -> dict[str, str]:
    return clean_environment({"PATH": warm.search_path(), "TERM": "xterm"})


def run(*command: str) -> list[str]:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(), timeout=60)
    assert ran.stderr == ""
    return [line for line in ran.stdout.splitlines() if line]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_bash_completes_words(line: str, expected: list[str], config: str) -> None:
    found = run("bash", "--norc", "-c", BASH, "bash", line.replace("CONFIG", config))

    assert [word.replace("\\", "") for word in found] == expected


@needs["fish"]
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_fish_completes_words(line: str, expected: list[str], config: str) -> None:
    shown = run("fish", "-N", "-c", f"mcpi --completion fish | source; complete -C '{line.replace('CONFIG', config)}'")
    found = [word.partition("\t")[0] for word in shown]

    assert [word.removeprefix("--method=") for word in found] == expected


@needs["zsh"]
def test_zsh_completes_words() -> None:
    shown = typed(
        ["zsh", "-f", "-i"],
        """autoload -U compinit; compinit -u -D; eval "$(mcpi --completion zsh)"; PS1=REA'DY '""",
        "mcpi --demo --method resources/te\t",
        "mplates/list",
    )

    assert "mplates/list" in shown


def typed(command: list[str], prepare: str, line: str, wanted: str) -> str:
    """The output of an interactive shell after the line is typed, until the expected text appears."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(), start_new_session=True
    )
    os.close(theirs)
    try:
        os.write(ours, f"{prepare}\n".encode())
        _until(ours, "READY")
        os.write(ours, line.encode())
        return _until(ours, wanted)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _until(terminal: int, text: str) -> str:
    data = ""
    until = time.monotonic() + 30
    while text not in data and time.monotonic() < until:
        if select.select([terminal], [], [], 1)[0]:
            data += os.read(terminal, 4096).decode(errors="replace")
    return data


def test_incomplete_command_line_is_not_an_error(mcpi: Mcpi) -> None:
    for line in ("", "mcpi", "mcpi 'a", 'mcpi "--method', "mcpi \\", "mcpi --config /nowhere --server "):
        ran = mcpi("--complete", "bash", line)
        assert (ran.exit_code, ran.stderr) == (0, "")
    assert mcpi("--complete").exit_code == 0


def test_slow_server_completes_no_words(mcpi: Mcpi, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    slow.chmod(0o700)
    ran = mcpi("--complete", "fish", str(slow), "--method", "tools/call", "--tool-name", "")

    assert ran.stdout == "words\n"
    assert ran.seconds < 10


def test_server_that_does_not_exit_is_killed_after_completion(mcpi: Mcpi, tmp_path: Path) -> None:
    server = tmp_path / "stays.py"
    server.write_text(STAYS)
    ran = mcpi("--complete", "zsh", sys.executable, str(server), "--method", "tools/call", "--tool-name", "")

    assert (ran.stdout, ran.stderr, server.with_name("began").exists()) == ("words\n", "", True)
    wait_until(lambda: processes(str(server)) == [], 10.0)


def test_only_names_of_safe_characters_are_offered(mcpi: Mcpi, tmp_path: Path) -> None:
    names = (r'"\ud800x"', "[" * 900 + "]" * 900, r'"\u001b[31mred"', r'"two\nlines"', '"plain"')
    tools = f'{{"tools":[{",".join(f"""{{"name":{name},"inputSchema":{{}}}}""" for name in names)}]}}'
    odd = [str(ROOT / "fixtures" / "servers" / "odd.py"), "tools/list", tools]
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"odd": {"command": sys.executable, "args": odd}}}))
    ran = mcpi("--complete", "fish", "--config", str(config), "--method", "tools/call", "--tool-name", "")

    assert (ran.stdout.splitlines(), ran.stderr) == (["words", "plain\t"], "")


def test_agent_help_mentions_only_existing_flags(mcpi: Mcpi) -> None:
    known = set(re.findall(r"--[a-z-]+", mcpi("--help", "all").stdout))

    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", AGENT_HELP)) - known == set()


def test_agent_help_mentions_only_existing_document_members(mcpi: Mcpi) -> None:
    document = mcpi("--demo", "--method", "tools/lst", "--structured").json
    part = AGENT_HELP[AGENT_HELP.index("READ THE DOCUMENT") : AGENT_HELP.index("EXIT CODES")]
    named = re.findall(r"^  ([a-zA-Z.]+(?:, [a-zA-Z]+)*)  ", part, re.MULTILINE)
    paths = [path.split(".") for names in named for path in names.split(", ")]

    assert len(paths) == 8
    assert [path for path in paths if path[0] not in document] == []
    assert [path for path in paths if len(path) == 2 and path[1] not in document[path[0]]] == []


@pytest.mark.parametrize(
    "command", re.findall(r"^  ((?:echo .*)?mcpi --demo .*?)(?:   .*)?$", AGENT_HELP, re.MULTILINE)
)
def test_agent_help_command_succeeds(command: str) -> None:
    command = command.replace("METHOD", "ping --era handshake")
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment())  # noqa: S607

    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert all(one["success"] for one in (found if isinstance(found, list) else [found]))


def test_agent_help_is_printed_and_fits_on_one_screen(mcpi: Mcpi) -> None:
    ran = mcpi("--agent-help")

    assert (ran.exit_code, ran.stdout) == (0, AGENT_HELP)
    assert max(map(len, AGENT_HELP.splitlines())) <= 120
    assert len(AGENT_HELP.splitlines()) <= 60

"""Fallbacks for non-POSIX systems, tested on POSIX: no pipe readers in the loop, no process groups."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

import warm
from running import clean_environment

ELSEWHERE = """
import sys
from mcpi.shell.context import process_context
from mcpi.shell.process import shutdown
shutdown.POSIX = False
from mcpi.shell.main import main
sys.exit(main(process_context()))
"""
CALL = ("--method", "tools/call", "--tool-name", "echo", "--era", "handshake", "--compact")


def elsewhere(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ELSEWHERE, *args]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment(), timeout=60)
    assert "Traceback" not in ran.stderr
    return ran


def test_call_returns_the_result() -> None:
    ran = elsewhere(*CALL, "--tool-arg", "text=hi", "--", *warm.demo())

    assert json.loads(ran.stdout)["content"] == [{"text": "hi", "type": "text"}]
    assert (ran.stderr, ran.returncode) == ("", 0)


def test_large_messages_are_sent_and_received() -> None:
    ran = elsewhere(*CALL, "--tool-args", json.dumps({"text": "x" * 100_000}), "--", *warm.demo())

    assert len(json.loads(ran.stdout)["content"][0]["text"]) == 100_000


def test_script_and_stream_run() -> None:
    script = elsewhere("--script", "docs/examples/smoke.json", "--", *warm.demo())
    stream = elsewhere(*CALL, "--tool-arg", "text=hi", "--follow", "--timeout", "6s", "--", *warm.demo())

    assert [step["success"] for step in json.loads(script.stdout)] == [True] * len(json.loads(script.stdout))
    assert stream.returncode == 0
    assert json.loads(stream.stdout.splitlines()[0])["isError"] is False


@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [("noise_before", 0, "warning"), ("no_responses", 124, "no response"), ("exits_at_start", 1, "exited with code")],
)
def test_misbehaving_server_is_reported(
    fault: str, code: int, message: str, faulty: Callable[[str], tuple[str, ...]]
) -> None:
    ran = elsewhere("--method", "tools/list", "--era", "handshake", "--connect-timeout", "2s", "--", *faulty(fault))

    assert (ran.returncode, message in ran.stderr) == (code, True)


def test_program_is_debugged() -> None:
    command = "node --inspect-brk=0 docs/examples/people.js"
    place = "docs/examples/people.js:4"
    words = ("--debug-command", command, "--breakpoint", place, "--expression", "person.age", "--compact")
    ran = elsewhere("--method", "debug/script", *words)

    assert [one["value"] for one in json.loads(ran.stdout)["results"]] == [30, 36]


WITHOUT_MODULES = """
import asyncio  # needs fcntl itself, on the systems that have it
import importlib.abc, sys

BLOCKED = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in BLOCKED:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocker())
""" + ELSEWHERE.lstrip()


def without_modules(*args: str) -> subprocess.CompletedProcess[str]:
    """Run a command without the POSIX-only modules."""
    command = [sys.executable, "-c", WITHOUT_MODULES, *args]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment(), timeout=60)
    assert "Traceback" not in ran.stderr
    return ran


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (("--version",), 0, "mcpi "),
        (("--help",), 0, "Usage:"),
        (("--timout", "5s", "ping", "--demo"), 1, "did you mean: mcpi --timeout 5s ping --demo"),
        (("--demo", "ping"), 0, "{}"),
    ],
)
def test_commands_run_without_posix_modules(line: tuple[str, ...], code: int, message: str) -> None:
    ran = without_modules(*line)

    assert ran.returncode == code, ran.stderr
    assert message in ran.stdout + ran.stderr


def test_http_call_runs_without_posix_modules(
    served: Callable[..., str], server: Callable[..., tuple[str, ...]]
) -> None:
    ran = without_modules(served(*server("sdk", "http", "PORT")), "--method", "tools/list", "--compact")

    assert (ran.returncode, "tools" in json.loads(ran.stdout)) == (0, True), ran.stderr

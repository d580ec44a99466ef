"""A forked interpreter with mcpi preloaded behaves like a fresh interpreter."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import warm
from running import COMMAND, clean_environment, completed

Server = Callable[..., tuple[str, ...]]
STEPS = b'[{"method": "tools/call", "toolName": "environment", "toolArgs": {"name": "COLOUR"}}]'


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        pytest.param(("--version",), None, id="nothing but a line"),
        pytest.param(("--method", "tools/lst", "é"), None, id="a mistake"),
        pytest.param(
            ("--script", "-", "--quiet", "--compact", "--output", "here.json", "--", "SWIFT"), STEPS, id="a script"
        ),
        pytest.param(("--method", "ping", "--", "sh", "-c", "pwd >&2; exit 3"), None, id="a server that exits"),
    ],
)
def test_fork_and_fresh_interpreter_give_the_same_result(
    words: tuple[str, ...], stdin: bytes | None, server: Server, tmp_path: Path
) -> None:
    argv = [filled for word in words for filled in (server("swift") if word == "SWIFT" else (word,))]
    env = clean_environment({"COLOUR": "red"})
    file = tmp_path / "here.json"

    fork = completed(*argv, stdin=stdin, env=env, cwd=tmp_path)
    written = file.read_text() if file.exists() else ""
    own = subprocess.run([COMMAND, *argv], input=stdin or b"", capture_output=True, env=env, cwd=tmp_path, check=False)

    assert (fork.exit_code, fork.stdout, fork.stderr) == (own.returncode, own.stdout, own.stderr)
    assert ("red" in written) is file.exists() is (stdin is not None)


def test_run_exceeding_the_timeout_is_killed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf, pytest.raises(subprocess.TimeoutExpired):
        completed("--method", "ping", f"http://127.0.0.1:{deaf.getsockname()[1]}", stdin=None, env={}, patience=2)


def test_startup_environment_variables_require_a_fresh_interpreter() -> None:
    env = clean_environment()

    assert warm.runner({**env, "PYTHONPATH": "elsewhere"}) is None
    assert (warm.runner(env) is None) is warm.IS_COLD
    assert warm.runner({**env, "HOME": os.devnull}) is warm.runner(env)

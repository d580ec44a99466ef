"""A forked interpreter with mcpi preloaded behaves like a fresh interpreter."""

import os
import signal
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
    launched, fresh = (
        subprocess.run([command, *argv], input=stdin or b"", capture_output=True, env=env, cwd=tmp_path, check=False)
        for command in (warm.command("mcpi"), COMMAND)
    )

    assert (fork.exit_code, fork.stdout, fork.stderr) == (fresh.returncode, fresh.stdout, fresh.stderr)
    assert (launched.returncode, launched.stdout, launched.stderr) == (fresh.returncode, fresh.stdout, fresh.stderr)
    assert ("red" in written) is file.exists() is (stdin is not None)


def test_run_exceeding_the_timeout_is_killed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unresponsive, pytest.raises(subprocess.TimeoutExpired):
        completed(
            "--method", "ping", f"http://127.0.0.1:{unresponsive.getsockname()[1]}", stdin=None, env={}, time_limit=2
        )


def test_startup_environment_variables_require_a_fresh_interpreter() -> None:
    env = clean_environment()

    assert warm.runner({**env, "PYTHONUTF8": "0"}) is None
    assert (warm.runner(env) is None) is warm.IS_COLD
    assert warm.runner({**env, "HOME": os.devnull}) is warm.runner(env)


ENDINGS = "import os, signal, sys; print('mcp' in sys.modules, flush=True); "


@pytest.mark.parametrize(
    ("variables", "ending", "code", "is_fresh"),
    [
        ({}, "raise SystemExit(7)", 7, warm.IS_COLD),
        ({}, "os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, warm.IS_COLD),
        ({}, "os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, warm.IS_COLD),
        ({"PYTHONUTF8": "0"}, "raise SystemExit(7)", 7, True),
    ],
)
def test_launcher_exits_like_its_program(
    variables: dict[str, str],
    ending: str,
    code: int,
    is_fresh: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    program.write_text(ENDINGS + ending)
    ran = subprocess.run([warm.python(), program], capture_output=True, env=clean_environment(variables), check=False)

    assert (ran.returncode, ran.stdout, ran.stderr) == (code, b"%s\n" % str(not is_fresh).encode(), b"")


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGTERM, b"ended\n"), (signal.SIGKILL, b"")])
def test_signal_to_the_launcher_ends_its_program(number: signal.Signals, expected: bytes, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: os._exit(os.write(1, b'ended\\n')))\n"
        "os.write(1, b'started\\n')\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([warm.python(), program], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"started\n"
        running.send_signal(number)
        # The pipe reaches its end only after the program has exited, too.
        assert running.stdout.read() == expected

"""Server processes that exit early, do not exit, or write too much."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from attrs import evolve

from cases import (
    CALL,
    PONG,
    SHORT,
    SMALL,
    Case,
    Faulty,
    check_plain,
    check_structured,
    documented,
    failing,
    run,
    timeout,
)
from running import COMMAND, Mcpi, measured, processes, wait_until

NO_ANSWER = "no response to tools/call (request 3) within"
NOTIFICATION = {"method": "notifications/x", "params": {"n": 0}}
TOO_LONG = "a line of more than 1048576 bytes"

ENDINGS = (
    failing("exits_at_start", "SERVER_EXITED", "code 3 during server/discover", "no licence found"),
    failing("exits_with_0_at_start", "SERVER_EXITED", "code 0 during server/discover"),
    failing("killed_at_start", "SERVER_EXITED", "was terminated by SIGKILL during server/discover"),
    failing("crashes", "SERVER_EXITED", "faulty.py crashes", "code 7 during tools/call", "frame 10", "frame 29"),
    failing("segfaults", "SERVER_EXITED", "was terminated by SIGSEGV during tools/call", "boom"),
    failing("terminated", "SERVER_EXITED", "was terminated by SIGTERM during tools/call"),
    failing("exits_with_0", "SERVER_EXITED", "code 0 during tools/call"),
    failing("exits_after_initialize", "SERVER_EXITED", "code 5 during tools/call"),
    failing("noise_then_exit", "SERVER_EXITED", "code 1", "goodbye", rules=("not-json",)),
    failing("crashes_and_leaves_child", "SERVER_EXITED", "code 6", "what a mess"),
    failing("closes_stdout", "CONNECTION_LOST", "closed its standard output while still running"),
    failing("closes_stdout_at_start", "CONNECTION_LOST", "closed its standard output while still running"),
    failing("closes_stdin_at_initialize", "CONNECTION_LOST", "closed its standard input while still running"),
    timeout("suspended", NO_ANSWER),
    timeout("suspended_at_initialize", "no response to initialize (request 2)", code="CONNECTION_TIMEOUT"),
    timeout("exits_while_child_writes", "still here", rules=None),
    Case("killed_after_response"),
    Case("closes_stdin"),
    Case("closes_stderr"),
    Case("ignores_signals"),
    Case("ignores_eof"),
    Case("ignores_signals_and_eof"),
    Case("exits_slowly"),
    Case("exits_with_9"),
    Case("leaves_child"),
    Case("leaves_child_ignoring_sigterm"),
    Case("leaves_20_children"),
    Case("leaves_child_in_own_session"),
    Case("leaves_child_in_own_group"),
    Case("leaves_daemon"),
    Case("crashes_and_leaves_daemon"),
    Case("child_takes_over"),
    Case("launcher"),
    Case("launcher_of_server_ignoring_signals"),
    Case("writes_after_eof"),
)

FLOODS = (
    Case("hundred_thousand_notifications", within=20.0),
    Case("late_response"),
    Case("stderr_flood", evidence=("e" * 999,), within=20.0),
    Case("large_lines_on_stderr", evidence=("e" * 999,), within=20.0),
    Case("large_notifications", within=20.0),
    Case("large_requests", evidence=("roots/list",), within=20.0),
    Case("response_before_endless_line", flags=SMALL),
    Case("stderr_without_newlines", evidence=("a line of more than 1048576 bytes is left out",), within=20.0),
    Case("stderr_after_a_long_line", evidence=("1048576 bytes is left out", "the ink is out"), within=20.0),
    Case("stderr_not_text", evidence=("caf\ufffd",)),
    timeout("no_response", NO_ANSWER, '"thinking": 3'),
    timeout("stops_reading", NO_ANSWER),
    timeout("stops_reading_after_initialize", NO_ANSWER),
    timeout("stops_reading_and_floods", NO_ANSWER, '"n": 0', rules=None),
    timeout("endless_notifications", NO_ANSWER, '"n": 0', rules=None),
    timeout("endless_notifications_at_start", '"n": 0', code="CONNECTION_TIMEOUT", rules=None),
    timeout("endless_noise", NO_ANSWER, "noise", rules=None),
    timeout("endless_blank_lines", NO_ANSWER, rules=None),
    failing("endless_line", "INVALID_RESPONSE", TOO_LONG, "xxx", flags=SMALL),
    failing("endless_line_at_start", "INVALID_RESPONSE", TOO_LONG, "xxx", flags=SMALL),
    failing("endless_response", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
    failing("fifty_megabytes", "INVALID_RESPONSE", TOO_LONG, flags=SMALL),
)

CASES = (*ENDINGS, *FLOODS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_plain_output_has_the_result_or_the_error(case: Case, faulty: Faulty) -> None:
    check_plain(case, "--", *faulty(case.name))


@pytest.mark.parametrize("case", documented(*CASES), ids=str)
def test_structured_output_has_the_result_or_the_error(case: Case, faulty: Faulty) -> None:
    check_structured(case, "--", *faulty(case.name))


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ignores_signals_and_eof",
            "ignores_eof",
            "leaves_child_ignoring_sigterm",
            "leaves_20_children",
        ),
        *("launcher_of_server_ignoring_signals", "leaves_child_in_own_session", "leaves_daemon"),
    ],
)
def test_wait_flag_leaves_no_processes(name: str, faulty: Faulty) -> None:
    words = faulty(name)

    check_plain(Case(name, flags=("--wait",)), "--", *words)

    assert processes(words[-1]) == []


def test_fifty_megabyte_result_uses_at_most_five_times_its_size(faulty: Faulty) -> None:
    ran = run(Case("fifty_megabytes"), "--", *faulty("fifty_megabytes"))

    assert ran.memory < 5 * 50


def test_fifty_megabyte_result_is_printed_verbatim(faulty: Faulty) -> None:
    expected = {"content": [{"type": "text", "text": "x" * (50 << 20)}]}
    case = Case("fifty_megabytes", expected, within=20.0, memory=300.0)

    check_plain(case, "--", *faulty(case.name))


def test_forty_megabyte_arguments_are_sent_verbatim(tmp_path: Path) -> None:
    text, given = "0123456789abcdef" * (40 << 16), tmp_path / "given.json"
    given.write_text(json.dumps({"text": text}))
    plain = Path(__file__).parents[2] / "fixtures" / "servers" / "plain.py"

    ran = measured(*CALL, "--tool-args", f"@{given}", "--", sys.executable, "-SI", str(plain))

    assert (ran.json["content"][0]["text"] == text, ran.exit_code, ran.stderr) == (True, 0, "")


def test_at_most_ten_thousand_notifications_are_kept(faulty: Faulty) -> None:
    case = Case("hundred_thousand_notifications", within=20.0)

    document = run(case, "--structured", "--", *faulty(case.name)).json

    kept = [{name: note[name] for name in NOTIFICATION} for note in document["notifications"]]
    assert kept == [NOTIFICATION] * 10_000
    assert document["dropped"] == {"notifications": 90_000}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("large_notifications", "notifications"),
        ("large_requests", "serverRequests"),
        ("large_lines_on_stderr", "stderr"),
    ],
)
def test_memory_is_bounded_for_large_messages(name: str, kept: str, faulty: Faulty) -> None:
    case = Case(name, evidence=("x" * 999,) if kept != "stderr" else ("e" * 999,), within=20.0, memory=160.0)

    document = check_structured(case, "--", *faulty(name))

    assert len(document[kept]) + document["dropped"][kept] == 60


def test_memory_is_bounded_when_stdout_is_not_read(faulty: Faulty) -> None:
    words = [COMMAND, "--follow", *CALL, "--", *faulty("endless_large_notifications")]
    following = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        time.sleep(3)
        peak = int(re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{following.pid}/status").read_text())[0]) / 1024
    finally:
        following.terminate()
        _, stderr = following.communicate(timeout=10)

    assert (following.returncode, b"Traceback" in stderr) == (0, False)
    assert peak < 160


def test_large_request_to_an_exiting_server_reports_its_exit_code(faulty: Faulty, tmp_path: Path) -> None:
    case = failing(
        "exits_after_initialize", "SERVER_EXITED", "code 5", flags=("--tool-args", arguments(tmp_path, 4 << 20))
    )

    check_plain(case, "--", *faulty(case.name))


def test_large_request_to_a_non_reading_server_times_out(faulty: Faulty, tmp_path: Path) -> None:
    case = timeout("stops_reading_after_initialize", NO_ANSWER, flags=("--tool-args", arguments(tmp_path, 4 << 20)))

    check_plain(case, "--", *faulty(case.name))


def test_large_request_is_delivered(faulty: Faulty, tmp_path: Path) -> None:
    case = Case(
        "reports_argument_size",
        {"content": [], "_meta": {"size": 4 << 20}},
        flags=("--tool-args", arguments(tmp_path, 4 << 20)),
    )

    check_plain(case, "--", *faulty(case.name))


def arguments(folder: Path, size: int) -> str:
    """The flag value for arguments of this size."""
    path = folder / "arguments.json"
    path.write_text(f'{{"text":"{"x" * size}"}}')
    return f"@{path}"


@pytest.mark.parametrize("launcher", ["{}; true", "exec 3<&0; {} <&3 & wait", "exec {}", "({})"])
@pytest.mark.parametrize("name", ["ignores_signals", "ignores_signals_and_eof"])
def test_server_started_through_a_shell_is_ended(name: str, launcher: str, faulty: Faulty) -> None:
    check_plain(Case(name), "--", "sh", "-c", launcher.format(" ".join(faulty(name))))


def program(path: Path, text: str, mode: int) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda _: "no-such-server-command", "command not found", id="unknown"),
        pytest.param(lambda _: "/no/such/server", "command not found", id="no such path"),
        pytest.param(lambda folder: program(folder / "a", "#!/bin/sh\n", 0o644), "cannot be executed", id="no right"),
        pytest.param(
            lambda folder: program(folder / "g", "#!/bin/sh\n", 0o644), "chmod +x /", id="a #! line, no right"
        ),
        pytest.param(lambda folder: program(folder / "h", "\0", 0o644), "chmod +x /", id="a binary, no right"),
        pytest.param(lambda folder: program(folder / "i", "x", 0o644), "has no #! line", id="no program, no right"),
        pytest.param(lambda _: "./" + "a" * 3000, "File name too long", id="a long name"),
        pytest.param(lambda folder: program(folder / "b", "x", 0o755), "is not an executable program", id="no program"),
        pytest.param(
            lambda folder: program(folder / "c", "#!/no/such/interpreter\n", 0o755), "/no/such/interpreter", id="no #!"
        ),
        pytest.param(
            lambda folder: program(folder / "f", "#!/bin/sh\r\n", 0o755), "ends with a carriage return", id="#! with CR"
        ),
        pytest.param(lambda folder: program(folder / "d.js", "", 0o644), " node /", id="a script, no right"),
        pytest.param(lambda folder: program(folder / "e.py", "", 0o755), " python3 /", id="a script, no #!"),
        pytest.param(str, "cannot be executed", id="a folder"),
    ],
)
def test_command_that_cannot_be_started_is_reported(make: Callable[[Path], str], words: str, tmp_path: Path) -> None:
    path = make(tmp_path)
    case = failing("", "COMMAND_NOT_FOUND", path, words)

    check_plain(case, "--", path)
    check_structured(case, "--", path)


def test_missing_interpreter_of_a_command_in_cwd_is_reported(tmp_path: Path) -> None:
    program(tmp_path / "server", "#!/no/such/interpreter\n", 0o755)
    case = failing("", "COMMAND_NOT_FOUND", "its interpreter '/no/such/interpreter' does not exist")

    check_plain(case, "--cwd", str(tmp_path), "--", "./server")


def test_missing_cwd_is_reported(tmp_path: Path) -> None:
    folder = str(tmp_path / "missing")
    case = failing("", "COMMAND_NOT_FOUND", folder, flags=("--cwd", folder))

    check_plain(case, "--", "true")


def test_misspelled_command_gets_a_suggestion(tmp_path: Path) -> None:
    program(tmp_path / "my-mcp-server", "#!/bin/sh\n", 0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    ran = measured(*CALL, "--", "my-mpc-server", env=path)

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert " -- my-mcp-server\n" in ran.stderr


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("sh -c true", "write the command without quotes: ... -- sh -c true"),
        ("localhost:8765/mcp", "add the scheme to the URL: ... -- http://localhost:8765/mcp"),
        ("localhost", "add the scheme to the URL: ... -- http://localhost"),
        ("example.com/mcp", "add the scheme to the URL: ... -- https://example.com/mcp"),
        ("mcp.example.com:443", "add the scheme to the URL: ... -- http://mcp.example.com:443"),
    ],
)
def test_unusable_command_gets_a_corrected_line(command: str, meant: str) -> None:
    ran = measured(*CALL, "--", command)

    assert (ran.exit_code, ran.stdout) == (1, "")
    found, _, words = meant.partition(" ... ")
    assert found in ran.stderr
    assert ran.stderr.endswith(f" {words}\n")


def test_script_file_given_as_command_suggests_its_interpreter(tmp_path: Path) -> None:
    program(tmp_path / "server.mjs", "", 0o644)

    ran = measured(*CALL, "--cwd", str(tmp_path), "--", "server.mjs")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.endswith(" -- node server.mjs\n")


def test_failure_before_the_first_message_leaves_no_server(faulty: Faulty, tmp_path: Path) -> None:
    case = failing(
        "ignores_signals_and_eof",
        "INVALID_ARGUMENT",
        "--trace",
        flags=("--trace", str(tmp_path / "no" / "such")),
    )

    check_plain(case, "--", *faulty(case.name))


def left(words: tuple[str, ...], signals: Sequence[signal.Signals], *more: str) -> int:
    """The exit code after these signals, the first of which is sent as soon as the server runs."""
    running = subprocess.Popen([COMMAND, *CALL, *more, "--", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: any(COMMAND not in line for line in processes(words[-1])))
    for number in signals:
        running.send_signal(number)
        time.sleep(0.3)
    _, stderr = running.communicate(timeout=10)
    assert b"Traceback" not in stderr
    return running.returncode


ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM]


@pytest.mark.parametrize("number", ENDING, ids=lambda number: number.name)
def test_early_signal_leaves_no_server(number: signal.Signals, faulty: Faulty) -> None:
    assert left(faulty("ignores_signals_and_calls"), [number]) == 130


def test_second_signal_leaves_no_server(faulty: Faulty) -> None:
    assert left(faulty("ignores_signals_and_calls"), [signal.SIGINT, signal.SIGINT], "--wait") == 130


def test_two_signals_leave_no_server_of_a_retry(faulty: Faulty, tmp_path: Path) -> None:
    once = 'test -e "$0" || { touch "$0"; exit 1; }; exec "$@"'
    words = ("sh", "-c", once, str(tmp_path / "tried"), *faulty("ignores_signals_and_calls"))

    assert left(words, [signal.SIGINT, signal.SIGINT], "--wait", "--retry", "1") == 130
    wait_until(lambda: processes(str(tmp_path)) == [], within=4.0)


def test_ignored_hangup_does_not_end_the_call(faulty: Faulty) -> None:
    started = time.monotonic()

    ran = subprocess.run(
        [  # noqa: S607 - run by a shell
            "sh",
            "-c",
            'trap "" HUP; "$@" & sleep 1; kill -HUP $!; wait $!',
            "sh",
            COMMAND,
            *CALL,
            "--",
            *faulty("late_response"),
        ],
        stdout=subprocess.PIPE,
        check=True,
    )

    assert json.loads(ran.stdout) == PONG
    assert time.monotonic() - started < 10


def test_each_retry_ends_its_server(faulty: Faulty) -> None:
    case = failing(
        "no_responses", "CONNECTION_TIMEOUT", "initialize (request 2)", time=SHORT, within=10.0, flags=("--retry", "1")
    )

    check_plain(evolve(case, exit=124), "--", *faulty(case.name))


def test_full_disk_on_stdout_is_reported_in_one_line(faulty: Faulty) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [COMMAND, *CALL, "--", *faulty("ignores_signals_and_eof")],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert (ran.returncode, ran.stderr) == (1, b"mcpi: standard output cannot be written: No space left on device\n")


def test_closed_stdout_pipe_is_not_an_error(faulty: Faulty) -> None:
    words = [COMMAND, *CALL, "--", *faulty("fifty_megabytes")]

    ran = subprocess.run(["/bin/sh", "-c", '"$@" | head -c 9', "sh", *words], capture_output=True, check=True)

    assert (ran.stdout, ran.stderr) == (b'{\n  "cont', b"")


def test_non_blocking_stdout_receives_the_whole_result(faulty: Faulty) -> None:
    words = [COMMAND, *CALL, "--", *faulty("fifty_megabytes")]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    running = subprocess.Popen(words, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    time.sleep(1)

    with os.fdopen(reading, "rb") as pipe:
        size = sum(map(len, iter(lambda: pipe.read(1 << 20), b"")))

    assert running.communicate(timeout=10)[1] == b""
    assert (running.returncode, size > 50 << 20) == (0, True)


BUSY_IN_C = """
import asyncio, subprocess, sys
from mcpi.shell.process.signals import LARGE_WORK, end_at_once, on_interrupt
from mcpi.shell.process.spawn import start_tracked

async def work():
    sleep = [sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"]
    server = start_tracked(lambda: subprocess.Popen(sleep, start_new_session=True))
    with on_interrupt(print), end_at_once(LARGE_WORK):
        print(server.pid, flush=True)
        7 ** 100_000_000

asyncio.run(work())
"""
"""A program that spends minutes in one call, which Python cannot interrupt."""


SIGINT_IN_CALLBACK = """
import os, signal, sys, weakref
class Box: pass
def interrupt(_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "mcpi.core.cli.fast_lane":
            box = Box()
            watch = weakref.ref(box, interrupt)
            del box
from mcpi.shell.main import entry
sys.meta_path.insert(0, Finder())
entry()
"""
"""mcpi, interrupted at its start in a callback of a weak reference: Python ignores the exceptions of such callbacks."""


def test_sigint_during_an_import_is_not_lost() -> None:
    ran = subprocess.run([sys.executable, "-c", SIGINT_IN_CALLBACK, "--demo", "ping"], capture_output=True, check=False)

    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")


def test_sigint_ends_a_call_blocked_in_c_code_and_its_server() -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY_IN_C], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        server = int(running.stdout.readline())
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        code = running.wait(timeout=20)
    end = time.monotonic() + 20
    while _runs(server) and time.monotonic() < end:
        time.sleep(0.05)

    assert (code, _runs(server)) == (-signal.SIGINT, False)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123 - a file in /proc
        return file.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(("stream", "wait"), [("stderr", "sys.stdin.read()"), ("stdout", "sys.stdin.readline()")])
def test_http_server_started_as_a_command_is_recognized(stream: str, wait: str, mcpi: Mcpi) -> None:
    code = f"import sys; print('listening on http://127.0.0.1:3000', file=sys.{stream}, flush=True); {wait}"
    ran = mcpi("ping", "--timeout", "1s", "--", sys.executable, "-c", code)

    assert (ran.exit_code, ran.stdout) == (124 if stream == "stderr" else 1, "")
    assert ran.stderr.splitlines()[-1] == (
        "  it looks like an HTTP server; start it separately, and connect to its URL: "
        "mcpi tools/list http://localhost:3000/mcp"
    )

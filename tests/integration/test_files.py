"""Output files are replaced as a whole or left unchanged under any failure, and no other files are touched."""

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cases import CALL, PONG, Faulty
from running import COMMAND, Mcpi, Ran, clean_environment, measured, wait_until

OLD = "what was there before\n"
ALL = ("--output", "--report-html", "--report-junit", "--report-tap")
DELAYS = (0.0, 0.001, 0.004, 0.016)
"""Seconds from the first change until mcpi is killed."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A directory that must contain no temporary files after the test."""
    path = tmp_path / "out"
    path.mkdir()
    yield path
    assert [one.name for one in path.iterdir() if one.suffix == ".part"] == []


Store = Callable[..., Ran]


@pytest.fixture
def guarded_store(served: Callable[..., str], mcpi: Mcpi) -> Store:
    """Call a server that requires a token, with a token store at this path."""
    url = served(sys.executable, str(Path(__file__).parents[2] / "fixtures/servers/authorized.py"), "PORT")
    return lambda path, *more: mcpi("--method", "tools/list", "--auth-store", str(path), *more, url)


def sizes(folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in os.scandir(folder):
        try:
            found[one.name] = one.stat().st_size
        except FileNotFoundError:
            continue
    return found


def killed(folder: Path, delay: float, *args: str) -> None:
    """Run the command, and kill it this long after the first change in the directory."""
    before = sizes(folder)
    running = subprocess.Popen(
        [COMMAND, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment()
    )
    while sizes(folder) == before and running.poll() is None:
        time.sleep(0.0002)
    time.sleep(delay)
    running.kill()
    running.wait()


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("flag", ["--output", "--report-html"])
def test_kill_leaves_the_old_or_the_new_file(flag: str, delay: float, faulty: Faulty, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(OLD)

    killed(tmp_path, delay, *CALL, flag, str(file), "--", *faulty("ten_megabytes"))

    text = file.read_text()
    assert text == OLD or text.endswith("}\n" if flag == "--output" else "</html>\n")


def test_kill_leaves_the_old_or_the_new_token_store(served: Callable[..., str], mcpi: Mcpi, tmp_path: Path) -> None:
    url = served(sys.executable, str(Path(__file__).parents[2] / "fixtures/servers/authorized.py"), "PORT")
    folder = tmp_path / "store"
    folder.mkdir()
    args = ("--method", "tools/list", "--auth-store", str(folder / "tokens.json"), url)
    assert mcpi(*args).exit_code == 0

    for delay in DELAYS:
        with urllib.request.urlopen(url.replace("/mcp", "/expire"), timeout=10):  # noqa: S310 - an http URL
            killed(folder, delay, *args)
        assert json.loads((folder / "tokens.json").read_text())
    assert mcpi(*args).exit_code == 0


def test_trace_lines_except_the_last_are_complete_after_a_kill(faulty: Faulty, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"

    killed(tmp_path, 1.0, *CALL, "--trace", str(trace), "--", *faulty("endless_notifications"))

    *lines, _ = trace.read_text().split("\n")
    assert len(lines) > 100
    assert {json.loads(line)["direction"] for line in lines} >= {"sent", "received"}


@pytest.mark.parametrize("flag", [*ALL, "--trace"])
def test_fifo_receives_the_file_content(flag: str, faulty: Faulty, folder: Path, mcpi: Mcpi) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()

    ran = mcpi(*CALL, flag, str(pipe), "--", *faulty("blank_lines"))
    reader.join()

    assert (ran.exit_code, "pong" in read[0] or flag in {"--report-junit", "--report-tap"}) == (0, True)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("flag", "path"),
    [
        *(("--output", path) for path in (".", "..", "/", "missing/file", "~nobody-of-that-name/file", "file/below")),
        *((flag, ".") for flag in ALL[1:]),
    ],
)
def test_unwritable_path_fails_before_the_call(flag: str, path: str, faulty: Faulty, folder: Path, mcpi: Mcpi) -> None:
    (folder / "file").write_text(OLD)

    ran = mcpi(*CALL, "--verbose", flag, path, "--", *faulty("blank_lines"), cwd=folder)

    assert (ran.exit_code, "> {" in ran.stderr) == (1, False)
    assert f"{flag}: cannot write {path}" in ran.stderr
    assert sizes(folder) == {"file": len(OLD)}


def test_unwritable_output_is_reported_in_the_envelope(faulty: Faulty, mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, "--structured", "--output", "/missing/file", "--", *faulty("blank_lines"))

    assert ran.json["error"]["message"] == "--output: cannot write /missing/file: No such file or directory"


@pytest.mark.parametrize("server", [("no-such-command",), (sys.executable, "no-such-file.py")])
def test_failed_call_leaves_the_output_file_unchanged(server: tuple[str, ...], folder: Path, mcpi: Mcpi) -> None:
    (folder / "file").write_text(OLD)

    assert mcpi(*CALL, "--output", "file", "--", *server, cwd=folder).exit_code == 1
    assert (folder / "file").read_text() == OLD


def test_refused_script_leaves_the_output_file_unchanged(folder: Path, mcpi: Mcpi) -> None:
    (folder / "file").write_text(OLD)
    (folder / "script.json").write_text("[]")

    for script in ("script.json", "missing.json"):
        ran = mcpi("--demo", "--script", script, "--output", "file", cwd=folder)
        assert (ran.exit_code, ran.stdout, (folder / "file").read_text()) == (1, "", OLD)


def test_envelope_of_a_refused_script_is_written(folder: Path, mcpi: Mcpi) -> None:
    (folder / "script.json").write_text("[]")
    flags = ("--demo", "--script", "script.json", "--structured", "--compact", "--output")

    ran = mcpi(*flags, "file", cwd=folder)
    unwritten = mcpi(*flags, "no/file", cwd=folder)

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert (folder / "file").read_text().startswith('{"structuredVersion":1,')
    assert (unwritten.exit_code, unwritten.stdout.startswith('{"structuredVersion":1,')) == (1, True)
    assert "cannot write no/file" in unwritten.stderr


@pytest.mark.parametrize(
    ("flag", "reading", "args"),
    [
        ("--report-junit", "--script", ("--demo", "--script", "input.json")),
        ("--trace", "--config", ("tools/list", "--config", "input.json")),
        ("--output", "--config", ("--list-servers", "--config", "input.json")),
        ("--output", "--tool-args", ("tools/call", "echo", "--demo", "--tool-args", "@input.json")),
        ("--report-md", "--old", ("diff", "input.json", "--demo")),
    ],
)
def test_input_is_not_overwritten(flag: str, reading: str, args: tuple[str, ...], folder: Path, mcpi: Mcpi) -> None:
    (folder / "input.json").write_text(OLD)
    (folder / "link.json").symlink_to("input.json")

    for name in ("input.json", f"{folder}/./input.json", "link.json"):
        ran = mcpi(*args, flag, name, cwd=folder)
        assert (ran.exit_code, (folder / "input.json").read_text()) == (1, OLD)
        assert ran.stderr == f"mcpi: {flag}: {name} is already used by {reading}\n  choose another file\n"


def test_invalid_command_line_leaves_the_output_file_unchanged(folder: Path, mcpi: Mcpi) -> None:
    (folder / "file").write_text(OLD)

    for mistake in (("--tool-args", "[]"), ("--era", "new")):
        assert mcpi(*CALL, *mistake, "--output", "file", "--demo", cwd=folder).exit_code == 1
    assert (folder / "file").read_text() == OLD


def test_envelope_of_an_invalid_command_line_is_written(folder: Path, mcpi: Mcpi) -> None:
    flags = ("--tool-args", "[]", "--structured", "--output", "file", "--demo")

    assert mcpi(*CALL, *flags, cwd=folder).exit_code == 1
    assert json.loads((folder / "file").read_text())["success"] is False


def test_output_dash_writes_to_stdout(faulty: Faulty, folder: Path, mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, "--output", "-", "--", *faulty("blank_lines"), cwd=folder)

    assert (ran.exit_code, ran.json["content"][0]["text"]) == (0, "pong")
    assert sizes(folder) == {}


def test_file_name_of_maximum_length_is_written(faulty: Faulty, folder: Path, mcpi: Mcpi) -> None:
    file = folder / ("x" * 255)

    assert mcpi(*CALL, "--output", str(file), "--", *faulty("blank_lines")).exit_code == 0
    assert json.loads(file.read_text()) == PONG


def test_file_mode_is_preserved(faulty: Faulty, folder: Path, mcpi: Mcpi) -> None:
    file = folder / "file"
    file.write_text(OLD)
    file.chmod(0o600)

    mcpi(*CALL, "--output", str(file), "--", *faulty("blank_lines"))

    assert (json.loads(file.read_text()), stat.S_IMODE(file.stat().st_mode)) == (PONG, 0o600)


@pytest.mark.skipif(os.geteuid() != 0, reason="requires root")
def test_symlink_of_another_user_is_not_followed(faulty: Faulty, folder: Path, mcpi: Mcpi) -> None:
    link_target, link = folder / "existing", folder / "link"
    link_target.write_text(OLD)
    link.symlink_to(link_target)
    os.chown(link, 12345, 12345, follow_symlinks=False)

    ran = mcpi(*CALL, "--output", str(link), "--", *faulty("blank_lines"))

    assert ran.exit_code == 1
    assert f"{link} is a symbolic link owned by another user" in ran.stderr
    assert link_target.read_text() == OLD


@pytest.mark.skipif(os.geteuid() != 0, reason="requires root")
@pytest.mark.parametrize("flag", ["--output", "--trace"])
def test_symlink_chain_through_another_user_is_not_followed(
    flag: str, faulty: Faulty, folder: Path, mcpi: Mcpi
) -> None:
    (folder / "existing").mkdir()
    (folder / "own").symlink_to("foreign")
    (folder / "foreign").symlink_to("precious")
    os.chown(folder / "foreign", 12345, 12345, follow_symlinks=False)

    ran = mcpi(*CALL, "--verbose", flag, str(folder / "own" / "file"), "--", *faulty("blank_lines"))

    assert (ran.exit_code, "> {" in ran.stderr, list((folder / "existing").iterdir())) == (1, False, [])
    assert f"{folder / 'foreign'} is a symbolic link owned by another user" in ran.stderr


def test_symlink_at_the_lock_path_is_not_followed(guarded_store: Store, folder: Path) -> None:
    link_target = folder / "existing"
    (folder / "tokens.json.lock").symlink_to(link_target)

    ran = guarded_store(folder / "tokens.json")

    assert (ran.exit_code, link_target.exists(), f"{folder / 'tokens.json.lock'} is a symbolic link" in ran.stderr) == (
        1,
        False,
        True,
    )


def test_fifo_is_rejected_as_token_store(guarded_store: Store, folder: Path) -> None:
    os.mkfifo(folder / "tokens.json")

    ran = guarded_store(folder / "tokens.json")

    assert (ran.exit_code, "it is not a regular file" in ran.stderr) == (1, True)


def test_token_store_lock_wait_ends_at_the_timeout(guarded_store: Store, folder: Path) -> None:
    with (folder / "tokens.json.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = guarded_store(folder / "tokens.json", "--timeout", "1s")

    assert (ran.exit_code, ran.seconds < 10.0) == (124, True)
    assert f"another process holds the lock {folder / 'tokens.json.lock'}" in ran.stderr


def test_signal_ends_the_wait_for_the_token_store_lock(served: Callable[..., str], folder: Path) -> None:
    url = served(sys.executable, str(Path(__file__).parents[2] / "fixtures/servers/authorized.py"), "PORT")
    store = folder / "tokens.json"
    command = [COMMAND, "--method", "tools/list", "--auth-store", str(store), "--verbose", "--timeout", "60s", url]
    with (folder / "tokens.json.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        running = subprocess.Popen(command, stderr=subprocess.PIPE, env=clean_environment())
        time.sleep(2.0)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=5)

    assert (running.returncode, b"Traceback" in stderr) == (130, False)


@pytest.mark.parametrize("flag", ["--output", "--report-tap", "--trace"])
def test_unread_output_fifo_wait_ends_at_the_timeout(flag: str, faulty: Faulty, folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    ran = measured(*CALL, "--timeout", "1s", flag, str(folder / "pipe"), "--", *faulty("blank_lines"))

    assert (ran.exit_code in {1, 124}, ran.seconds < 10.0) == (True, True)
    assert "no process is reading the pipe" in ran.stderr


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["--tool-args", "-"], subprocess.PIPE),
        (["--tool-args", "@pipe"], subprocess.DEVNULL),
        (["--config", "pipe"], subprocess.DEVNULL),
    ],
)
def test_unterminated_input_ends_at_the_timeout(words: list[str], stdin: int, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    target = [] if "--config" in words else ["--demo"]
    command = [COMMAND, *target, *CALL, "--timeout", "1s", *words]
    with subprocess.Popen(command, stdin=stdin, stderr=subprocess.PIPE, cwd=folder, env=clean_environment()) as running:
        assert running.wait(20) == 124
        assert running.stderr is not None
        assert b"cannot read " in running.stderr.read()


WAITING = (
    ("--output", "pipe", "--timeout", "60s"),
    ("--trace", "pipe", "--timeout", "60s"),
    ("--tool-args", "@pipe", "--timeout", "60s"),
    ("--tool-args", "-", "--timeout", "60s"),
)


@pytest.mark.parametrize("words", WAITING, ids=" ".join)
def test_signal_ends_a_blocked_file_read(words: tuple[str, ...], folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    command = [COMMAND, "--demo", "--method", "tools/call", "--tool-name", "echo", *words]
    if words[0] != "--tool-args":
        command += ["--tool-arg", "text=x"]
    running = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=clean_environment()
    )
    time.sleep(2.0)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=3)

    assert (running.returncode, b"Traceback" in stderr) == (130, False)


@pytest.mark.parametrize("words", [("--verbose",), ("--trace", "pipe", "--quiet")], ids=" ".join)
@pytest.mark.parametrize("number", [None, signal.SIGTERM])
def test_full_pipe_does_not_block_the_result_or_the_exit(
    words: tuple[str, ...], number: int | None, folder: Path
) -> None:
    os.mkfifo(folder / "pipe")
    reading = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    long = "x" * 300_000
    server = [sys.executable, "-SI", str(Path(__file__).parents[2] / "fixtures" / "servers" / "plain.py")]
    (folder / "args.json").write_text(json.dumps({"text": long}))
    stderr_read, stderr_write = os.pipe()
    command = [
        COMMAND,
        "--method",
        "tools/call",
        "--tool-name",
        "echo",
        "--tool-args",
        "@args.json",
        *words,
        "--",
        *server,
    ]
    with (folder / "out").open("wb") as out:
        running = subprocess.Popen(command, stdout=out, stderr=stderr_write, cwd=folder, env=clean_environment())
    wait_until(lambda: long in (folder / "out").read_text())
    if number is not None:
        running.send_signal(number)
    assert running.wait(15) in {0, 130, -signal.SIGTERM}
    for one in (reading, stderr_read, stderr_write):
        os.close(one)


def test_slow_stderr_reader_receives_every_line(folder: Path) -> None:
    server = [sys.executable, "-SI", str(Path(__file__).parents[2] / "fixtures" / "servers" / "plain.py")]
    (folder / "args.json").write_text(json.dumps({"text": "x" * 300_000}))
    command = [COMMAND, "--method", "tools/call", "--tool-name", "echo", "--tool-args", f"@{folder}/args.json"]
    command += ["--verbose", "--", *server]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=clean_environment()
    ) as running:
        time.sleep(2.0)
        assert running.stderr is not None
        lines = running.stderr.read().decode().splitlines()

    assert [len(line) > 300_000 for line in lines if "xxx" in line] == [True, True]


def test_symlink_loop_is_reported(faulty: Faulty, folder: Path, mcpi: Mcpi) -> None:
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")

    ran = mcpi(*CALL, "--output", str(folder / "a"), "--", *faulty("blank_lines"))

    assert ran.exit_code == 1
    assert "Too many levels of symbolic links" in ran.stderr


def test_output_to_dev_stdout_writes_a_redirected_file(faulty: Faulty, folder: Path) -> None:
    with (folder / "file").open("wb") as file:
        words = [COMMAND, *CALL, "--output", "/dev/stdout", "--", *faulty("blank_lines")]
        subprocess.run(words, stdout=file, check=True, env=clean_environment())

    assert json.loads((folder / "file").read_text()) == PONG
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize(
    ("redirection", "flag", "text"),
    [
        ("2>>log", "--output /dev/stderr", "pong"),
        (">>log", "--output /dev/fd/1", "pong"),
        ("3>>log", "--report-tap /proc/self/fd/3", "1..1"),
        ("2>>log", "--trace /dev/stderr --verbose", '"direction":"sent"'),
    ],
)
def test_descriptor_appends_to_a_redirected_file(
    redirection: str, flag: str, text: str, faulty: Faulty, folder: Path
) -> None:
    (folder / "log").write_text(OLD)
    words = [COMMAND, *CALL, *flag.split(), "--", *faulty("blank_lines")]

    subprocess.run(
        ["/bin/sh", "-c", f'"$@" {redirection}', "sh", *words], check=True, cwd=folder, env=clean_environment()
    )

    written = (folder / "log").read_text()
    assert (written.startswith(OLD), text in written) == (True, True)
    assert "--verbose" not in flag or "> {" in written


def test_preexisting_temporary_symlink_is_not_written_through(faulty: Faulty, folder: Path) -> None:
    link_target = folder / "existing"
    link_target.write_text(OLD)
    script = 'ln -s "$1/precious" "$1/.mcpi-$$.part"; shift; exec "$@"'
    words = [COMMAND, *CALL, "--output", str(folder / "file"), "--", *faulty("blank_lines")]

    subprocess.run(["/bin/sh", "-c", script, "sh", str(folder), *words], check=True, env=clean_environment())

    assert (link_target.read_text(), json.loads((folder / "file").read_text())) == (OLD, PONG)


def test_full_disk_ends_the_trace_but_not_the_call(faulty: Faulty, mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, "--trace", "/dev/full", "--", *faulty("blank_lines"))

    assert (ran.exit_code, ran.json) == (0, PONG)
    assert ran.stderr == "mcpi: warning: --trace stopped: cannot write /dev/full: No space left on device\n"


@pytest.mark.parametrize("flag", ALL[:2])
def test_full_disk_fails_output_and_reports(flag: str, faulty: Faulty, mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, flag, "/dev/full", "--", *faulty("blank_lines"))

    assert ran.exit_code == 1
    assert "cannot write /dev/full: No space left on device" in ran.stderr


def test_result_is_printed_when_the_output_file_cannot_be_written(faulty: Faulty, mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, "--output", "/dev/full", "--", *faulty("blank_lines"))

    assert (ran.exit_code, ran.json) == (1, PONG)


def test_report_includes_failures_before_the_server_starts(folder: Path, mcpi: Mcpi) -> None:
    report = folder / "report.xml"
    mcpi("--demo", "--method", "tools/call", "--tool-name", "add", "--tool-args", "[]", "--report-junit", str(report))

    assert 'failures="1"' in report.read_text()


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        ("--script smok.json --demo", "did you mean: mcpi --script smoke.json --demo"),
        ("ping --config=./smokes.json", "did you mean: mcpi ping --config=./smoke.json"),
        (
            "tools/call echo --tool-args @smoke.jsn --demo",
            "did you mean: mcpi tools/call echo --tool-args @smoke.json --demo",
        ),
        ("diff smoke.jsonc --demo", "did you mean: mcpi diff smoke.json --demo"),
    ],
)
def test_misspelled_file_suggests_the_nearest_one(args: str, hint: str, folder: Path, mcpi: Mcpi) -> None:
    (folder / "smoke.json").write_text("[]")
    (folder / "smoke").mkdir()

    ran = mcpi(*args.split(), cwd=folder)

    assert (ran.exit_code, ran.stdout, ran.stderr.splitlines()[1:]) == (1, "", [f"  {hint}"])


def test_file_with_only_the_same_extension_is_not_suggested(tmp_path: Path, mcpi: Mcpi) -> None:
    (tmp_path / "s.json").write_text("[]")

    ran = mcpi("--demo", *CALL, "--tool-args", "@args.json", cwd=tmp_path)

    assert ran.stderr == "mcpi: --tool-args: cannot read args.json: No such file or directory\n"


@pytest.mark.parametrize("argument", ["@~nobody-of-that-name/x", "@missing", "@."])
def test_unreadable_argument_file_is_reported(argument: str, mcpi: Mcpi) -> None:
    ran = mcpi("--demo", *CALL, "--tool-args", argument)

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert f"--tool-args: cannot read {argument[1:]}" in ran.stderr

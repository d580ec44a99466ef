"""Follow mode and watch mode."""

import array
import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

import warm
from running import COMMAND, Mcpi, Web, clean_environment, free_port, listens, processes, wait_until

SDK = Path(__file__).parents[2] / "fixtures" / "servers" / "sdk.py"
PLAIN = str(Path(__file__).parents[2] / "fixtures" / "servers" / "plain.py")
FLOOD = (sys.executable, "-c")
Server = tuple[str, ...]


def lines(text: str) -> list[Any]:
    """The JSON lines of a stream."""
    return [json.loads(line) for line in text.splitlines() if line]


def test_result_precedes_the_events(mcpi: Mcpi) -> None:
    call = ("--method", "tools/call", "--tool-name", "log")

    ran = mcpi("--demo", "--era", "handshake", "--follow", "--max-events", "8", "--timeout", "20s", *call)

    result, blank, *events = ran.stdout.splitlines()
    assert (ran.exit_code, json.loads(result)["isError"], blank) == (0, False, "")
    assert {json.loads(event)["event"] for event in events} == {"notification"}
    assert len(events) == 8


def test_set_level_result_is_followed_by_an_empty_line(mcpi: Mcpi, everything: Server) -> None:
    level = ("--method", "logging/setLevel", "--log-level", "debug")

    ran = mcpi(*everything, "--follow", "--timeout", "4s", "--quiet", *level)

    assert (ran.exit_code, ran.stdout.splitlines()[:2]) == (0, ["{}", ""])


def test_followed_resource_subscription_prints_an_event(mcpi: Mcpi, everything: Server) -> None:
    subscribe = ("--method", "resources/subscribe", "--uri", "demo://resource/static/document/architecture.md")

    ran = mcpi(*everything, "--follow", "--timeout", "4s", "--quiet", *subscribe)

    found = [(one["event"], one.get("uri")) for one in lines(ran.stdout) if "event" in one]
    assert ran.exit_code == 0
    assert ("subscribed", "demo://resource/static/document/architecture.md") in found


def test_sampling_is_an_event(mcpi: Mcpi) -> None:
    call = ("--method", "tools/call", "--tool-name", "ask-model", "--handle-sampling", "auto")

    ran = mcpi("--demo", "--era", "handshake", "--follow", "--max-events", "1", "--timeout", "20s", *call)

    (event,) = [line for line in lines(ran.stdout) if "event" in line]
    assert (event["event"], event["response"]["model"]) == ("sampling", "stub-model")


def test_closed_stdout_ends_the_stream_without_an_error() -> None:
    command = f"{COMMAND} --demo --era handshake --follow --method tools/call --tool-name log | head -3"

    ran = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)  # noqa: S607

    assert (ran.returncode, len(ran.stdout.splitlines()), ran.stderr.count("Traceback")) == (0, 3, 0)


CLOSED = (
    # The interrupted step fails; a script that has ended keeps its own exit code.
    ("| true", 130, 130),
    ("--ndjson | head -1", 130, 130),
    ("--output {folder}/result.json | true", 1, 0),
    ("| head -1", 1, 0),
)


@pytest.mark.parametrize("steps", [["ping", "fail"], ["ping", "ping"]], ids=" ".join)
@pytest.mark.parametrize(("reader", "failing", "passing"), CLOSED)
def test_script_whose_reader_leaves_has_a_verdict_and_a_report(
    tmp_path: Path, steps: list[str], reader: str, failing: int, passing: int
) -> None:
    script, report = tmp_path / "script.json", tmp_path / "junit.xml"
    slow = {"method": "tools/call", "toolName": "slow", "toolArgs": {"steps": 1, "delayMs": 300}}
    ends = {"ping": {"method": "ping"}, "fail": {"method": "tools/call", "toolName": "fail"}}
    script.write_text(json.dumps([ends[steps[0]], slow, ends[steps[1]]]), "utf-8")
    command = f"{COMMAND} --demo --script {script} --report-junit {report} {reader.format(folder=tmp_path)}"

    ran = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)  # noqa: S607

    assert (ran.returncode, "<testsuite" in report.read_text("utf-8")) == (
        failing if "fail" in steps else passing,
        True,
    )


def test_signal_ends_the_stream_cleanly() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        word = f"follow-signal-{os.getpid()}-{number}"
        server = (sys.executable, "-m", "mcpi.shell.demo.demo_server", word)
        process = subprocess.Popen(
            (COMMAND, "--follow", "--method", "tools/list", "--", *server),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_environment(),
        )
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        _, stderr = process.communicate(timeout=20)

        assert (process.returncode, stderr) == (0, b"")
        until = time.monotonic() + 2
        while processes(word) and time.monotonic() < until:
            time.sleep(0.05)
        assert processes(word) == []


FLOODING = ("--follow", "--quiet", "--method", "logging/setLevel", "--log-level", "info")
LARGE = ("--method", "tools/call", "--tool-name", "text")


def unread(*args: str) -> subprocess.Popen[bytes]:
    """Run a command that writes more than an unread pipe holds."""
    command = (COMMAND, *args, "--", sys.executable, "-SI", PLAIN, "3", "10000", "1")
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=clean_environment())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("args", "code"), [(FLOODING, 0), (LARGE, 130)], ids=["a stream", "a result"])
def test_signal_ends_a_run_blocked_on_an_unread_pipe(args: tuple[str, ...], code: int, number: signal.Signals) -> None:
    with unread(*args) as running:
        assert running.stdout is not None
        # It blocks once the pipe is full.
        wait_until(lambda: filled(running.stdout), within=20.0)
        running.send_signal(number)

        assert running.wait(timeout=10) == code


def test_stream_that_ends_while_blocked_on_an_unread_pipe_keeps_its_lines_whole() -> None:
    with unread(*FLOODING, "--ndjson", "--timeout", "3s") as running:
        assert running.wait(timeout=20) == 0
        assert running.stdout is not None
        printed = running.stdout.read()

    assert printed.endswith(b"\n")
    assert len(printed) > 60_000
    assert all(json.loads(line) for line in printed.splitlines())


def filled(pipe: Any) -> bool:
    """True if the pipe is nearly full."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0] > 60_000


def test_interrupted_call_exits_with_130() -> None:
    server = ("sh", "-c", "echo started >&2; exec sleep 60")
    process = subprocess.Popen((COMMAND, "--method", "tools/list", "--", *server), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)

    assert (process.returncode, stderr) == (130, "mcpi: interrupted by SIGINT\n")


def test_exited_server_ends_the_stream_with_exit_code_1(mcpi: Mcpi) -> None:
    ran = mcpi("--follow", "--quiet", "--", "sh", "-c", "exec 0<&-; sleep 0.2; exit 3", time_limit=30)

    assert ran.exit_code == 1


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_lost_http_server_ends_the_stream_with_a_closed_event(era: str) -> None:
    port = free_port()
    server = warm.start([str(SDK), "http", str(port)], os.environ)
    try:
        wait_until(lambda: listens(port))
        words = [warm.command("mcpi"), f"http://127.0.0.1:{port}/mcp", "--era", era, "--follow", "--timeout", "30s"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as following:
            time.sleep(2)
            server.end()
            out, _ = following.communicate(timeout=20)
    finally:
        server.end()

    assert (following.returncode, json.loads(out.splitlines()[-1])["event"]) == (1, "closed")


def test_watch_prints_one_document(mcpi: Mcpi) -> None:
    call = ("--method", "tools/call", "--tool-name", "log")

    ran = mcpi("--demo", "--era", "handshake", "--watch", "300ms", "--quiet", *call)

    assert (ran.exit_code, ran.json["success"]) == (0, True)
    assert [entry["level"] for entry in ran.json["logs"]][:3] == ["debug", "info", "notice"]


def test_twenty_thousand_events_arrive_in_order(mcpi: Mcpi, tmp_path: Any) -> None:
    flood = tmp_path / "flood.py"
    flood.write_text(_FLOOD)

    ran = mcpi(sys.executable, str(flood), "--follow", "--max-events", "20000", "--quiet", "--timeout", "60s")

    assert ran.exit_code == 0
    assert [event["params"]["data"] for event in lines(ran.stdout)] == list(range(20000))


_FLOOD = """
import sys, json
def say(message): sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        info = {"serverInfo": {"name": "f", "version": "1"}, "capabilities": {"logging": {}}}
        say({"id": m["id"], "result": {"protocolVersion": "2025-11-25", **info}})
    elif m.get("method") == "logging/setLevel":
        say({"id": m["id"], "result": {}})
        for n in range(20000):
            say({"method": "notifications/message", "params": {"level": "info", "data": n}})
    elif "id" in m:
        say({"id": m["id"], "error": {"code": -32601, "message": "no"}})
    sys.stdout.flush()
"""


def test_output_to_a_slow_reader_ends_with_a_whole_line_after_a_signal() -> None:
    web = Web(str(Path(PLAIN).with_name("flooding.py")), "5000", "60")
    words = [COMMAND, "--follow", "--method", "tools/call", "--tool-name", "echo", web.url()]
    output = b""
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=clean_environment()) as following:
        assert following.stdout is not None
        began, signalled = time.monotonic(), False
        while part := os.read(following.stdout.fileno(), 1024):
            output += part
            # Slower than the server, so that the pipe is full.
            time.sleep(0.001)
            if not signalled and time.monotonic() - began > 2:
                following.terminate()
                signalled = True
    web.end()

    events = [json.loads(line) for line in output.splitlines()[2:]]
    numbers = [event["params"]["n"] for event in events if event["event"] == "notification"]
    assert numbers
    assert numbers == [*range(1, len(numbers) + 1)]

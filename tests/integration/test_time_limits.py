"""An explicit --timeout limits every phase: connecting, requests, and reading input files."""

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import pytest

from running import Mcpi, Ran

LIMIT, SLACK, MOST = 1.0, 1.0, 10.0
"""The timeout of a command in seconds, the delay allowed in addition, and the maximum duration of a run. A run in which
the timeout has no effect takes thirty seconds.
"""
SWIFT = (sys.executable, "-SI", str(Path(__file__).parents[2] / "fixtures" / "servers" / "swift.py"))
LOGGING_SERVER = """
import json, sys, threading
def say(**members):
    print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)
def talk():
    say(method="notifications/x")
    threading.Timer(0.1, talk).start()
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        info = {"serverInfo": {"name": "t", "version": "1"}, "capabilities": {}}
        say(id=asked["id"], result={"protocolVersion": "2025-11-25", **info})
        talk()
    elif "id" in asked:
        say(id=asked["id"], error={"code": -32601, "message": "no"})
"""
"""A server that sends ten notifications a second."""
ATTEMPTS = 3
"""Attempts: a busy machine may delay one run, but not all."""
BODIES = {
    "hangs": b"",
    "dribbles": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n",
    "never names an endpoint": b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
}


@contextmanager
def slow_response(head: bytes) -> Iterator[str]:
    """The URL of a server that sends this body, then a space every tenth of a second."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                connection.recv(65536)
                connection.sendall(head)
                while not ended.wait(0.1):
                    if head:
                        connection.sendall(b" ")

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        ended.set()


def check_ends(mcpi: Mcpi, *args: str) -> Ran:
    """Check that the command times out within a second of its limit, and return the run.

    A run with a timeout of 1 ms measures the time that starting and ending the command takes.
    """
    overhead, ran = 0.0, None
    for _ in range(ATTEMPTS):
        overhead = mcpi("--timeout", "1ms", *args).seconds
        ran = mcpi("--timeout", f"{LIMIT:g}s", *args)
        assert (ran.exit_code, LIMIT <= ran.seconds < MOST) == (124, True)
        if ran.seconds < overhead + LIMIT + SLACK:
            return ran
    pytest.fail(f"it took {ran and ran.seconds} s, and {overhead} s without the limit")


MODES = (("--method", "tools/list"), ("--follow",))


@pytest.mark.parametrize("mode", MODES, ids="-".join)
def test_silent_command_times_out(mcpi: Mcpi, mode: tuple[str, ...]) -> None:
    ran = check_ends(mcpi, "sleep", "100", *mode)

    assert (ran.stdout, "no response to server/discover" in ran.stderr) == ("", True)


def test_command_printing_non_protocol_output_times_out(mcpi: Mcpi) -> None:
    ran = check_ends(mcpi, "yes", "--method", "tools/list")

    assert (ran.stdout, "no response to server/discover" in ran.stderr) == ("", True)


@pytest.mark.parametrize(
    ("body", "more"), [("hangs", ()), ("dribbles", ()), ("never names an endpoint", ("--transport", "sse"))]
)
@pytest.mark.parametrize("mode", MODES, ids="-".join)
def test_url_without_a_response_times_out(mcpi: Mcpi, body: str, more: tuple[str, ...], mode: tuple[str, ...]) -> None:
    with slow_response(BODIES[body]) as url:
        ran = check_ends(mcpi, url, *mode, *more)

    assert (ran.stdout, " within " in ran.stderr) == ("", True)


def test_timeout_applies_to_each_request_not_to_their_sum(mcpi: Mcpi) -> None:
    slow = {"method": "tools/call", "toolName": "slow", "toolArgs": {"steps": 1, "delayMs": 800}}
    limits = ("--timeout", "2s", "--connect-timeout", "30s")
    ran = mcpi("--demo", "--era", "handshake", *limits, "--script", "-", stdin=json.dumps([slow] * 3))

    assert (ran.exit_code, sum(step["durationMs"] for step in ran.json) > 2000) == (0, True)


def test_request_without_a_response_times_out(mcpi: Mcpi) -> None:
    call = ("--method", "tools/call", "--tool-name", "stall", "--era", "handshake", "--connect-timeout", "30s")
    ran = check_ends(mcpi, *call, "--", *SWIFT)

    assert "no response to tools/call (request 2) within 1" in ran.stderr


def test_timeout_in_follow_mode_limits_the_whole_run(mcpi: Mcpi) -> None:
    ran = mcpi(
        "--follow", "--timeout", "4s", "--", sys.executable, "-c", f"import time; time.sleep(2)\n{LOGGING_SERVER}"
    )
    events = [json.loads(line) for line in ran.stdout.splitlines() if line]
    first, *_, last = (datetime.fromisoformat(one["timestamp"]) for one in events)

    # A limit measured from the connection would leave four seconds for the events.
    assert (ran.exit_code, (last - first).total_seconds() < 3) == (0, True)


def test_timeout_of_zero_hints_at_a_long_timeout(mcpi: Mcpi) -> None:
    ran = mcpi("sleep", "100", "--method", "tools/list", "--timeout", "0")

    assert ran.exit_code == 124
    assert "--timeout 0 expires at once; to disable it in practice, use --timeout 24h" in ran.stderr


@pytest.mark.parametrize(
    ("timeout", "hint"),
    [
        ("500", "--timeout 500 means 500 ms; write 500s for seconds"),
        ("500ms", "for slow servers, use a longer --timeout"),
    ],
)
def test_timeout_that_ends_connecting_is_named(timeout: str, hint: str, mcpi: Mcpi) -> None:
    ran = mcpi("sleep", "100", "--method", "tools/list", "--timeout", timeout)

    assert (ran.exit_code, ran.stderr.splitlines()[2:]) == (124, [f"  {hint}"])


def test_timeout_that_is_probably_meant_as_seconds_is_warned_of(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "lint", "--max-total-timeout", "99", "--demo", "--output", os.devnull)
    warned = "mcpi: warning: --max-total-timeout 99 means 99 ms; write 99s for seconds"

    # A timeout that expires has the same hint.
    assert (warned in ran.stderr.splitlines()) == (ran.exit_code == 0), ran.stderr
    assert warned.partition("warning: ")[2] in ran.stderr


def test_connect_timeout_overrides_timeout_for_connecting(mcpi: Mcpi) -> None:
    ran = mcpi("sleep", "100", "--method", "tools/list", "--timeout", "60s", "--connect-timeout", "300")

    assert ran.exit_code == 124
    assert "--connect-timeout 300 means 300 ms; write 300s for seconds" in ran.stderr


def test_unterminated_script_file_times_out(mcpi: Mcpi, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ran = check_ends(mcpi, "--demo", "--script", str(pipe))

    assert (ran.stdout, f"--script: cannot read {pipe} within 1 s" in ran.stderr) == ("", True)


def test_other_timeouts_do_not_limit_reading_a_file(mcpi: Mcpi, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    limits = ("--connect-timeout", "10s", "--max-total-timeout", "1s")
    later = threading.Timer(2.0, pipe.write_text, ["[]"])
    later.start()
    ran = mcpi("--demo", "--script", str(pipe), *limits)
    later.join()

    # All of the file was read.
    assert (ran.exit_code, ran.stderr) == (1, f"mcpi: {pipe}: the script has no steps\n")


def test_catastrophic_pattern_is_matched_quickly(mcpi: Mcpi) -> None:
    echo = ("--method", "tools/call", "--tool-name", "echo", "--tool-arg", f"text={'a' * 60}!")
    ran = mcpi("--demo", "--era", "handshake", *echo, "--expect", "/content/0/text:matches=^(a+)+$")

    assert (ran.exit_code, ran.seconds < MOST) == (1, True)
    assert 'expected matches "^(a+)+$"' in ran.stderr

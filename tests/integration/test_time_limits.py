"""An explicit --timeout ends every phase: connecting, requests, and reading what the flags name."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from running import Mcpi

LIMIT, SLACK = 1.0, 3.0
"""Seconds that a command may take, and seconds for starting and ending it on a busy machine."""
BODIES = {
    "hangs": b"",
    "dribbles": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n",
    "never names an endpoint": b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
}


@contextmanager
def dribbling(head: bytes) -> Iterator[str]:
    """The URL of a server that sends this, and then a space every tenth of a second."""
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


def check_ends(mcpi: Mcpi, *args: str, stdin: str | None = None) -> str:
    """Check the exit code and the time; return stderr."""
    started = time.monotonic()
    ran = mcpi(*args, "--timeout", f"{LIMIT:g}s", stdin=stdin)

    assert (ran.exit_code, ran.stdout) == (124, "")
    assert time.monotonic() - started < LIMIT + SLACK
    return ran.stderr


@pytest.mark.parametrize("command", [("sleep", "100"), ("yes",)])
def test_a_command_that_never_answers_ends_in_time(mcpi: Mcpi, command: tuple[str, ...]) -> None:
    assert "no answer to server/discover" in check_ends(mcpi, *command, "--method", "tools/list")


@pytest.mark.parametrize(
    ("body", "more"), [("hangs", ()), ("dribbles", ()), ("never names an endpoint", ("--transport", "sse"))]
)
@pytest.mark.parametrize("mode", [("--method", "tools/list"), ("--follow",)])
def test_a_url_that_never_answers_ends_in_time(
    mcpi: Mcpi, body: str, more: tuple[str, ...], mode: tuple[str, ...]
) -> None:
    with dribbling(BODIES[body]) as url:
        assert "within 1 s" in check_ends(mcpi, url, *mode, *more)


def test_a_connect_timeout_of_its_own_wins(mcpi: Mcpi) -> None:
    ran = mcpi("sleep", "100", "--method", "tools/list", "--timeout", "60s", "--connect-timeout", "300")

    assert ran.exit_code == 124
    assert "--connect-timeout 300 means 300 ms; write 300s for seconds" in ran.stderr


def test_a_file_that_has_no_end_is_not_read_for_ever(mcpi: Mcpi, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    assert f"--script: cannot read {pipe} within 1 s" in check_ends(mcpi, "--demo", "--script", str(pipe))

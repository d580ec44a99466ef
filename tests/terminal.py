"""The installed command on terminals."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

from attrs import frozen

import warm
from running import TIME_LIMIT, clean_environment

OWN, SAME, PIPE = "a terminal of its own", "the terminal of stdout", "a pipe"


@frozen
class Shown:
    """The output; the carriage returns added by the terminal are removed."""

    exit_code: int
    stdout: str
    stderr: str


def on_terminal(
    *args: str, stdout: str = OWN, stderr: str = OWN, env: dict[str, str] | None = None, columns: int = 100
) -> Shown:
    """Run `mcpi` with its outputs on terminals."""
    ends = {"stdout": _End(stdout, columns), "stderr": _End(stderr, columns)}
    if stderr == SAME:
        ends["stderr"].give(ends["stdout"].write)
    environment = {"TERM": "xterm-256color", **(env or {})}
    process = subprocess.Popen(
        [warm.command("mcpi"), *args],
        stdin=subprocess.DEVNULL,
        stdout=ends["stdout"].write,
        stderr=ends["stderr"].write,
        env={**clean_environment({"NO_COLOR": ""}), **environment},
    )
    for end in ends.values():
        end.listen()
    code = process.wait(TIME_LIMIT)
    texts = [end.text() for end in ends.values()]
    assert "Traceback" not in "".join(texts)
    return Shown(code, *texts)


class _End:
    """One output: the end the command writes to, and the data read from the other end."""

    def __init__(self, kind: str, columns: int) -> None:
        self._data = b""
        self._thread = threading.Thread(target=self._read)
        self._read_end = self.write = -1
        if kind == OWN:
            self._read_end, self.write = pty.openpty()
            fcntl.ioctl(self.write, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        elif kind == PIPE:
            self._read_end, self.write = os.pipe()

    def give(self, write: int) -> None:
        self.write = write

    def listen(self) -> None:
        if self._read_end != -1:
            os.close(self.write)
            self._thread.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._read_end, 1 << 16)
            except OSError:
                return  # the last writer has closed the terminal
            if not data:
                return
            self._data += data

    def text(self) -> str:
        if self._read_end == -1:
            return ""
        self._thread.join(TIME_LIMIT)
        os.close(self._read_end)
        return self._data.decode().replace("\r\n", "\n")

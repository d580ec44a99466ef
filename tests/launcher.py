"""Run a program in a fork of a server in the folder above, or in a fresh interpreter if that is not possible.

`warm.py` installs this file as `mcpi`, `mcpi-serve`, `mcpi-debug-script` and `python`. The process takes the place of
the program until that ends. It has to start fast, so it imports only modules that are built in or written in C.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import os
import sys
from io import BufferedReader

FORWARDED = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGQUIT, _signal.SIGTERM)


def main() -> None:
    """Run the program, and exit with its exit code or signal."""
    folder, name = os.path.split(sys.argv[0])
    argv = sys.argv[1:]
    if name != "python":
        argv.insert(0, os.path.join(os.path.dirname(sys.executable), name))
    kind = "mcpi" if name == "mcpi" or argv[:3] == ["-P", "-m", "mcpi"] else "servers"
    # Block signals until they can be forwarded.
    _signal.pthread_sigmask(_signal.SIG_BLOCK, FORWARDED)
    try:
        responses = requested(os.path.join(os.path.dirname(folder), kind), argv)
        process = int(responses.readline())
    except (OSError, ValueError):
        process = 0
    if not process:
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, FORWARDED)
        os.execv(sys.executable, [sys.executable, *argv])  # noqa: S606 - it takes the place of this process
    forward_signals(process)
    # Close the streams here, so that the reader sees when the program closes them.
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    exit_with(int(responses.readline().split()[0]))


def requested(server: str, argv: list[str]) -> BufferedReader:
    """Send the request, and return the stream of responses."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(server)
    request = marshal.dumps((argv, dict(os.environ), os.getcwd()))
    streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in range(3))
    connection.sendmsg([len(request).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    connection.sendall(request)
    return os.fdopen(connection.detach(), "rb")


def forward_signals(process: int) -> None:
    """Send each signal on to the program."""

    def forward(number: int, _: object) -> None:
        try:  # noqa: SIM105 - importing contextlib takes time
            os.kill(process, number)
        except ProcessLookupError:
            pass

    for number in FORWARDED:
        _signal.signal(number, forward)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, FORWARDED)


def exit_with(code: int) -> None:
    """Exit with this code; a negative one is a signal."""
    if code < 0:
        if code != -_signal.SIGKILL:
            _signal.signal(-code, _signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()

"""An interpreter that has imported mcpi and runs the installed command in a fork of its own for each request.

python fork_server.py SOCKET COMMAND. A request is its length, with the three standard streams as file descriptors, and
a JSON object: `argv`, `env` and `cwd`. The answers are two lines: the process id at once, and after the end the exit
code with the most memory in KiB. It ends when the socket is closed.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import socket
import sys
from collections.abc import Sequence
from typing import Any

PRELOADED = ("mcpi.shell.cli.execute", "mcpi.shell.transports.stdio", "mcpi.shell.transports.http", "asyncio", "httpx2")
"""What nearly all commands import, beside the pure packages."""
PURE = ("mcpi.core", "mcpi.plugins")


def preload() -> None:
    """Import what most commands need; what only some need stays theirs to import."""
    for name in PRELOADED:
        importlib.import_module(name)
    for name in PURE:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)


def become(command: str, request: dict[str, Any], streams: Sequence[int]) -> None:
    """Run the command in this process, as if it had just been started."""
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if request["cwd"] is not None:
        os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = [command, *request["argv"]]
    runpy.run_path(command, run_name="__main__")


def serve(connection: socket.socket, command: str) -> None:
    """Answer requests until there are no more."""
    with connection.makefile("rb") as reader:
        while True:
            head, streams, _, _ = socket.recv_fds(connection, 8, 3)
            if not head:
                return
            request = json.loads(reader.read(int.from_bytes(head, "big")))
            child = os.fork()
            if not child:
                break
            for stream in streams:
                os.close(stream)
            connection.sendall(b"%d\n" % child)
            _, status, used = os.wait4(child, 0)
            connection.sendall(b"%d %d\n" % (os.waitstatus_to_exitcode(status), used.ru_maxrss))
    connection.close()
    become(command, request, streams)


if __name__ == "__main__":
    # The installed command has its own folder there.
    sys.path[0] = os.path.dirname(sys.argv[2])  # noqa: PTH120 - as the interpreter does it
    preload()
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])

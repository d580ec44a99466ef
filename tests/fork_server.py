"""An interpreter with preloaded modules that runs each requested program in a fork.

python fork_server.py SOCKET mcpi|servers. A request is its length, with the three standard streams as file descriptors,
and a JSON object: `program`, `argv`, `env`, `cwd` and `waits`. The answer is a line with the process id and, where the
request waits, after the end a line with the exit code and the most memory in KiB. It ends when the socket is closed.
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
from contextlib import suppress
from typing import Any

PRELOADED = {
    "mcpi": (
        *("mcpi.core", "mcpi.plugins", "mcpi.shell.main", "mcpi.shell.cli", "mcpi.shell.transports"),
        *("asyncio", "ctypes", "hmac", "httpx2", "secrets"),
    ),
    "servers": (
        *("mcp.server", "mcp.server.auth.routes", "mcp.server.sse", "mcp.server.stdio", "mcpi.shell.demo.demo_server"),
        *("starlette.applications", "uvicorn", "uvicorn.protocols.http.h11_impl", "socket", "threading"),
    ),
}
"""What nearly all of them import; what only some need stays theirs to import."""
WHOLE = ("mcpi.core", "mcpi.plugins", "mcpi.shell.cli", "mcpi.shell.transports")
"""Packages whose modules are all imported."""


def preload(names: Sequence[str]) -> None:
    """Import the modules, and all modules of whole packages."""
    for name in names:
        module = importlib.import_module(name)
        if name in WHOLE:
            for part in pkgutil.walk_packages(module.__path__, f"{name}."):
                importlib.import_module(part.name)


def become(request: dict[str, Any], streams: Sequence[int]) -> None:
    """Run the program in this process, as if newly started."""
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if request["cwd"] is not None:
        os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = [request["program"], *request["argv"]]
    # There an interpreter has the folder of its program.
    sys.path[0] = os.path.dirname(request["program"])  # noqa: PTH120 - as the interpreter does it
    runpy.run_path(request["program"], run_name="__main__")


def serve(connection: socket.socket) -> None:
    """Handle requests until the socket is closed."""
    with connection.makefile("rb") as reader:
        while True:
            head, streams, _, _ = socket.recv_fds(connection, 8, 3)
            if not head:
                return
            request = json.loads(reader.read(int.from_bytes(head, "big")))
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            child = os.fork()
            if not child:
                break
            for stream in streams:
                os.close(stream)
            connection.sendall(b"%d\n" % child)
            if request["waits"]:
                _, status, used = os.wait4(child, 0)
                connection.sendall(b"%d %d\n" % (os.waitstatus_to_exitcode(status), used.ru_maxrss))
    connection.close()
    become(request, streams)


if __name__ == "__main__":
    # The folder of the tests, which is not to be seen by what is run.
    sys.path[0] = sys.prefix
    preload(PRELOADED[sys.argv[2]])
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))

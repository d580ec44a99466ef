"""An interpreter with preloaded modules that runs each requested program in a fork.

python fork_server.py mcpi|servers [PYTHON] LISTENER. PYTHON is the interpreter that a program uses to start another,
LISTENER the file descriptor of a listening socket. A request is its length, with the three standard streams as file
descriptors, and a marshalled tuple: the arguments of Python, the environment and the working directory. The response is
a line with the process id, or 0 if the program requires a fresh interpreter, and after the end of the program a line
with its exit code and its peak memory in KiB. A program whose client disconnects is killed. The server ends at the end
of its standard input.
"""

import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from attrs import define, evolve, field, frozen

PRELOADED = {
    "mcpi": (
        *("mcpi.core", "mcpi.plugins", "mcpi.shell.main", "mcpi.shell.cli", "mcpi.shell.transports"),
        *("asyncio", "ctypes", "hmac", "httpx2", "secrets"),
    ),
    "servers": (
        *("mcp.server", "mcp.server.auth.routes", "mcp.server.sse", "mcp.server.stdio", "mcp.server.subscriptions"),
        *("starlette.applications", "uvicorn", "uvicorn.protocols.http.h11_impl", "socket", "threading"),
        *("mcpi.core", "mcpi.plugins", "mcpi.shell.serve", "mcpi.shell.transports"),
        # Not the module of the demo server: Python warns if a module is imported before it is run.
        *("mcpi.shell.demo.contents", "mcpi.shell.demo.demo_tools"),
    ),
}
"""The modules that nearly all programs of a kind import; the others are imported by the programs that need them."""
WHOLE = ("mcpi.core", "mcpi.plugins", "mcpi.shell.cli", "mcpi.shell.serve", "mcpi.shell.transports")
"""Packages whose modules are all imported."""
STARTUP_VARIABLES = ("PYTHON", "LD_", "TZ", "LANG", "LC_")
"""Prefixes of the variables that an interpreter reads only when it starts."""
LOCALE = ("LANG", "LC_")
"""The prefixes of locale variables."""


def startup_variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that a fork can no longer change."""
    found = {name: value for name, value in env.items() if name.startswith(STARTUP_VARIABLES) and name != "PYTHONPATH"}
    # PEP 538: Python sets it if there is no locale.
    return found if any(name.startswith(LOCALE) for name in found) else {**found, "LC_CTYPE": "C.UTF-8"}


def preload(names: Sequence[str]) -> None:
    """Import the modules, and all modules of whole packages."""
    for name in names:
        module = importlib.import_module(name)
        if name in WHOLE:
            for part in pkgutil.walk_packages(module.__path__, f"{name}."):
                importlib.import_module(part.name)


@frozen
class Request:
    """A program to run."""

    streams: Sequence[int]
    argv: Sequence[str]
    """The arguments of Python: `-m` (or `-P -m`) and a module, or a file, and the arguments of the program."""
    env: Mapping[str, str]
    cwd: str


def received(connection: socket.socket) -> Request:
    """The request of a client."""
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as reader:
        return Request(streams, *marshal.loads(reader.read(int.from_bytes(head, "big"))))  # noqa: S302 - our own data


def become(request: Request) -> None:
    """Run the program in this process, as if newly started."""
    os.setsid()
    for number, stream in enumerate(request.streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    if folders := request.env.get("PYTHONPATH"):
        sys.path[1:1] = folders.split(os.pathsep)
    if request.argv[0] in {"-m", "-P"}:
        name, *argv = request.argv[request.argv.index("-m") + 1 :]
        sys.argv, sys.path[:1] = ["-m", *argv], [] if request.argv[0] == "-P" else [request.cwd]
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        sys.argv = [*request.argv]
        sys.path[0] = os.path.dirname(request.argv[0])  # noqa: PTH120 - as the interpreter does it
        runpy.run_path(request.argv[0], run_name="__main__")


@define
class ForkServer:
    """The running programs and their clients."""

    listener: socket.socket
    variables: Mapping[str, str]
    """The startup variables."""
    selector: selectors.BaseSelector = field(factory=selectors.DefaultSelector)
    clients: dict[int, socket.socket] = field(factory=dict)
    """The connections, by the process id of the program."""

    def serve(self) -> Request | None:
        """Handle requests; return a request in the fork that is to run it, and None at the end of standard input."""
        reading, writing = socket.socketpair()
        writing.setblocking(False)  # noqa: FBT003 - the function has no name for it
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writing.fileno())
        for file in (sys.stdin, self.listener, reading):
            self.selector.register(file, selectors.EVENT_READ)
        request: Request | None = None
        while request is None:
            # Handle one event at a time: a fork must not handle the others.
            key, _ = self.selector.select()[0]
            if key.fileobj is sys.stdin:
                for child in self.clients:
                    _kill(child)
                return None
            request = self._handle(key, reading)
        reading.close()
        writing.close()
        return request

    def _handle(self, key: selectors.SelectorKey, exits: socket.socket) -> Request | None:
        if key.fileobj is self.listener:
            return self._accept(self.listener.accept()[0])
        if key.fileobj is exits:
            exits.recv(4096)
            self._report_exits()
        elif key.data in self.clients:
            # The client has disconnected.
            self.selector.unregister(key.fileobj)
            _kill(key.data)
        return None

    def _accept(self, connection: socket.socket) -> Request | None:
        """Fork, and return the request in the new process."""
        request = received(connection)
        child = os.fork() if startup_variables(request.env) == self.variables else -1
        if not child:
            self._leave()
            connection.close()
            return evolve(request, env={**request.env, **self.variables})
        for stream in request.streams:
            os.close(stream)
        if child > 0:
            self.clients[child] = connection
            self.selector.register(connection, selectors.EVENT_READ, child)
        with suppress(BrokenPipeError):
            connection.sendall(b"%d\n" % max(child, 0))
        return None

    def _leave(self) -> None:
        """Close in a fork what only the server needs."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.selector.close()
        for connection in (self.listener, *self.clients.values()):
            connection.close()

    def _report_exits(self) -> None:
        with suppress(ChildProcessError):
            while True:
                child, status, used = os.wait4(-1, os.WNOHANG)
                if not child:
                    return
                connection = self.clients.pop(child)
                with suppress(KeyError):
                    self.selector.unregister(connection)
                with connection, suppress(BrokenPipeError):
                    connection.sendall(b"%d %d\n" % (os.waitstatus_to_exitcode(status), used.ru_maxrss))


def _kill(child: int) -> None:
    """Kill the program and its process group."""
    for kill in (os.kill, os.killpg):
        with suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)


def main() -> None:
    """Serve, and in each fork run the program."""
    # The folder of the tests, which the programs are not to import from.
    sys.path[0] = sys.prefix
    kind, *python, listener = sys.argv[1:]
    if python:
        sys.executable = python[0]
    preload(PRELOADED[kind])
    gc.collect()
    gc.freeze()
    request = ForkServer(socket.socket(fileno=int(listener)), startup_variables(os.environ)).serve()
    if request is not None:
        become(request)


if __name__ == "__main__":
    main()

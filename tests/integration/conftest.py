"""The installed command and the servers it is run against."""

import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import warm
from running import Mcpi, Web, free_port, listens, processes, wait_until

ROOT = Path(__file__).parents[2]
SERVERS = ROOT / "fixtures" / "servers"
NODE = ROOT / "fixtures" / "node" / "node_modules" / "@modelcontextprotocol"

# Under `nohup` SIGHUP is ignored, and the processes that the tests start would inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def mcpi() -> Mcpi:
    """Run the installed command."""
    return Mcpi()


@pytest.fixture(scope="session")
def everything() -> tuple[str, ...]:
    """The command that starts the MCP reference server."""
    return ("node", str(NODE / "server-everything" / "dist" / "index.js"))


@pytest.fixture
def served() -> Iterator[Callable[..., str]]:
    """Start a server on a free loopback port, and stop it after the test."""
    with ExitStack() as stack:

        def serve(*command: str, path: str = "/mcp") -> str:
            port = free_port()
            filled = [word.replace("PORT", str(port)) for word in command]
            environment = {**os.environ, "PORT": str(port)}
            if command[0] == sys.executable and Path(command[1]).parent == SERVERS:
                stack.callback(warm.start(filled[1:], environment).end)
            else:
                quiet = subprocess.DEVNULL
                process = stack.enter_context(subprocess.Popen(filled, env=environment, stdout=quiet, stderr=quiet))
                stack.callback(process.kill)
            wait_until(lambda: listens(port))
            return f"http://127.0.0.1:{port}{path}"

        yield serve


@pytest.fixture
def refusing_port() -> Iterator[int]:
    """A port of the loopback interface that refuses connections: it is taken, but no program listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@pytest.fixture
def server() -> Callable[..., tuple[str, ...]]:
    """The command that starts one of mcpi's fixture servers."""

    def command(name: str, *args: str) -> tuple[str, ...]:
        return (sys.executable, str(SERVERS / f"{name}.py"), *args)

    return command


@pytest.fixture
def faulty() -> Iterator[Callable[..., tuple[str, ...]]]:
    """The command of a server with one fault; no process of it may be left soon after its test."""
    word = f"mcpi-test-{uuid.uuid4().hex}"

    def command(name: str) -> tuple[str, ...]:
        return (sys.executable, "-S", str(SERVERS / "faulty.py"), name, word)

    yield command
    wait_until(lambda: not processes(word), within=2.0)


@pytest.fixture
def faulty_web() -> Iterator[Callable[[str, str], Web]]:
    """Start an HTTP server with one fault; its program selects the transport."""
    started: list[Web] = []

    def start(program: str, name: str) -> Web:
        started.append(Web(str(SERVERS / f"{program}.py"), name))
        return started[-1]

    yield start
    for web in started:
        web.end()

"""Find the inspectors of processes whose stderr is not visible."""

import asyncio
import contextlib
import json
import os
import signal
from pathlib import Path

from mcpi.core.debugger.program.node_launch import HOST, MAX_PORT, Address, inspector_address
from mcpi.core.jsontext.values import as_list, as_object, as_text
from mcpi.shell.process.descendants import DESCENDANTS

POLL_SECONDS = 0.25
"""Interval in seconds between searches for new inspectors."""
REQUEST_TIMEOUT = 2.0
ENABLE_ATTEMPTS = 20
_MAX_RESPONSE = 1 << 20
_PROC = Path("/proc")
_TABLES = (_PROC / "net/tcp", _PROC / "net/tcp6")
_LISTENING, _SOCKET = "0A", "socket:["


def program_addresses(program: int, known: frozenset[int], fixed: tuple[Address, ...]) -> list[Address]:
    """Return the addresses of inspectors in the processes of a program, except those of processes with a known port.

    A process that waits for a debugger has run nothing yet, so the inspector's port is the only one it listens on.
    """
    if not _TABLES[0].exists():
        # Only Linux lists the processes that listen on a port. The fixed ports were free before the command started.
        return [address for address in fixed if address.port not in known]
    listening = _listening_inodes()
    by_port = {address.port: address for address in fixed}
    found: list[Address] = []
    for process in DESCENDANTS.of(program):
        ports = [listening[inode] for inode in _socket_inodes(process.pid) if inode in listening]
        if ports and known.isdisjoint(ports) and _is_inspected(process.pid):
            found += (by_port.get(port, Address(HOST, port)) for port in ports)
    return found


def process_ports(pid: int) -> list[int]:
    """Return the ports that a process listens on."""
    listening = _listening_inodes()
    return [listening[inode] for inode in _socket_inodes(pid) if inode in listening]


async def find_running(text: str) -> list[str]:
    """Return the URLs of a running program's inspector, given a URL, a port or a process ID."""
    if text.startswith(("ws://", "wss://")):
        return [text]
    number = int(text) if text.isdecimal() else 0
    if 0 < number <= MAX_PORT:
        found = await inspector_urls(Address(HOST, number))
        if found:
            return found
    # Only Linux has /proc.
    return await _enabled(number) if number > 1 and _is_node(number) else []


async def _enabled(pid: int) -> list[str]:
    """Make a running Node.js process start its inspector, and return its URLs."""
    before = process_ports(pid)
    signalled = False
    for _ in range(ENABLE_ATTEMPTS):
        if not signalled and _catches(pid, signal.SIGUSR1):
            try:
                os.kill(pid, signal.SIGUSR1)
            except (OSError, OverflowError):
                return []
            signalled = True
        # Try the ports that were open before the signal first: the inspector may have been enabled already.
        for port in (*before, *process_ports(pid)):
            found = await inspector_urls(Address(HOST, port))
            if found:
                return found
        await asyncio.sleep(POLL_SECONDS)
    return []


def _is_node(pid: int) -> bool:
    """Tell whether the process runs Node.js: another program would be ended by the signal."""
    try:
        return (_PROC / str(pid) / "exe").readlink().name.startswith("node")
    except OSError:
        return False


def _catches(pid: int, number: int) -> bool:
    """Tell whether the process handles the signal: Node.js does so once it has started, unless an option forbids it."""
    caught = (line.split()[1] for line in _lines(_PROC / str(pid) / "status") if line.startswith("SigCgt:"))
    return bool(int(next(caught, "0"), 16) >> (number - 1) & 1)


async def inspector_urls(address: Address) -> list[str]:
    """Ask an inspector for the URLs of its targets; empty if there is none at the address."""
    try:
        async with asyncio.timeout(REQUEST_TIMEOUT):
            reader, writer = await asyncio.open_connection(address.host, address.port)
            try:
                host = f"Host: {address}\r\nConnection: close\r\n\r\n"
                writer.write(f"GET /json/list HTTP/1.1\r\n{host}".encode())
                return _urls(await _response(reader), address)
            finally:
                writer.close()
    except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return []


async def _response(reader: asyncio.StreamReader) -> bytes:
    """Read the body; Node.js keeps the connection open after it."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
    return await reader.readexactly(min(length, _MAX_RESPONSE))


def _urls(body: bytes, address: Address) -> list[str]:
    found = (as_text(as_object(one).get("webSocketDebuggerUrl")) for one in as_list(json.loads(body)))
    return [inspector_address(url, address) for url in found if url]


def _listening_inodes() -> dict[str, int]:
    found: dict[str, int] = {}
    for table in _TABLES:
        for line in _lines(table)[1:]:
            fields = line.split()
            if fields[3] == _LISTENING:
                found[fields[9]] = int(fields[1].rpartition(":")[2], 16)
    return found


def _socket_inodes(pid: int) -> list[str]:
    found: list[str] = []
    for entry in _entries(_PROC / str(pid) / "fd"):
        with contextlib.suppress(OSError):
            link = str(entry.readlink())
            if link.startswith(_SOCKET):
                found.append(link[len(_SOCKET) : -1])
    return found


def _is_inspected(pid: int) -> bool:
    return any("--inspect" in "".join(_lines(_PROC / str(pid) / name)) for name in ("cmdline", "environ"))


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []

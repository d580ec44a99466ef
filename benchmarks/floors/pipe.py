"""Talk to a server over stdio, for the other scripts."""

import json
import os
import signal
import subprocess
import sys
from typing import IO, Any, NoReturn

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "floor", "version": "1"}}


class Server:
    """A server process."""

    def __init__(self, command: list[str]) -> None:
        """Start the server and initialize the session."""
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin: IO[bytes] = self._process.stdin
        self.stdout: IO[bytes] = self._process.stdout
        self.ask(0, "initialize", HELLO)
        self.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def ask(self, number: int, method: str, params: object) -> Any:  # noqa: ANN401 - any JSON from the server
        """Send a request and return its result."""
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.stdin.write(json.dumps(request).encode() + b"\n")
        self.stdin.flush()
        for line in self.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                return message["result"]
        sys.exit("the server is gone")

    def leave(self) -> NoReturn:
        """Exit without waiting for the server."""
        sys.stdout.flush()
        os.killpg(self._process.pid, signal.SIGTERM)
        os._exit(0)

"""Start an HTTP server whose responses are delayed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = Path(__file__).parent / "servers" / "web.py"


@contextmanager
def distant(milliseconds: float = 0) -> Iterator[str]:
    """Start the server and yield its URL."""
    command = [sys.executable, "-SI", str(SERVER), str(milliseconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/mcp"
        finally:
            server.terminate()

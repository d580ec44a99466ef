"""A server over HTTP of the standard library, whose responses may take long."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = Path(__file__).parent / "servers" / "web.py"


@contextmanager
def distant(milliseconds: float = 0) -> Iterator[str]:
    """Where it listens."""
    command = [sys.executable, "-SI", str(SERVER), str(milliseconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/mcp"
        finally:
            server.terminate()

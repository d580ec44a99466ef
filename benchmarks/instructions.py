"""The instructions that a command takes, counted by valgrind: within one per cent the same on every machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

VALGRIND = shutil.which("valgrind")
_COLLECTED = re.compile(rb"Collected : (\d+)")
PATIENCE = 300.0


class NotCountedError(Exception):
    """A run whose instructions could not be counted, or that did not end as it should."""


def count(command: Sequence[str], env: Mapping[str, str] | None = None, code: int = 0) -> int:
    """Those of the command itself, without the processes that it starts."""
    assert VALGRIND is not None
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # Hashes that differ between runs change the order of sets, and with it the work.
    environment |= {"PYTHONHASHSEED": "0", **(env or {})}
    counted = (VALGRIND, "--tool=callgrind", "--callgrind-out-file=/dev/null", *command)
    ran = subprocess.run(counted, env=environment, capture_output=True, check=False, timeout=PATIENCE)
    found = _COLLECTED.search(ran.stderr)
    if found is None or ran.returncode != code:
        raise NotCountedError(f"{' '.join(command)}: {ran.stderr.decode(errors='replace')[-1000:]}")
    return int(found[1])

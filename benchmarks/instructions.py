"""Count the instructions of a command with valgrind; the counts of two machines differ by less than one per cent."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

VALGRIND = shutil.which("valgrind")
_COLLECTED = re.compile(rb"Collected : (\d+)")
TIMEOUT = 300.0


class NotCountedError(Exception):
    """The instructions could not be counted, or the exit code was not the expected one."""


def count(command: Sequence[str], env: Mapping[str, str] | None = None, code: int = 0) -> int:
    """Count the instructions of the command, without those of the processes that it starts."""
    assert VALGRIND is not None
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # Random hashes would change the order of sets, and with it the work.
    environment |= {"PYTHONHASHSEED": "0", **(env or {})}
    counted = (VALGRIND, "--tool=callgrind", "--callgrind-out-file=/dev/null", *command)
    ran = subprocess.run(counted, env=environment, capture_output=True, check=False, timeout=TIMEOUT)
    found = _COLLECTED.search(ran.stderr)
    if found is None or ran.returncode != code:
        raise NotCountedError(f"{' '.join(command)}: {ran.stderr.decode(errors='replace')[-1000:]}")
    return int(found[1])

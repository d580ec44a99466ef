"""Run a command, and measure its time and memory."""

import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import field, frozen

LAUNCH = Path(__file__).with_name("launch.py")
TIMEOUT = 600.0


@frozen
class Sample:
    """Time and memory of one run."""

    wall: float
    own: float
    """CPU seconds of the command itself."""
    others: float
    """CPU seconds of the processes that it started, such as the server."""
    memory: float
    """Peak memory of the command, in MiB."""


@frozen(kw_only=True)
class Command:
    """A command to run, and the check that it did its work."""

    argv: tuple[str, ...]
    done: Callable[[bytes], bool] = bool
    """Return True if the output is complete."""
    code: int = 0
    """The expected exit code."""
    env: dict[str, str] = field(factory=dict)
    took: Callable[[bytes], float] | None = None
    """Reads the duration from the output of a command that measures itself; its start is not included."""


class FailedError(Exception):
    """The command did not do its work, so that its time means nothing."""


def measure(command: Command, scratch: Path) -> Sample:
    """Run the command once, check its output, and return its time and memory."""
    reading, report = os.pipe()
    output = scratch / "output"
    process = subprocess.Popen(
        [sys.executable, "-SI", str(LAUNCH), str(report), str(output), *command.argv],
        env={**_environment(), **command.env},
        pass_fds=[report],
        cwd=scratch,
        start_new_session=True,
    )
    os.close(report)
    try:
        process.wait(timeout=TIMEOUT)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    with os.fdopen(reading, "rb") as lines:
        code, wall, own, others, memory = (float(field) for field in lines.read().split())
    printed = output.read_bytes()
    if int(code) != command.code or not command.done(printed):
        errors = Path(f"{output}.err").read_bytes()
        raise FailedError(f"exit code {int(code)}: {_excerpt(errors)} {_excerpt(printed)}")
    return Sample(wall if command.took is None else command.took(printed), own, others, memory / 1024)


def median(samples: Sequence[Sample]) -> Sample:
    """Return the median of each figure."""
    return Sample(
        wall=statistics.median(one.wall for one in samples),
        own=statistics.median(one.own for one in samples),
        others=statistics.median(one.others for one in samples),
        memory=statistics.median(one.memory for one in samples),
    )


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("MCPI_", "PYTHON"))}


def _excerpt(text: bytes) -> str:
    return " ".join(text[-300:].decode(errors="replace").split())

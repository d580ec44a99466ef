"""One run of a command, and what it took."""

import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import field, frozen

LAUNCH = Path(__file__).with_name("launch.py")
PATIENCE = 600.0


@frozen
class Sample:
    """Time and memory of one run."""

    wall: float
    own: float
    """CPU seconds of the command itself."""
    others: float
    """CPU seconds of what it started: the server, mostly."""
    memory: float
    """The most that the command had, in MiB."""


@frozen(kw_only=True)
class Command:
    """What is run, and how to see that it did its work."""

    argv: tuple[str, ...]
    done: Callable[[bytes], bool] = bool
    """Whether what it printed shows that."""
    code: int = 0
    env: dict[str, str] = field(factory=dict)
    took: Callable[[bytes], float] | None = None
    """The seconds that it says it took, where its start is no part of that."""


class FailedError(Exception):
    """A run that did not do its work: a figure of it would be none."""


def measure(command: Command, scratch: Path) -> Sample:
    """What one run takes; its output is looked at."""
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
        process.wait(timeout=PATIENCE)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    with os.fdopen(reading, "rb") as told:
        code, wall, own, others, memory = (float(field) for field in told.read().split())
    printed = output.read_bytes()
    if int(code) != command.code or not command.done(printed):
        said = Path(f"{output}.err").read_bytes()
        raise FailedError(f"exit code {int(code)}: {_excerpt(said)} {_excerpt(printed)}")
    return Sample(wall if command.took is None else command.took(printed), own, others, memory / 1024)


def median(samples: Sequence[Sample]) -> Sample:
    """The middle one of each figure."""
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

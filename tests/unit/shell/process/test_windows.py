"""Windows, as far as another system can tell: a file system of its paths, and a kernel that takes notes."""

import ctypes
import subprocess
from types import SimpleNamespace
from typing import Any, cast

import pytest

from mcpi.shell.process.windows import Jobs, job_limits, kernel32, program_path

WINDOWS = {"PATH": r"C:\Windows\System32;C:\Program Files\nodejs;", "PATHEXT": ".COM;.EXE;.BAT;.CMD"}
FILES = {
    r"C:\Program Files\nodejs\node.exe",
    r"C:\Program Files\nodejs\npx",
    r"C:\Program Files\nodejs\npx.CMD",
    r"C:\Windows\System32\where.exe",
    r".\run.bat",
    "tools/run.EXE",
}
ENDINGS = {name.lower() for name in FILES}


def is_file(path: str) -> bool:
    """Names of files on Windows have no case."""
    return path.lower() in ENDINGS


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("npx", r"C:\Program Files\nodejs\npx.CMD"),
        ("npx.cmd", r"C:\Program Files\nodejs\npx.cmd"),
        ("node", r"C:\Program Files\nodejs\node.EXE"),
        ("where", r"C:\Windows\System32\where.EXE"),
        (r".\run", r".\run.BAT"),
        ("tools/run", "tools/run.EXE"),
        ("uvx", "uvx"),
        (r"C:\none\x", r"C:\none\x"),
    ],
)
def test_a_program_is_found_by_the_endings_of_programs(name: str, found: str) -> None:
    assert program_path(name, WINDOWS, is_file) == found


def test_without_its_variables_the_usual_endings_count() -> None:
    assert program_path(r".\run", {}, is_file) == r".\run.BAT"
    assert program_path("npx", {}, is_file) == "npx"


class Kernel:
    """kernel32, whose functions return what a test says."""

    def __init__(self, **answers: int) -> None:
        self.answers = answers
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Any:
        """Every function takes any arguments."""

        def call(*_: object) -> int:
            self.called.append(name)
            return self.answers.get(name, 1)

        return call


class Process:
    """A process with a handle, as on Windows."""

    def __init__(self, handle: int | None = 7) -> None:
        self.pid = 4711
        self.killed = 0
        if handle is not None:
            self._handle = handle

    def kill(self) -> None:
        """Count."""
        self.killed += 1


def ended(kernel: Kernel | None, process: Process) -> int:
    """How often the process itself is killed when its job is to end."""
    jobs, popen = Jobs(kernel), cast("subprocess.Popen[bytes]", process)
    jobs.add(popen)
    jobs.kill(popen)
    return process.killed


def test_a_job_ends_with_all_its_processes() -> None:
    kernel = Kernel()

    assert ended(kernel, Process()) == 0
    assert kernel.called == [
        *("CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject", "TerminateJobObject"),
    ]


@pytest.mark.parametrize(
    "failing", ["CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject", "TerminateJobObject"]
)
def test_without_a_job_the_process_itself_is_killed(failing: str) -> None:
    assert ended(Kernel(**{failing: 0}), Process()) == 1


def test_elsewhere_there_is_no_job() -> None:
    assert ended(None, Process()) == 1
    assert ended(Kernel(), Process(handle=None)) == 1


def test_the_limits_have_the_size_that_windows_expects() -> None:
    limits = job_limits()

    assert (ctypes.sizeof(limits), limits.Basic.LimitFlags) == (144, 0x2000)


def test_the_kernel_is_there_on_windows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = SimpleNamespace(CreateJobObjectW=SimpleNamespace(restype=None))
    monkeypatch.delattr(ctypes, "WinDLL", raising=False)
    without = kernel32()
    monkeypatch.setattr(ctypes, "WinDLL", lambda *_, **__: loaded, raising=False)

    assert without is None
    assert kernel32().CreateJobObjectW.restype is ctypes.c_void_p

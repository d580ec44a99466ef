"""Windows processes, simulated with a fake file system and a recording kernel."""

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
    """Compare file names case-insensitively, as Windows does."""
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
def test_program_is_found_by_the_extensions_in_pathext(name: str, found: str) -> None:
    assert program_path(name, WINDOWS, is_file) == found


def test_default_extensions_are_used_without_pathext() -> None:
    assert program_path(r".\run", {}, is_file) == r".\run.BAT"
    assert program_path("npx", {}, is_file) == "npx"


class Kernel:
    """A fake kernel32 with configurable return values."""

    def __init__(self, **answers: int) -> None:
        self.answers = answers
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Any:
        """Return a function that accepts any arguments."""

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
        """Count the call."""
        self.killed += 1


def ended(kernel: Kernel | None, process: Process) -> int:
    """Kill the process through its job and count the direct kills."""
    jobs, popen = Jobs(kernel), cast("subprocess.Popen[bytes]", process)
    jobs.add(popen)
    jobs.kill(popen)
    return process.killed


def test_killing_terminates_the_job() -> None:
    kernel = Kernel()

    assert ended(kernel, Process()) == 0
    assert kernel.called == [
        *("CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject", "TerminateJobObject"),
    ]


@pytest.mark.parametrize(
    "failing", ["CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject", "TerminateJobObject"]
)
def test_process_is_killed_directly_if_a_job_call_fails(failing: str) -> None:
    assert ended(Kernel(**{failing: 0}), Process()) == 1


def test_process_is_killed_directly_on_other_systems() -> None:
    assert ended(None, Process()) == 1
    assert ended(Kernel(), Process(handle=None)) == 1


def test_job_limits_have_the_size_of_the_windows_structure() -> None:
    limits = job_limits()

    assert (ctypes.sizeof(limits), limits.Basic.LimitFlags) == (144, 0x2000)


def test_kernel32_is_loaded_only_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = SimpleNamespace(CreateJobObjectW=SimpleNamespace(restype=None))
    monkeypatch.delattr(ctypes, "WinDLL", raising=False)
    without = kernel32()
    monkeypatch.setattr(ctypes, "WinDLL", lambda *_, **__: loaded, raising=False)

    assert without is None
    assert kernel32().CreateJobObjectW.restype is ctypes.c_void_p

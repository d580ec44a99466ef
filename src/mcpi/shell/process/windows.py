"""Start and stop servers on Windows: find the file of a command, and keep its processes in a job."""

import ntpath
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

PATHEXT = ".COM;.EXE;.BAT;.CMD"
"""The file extensions of programs if PATHEXT is not set."""
_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000
_EXIT_CODE = 1


def program_path(name: str, environment: Mapping[str, str], is_file: Callable[[str], bool]) -> str:
    """Return the file of a command, as a shell finds it, or the name itself.

    CreateProcess only adds .exe, so it does not find npx and npm, which are npx.cmd and npm.cmd.
    """
    endings = [one for one in environment.get("PATHEXT", PATHEXT).split(";") if one]
    names = [name] if name.lower().endswith(tuple(map(str.lower, endings))) else [name + one for one in endings]
    is_path = bool({"/", "\\"} & {*name})
    folders = [""] if is_path else environment.get("PATH", "").split(";")
    found = (ntpath.join(folder, one) for folder in folders for one in names if folder or is_path)
    return next(filter(is_file, found), name)


class Jobs:
    """The job objects of the started processes; each ends with all its processes, even if mcpi itself is killed."""

    def __init__(self, kernel: Any = None) -> None:  # noqa: ANN401 - the functions of kernel32
        """Use the functions of kernel32; without them no job is made."""
        self._kernel = kernel
        self._jobs: dict[int, Any] = {}

    def add(self, process: "subprocess.Popen[bytes]") -> None:
        """Put the process, and those that it starts from now on, into a new job."""
        handle = getattr(process, "_handle", None)
        if self._kernel is None or handle is None:
            return
        import ctypes  # noqa: PLC0415 - other systems need none

        job = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = job_limits()
        size = ctypes.sizeof(limits)
        if (
            job.value
            and self._kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), size)
            and self._kernel.AssignProcessToJobObject(job, ctypes.c_void_p(int(handle)))
        ):
            self._jobs[process.pid] = job

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        """End the process with all that it started."""
        job = self._jobs.pop(process.pid, None)
        if job is None or not self._kernel.TerminateJobObject(job, _EXIT_CODE):
            process.kill()


def job_limits() -> Any:  # noqa: ANN401 - a structure of ctypes
    """Return JOBOBJECT_EXTENDED_LIMIT_INFORMATION with JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE."""
    import ctypes  # noqa: PLC0415 - see above

    class Basic(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", ctypes.c_uint32),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", ctypes.c_uint32),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", ctypes.c_uint32),
            ("SchedulingClass", ctypes.c_uint32),
        )

    class Extended(ctypes.Structure):
        _fields_ = (
            ("Basic", Basic),
            ("IoInfo", ctypes.c_uint64 * 6),
            ("MemoryLimits", ctypes.c_size_t * 4),
        )

    return Extended(Basic(LimitFlags=_KILL_ON_CLOSE))


def kernel32() -> Any:  # noqa: ANN401 - see above
    """Return the functions of kernel32, or None on other systems."""
    import ctypes  # noqa: PLC0415 - see above

    load = getattr(ctypes, "WinDLL", None)
    if load is None:
        return None
    kernel = load("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    return kernel

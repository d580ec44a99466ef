"""Sandbox of the unit tests: a test that opens a file, a socket or a process fails."""

import re
import sys
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

_DOORS = re.compile(
    r"open$|fcntl\.|ftplib\.|glob\.|http\.|mmap\.|os\.|pathlib\.|pty\.|shutil\.|signal\."
    r"|socket\.|sqlite3\.|subprocess\.|tempfile\.|time\.sleep$|urllib\.|webbrowser\."
)
# Tests of whole commands load plugins and run an event loop; everything else stays blocked.
_OUTER_DOORS = re.compile(
    r"fcntl\.|ftplib\.|http\.|os\.(exec|fork|kill|mkdir|posix_spawn|putenv|remove|rename|rmdir|spawn|startfile|system)"
    r"|pty\.|shutil\.|socket\.(bind|connect|getaddrinfo|sendto)|sqlite3\.|subprocess\.|tempfile\.|time\.sleep$"
    r"|urllib\.|webbrowser\."
)
_TESTS = str(Path(__file__).parent)
_OURS = ("mcpi",)
# Files that these open (byte code, examples, line tables) are not opened by the code under test.
_HOSTS = ("importlib._bootstrap", "_frozen_importlib", "hypothesis", "coverage", "linecache")


class _Guard:
    """The state of the sandbox: a running test, and its blocked operations."""

    def __init__(self) -> None:
        self.doors: re.Pattern[str] | None = None
        self.reached: list[str] = []

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.doors is not None and self.doors.match(event) and _is_ours(sys._getframe(1)):  # noqa: SLF001 - the frame of the caller
            self.reached.append(f"{event}{arguments!r:.200}")
            raise PermissionError(f"a unit test reached for the world: {self.reached[-1]}")


def _is_ours(frame: FrameType | None) -> bool:
    """Tell whether a test or mcpi performed the operation, and not a library of the test run."""
    while frame:
        name = frame.f_globals.get("__name__", "")
        if _belongs(name, _OURS) or frame.f_code.co_filename.startswith(_TESTS):
            return True
        if _belongs(name, _HOSTS):
            return False
        frame = frame.f_back
    return False


def _belongs(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith((f"{package}.", f"{package}_")) for package in packages)


_guard = _Guard()
sys.addaudithook(_guard.watch)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Block the operations while the test itself runs; collection and fixtures may read files."""
    is_whole = "shell" in pyfuncitem.path.relative_to(_TESTS).parts
    _guard.doors, _guard.reached = _OUTER_DOORS if is_whole else _DOORS, []
    try:
        result = yield
    finally:
        _guard.doors = None
    # The test may have swallowed the error that the hook raised.
    if _guard.reached:
        pytest.fail(f"a unit test reached for the world: {', '.join(_guard.reached)}", pytrace=False)
    return result

"""Sandbox of the unit tests: a test that opens a file, a socket or a process fails."""

import re
import sys
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

_BLOCKED = re.compile(
    r"open$|fcntl\.|ftplib\.|glob\.|http\.|mmap\.|os\.|pathlib\.|pty\.|shutil\.|signal\."
    r"|socket\.|sqlite3\.|subprocess\.|tempfile\.|time\.sleep$|urllib\.|webbrowser\."
)
# Tests of whole commands load plugins and run an event loop; everything else stays blocked.
_BLOCKED_FOR_COMMANDS = re.compile(
    r"fcntl\.|ftplib\.|http\.|os\.(exec|fork|kill|mkdir|posix_spawn|putenv|remove|rename|rmdir|spawn|startfile|system)"
    r"|pty\.|shutil\.|socket\.(bind|connect|getaddrinfo|sendto)|sqlite3\.|subprocess\.|tempfile\.|time\.sleep$"
    r"|urllib\.|webbrowser\."
)
_TESTS = str(Path(__file__).parent)
_TESTED = ("mcpi",)
# The reads of these modules (byte code, examples, line tables) are not caused by the code under test.
_TEST_TOOLS = ("importlib._bootstrap", "_frozen_importlib", "hypothesis", "coverage", "linecache")


class _Guard:
    """The events that are blocked now, and those that occurred."""

    def __init__(self) -> None:
        self.blocked: re.Pattern[str] | None = None
        self.violations: list[str] = []

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.blocked is not None and self.blocked.match(event) and _is_ours(sys._getframe(1)):  # noqa: SLF001 - the caller
            self.violations.append(f"{event}{arguments!r:.200}")
            raise PermissionError(f"a unit test used a blocked function: {self.violations[-1]}")


def _is_ours(frame: FrameType | None) -> bool:
    """Return whether a test or mcpi caused the event, not a library of the test run."""
    while frame:
        name = frame.f_globals.get("__name__", "")
        if _belongs(name, _TESTED) or frame.f_code.co_filename.startswith(_TESTS):
            return True
        if _belongs(name, _TEST_TOOLS):
            return False
        frame = frame.f_back
    return False


def _belongs(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith((f"{package}.", f"{package}_")) for package in packages)


_guard = _Guard()
sys.addaudithook(_guard.watch)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Block events while the test itself runs; collection and fixtures may read."""
    is_whole = "shell" in pyfuncitem.path.relative_to(_TESTS).parts
    _guard.blocked, _guard.violations = _BLOCKED_FOR_COMMANDS if is_whole else _BLOCKED, []
    try:
        result = yield
    finally:
        _guard.blocked = None
    # The test may have caught the error.
    if _guard.violations:
        pytest.fail(f"a unit test used a blocked function: {', '.join(_guard.violations)}", pytrace=False)
    return result

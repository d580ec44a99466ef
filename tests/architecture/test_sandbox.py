"""The unit test sandbox blocks files, sockets, processes and the environment."""

import subprocess
import sys
from pathlib import Path

CONFTEST = Path(__file__).parents[1] / "unit" / "conftest.py"

TESTS = """
import os
import socket
import subprocess

def test_file(): open(__file__)
def test_folder(): os.listdir()
def test_socket(): socket.socket()
def test_process(): subprocess.run(["true"])
def test_environment(): os.environ["A"] = "b"
def test_file_in_secret():
    try: open(__file__)
    except OSError: pass
"""

INSIDE = """
from hypothesis import given, strategies

def test_import(): import wave
@given(strategies.text())
def test_examples(text): assert text == text
"""


def report(folder: Path, tests: str) -> str:
    """Run pytest on these tests in the unit test sandbox, and return its output."""
    (folder / "conftest.py").write_text(CONFTEST.read_text("utf-8"), "utf-8")
    (folder / "test_something.py").write_text(tests, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", "-rN", "--rootdir=."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_unit_test_with_outside_access_fails(tmp_path: Path) -> None:
    output = report(tmp_path, TESTS)

    assert "6 failed in" in output
    for event in ("open", "os.listdir", "socket.__new__", "subprocess.Popen", "os.putenv"):
        assert f"a unit test used a blocked function: {event}(" in output


def test_unit_test_can_import_and_use_hypothesis(tmp_path: Path) -> None:
    assert "2 passed in" in report(tmp_path, INSIDE)

"""Budgets of a short run in function calls and modules, independent of the machine's speed and load."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

from running import clean_environment

FACTOR, MORE = 1.4 if sys.version_info >= (3, 14) else 1.2, 20
"""Tolerance for other versions of Python and of libraries: a factor for calls, a number of modules."""

# The cost of functions differs, but any import of a library or loop over all methods shows in the number of calls.
_COUNTING = """
import json, os, sys

def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")

# httpcore2 imports trio where it is installed, as it is for our own tests.
sys.modules["trio"] = None
calls, before, report = 0, set(sys.modules), sys.argv.pop(1)
sys.setprofile(count)
from mcpi.shell.context import process_context
from mcpi.shell.main import main
code = main(process_context())
sys.setprofile(None)
with open(report, "w") as file:
    json.dump({"code": code, "calls": calls, "modules": sorted(set(sys.modules) - before)}, file)
os._exit(0)
"""


@frozen
class Budget:
    """The measured cost of one kind of run; lower it when the cost falls."""

    calls: int
    modules: int
    code: int = 0


@frozen
class Told:
    """Exit code, function calls and imported modules of one run."""

    code: int
    calls: int
    modules: list[str]


Server = Callable[..., tuple[str, ...]]
BUDGETS = {
    "version": Budget(6_200, 16),
    "help": Budget(501_000, 356),
    "mistake": Budget(280_000, 284, code=1),
    "stdio": Budget(280_800, 326),
    "http": Budget(418_000, 500),
}


EACH = {"script": 600, "follow": 150}
"""The calls for one step of a script, and for one event of a stream: fewer the more of them arrive together."""


def counted(tmp_path: Path, *args: str) -> Told:
    """Count the calls and modules of a run."""
    report = tmp_path / "report.json"
    command = (sys.executable, "-c", _COUNTING, str(report), *args)
    # Plugins installed in the environment do not count.
    subprocess.run(command, capture_output=True, check=True, env=clean_environment({"MCPI_PLUGINS": "none"}))
    return Told(**json.loads(report.read_text()))


@pytest.mark.parametrize("kind", BUDGETS)
def test_run_stays_within_its_budget(kind: str, runs: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    found, budget = counted(tmp_path, *runs[kind]), BUDGETS[kind]

    assert found.code == budget.code
    assert found.calls < budget.calls * FACTOR
    assert len(found.modules) < budget.modules + MORE, found.modules


def test_script_step_stays_within_its_budget(tmp_path: Path, server: Server) -> None:
    def script(count: int) -> Told:
        file = tmp_path / "script.json"
        file.write_text(json.dumps([{"method": "tools/call", "toolName": "echo", "toolArgs": {"text": "x"}}] * count))
        return counted(tmp_path, "--script", str(file), "--", *server("plain"))

    assert each(script, 200, 1000) < EACH["script"] * FACTOR


def test_stream_event_stays_within_its_budget(tmp_path: Path, server: Server) -> None:
    def follow(count: int) -> Told:
        method = ("--method", "logging/setLevel", "--log-level", "info", "--max-events", str(count))
        return counted(tmp_path, "--follow", *method, "--", *server("plain", "3", str(count)))

    assert each(follow, 1000, 5000) < EACH["follow"] * FACTOR


def each(run: Callable[[int], Told], few: int, many: int) -> float:
    """The number of calls per item."""
    less, more = run(few), run(many)
    assert less.code == more.code == 0
    return (more.calls - less.calls) / (many - few)


@pytest.fixture
def runs(everything: tuple[str, ...], served: Callable[..., str], kind: str) -> dict[str, tuple[str, ...]]:
    """The command line of each kind of run; a server is started only for the one that needs it."""
    listed = ("--method", "tools/list")
    url = served(*everything, "streamableHttp") if kind == "http" else ""
    return {
        "version": ("--version",),
        "help": ("--help",),
        "mistake": ("--method", "tools/lst", "node", "server.js"),
        "stdio": (*listed, "--", *everything),
        "http": (*listed, url),
    }

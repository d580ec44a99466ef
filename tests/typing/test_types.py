"""The public API is fully typed, and type checkers accept a script that uses it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "typing" / "usage.py"
INSPECTORS = [(ROOT / "docs" / "examples" / name).read_text() for name in ("tui.py", "web.py")]
EXAMPLE = (ROOT / "docs" / "python.md").read_text().partition("```python\n")[2].partition("```")[0]
MISUSE = """
import mcpi

async def main() -> None:
    server = mcpi.Inspector("node server.js", options=mcpi.InspectorOptions(era="older"))
    count: int = await server.call(5)
    server.statuss
"""


def run(program: str, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment."""
    command = str(Path(sys.executable).with_name(program))
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    return subprocess.run([command, *args], cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def pyright(folder: Path, source: str) -> list[dict[str, Any]]:
    """The errors reported by pyright in strict mode."""
    (folder / "script.py").write_text(source)
    (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    ran = run("pyright", "--outputjson", "--pythonpath", sys.executable, "script.py", cwd=folder)
    found: list[dict[str, Any]] = json.loads(ran.stdout)["generalDiagnostics"]
    return found


def mypy(folder: Path, source: str) -> str:
    """The errors reported by mypy in strict mode."""
    (folder / "script.py").write_text(source)
    cache = ROOT / ".mypy_cache" / "of-users"
    return run("mypy", "--strict", "--no-error-summary", f"--cache-dir={cache}", "script.py", cwd=folder).stdout


@pytest.mark.parametrize("source", [SCRIPT.read_text(), EXAMPLE, *INSPECTORS], ids=["script", "docs", "tui", "web"])
def test_pyright_accepts_a_user_script(tmp_path: Path, source: str) -> None:
    assert pyright(tmp_path, source) == []


def test_pyright_reports_misuse_in_a_user_script(tmp_path: Path) -> None:
    lines = {found["range"]["start"]["line"] for found in pyright(tmp_path, MISUSE)}

    assert lines >= {4, 5, 6}


@pytest.mark.parametrize("source", [SCRIPT.read_text(), EXAMPLE, *INSPECTORS], ids=["script", "docs", "tui", "web"])
def test_mypy_accepts_a_user_script(tmp_path: Path, source: str) -> None:
    assert mypy(tmp_path, source) == ""


def test_mypy_reports_misuse_in_a_user_script(tmp_path: Path) -> None:
    found = mypy(tmp_path, MISUSE)

    assert [f"script.py:{line}: error" in found for line in (5, 6, 7)] == [True, True, True]


def test_every_public_name_has_a_known_type() -> None:
    ran = run("pyright", "--verifytypes", "mcpi", "--ignoreexternal", "--outputjson", cwd=ROOT)
    found = json.loads(ran.stdout)["typeCompleteness"]
    unknown = [
        symbol.get("fullName", symbol["name"])
        for symbol in found["symbols"]
        if symbol["isExported"] and not symbol["isTypeKnown"]
    ]

    assert (found["completenessScore"], unknown) == (1, [])

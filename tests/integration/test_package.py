"""The published package: reproducible, complete, and usable in a clean environment."""

import fcntl
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from email import message_from_string
from pathlib import Path

import pytest

from running import clean_environment

ROOT = Path(__file__).parents[2]
EPOCH = "1790000000"
BUILD = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
COMMANDS = ("mcpi", "mcpi-debug-script", "mcpi-serve")
PING = ("--demo", "--method", "ping", "--era", "handshake", "--compact")
UNREACHABLE = re.compile(
    r"dns error|Could not find a version|No matching distribution|Failed to fetch|not found in the"
)


def run(*command: str, cwd: Path = ROOT, more: dict[str, str] | None = None) -> str:
    """Run the command without a package index, and return its output."""
    environment = clean_environment({"SOURCE_DATE_EPOCH": EPOCH, **(more or {})})
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=cwd, timeout=300)
    if ran.returncode and UNREACHABLE.search(ran.stderr):
        pytest.skip("no package index can be reached")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that is made once for all workers of the test run."""
    folder = factory.getbasetemp()
    run_id = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run_id is not None:
        folder = folder.parent / run_id
        folder.mkdir(exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / f"{name}.done").exists():
            make(folder / name)
            (folder / f"{name}.done").touch()
    return folder / name


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source distribution."""
    folder = shared(tmp_path_factory, "built", lambda folder: run(*BUILD, str(folder), str(ROOT)))
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean environment with the wheel installed."""

    def install(folder: Path) -> None:
        run("uv", "venv", "--quiet", "--python", sys.executable, str(folder))
        run("uv", "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), str(built[0]))

    return shared(tmp_path_factory, "installed", install)


def test_build_is_reproducible(built: tuple[Path, Path], tmp_path: Path) -> None:
    wheel, source = built
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = next(tmp_path.iterdir())
    for file in folder.rglob("*.py"):
        # The build must not contain its time or directory.
        os.utime(file, (1, 1))
    run(*BUILD, str(tmp_path / "again"), str(folder), cwd=folder)

    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()
    assert (tmp_path / "again" / source.name).read_bytes() == source.read_bytes()


def test_wheel_contains_all_runtime_files(built: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(built[0]).namelist())
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*") if path.is_file()}
    texts = {name for name in sources if "__pycache__" not in name}

    assert texts - names == set()
    assert {"mcpi/py.typed", "mcpi/agent-help.txt", "mcpi/completion/zsh"} <= names
    assert [name for name in names if name.endswith("share/man/man1/mcpi.1")] != []
    assert [name for name in names if name.endswith("licenses/LICENSE")] != []


def test_metadata_has_name_license_and_classifiers(built: tuple[Path, Path]) -> None:
    wheel = zipfile.ZipFile(built[0])
    name = next(name for name in wheel.namelist() if name.endswith("METADATA"))
    about = message_from_string(wheel.read(name).decode())
    classifiers = about.get_all("Classifier") or []

    assert about["Version"] == built[0].name.split("-")[1]
    assert (about["Name"], about["License-Expression"]) == ("mcpi-cli", "MIT")
    assert [minor for minor in range(11, 15) if f"Programming Language :: Python :: 3.{minor}" not in classifiers] == []
    assert "Typing :: Typed" in classifiers


def test_version_is_defined_in_one_file() -> None:
    version = re.search(r'__version__ = "([^"]+)"', (ROOT / "src" / "mcpi" / "core" / "version.py").read_text())
    assert version is not None
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml"]

    assert [file.name for file in files if f'"{version[1]}"' in file.read_text()] == ["version.py"]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs_in_a_clean_environment(installed: Path, command: str) -> None:
    assert run(str(installed / "bin" / command), "--version").startswith(command)


def test_installed_dependencies_are_compatible_and_mcpi_runs(installed: Path) -> None:
    run("uv", "pip", "check", "--quiet", "--python", str(installed / "bin" / "python"))

    assert run(str(installed / "bin" / "mcpi"), *PING) == "{}\n"
    assert "Usage:" in run(str(installed / "bin" / "mcpi"), "--help")
    assert (installed / "share" / "man" / "man1" / "mcpi.1").is_file()
    assert run(str(installed / "bin" / "python"), "-c", "import mcpi; print(mcpi.Inspector.__name__)") == "Inspector\n"


def test_uvx_runs_the_wheel(built: tuple[Path, Path]) -> None:
    assert run("uvx", "--quiet", "--python", sys.executable, "--from", str(built[0]), "mcpi", *PING) == "{}\n"


def test_pipx_installs_the_command_and_man_page(built: tuple[Path, Path], tmp_path: Path) -> None:
    pipx_folders = {name: str(tmp_path / name) for name in ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR")}
    run("pipx", "install", "--quiet", "--python", sys.executable, str(built[0]), more=pipx_folders)

    assert run(str(tmp_path / "PIPX_BIN_DIR" / "mcpi"), *PING) == "{}\n"
    assert (tmp_path / "PIPX_MAN_DIR" / "man1" / "mcpi.1").exists()

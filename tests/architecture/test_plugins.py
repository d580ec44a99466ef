"""One plugin is one file and one line; each hook is told and tested."""

import inspect
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

from mcpi.plugins import spec
from mcpi.shell.discovery.entry_points import GROUPS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")
PLUGINS = {
    path.stem: f"mcpi.plugins.{path.stem}"
    for path in (ROOT / "src" / "mcpi" / "plugins").glob("*.py")
    if path.stem not in {"__init__", "spec"}
}
HOOKS = {name: hook for name, hook in vars(spec).items() if inspect.isfunction(hook) and name.startswith("mcpi_")}


def test_each_plugin_file_has_its_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert project["entry-points"]["mcpi"] | project["entry-points"]["mcpi.named"] == PLUGINS


def test_the_installed_distribution_offers_each_plugin() -> None:
    offered = [entry for entry in distribution("mcpi-cli").entry_points if entry.group in GROUPS]

    assert {entry.name: entry.value for entry in offered} == PLUGINS


def test_the_hooks_are_few() -> None:
    assert 1 <= len(HOOKS) <= 5


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_hook_says_what_it_returns(name: str) -> None:
    assert inspect.getdoc(HOOKS[name])


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_hook_is_documented(name: str) -> None:
    assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize("file", ["pyproject.toml", "src/mcpi_acme.py"])
def test_the_docs_show_the_whole_package(file: str) -> None:
    assert (ROOT / "fixtures" / "plugins" / "acme" / file).read_text("utf-8") in PAGE


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_the_package_shows_each_hook(name: str) -> None:
    assert f"def {name}(" in PAGE


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_hook_is_tested(name: str) -> None:
    tests = [*(ROOT / "tests" / "unit").rglob("test_*.py"), *(ROOT / "tests" / "integration").rglob("test_*.py")]

    assert any(name in path.read_text("utf-8") for path in tests)

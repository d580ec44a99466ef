"""Each plugin is one file and one entry point; each hook is documented and tested."""

import ast
import inspect
import tomllib
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from pkgutil import iter_modules

import pytest

from mcpi.core.cli.words import NAMED
from mcpi.core.flags.declare import flags_of
from mcpi.plugins import api, spec
from mcpi.shell.discovery.entry_points import GROUPS
from mcpi.shell.discovery.loader import Plugins

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")
PLUGINS = {
    (f"mcpi.{kind}", module.name)
    for kind in ("methods", "answers", "reports")
    for module in iter_modules([str(ROOT / "src" / "mcpi" / "plugins" / kind)])
    if module.name != "html_style"
}
HOOKS = {name: hook for name, hook in vars(spec).items() if inspect.isfunction(hook) and name.startswith("mcpi_")}


def test_each_plugin_file_has_an_entry_point() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    found = {(group, name) for group in GROUPS for name in groups[group]}

    # The methods without a first part (ping, discover) are needed by every run.
    assert found == PLUGINS - {("mcpi.methods", "server")} | {("mcpi", "server")}


def test_installed_distribution_provides_each_plugin() -> None:
    offered = [entry for entry in distribution("mcpi-cli").entry_points if entry.group in GROUPS]

    assert {entry.name for entry in offered} == {name for _, name in PLUGINS}


def test_built_in_plugins_implement_a_hook() -> None:
    offered = [entry for entry in distribution("mcpi-cli").entry_points if entry.group in GROUPS]

    assert [entry for entry in offered if not callable_hooks(import_module(entry.value))] == []


def callable_hooks(module: object) -> list[str]:
    """The names of the hooks that a plugin implements."""
    return [name for name in HOOKS if callable(getattr(module, name, None))]


def test_each_method_with_one_required_flag_takes_it_as_a_word() -> None:
    methods = [owned.method for owned in Plugins({"MCPI_PLUGINS": "off"}).catalog.owned.values()]
    required = {one.name: [flag.name for flag in flags_of(one.args) if flag.required] for one in methods}
    alone = {name: flags[0] for name, flags in required.items() if len(flags) == 1}

    # oauth/refresh takes the server's URL as a word, and a secret as its required flag.
    assert alone == {name: flag for name, (flag, _) in NAMED.items()} | {"oauth/refresh": "--oauth-refresh-token"}


def test_third_party_plugins_import_only_the_api() -> None:
    sources = (ROOT / "fixtures" / "plugins").rglob("*.py")
    imported = {
        node.module
        for path in sources
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("mcpi.")
    }

    assert imported == {"mcpi.plugins.api"}


def test_hook_count_is_limited() -> None:
    assert 1 <= len(HOOKS) <= 5


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_hooks_have_a_docstring(name: str) -> None:
    assert inspect.getdoc(HOOKS[name])


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_hooks_are_documented(name: str) -> None:
    assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize("file", ["pyproject.toml", "src/mcpi_acme.py"])
def test_docs_contain_the_whole_example_package(file: str) -> None:
    assert (ROOT / "fixtures" / "plugins" / "acme" / file).read_text("utf-8") in PAGE


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_example_package_implements_each_hook(name: str) -> None:
    assert f"def {name}(" in PAGE or f'specname="{name}"' in PAGE


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_hooks_are_tested(name: str) -> None:
    tests = [*(ROOT / "tests" / "unit").rglob("test_*.py"), *(ROOT / "tests" / "integration").rglob("test_*.py")]

    assert any(name in path.read_text("utf-8") for path in tests)


def test_built_in_plugins_import_api_names_from_the_api() -> None:
    names = set(api.__all__)
    taken = {
        f"{path.name}: {alias.name}"
        for path in (ROOT / "src" / "mcpi" / "plugins").glob("*/**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("mcpi.core")
        for alias in node.names
        if alias.name in names
    }

    assert taken == set()

"""What each module may import, how long it may be, what it may be called, and that it has its tests."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "mcpi"
MODULES = {str(path.relative_to(SOURCE)): path for path in sorted(SOURCE.rglob("*.py"))}
PURE = {name: path for name, path in MODULES.items() if name.startswith(("core/", "plugins/"))}

LONGEST_MODULE = 300
LONGEST_FUNCTION = 50

# A list of what is forbidden, as pyproject.toml has one too, always has holes.
ALLOWED = (
    *("attrs", "base64", "binascii", "bisect", "codecs", "collections", "difflib", "enum", "functools", "hashlib"),
    *("html", "itertools", "json", "math", "mcpi", "pluggy", "re", "shlex", "string", "textwrap", "types", "typing"),
    *("returns.result.Failure", "returns.result.Success", "urllib.parse"),
)
# The builtins that need no import to reach the world, or to go around the list above.
BUILTINS = {"__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"}
# Names under which anything could be put.
NO_NAMES = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}


@pytest.mark.parametrize("name", PURE)
def test_core_and_plugins_import_only_what_is_pure(name: str) -> None:
    assert [module for module in imports(parse(PURE[name])) if not is_allowed(module)] == []


def test_the_package_itself_imports_only_its_version() -> None:
    body = parse(MODULES["__init__.py"]).body
    at_once = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]

    assert [ast.unparse(node) for node in at_once] == [
        "from typing import TYPE_CHECKING",
        "from mcpi.core.version import __version__",
    ]


@pytest.mark.parametrize("name", PURE)
def test_core_and_plugins_use_no_builtin_that_reaches_out(name: str) -> None:
    assert not set(used(parse(PURE[name]))) & BUILTINS


def test_only_the_inspector_talks_to_servers() -> None:
    importing = {name: set(imports(parse(path))) for name, path in MODULES.items()}
    parts = (
        "mcpi.shell.connection.connection.Link",
        "mcpi.shell.client.worker.Worker",
        "mcpi.core.session.negotiate.open_session",
    )
    used_by = {part: {name for name, found in importing.items() if part in found} for part in parts}

    assert used_by["mcpi.shell.client.worker.Worker"] == {"shell/client/inspector.py"}
    assert used_by["mcpi.shell.connection.connection.Link"] == {"shell/client/inspector.py", "shell/client/worker.py"}
    assert {name for name in used_by["mcpi.core.session.negotiate.open_session"] if name.startswith("shell")} == {
        "shell/client/inspector.py"
    }


@pytest.mark.parametrize("name", MODULES)
def test_a_module_fits_in_the_head(name: str) -> None:
    assert len(MODULES[name].read_text("utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("name", MODULES)
def test_a_function_fits_on_a_screen(name: str) -> None:
    assert {function: lines for function, lines in functions(parse(MODULES[name])) if lines > LONGEST_FUNCTION} == {}


@pytest.mark.parametrize("name", MODULES)
def test_a_name_says_what_is_inside(name: str) -> None:
    assert not NO_NAMES & set(Path(name).with_suffix("").parts)


@pytest.mark.parametrize("name", [name for name in PURE if not name.endswith("__init__.py")])
def test_a_pure_module_has_its_tests_at_the_same_place(name: str) -> None:
    mirror = ROOT / "tests" / "unit" / Path(name).with_name(f"test_{Path(name).name}")

    assert mirror.is_file(), f"{mirror.relative_to(ROOT)} is missing"
    assert any(function.startswith("test_") for function, _ in functions(parse(mirror)))


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def imports(tree: ast.Module) -> Iterator[str]:
    """Full names of what is imported anywhere in the module, also where only a type checker looks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def is_allowed(module: str) -> bool:
    return any(f"{module}.".startswith(f"{name}.") for name in ALLOWED)


def used(tree: ast.Module) -> Iterator[str]:
    """Names whose value is taken; a field may be called as a builtin is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each function's name and number of lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1

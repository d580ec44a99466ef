"""Rules for modules: allowed imports, length, names, and a unit test for each."""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "mcpi"
MODULES = {str(path.relative_to(SOURCE)): path for path in sorted(SOURCE.rglob("*.py"))}
PURE = {name: path for name, path in MODULES.items() if name.startswith(("core/", "plugins/"))}

LONGEST_MODULE = 300
LONGEST_FUNCTION = 50
LARGEST_FOLDER = 12

# An allow-list has no gaps, unlike the banned names in pyproject.toml.
ALLOWED = (
    *("attrs", "base64", "binascii", "bisect", "cattrs", "codecs", "collections", "datetime", "difflib", "enum"),
    *(
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "html",
        "itertools",
        "json",
        "math",
        "mcpi",
        "msgspec",
        "operator",
        "pluggy",
        "re",
        "shlex",
        "string",
    ),
    *(
        "textwrap",
        "types",
        "unicodedata",
        "typing",
        "returns.result.Failure",
        "returns.result.Success",
        "urllib.parse",
        "yaml",
    ),
)
# Builtins that do IO, or import modules at run time.
BUILTINS = {"__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"}
# Only shell/context.py may read these.
WORLD = {
    *("os.environ", "os.environb", "os.getenv", "os.getcwd", "Path.cwd", "Path.home", "shutil.get_terminal_size"),
    *("sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "sys.__stdin__", "sys.__stdout__", "sys.__stderr__"),
}
# Module names that are too generic.
NO_NAMES = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}


def test_core_and_plugins_import_only_allowed_modules() -> None:
    found = {name: [one for one in imports(tree) if not is_allowed(one)] for name, tree in trees(PURE)}

    assert violations(found) == {}


def test_package_imports_only_its_version() -> None:
    body = parse(MODULES["__init__.py"]).body
    at_once = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]

    assert [ast.unparse(node) for node in at_once] == [
        "from typing import TYPE_CHECKING",
        "from mcpi.core.version import __version__",
    ]


def test_only_the_context_reads_environment_streams_and_clock() -> None:
    found = {name: reads_process_state(tree) for name, tree in trees(MODULES) if name != "shell/context.py"}

    assert violations(found) == {}


def test_core_and_plugins_use_no_forbidden_builtins() -> None:
    assert violations({name: set(used(tree)) & BUILTINS for name, tree in trees(PURE)}) == {}


def test_only_the_inspector_opens_connections() -> None:
    importing = {name: set(imports(tree)) for name, tree in trees(MODULES)}
    parts = (
        "mcpi.shell.connection.connection.Connection",
        "mcpi.shell.client.worker.Worker",
        "mcpi.core.session.negotiate.open_session",
    )
    used_by = {part: {name for name, found in importing.items() if part in found} for part in parts}

    assert used_by["mcpi.shell.client.worker.Worker"] == {
        "shell/client/inspector.py",
        "shell/client/method_calls.py",
    }
    assert used_by["mcpi.shell.connection.connection.Connection"] == {
        "shell/client/inspector.py",
        "shell/client/method_calls.py",
        "shell/client/worker.py",
        "shell/cli/execute.py",
        "shell/cli/live_debug.py",
    }
    assert {name for name in used_by["mcpi.core.session.negotiate.open_session"] if name.startswith("shell")} == {
        "shell/client/inspector.py"
    }


def test_modules_do_not_exceed_the_line_limit() -> None:
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in MODULES.items()}

    assert {name: count for name, count in lines.items() if count > LONGEST_MODULE} == {}


def test_functions_do_not_exceed_the_line_limit() -> None:
    found = {name: [one for one, lines in functions(tree) if lines > LONGEST_FUNCTION] for name, tree in trees(MODULES)}

    assert violations(found) == {}


def test_folders_do_not_exceed_the_module_limit() -> None:
    folders = Counter(str(path.parent.relative_to(SOURCE)) for path in MODULES.values() if path.name != "__init__.py")

    assert {folder: count for folder, count in folders.items() if count > LARGEST_FOLDER} == {}


def test_module_names_are_specific() -> None:
    assert [name for name in MODULES if NO_NAMES & set(Path(name).with_suffix("").parts)] == []


def test_module_names_are_unique() -> None:
    names = Counter(path.stem for path in MODULES.values() if path.name not in {"__init__.py", "__main__.py"})

    assert [name for name, count in names.items() if count > 1] == []


def test_public_class_names_are_unique() -> None:
    names = Counter(
        node.name
        for _, tree in trees(MODULES)
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert [name for name, count in names.items() if count > 1] == []


def test_each_pure_module_has_a_mirrored_unit_test() -> None:
    mirrors = {
        name: ROOT / "tests" / "unit" / Path(name).with_name(f"test_{Path(name).name}")
        for name in PURE
        if not name.endswith("__init__.py")
    }
    missing = [name for name, mirror in mirrors.items() if not mirror.is_file()]
    empty = [
        name
        for name, mirror in mirrors.items()
        if mirror.is_file() and not any(function.startswith("test_") for function, _ in functions(parse(mirror)))
    ]

    assert (missing, empty) == ([], [])


def trees(modules: Mapping[str, Path]) -> Iterator[tuple[str, ast.Module]]:
    """Each module with its syntax tree."""
    return ((name, parse(path)) for name, path in modules.items())


def violations(found: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """The modules with findings."""
    return {name: sorted(some) for name, some in found.items() if some}


def reads_process_state(tree: ast.Module) -> set[str]:
    """The names that a module takes from the process instead of its context."""
    found = set(imports(tree)) & {"time", "getpass", "os.environ", "os.getenv", "sys.argv"}
    found |= {module for module in imports(tree) if module.startswith(("time.", "sys.std"))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {f"{node.value.id}.{node.attr}"} & WORLD
    return found


@cache
def parse(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def imports(tree: ast.Module) -> Iterator[str]:
    """Full names of all imports in the module, including those for type checking only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def is_allowed(module: str) -> bool:
    return any(f"{module}.".startswith(f"{name}.") for name in ALLOWED)


def used(tree: ast.Module) -> Iterator[str]:
    """Names that are read; attributes are excluded, as a field may be named like a builtin."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each function's name and number of lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1

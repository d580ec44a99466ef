"""Other clients, each started in the fastest documented way."""

import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

from measure import Command
from workloads import Peer, Task

FOLDER = Path(__file__).with_name(".peers")
NPM = {
    "inspector 2": "@modelcontextprotocol/inspector@2.12.0",
    "inspector 1": "@modelcontextprotocol/inspector@1.0.3",
    "mcporter": "mcporter@0.12.3",
    "cri": "chrome-remote-interface@0.34.0",
}
PIP = {"fastmcp": "fastmcp==4.1.2", "mcp2cli": "mcp2cli==3.8.0", "mcp-assert": "mcp-assert==0.12.3"}
PACKAGES = {**NPM, **PIP}
QUIET = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")


def peers(node: str, home: Path) -> Mapping[str, Peer]:
    """Return the peers that could be installed; `home` is the folder for the files that they keep."""
    found: dict[str, Peer] = {}
    for name, make in KNOWN.items():
        folder = installed(name, node)
        if folder is not None:
            found[name] = make(Program(name, node, folder, home))
    return found


@frozen
class Program:
    """An installed peer."""

    name: str
    node: str
    folder: Path
    home: Path

    def __call__(self, *args: str) -> Command:
        """Return a command of the peer."""
        env = {"HOME": str(self.home), "NO_COLOR": "1"}
        if self.name in PIP:
            return Command(argv=(str(self.folder / "bin" / self.name), *args), env=env)
        return Command(argv=(self.node, str(self.folder / "node_modules" / SCRIPTS[self.name]), *args), env=env)


SCRIPTS = {
    # The launcher only starts this script in another process.
    "inspector 1": "@modelcontextprotocol/inspector/cli/build/index.js",
    "inspector 2": "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    "mcporter": "mcporter/dist/cli.js",
}


def installed(name: str, node: str) -> Path | None:
    """Install the peer if necessary; return its folder, or None after a message on stderr."""
    folder, package = FOLDER / name.replace(" ", "-"), PACKAGES[name]
    # The scripts that pip installs contain their folder: install again if the checkout was moved.
    stamp, here = folder / "installed", f"{package} in {folder}"
    if stamp.exists() and stamp.read_text() == here:
        return folder
    print(f"installing {package}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    steps = _by_npm(folder, package, node) if name in NPM else _by_pip(folder, package)
    try:
        for step in steps:
            subprocess.run(step, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = str(getattr(error, "stderr", "")).strip().splitlines()[-1:]
        print(f"{name} was skipped, as it could not be installed: {error} {' '.join(reason)}", file=sys.stderr)
        return None
    stamp.write_text(here)
    return folder


def _by_npm(folder: Path, package: str, node: str) -> list[list[str]]:
    npm = shutil.which("npm", path=str(Path(node).parent)) or "npm"
    return [[npm, "install", *QUIET, "--prefix", str(folder), package]]


def _by_pip(folder: Path, package: str) -> list[list[str]]:
    python = str(folder / "bin" / "python")
    return [[sys.executable, "-m", "venv", str(folder)], [python, "-m", "pip", "install", "-qq", package]]


def _inspector_1(program: Program) -> Peer:
    def command(task: Task) -> Command:
        return program(*_target(task), *_inspected(task))

    return command


def _inspector_2(program: Program) -> Peer:
    def command(task: Task) -> Command:
        return program("--cli", *_target(task), *_inspected(task))

    return command


def _target(task: Task) -> tuple[str, ...]:
    return (task.target,) if isinstance(task.target, str) else task.target


def _inspected(task: Task) -> list[str]:
    flags = ["--method", task.method]
    if task.tool:
        flags += ["--tool-name", task.tool]
    for key, value in task.arguments.items():
        flags += ["--tool-arg", f"{key}={value}"]
    if isinstance(task.target, str):
        flags += ["--transport", "sse" if task.target.endswith("/sse") else "http"]
    return flags


def _mcporter(program: Program) -> Peer:
    def command(task: Task) -> Command:
        if isinstance(task.target, str):
            target = ["--http-url", task.target, "--allow-http"]
        else:
            target = ["--stdio", shlex.join(task.target)]
        if task.tool:
            return program(
                "call", *target, "--tool", task.tool, "--args", json.dumps(task.arguments), "--output", "json"
            )
        return program("list", *target, "--json")

    return command


def _fastmcp(program: Program) -> Peer:
    def command(task: Task) -> Command:
        target = [task.target] if isinstance(task.target, str) else ["--command", shlex.join(task.target)]
        if task.tool:
            call = ["--target", task.tool, "--input-json", json.dumps(task.arguments)]
            return program("call", *target, *call, "--json")
        return program("list", *target, "--json")

    return command


def _mcp2cli(program: Program) -> Peer:
    def command(task: Task) -> Command:
        target = ["--mcp", task.target] if isinstance(task.target, str) else ["--mcp-stdio", shlex.join(task.target)]
        if task.tool:
            arguments = [word for key, value in task.arguments.items() for word in (f"--{key}", str(value))]
            # The list of tools is cached since the last --refresh.
            return program(*target, "--json", task.tool, *arguments)
        return program(*target, "--refresh", "--list", "--json")

    return command


def _mcp_assert(program: Program) -> Peer:
    binary = next(program.folder.glob("lib/*/site-packages/mcp_assert/bin/mcp-assert"))

    def command(task: Task) -> Command | None:
        # It prints no list of tools, and no result of a call that passes.
        if not task.tool:
            return None
        if isinstance(task.target, str):
            server: dict[str, object] = {
                "transport": "sse" if task.target.endswith("/sse") else "http",
                "url": task.target,
            }
        else:
            server = {"command": task.target[0], "args": task.target[1:]}
        expected = {"tool": task.tool, "args": task.arguments, "expect": {"not_empty": True}}
        suite = Path(tempfile.mkdtemp(dir=program.home))
        # JSON is valid YAML.
        (suite / "suite.yaml").write_text(json.dumps({"name": task.tool, "server": server, "assert": expected}))
        return Command(argv=(str(binary), "run", "--suite", str(suite), "--json"), env={"HOME": str(program.home)})

    return command


KNOWN: Mapping[str, Callable[[Program], Peer]] = {
    "inspector 2": _inspector_2,
    "inspector 1": _inspector_1,
    "mcporter": _mcporter,
    "fastmcp": _fastmcp,
    "mcp2cli": _mcp2cli,
    "mcp-assert": _mcp_assert,
}

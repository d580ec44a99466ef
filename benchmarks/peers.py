"""Other clients, each started in the fastest way that its documentation knows."""

import json
import shlex
import shutil
import subprocess
import sys
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
INDEX = {"fastmcp": "fastmcp==4.1.2", "mcp2cli": "mcp2cli==3.8.0"}
WANTED = {**NPM, **INDEX}
QUIET = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")


def peers(node: str, home: Path) -> Mapping[str, Peer]:
    """Those that could be had; what they keep between runs goes to that folder."""
    found: dict[str, Peer] = {}
    for name, make in KNOWN.items():
        folder = installed(name, node)
        if folder is not None:
            found[name] = make(Program(name, node, folder, home))
    return found


@frozen
class Program:
    """A peer where it was installed."""

    name: str
    node: str
    folder: Path
    home: Path

    def __call__(self, *args: str) -> Command:
        """What it runs."""
        env = {"HOME": str(self.home), "NO_COLOR": "1"}
        if self.name in INDEX:
            return Command(argv=(str(self.folder / "bin" / self.name), *args), env=env)
        return Command(argv=(self.node, str(self.folder / "node_modules" / SCRIPTS[self.name]), *args), env=env)


SCRIPTS = {
    # Its launcher starts this one in a process of its own: without it there is one process less.
    "inspector 1": "@modelcontextprotocol/inspector/cli/build/index.js",
    "inspector 2": "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    "mcporter": "mcporter/dist/cli.js",
}


def installed(name: str, node: str) -> Path | None:
    """Where the peer is, installed if it was not, or None with a word on stderr."""
    folder, wanted = FOLDER / name.replace(" ", "-"), WANTED[name]
    # What pip installs names the folder that it was installed in, so a checkout that was moved installs it again.
    stamp, here = folder / "installed", f"{wanted} in {folder}"
    if stamp.exists() and stamp.read_text() == here:
        return folder
    print(f"installing {wanted}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    steps = _by_npm(folder, wanted, node) if name in NPM else _by_pip(folder, wanted)
    try:
        for step in steps:
            subprocess.run(step, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = str(getattr(error, "stderr", "")).strip().splitlines()[-1:]
        print(f"{name} is left out, it cannot be had: {error} {' '.join(said)}", file=sys.stderr)
        return None
    stamp.write_text(here)
    return folder


def _by_npm(folder: Path, wanted: str, node: str) -> list[list[str]]:
    npm = shutil.which("npm", path=str(Path(node).parent)) or "npm"
    return [[npm, "install", *QUIET, "--prefix", str(folder), wanted]]


def _by_pip(folder: Path, wanted: str) -> list[list[str]]:
    python = str(folder / "bin" / "python")
    return [[sys.executable, "-m", "venv", str(folder)], [python, "-m", "pip", "install", "-qq", wanted]]


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
    said = ["--method", task.method]
    if task.tool:
        said += ["--tool-name", task.tool]
    for key, value in task.arguments.items():
        said += ["--tool-arg", f"{key}={value}"]
    if isinstance(task.target, str):
        said += ["--transport", "sse" if task.target.endswith("/sse") else "http"]
    return said


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
            called = ["--target", task.tool, "--input-json", json.dumps(task.arguments)]
            return program("call", *target, *called, "--json")
        return program("list", *target, "--json")

    return command


def _mcp2cli(program: Program) -> Peer:
    def command(task: Task) -> Command:
        target = ["--mcp", task.target] if isinstance(task.target, str) else ["--mcp-stdio", shlex.join(task.target)]
        if task.tool:
            given = [word for key, value in task.arguments.items() for word in (f"--{key}", str(value))]
            # What the server's tools are, it has kept since the list was asked for.
            return program(*target, "--json", task.tool, *given)
        return program(*target, "--refresh", "--list", "--json")

    return command


KNOWN: Mapping[str, Callable[[Program], Peer]] = {
    "inspector 2": _inspector_2,
    "inspector 1": _inspector_1,
    "mcporter": _mcporter,
    "fastmcp": _fastmcp,
    "mcp2cli": _mcp2cli,
}

"""Node.js programs under the debugger: writing, running and reading the values."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from running import Mcpi, Ran

FIXTURES = Path(__file__).parents[1] / "fixtures" / "debug"


def nodes() -> Iterator[str]:
    """Each Node.js installed: the one of the environment, and the one of the system."""
    own = str(Path(sys.executable).parent)
    folders = [own, *os.environ.get("PATH", "").split(os.pathsep)]
    seen: set[str] = set()
    for folder in folders:
        found = shutil.which("node", path=folder)
        if found is not None and os.path.realpath(found) not in seen:
            seen.add(os.path.realpath(found))
            yield found


NODES = list(nodes())
NAMES = [f"node{number}" for number, _ in enumerate(NODES)]
"""The test IDs, the same in every process."""


@frozen
class Bench:
    """A directory with a program, and the Node.js to run it with."""

    folder: Path
    node: str
    mcpi: Mcpi

    def write(self, name: str, text: str) -> str:
        """Write the program, and return its name."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def run(self, place: str, expression: str, *flags: str, command: str = "", **more: Any) -> Ran:
        """Run debug/script; by default the command runs the file of the breakpoint."""
        file = place.rpartition(":")[0]
        debug_command = command.replace("%N%", self.node) or f"'{self.node}' --inspect-brk=0 '{file}'"
        probe = ("--debug-command", debug_command, "--breakpoint", place, "--expression", expression)
        return self.mcpi("--method", "debug/script", *probe, *flags, cwd=self.folder, **more)

    def results(self, place: str, expression: str, *flags: str, command: str = "", **more: Any) -> list[Any]:
        """The results."""
        ran = self.run(place, expression, *flags, command=command, **more)
        assert ran.exit_code == 0, (ran.stdout, ran.stderr)
        results: list[Any] = ran.json["results"]
        return results

    def values(self, place: str, expression: str, *flags: str, command: str = "", **more: Any) -> list[Any]:
        """The values of the results."""
        return [one["value"] for one in self.results(place, expression, *flags, command=command, **more)]

"""Node.js programs under the debugger: how they are written down, run and looked at."""

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from running import Mcpi, Ran

FIXTURES = Path(__file__).parents[1] / "fixtures" / "debug"


def nodes() -> Iterator[str]:
    """Each Node.js that there is: that of the environment, and the system's."""
    own = str(Path(sys.executable).parent)
    folders = [own, *os.environ.get("PATH", "").split(os.pathsep)]
    seen: set[str] = set()
    for folder in folders:
        found = shutil.which("node", path=folder)
        if found is not None and os.path.realpath(found) not in seen:
            seen.add(os.path.realpath(found))
            yield found


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


NODES = list(nodes())
NAMES = [f"node{number}" for number, _ in enumerate(NODES)]
"""How the tests on them are called, alike in every process."""


@frozen
class Bench:
    """A folder with a program, and the Node.js to run it with."""

    folder: Path
    node: str
    mcpi: Mcpi

    def write(self, name: str, text: str) -> str:
        """The program's name, once it is there."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def run(self, place: str, expression: str, *flags: str, command: str = "", **more: Any) -> Ran:
        """What came of looking; the command is the node with the file unless given."""
        file = place.rpartition(":")[0]
        asked = command.replace("%N%", self.node) or f"'{self.node}' --inspect-brk=0 '{file}'"
        look = ("--debug-command", asked, "--breakpoint", place, "--expression", expression)
        return self.mcpi("--method", "debug/script", *look, *flags, cwd=self.folder, **more)

    def look(self, place: str, expression: str, *flags: str, command: str = "", **more: Any) -> list[Any]:
        """The results."""
        ran = self.run(place, expression, *flags, command=command, **more)
        assert ran.exit_code == 0, (ran.stdout, ran.stderr)
        results: list[Any] = ran.json["results"]
        return results

    def values(self, place: str, expression: str, *flags: str, command: str = "", **more: Any) -> list[Any]:
        """The values of the results."""
        return [one["value"] for one in self.look(place, expression, *flags, command=command, **more)]

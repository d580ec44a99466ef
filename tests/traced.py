"""The messages of a run as recorded by --trace, and the servers for the method tests."""

import json
import sys
from pathlib import Path
from typing import Any

from attrs import frozen

from running import Mcpi, Ran

ROOT = Path(__file__).parents[1]
NODE = ROOT / "fixtures" / "node" / "node_modules" / "@modelcontextprotocol"

TARGETS = {
    "everything": ("node", str(NODE / "server-everything" / "dist" / "index.js")),
    "filesystem": ("node", str(NODE / "server-filesystem" / "dist" / "index.js"), str(ROOT / "fixtures" / "servers")),
    "memory": ("node", str(NODE / "server-memory" / "dist" / "index.js")),
    "demo": ("--demo", "--era", "handshake"),
    "demo, modern": ("--demo", "--era", "modern"),
    "extended": (sys.executable, str(ROOT / "fixtures" / "servers" / "extended.py")),
}
"""The MCP reference servers, the demo server in each era, and ours with the modern extensions."""


@frozen
class Traced:
    """A run, and its messages in order."""

    ran: Ran
    messages: tuple[tuple[str, str], ...]

    def sent(self, method: str) -> list[Any]:
        """The messages with this method that mcpi sent."""
        sent = [json.loads(raw) for direction, raw in self.messages if direction == "sent"]
        return [one for one in sent if one.get("method") == method]

    def answer(self, method: str) -> Any:
        """The whole response to the last request with this method, with its original spelling."""
        number = self.sent(method)[-1]["id"]
        received = [spelled(raw) for direction, raw in self.messages if direction == "received"]
        (found,) = [one for one in received if one.get("id") == str(number) and "method" not in one]
        return found


class Members(dict[str, Any]):
    """An object that compares equal only with the same member order."""

    def __eq__(self, other: object) -> bool:
        """Compare as lists of pairs."""
        return isinstance(other, Members) and list(self.items()) == list(other.items())

    __hash__ = None


def spelled(text: str) -> Any:
    """The JSON with its member order and number spelling preserved."""
    return json.loads(text, object_pairs_hook=Members, parse_int=str, parse_float=str)


def traced(mcpi: Mcpi, folder: Path, *args: str, stdin: str | None = None) -> Traced:
    """Run the command with --trace, and return the run and its messages."""
    trace = folder / "trace.jsonl"
    ran = mcpi(*args, "--quiet", "--trace", str(trace), stdin=stdin)
    entries = [json.loads(line) for line in trace.read_text("utf-8").splitlines()] if trace.exists() else []
    passed = tuple((one["direction"], one["raw"]) for one in entries if one["direction"] in {"sent", "received"})
    return Traced(ran, passed)


def check_printed_verbatim(seen: Traced, method: str) -> None:
    """Check that stdout equals the result on the wire, including the member order."""
    answer = seen.answer(method)
    assert seen.ran.exit_code == (0 if "result" in answer else 2), seen.ran.stderr
    assert spelled(seen.ran.stdout) == (answer["result"] if "result" in answer else Members(error=answer["error"]))
    error = answer.get("error")
    whole = "" if error is None else f"mcpi: {method} failed: {error['code']} {error['message']}"
    # Hints and further lines of the message are indented.
    found = whole.partition("\n")[0]
    assert [line for line in seen.ran.stderr.split("\n") if not line.startswith("  ")] == [
        found,
        *([""] if found else []),
    ]


def check_starts_nothing(mcpi: Mcpi, folder: Path, *args: str) -> str:
    """Check that the command line is rejected before a server starts, and return the message."""
    started = folder / "started"
    ran = mcpi("touch", str(started), *args)
    assert (ran.exit_code, ran.stdout, started.exists()) == (1, "", False)
    return ran.stderr

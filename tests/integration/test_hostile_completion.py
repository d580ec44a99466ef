"""Hostile tool names: completion in interactive bash, zsh and fish must not execute them."""

import json
import os
import pty
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import warm
from running import clean_environment

ODD = Path(__file__).parents[2] / "fixtures" / "servers" / "odd.py"
# An unassigned code point makes bash quote the whole name again.
NAMES = {
    "double": 'na\U000e0999";touch MARK;"',
    "single": "na\U000e0999';touch MARK;'",
    "plain": "na$(touch MARK)",
    "safe": "name-of-a-tool",
}
LINES = [("double", '"'), ("single", "'"), ("plain", '"'), ("plain", ""), ("safe", "")]
SETUP = {
    "bash": 'PS1=REA""DY; PS2=MO""RE; eval "$(mcpi --completion bash)"; '
    'mcpi() { [ "$1" != --complete ] || command mcpi "$@"; }',
    "zsh": "autoload -U compinit; compinit -u -D; eval \"$(mcpi --completion zsh)\"; PS1=REA''DY; PS2=MO''RE; "
    'mcpi() { [ "$1" != --complete ] || command mcpi "$@"; }',
    "fish": "mcpi --completion fish | source; function fish_prompt; echo -n REA''DY; end; "
    'function mcpi; if test "$argv[1]" = --complete; command mcpi $argv; end; end',
}
START = {"bash": ["bash", "--norc", "-i"], "zsh": ["zsh", "-f", "-i"], "fish": ["fish", "-N", "-i"]}


class Shell:
    """An interactive shell on a terminal."""

    def __init__(self, name: str, locale: str, folder: Path) -> None:
        language = {"LC_ALL": locale}
        more = {"PATH": warm.search_path(language), "TERM": "dumb", "HOME": str(folder), **language}
        self._pid, self._terminal = pty.fork()
        if not self._pid:
            os.chdir(folder)
            os.execvpe(START[name][0], START[name], clean_environment(more))  # noqa: S606 - an interactive shell
        self.shown = ""
        self.type(f"{SETUP[name]}\n")
        self.wait("READY")

    def type(self, text: str) -> None:
        """Send keystrokes."""
        os.write(self._terminal, text.encode())

    def wait(self, *texts: str, within: float = 30.0) -> str:
        """Read the output until one of the texts appears."""
        self.shown = ""
        until = time.monotonic() + within
        while not any(text in self.shown for text in texts) and time.monotonic() < until:
            if select.select([self._terminal], [], [], 0.1)[0]:
                self.shown += os.read(self._terminal, 4096).decode(errors="replace")
        return self.shown

    def close(self) -> None:
        """End the shell."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)


@pytest.fixture(params=["C", "C.UTF-8"])
def locale(request: pytest.FixtureRequest) -> str:
    """A locale with and one without non-ASCII characters."""
    return str(request.param)


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed"))
        for name in SETUP
    ]
)
def shell(request: pytest.FixtureRequest, locale: str, tmp_path: Path) -> Iterator[Shell]:
    """A shell with mcpi completion, where entering a line makes no call."""
    servers = {
        key: {
            "command": sys.executable,
            "args": [str(ODD), "tools/list", json.dumps({"tools": [{"name": name, "inputSchema": {}}]})],
        }
        for key, name in NAMES.items()
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    running = Shell(request.param, locale, tmp_path)
    yield running
    running.close()


def test_completed_tool_name_is_not_executed_by_the_shell(shell: Shell, tmp_path: Path) -> None:
    shown = ""
    for place, (server, quote) in enumerate(LINES):
        shell.type(f"mcpi tools/call --config mcp.json --server {server} --tool-name {quote}na\t")
        shell.type(f"{quote}; echo EN''D{place}\n")
        shown = shell.wait(f"END{place}", "MORE")
        if "MORE" in shown:
            shell.type("\x03")
            shell.wait("READY")

    assert (list(tmp_path.glob("MARK*")), "name-of-a-tool" in shown) == ([], True)

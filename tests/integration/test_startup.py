"""Imported modules and startup time."""

import subprocess
import sys
from collections.abc import Callable

from running import COMMAND, clean_environment, cost

SLOW = (
    "mcp",
    "mcp_types",
    "pydantic",
    "jsonschema",
    "cattrs",
    "websockets",
    "rich",
    "docstring_parser",
    "yaml",
)
WEB = ("httpx2", "httpcore2", "anyio", "truststore", "http.cookiejar")
OAUTH = {
    "mcpi.shell.auth.performer",
    "mcpi.shell.auth.fetch",
    "mcpi.shell.auth.signing",
    "mcpi.shell.auth.loopback",
    "jwt",
    "cryptography",
}
Serve = Callable[..., str]
REFERENCE = (sys.executable, "-c", "import cyclopts, attrs, pluggy")


def modules(*args: str) -> set[str]:
    """The modules imported by a real run."""
    command = [sys.executable, "-X", "importtime", COMMAND, *args]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())
    return {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines() if line.startswith("import time:")}


def test_stdio_call_imports_no_heavy_modules(everything: tuple[str, ...]) -> None:
    seen = modules(*everything, "--method", "tools/list")

    assert "mcpi.shell.transports.stdio" in seen
    assert seen & {*SLOW, *WEB, "h11"} == set()


def test_http_call_imports_no_heavy_modules() -> None:
    seen = modules("http://127.0.0.1:9/mcp", "--method", "tools/list")

    assert "mcpi.shell.transports.http" in seen
    assert seen & {*SLOW, *WEB, "mcpi.shell.transports.stdio"} == set()


def test_call_without_token_imports_no_oauth_modules(everything: tuple[str, ...], served: Serve) -> None:
    url = served(*everything, "streamableHttp")
    for target in (everything, (url,)):
        seen = modules(*target, "--method", "tools/list")

        assert not [name for name in seen if name.startswith("mcpi.core.auth.")]
        assert seen & OAUTH == set()


def test_call_without_breakpoint_imports_no_debugger_modules(everything: tuple[str, ...]) -> None:
    seen = modules(*everything, "--method", "tools/list")
    own = {
        name
        for name in seen
        if name.startswith(("mcpi.core.debugger.", "mcpi.shell.debugger.")) or name == "mcpi.shell.cli.live_debug"
    }

    assert own == {"mcpi.core.debugger.program", "mcpi.core.debugger.program.probe"}


def test_invalid_command_line_imports_neither_asyncio_nor_transports() -> None:
    seen = modules("--method", "tools/lst", "node", "server.js")

    assert seen & {*SLOW, *WEB, "asyncio", "mcpi.core.session.session", "mcpi.shell.connection.driver"} == set()


def test_version_flag_imports_only_the_version() -> None:
    seen = {name for name in modules("--version") if name.partition(".")[0] in {"attr", "attrs", "pluggy", "mcpi"}}

    assert seen == {"mcpi", "mcpi.core", "mcpi.core.version", "mcpi.shell", "mcpi.shell.context", "mcpi.shell.main"}


def test_startup_time_is_bounded_relative_to_importing_cyclopts() -> None:
    reference = cost(REFERENCE)
    ratios = {name: cost(command) / reference for name, command in COMMANDS.items()}

    assert {name: ratio for name, ratio in ratios.items() if ratio >= MOST} == {}


MOST = 3.0
COMMANDS = {
    "version": (COMMAND, "--version"),
    "misspelled flag": (COMMAND, "--verison"),
    "unknown method": (COMMAND, "node", "server.js", "--method", "tools/lst"),
}

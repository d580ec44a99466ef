"""Run the official conformance suite with the installed mcpi as client, and mcpi-debug-script as server."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
NODE = (str(Path(sys.executable).with_name("node")), "--no-deprecation", str(SUITE))
PASSING = HERE / "passing.txt"
VERSIONS = ("2025-03-26", "2025-11-25", "2026-07-28")
EXTENSIONS = "extensions"
SERVER = HERE.parents[1] / "fixtures" / "servers" / "debug_http.py"
SERVED = ("server-initialize", "ping", "tools-list", "caching")
"""The server scenarios that apply to mcpi-debug-script, which has only a tool."""
REFUSING = {
    "http-invalid-tool-headers",
    "auth/scope-retry-limit",
    "auth/resource-mismatch",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
}
"""Scenarios in which mcpi must fail with exit code 1."""
_LISTED = re.compile(r"^  - (\S+) \[(.*)\]$", re.MULTILINE)
_ENDED = re.compile(r"^mcpi ended with (\d+)$", re.MULTILINE)


def runs() -> list[tuple[str, str]]:
    """Each scenario with each protocol version it applies to."""
    listed = subprocess.run((*NODE, "list", "--client"), capture_output=True, text=True, check=True)
    found = dict(_LISTED.findall(listed.stdout))
    dated = [
        (version, name) for version in VERSIONS for name, versions in found.items() if version in versions.split(",")
    ]
    return [*dated, *((EXTENSIONS, name) for name, versions in found.items() if versions == "extension")]


def verdict(version: str, name: str) -> str:
    """The failures of a client scenario; empty if it passed."""
    with tempfile.TemporaryDirectory() as folder:
        version_flags = () if version == EXTENSIONS else ("--spec-version", version)
        command = f"{sys.executable} {HERE / 'client.py'}"
        suite = (*NODE, "client", "--scenario", name)
        subprocess.run((*suite, *version_flags, "--command", command, "-o", folder), capture_output=True, check=False)
        return "; ".join([*problems(Path(folder)), *ending(name, Path(folder))])


def served_verdict(name: str, port: int) -> str:
    """The failures of a server scenario of mcpi-debug-script; empty if it passed."""
    with tempfile.TemporaryDirectory() as folder:
        suite = (*NODE, "server", "--scenario", name, "--url", f"http://127.0.0.1:{port}/mcp")
        subprocess.run((*suite, "-o", folder), capture_output=True, check=False)
        return "; ".join(problems(Path(folder)))


def problems(folder: Path) -> Iterator[str]:
    """Each failed check."""
    results = next(folder.rglob("checks.json"), None)
    if results is None:
        yield "the suite ended without results"
        return
    checks = json.loads(results.read_text("utf-8"))
    for check in checks:
        if check["status"] in {"FAILURE", "WARNING"}:
            yield f"{check['status']} {check['id']}: {check.get('errorMessage') or check['description']}"
    # The suite itself calls zero checks a pass.
    if not any(check["status"] == "SUCCESS" for check in checks):
        yield "no check succeeded"


def ending(name: str, folder: Path) -> Iterator[str]:
    """A message for an unexpected exit code."""
    stdout = next(folder.rglob("stdout.txt"), None)
    ended = _ENDED.search(stdout.read_text("utf-8")) if stdout is not None else None
    code, right = int(ended[1]) if ended else -1, 1 if name in REFUSING else 0
    if stdout is not None and code != right:
        stderr = stdout.with_name("stderr.txt").read_text("utf-8").strip().partition("\n")[0]
        yield f"mcpi ended with {code}, not {right} ({stderr})"


def as_server(names: list[str]) -> list[str]:
    """The verdicts on mcpi-debug-script over HTTP."""
    if not names:
        return []
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen((sys.executable, str(SERVER)), env={**os.environ, "PORT": str(port)})
    try:
        until = time.monotonic() + 30
        while not listens(port) and time.monotonic() < until:
            time.sleep(0.05)
        return [served_verdict(name, port) for name in names]
    finally:
        server.kill()
        server.wait()


def listens(port: int) -> bool:
    """True if the port accepts connections."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def tell(chosen: list[str], verdicts: list[str]) -> set[str]:
    """Print a line for each scenario and a summary, and return the passed scenarios."""
    passed = {name for name, problem in zip(chosen, verdicts, strict=True) if not problem}
    for name, problem in zip(chosen, verdicts, strict=True):
        sys.stdout.write(f"{'FAIL' if problem else 'pass'} {name}{f': {problem}' if problem else ''}\n")
    sys.stdout.write(f"{len(passed)} passed, {len(chosen) - len(passed)} failed\n")
    return passed


def main() -> int:
    """1 if the passing scenarios differ from the list, otherwise 0."""
    wanted = sys.argv[1:]
    clients = [run for run in runs() if not wanted or any(word in " ".join(run) for word in wanted)]
    served = [name for name in SERVED if not wanted or any(word in f"server {name}" for word in wanted)]
    passed = tell([f"server {name}" for name in served], as_server(served)) if served else set()
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        verdicts = list(pool.map(lambda run: verdict(*run), clients))
    passed |= tell([" ".join(run) for run in clients], verdicts)
    known = set(PASSING.read_text("utf-8").splitlines()) if PASSING.exists() else set()
    ran = {*(" ".join(run) for run in clients), *(f"server {name}" for name in served)}
    lost, new = sorted((known & ran) - passed), sorted(passed - known)
    for line in lost:
        sys.stdout.write(f"{PASSING.name} says that {line!r} passes\n")
    for line in new:
        sys.stdout.write(f"{PASSING.name} does not say that {line!r} passes\n")
    return 1 if lost or new else 0


if __name__ == "__main__":
    raise SystemExit(main())

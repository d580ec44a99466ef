"""Drives the installed mcpi through the client scenarios of the official conformance suite."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
NODE = (str(Path(sys.executable).with_name("node")), "--no-deprecation", str(SUITE))
PASSING = HERE / "passing.txt"
WIRES = ("2025-03-26", "2025-11-25", "2026-07-28")
EXTENSIONS = "extensions"
REFUSING = {
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
"""Where the right thing is to refuse: mcpi ends with 1."""
_LISTED = re.compile(r"^  - (\S+) \[(.*)\]$", re.MULTILINE)
_ENDED = re.compile(r"^mcpi ended with (\d+)$", re.MULTILINE)


def runs() -> list[tuple[str, str]]:
    """Each scenario with each wire that it is for."""
    listed = subprocess.run((*NODE, "list", "--client"), capture_output=True, text=True, check=True)
    found = dict(_LISTED.findall(listed.stdout))
    dated = [(wire, name) for wire in WIRES for name, wires in found.items() if wire in wires.split(",")]
    return [*dated, *((EXTENSIONS, name) for name, wires in found.items() if wires == "extension")]


def verdict(wire: str, name: str) -> str:
    """What is wrong; empty where nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        wired = () if wire == EXTENSIONS else ("--spec-version", wire)
        command = f"{sys.executable} {HERE / 'client.py'}"
        suite = (*NODE, "client", "--scenario", name)
        subprocess.run((*suite, *wired, "--command", command, "-o", folder), capture_output=True, check=False)
        return "; ".join(problems(name, Path(folder)))


def problems(name: str, folder: Path) -> Iterator[str]:
    """Each check that is not passed, and an exit code that is not right."""
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
    ended = _ENDED.search((results.parent / "stdout.txt").read_text("utf-8"))
    code, right = int(ended[1]) if ended else -1, 1 if name in REFUSING else 0
    if code != right:
        stderr = (results.parent / "stderr.txt").read_text("utf-8").strip().partition("\n")[0]
        yield f"mcpi ended with {code}, not {right} ({stderr})"


def main() -> int:
    """1 if something fails that passed before, or if the list does not name what passes now."""
    wanted = sys.argv[1:]
    chosen = [run for run in runs() if not wanted or any(word in " ".join(run) for word in wanted)]
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        verdicts = list(pool.map(lambda run: verdict(*run), chosen))
    passed = {f"{wire} {name}" for (wire, name), problem in zip(chosen, verdicts, strict=True) if not problem}
    for (wire, name), problem in zip(chosen, verdicts, strict=True):
        sys.stdout.write(f"{'FAIL' if problem else 'pass'} {wire} {name}{f': {problem}' if problem else ''}\n")
    sys.stdout.write(f"{len(passed)} passed, {len(chosen) - len(passed)} failed\n")
    known = set(PASSING.read_text("utf-8").splitlines()) if PASSING.exists() else set()
    ran = {f"{wire} {name}" for wire, name in chosen}
    lost, new = sorted((known & ran) - passed), sorted(passed - known)
    for line in lost:
        sys.stdout.write(f"{PASSING.name} says that {line!r} passes\n")
    for line in new:
        sys.stdout.write(f"{PASSING.name} does not say that {line!r} passes\n")
    return 1 if lost or new else 0


if __name__ == "__main__":
    raise SystemExit(main())

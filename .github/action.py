"""Run `mcpi lint` or `mcpi diff` with the inputs of action.yml, which are passed as environment variables."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

FLAGS = {
    "CONFIG": "--config",
    "SERVER": "--server",
    "CLIENTS": "--for",
    "FAIL_ON": "--fail-on",
    "EXPECT_TOKENS": "--expect-tokens",
    "ACCEPT": "--accept",
}


def words(name: str) -> list[str]:
    """Split an input as a shell does."""
    try:
        return shlex.split(os.environ.get(name, ""))
    except ValueError as error:
        sys.exit(f"{name.lower()}: {error}")


def main(method: str) -> int:
    """Run the method, and set the path of its SARIF file as an output of the step."""
    sarif = Path(os.environ.get("RUNNER_TEMP", ".")) / f"mcpi-{method}.sarif"
    sarif.unlink(missing_ok=True)
    flags = [f"{flag}={os.environ[name]}" for name, flag in FLAGS.items() if os.environ.get(name)]
    lock = [os.environ["LOCK"]] if method == "diff" else []
    target = words("TARGET")
    if target and not target[0].startswith(("http://", "https://")):
        target.insert(0, "--")
    command = ["mcpi", method, *lock, *flags, f"--report-sarif={sarif}", *words("ARGS"), *target]
    code = subprocess.run(command, check=False).returncode
    # Uploading a file without results closes all alerts, so upload one only if the server was checked.
    if sarif.exists() and json.loads(sarif.read_text("utf-8"))["runs"][0]["invocations"][0]["executionSuccessful"]:
        with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as outputs:
            outputs.write(f"sarif={sarif}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

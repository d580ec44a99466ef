"""The steps of a call listed in docs/how-it-works.md are the functions that run, in that order."""

import re
import subprocess
import sys
from pathlib import Path

from running import clean_environment

ROOT = Path(__file__).parents[2]
STEP = re.compile(r"^\d+\. `(?P<module>[\w/]+)`: `(?P<function>[\w.]+)`", re.MULTILINE)
LONGEST_WALK = 35
TRACE = r"""
import sys
from mcpi.shell.context import process_context
from mcpi.shell.main import main

names = []

def trace(frame, event, _):
    code = frame.f_code
    if event == "call" and "/mcpi/" in code.co_filename:
        names.append(code.co_filename.rpartition("/mcpi/")[2].removesuffix(".py") + " " + code.co_qualname)

sys.setprofile(trace)
code = main(process_context())
sys.setprofile(None)
print("\n".join(dict.fromkeys(names)), file=sys.stderr)
sys.exit(code)
"""


def test_documented_steps_run_in_order() -> None:
    page = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    documented = [f"{step['module']} {step['function']}" for step in STEP.finditer(page)]
    command = [sys.executable, "-c", TRACE, "--demo", "--era", "handshake", "tools/call", "log", "--follow", "--ndjson"]
    ran = subprocess.run(
        [*command, "--max-events", "3"],
        capture_output=True,
        text=True,
        check=True,
        env=clean_environment(),
        timeout=60,
    )
    called = ran.stderr.splitlines()

    assert [name for name in documented if name not in called] == []
    assert documented == sorted(set(documented), key=called.index)
    assert 20 < len(documented) <= LONGEST_WALK

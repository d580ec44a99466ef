"""Generated files are up to date: the schema, the man page, the reference and parts of other pages."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_generated_files_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "", 0), "make generated updates them"

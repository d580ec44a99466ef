"""What is made from the help is in step with it: the package's data, the man page, the reference, the README's part."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_is_made_from_the_help_is_in_step_with_it() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "", 0), "make generated writes them anew"

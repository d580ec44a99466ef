"""The tests named in the Python client page exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"\| `([\w/]+\.py)(?:::(\w+))?` \|$", re.MULTILINE)


def test_each_client_feature_names_an_existing_test() -> None:
    rows = NAMED.findall((ROOT / "docs" / "python.md").read_text("utf-8"))
    missing = []
    for file, name in rows:
        path = ROOT / "tests" / (file if "/" in file else f"unit/shell/client/{file}")
        if not path.is_file() or f"def {name}" not in path.read_text("utf-8"):
            missing.append(f"{file}::{name}")

    assert len(rows) > 40
    assert missing == []

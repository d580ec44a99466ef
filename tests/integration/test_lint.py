"""lint as an installed command: reports, real servers, both eras, and the time for a thousand tools."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from running import COMMAND, Mcpi, cost
from support.sarif import sarif_problems

ROOT = Path(__file__).parents[2]
NODE = ROOT / "fixtures" / "node" / "node_modules" / "@modelcontextprotocol"
LISTS = ROOT / "fixtures" / "servers" / "lists.py"
DEFECTIVE = ROOT / "fixtures" / "lint" / "defective" / "array-without-items.json"


def rules(document: Any) -> list[str]:
    """The rules of the findings in a document."""
    return [one["rule"] for one in document["findings"]]


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_demo_server_is_clean_in_both_eras(mcpi: Mcpi, era: str, tmp_path: Path) -> None:
    file = tmp_path / "findings.json"
    ran = mcpi("lint", "--demo", "--era", era, "--output", str(file))
    document = json.loads(file.read_text("utf-8"))

    assert (ran.exit_code, ran.stdout) == (0, "")
    assert ran.stderr.startswith("mcpi: lint: no findings in 8 tools, about ")
    assert (document["findings"], document["summary"]["tools"]) == ([], 8)


@pytest.mark.parametrize(("name", "args"), [("everything", ()), ("filesystem", ("/tmp",)), ("memory", ())])  # noqa: S108 - any folder
def test_reference_server_has_no_errors_and_few_warnings(mcpi: Mcpi, name: str, args: tuple[str, ...]) -> None:
    ran = mcpi("lint", "--", "node", str(NODE / f"server-{name}" / "dist" / "index.js"), *args)

    assert (ran.exit_code, ran.json["summary"]["errors"]) == (0, 0)
    assert ran.json["summary"]["warnings"] <= 3


def test_findings_are_printed_once_above_the_summary(mcpi: Mcpi) -> None:
    good = mcpi("lint", "--demo", "--summary")
    bad = mcpi("lint", "--summary", "--", sys.executable, str(LISTS), str(DEFECTIVE))

    assert (good.exit_code, good.stderr.partition(",")[0]) == (0, "no findings in 8 tools")
    assert (bad.exit_code, bad.stderr.partition(",")[0]) == (1, "1 error in 1 tool")
    assert bad.stderr.count("array-without-items") == 1


def test_all_report_formats_contain_the_findings(mcpi: Mcpi, tmp_path: Path) -> None:
    forms = ("sarif", "md", "junit", "html", "tap")
    files = {form: tmp_path / f"report.{form}" for form in forms}
    flags = [word for form, path in files.items() for word in (f"--report-{form}", str(path))]
    summary = tmp_path / "summary.md"
    ran = mcpi(
        "lint", *flags, "--", sys.executable, str(LISTS), str(DEFECTIVE), env={"GITHUB_STEP_SUMMARY": str(summary)}
    )

    assert (ran.exit_code, rules(ran.json)) == (1, ["array-without-items"])
    assert [form for form, path in files.items() if "array-without-items" not in path.read_text("utf-8")] == []
    document = json.loads(files["sarif"].read_text("utf-8"))
    (run,) = document["runs"]
    assert sarif_problems(document) == []
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "lists.py"
    assert summary.read_text("utf-8") == f"{files['md'].read_text('utf-8')}\n"


def test_config_file_in_working_directory_is_read(mcpi: Mcpi, tmp_path: Path) -> None:
    entry = {"rule": "array-without-items", "tool": "search", "reason": "a test"}
    (tmp_path / ".mcpi-lint.json").write_text(json.dumps({"ignore": [entry]}), "utf-8")

    ran = mcpi("lint", "--", sys.executable, str(LISTS), str(DEFECTIVE), cwd=tmp_path)
    assert (ran.exit_code, ran.json["findings"]) == (0, [])
    (tmp_path / ".mcpi-lint.json").write_text("{", "utf-8")
    ran = mcpi("lint", "--", sys.executable, str(LISTS), str(DEFECTIVE), cwd=tmp_path)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("mcpi: .mcpi-lint.json: invalid JSON")


def test_lint_adds_little_time_to_listing_a_thousand_tools(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words to search for."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "order": {"type": "string", "enum": ["asc", "desc"]},
        },
        "required": ["query"],
    }
    about = "Search the records of a table, and return the rows that match."
    tools = [{"name": f"search_{number}", "description": about, "inputSchema": schema} for number in range(1000)]
    lists = tmp_path / "lists.json"
    lists.write_text(json.dumps({"capabilities": {"tools": {}}, "tools": tools}), "utf-8")

    def seconds(method: str) -> float:
        server = (sys.executable, str(LISTS), str(lists))
        return cost((COMMAND, method, "--output", str(tmp_path / "out.json"), "--", *server))

    assert any(seconds("lint") - seconds("tools/list") < 0.2 for _ in range(3))

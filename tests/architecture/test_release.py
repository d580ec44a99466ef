"""Release files refer only to existing targets, files and dependencies."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
DOCKERFILE = (ROOT / "packaging" / "Dockerfile").read_text("utf-8")
FORMULA = (ROOT / "packaging" / "mcpi-cli.rb").read_text("utf-8")


def workflow(path: Path) -> dict[str, Any]:
    """The jobs of a workflow."""
    jobs: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return jobs


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_make_targets_used_in_workflows_exist(path: Path) -> None:
    lines = [step.get("run", "") for job in workflow(path).values() for step in job["steps"]]
    targets = {target for line in lines for target in re.findall(r"\bmake ([a-z]+)", line)}

    assert [target for target in targets if not re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_jobs_need_existing_jobs_and_have_timeouts(path: Path) -> None:
    jobs = workflow(path)
    for job in jobs.values():
        needs = job.get("needs", [])
        assert {needs} <= jobs.keys() if isinstance(needs, str) else {*needs} <= jobs.keys()
        assert job["timeout-minutes"] <= 45


def test_ci_runs_on_three_operating_systems() -> None:
    jobs = workflow(ROOT / ".github" / "workflows" / "ci.yml").values()

    assert {job["runs-on"] for job in jobs} == {"ubuntu-latest", "macos-latest", "windows-latest"}


def test_only_publishing_jobs_have_write_permissions() -> None:
    jobs = workflow(ROOT / ".github" / "workflows" / "release.yml")

    assert {name: job["permissions"] for name, job in jobs.items() if "permissions" in job} == {
        "publish": {"id-token": "write"},
        "github": {"contents": "write"},
    }


def test_image_copies_existing_files_and_runs_as_non_root() -> None:
    sources = [
        word for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE) for word in line.split()[:-1]
    ]
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()

    assert sources
    assert [name for name in sources if not (ROOT / name).exists() or f"!{name}" not in ignored] == []
    assert re.findall(r"^(USER .+)$", DOCKERFILE, re.MULTILINE) == ["USER mcpi"]


def test_formula_placeholders_match_the_release_workflow() -> None:
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")

    assert {*re.findall(r"@[A-Z0-9]+@", FORMULA)} == {"@VERSION@", "@SHA256@"}
    assert {*re.findall(r"@[A-Z0-9]+@", release)} == {"@VERSION@", "@SHA256@"}


def test_sbom_is_reproducible_and_lists_all_dependencies(tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    subprocess.run([sys.executable, "packaging/sbom.py", str(file)], cwd=ROOT, check=True, timeout=60)
    first = file.read_bytes()
    subprocess.run([sys.executable, "packaging/sbom.py", str(file)], cwd=ROOT, check=True, timeout=60)
    bill = json.loads(first)
    names = {one["name"] for one in bill["components"]}
    refs = {one["bom-ref"] for one in (*bill["components"], bill["metadata"]["component"])}

    assert file.read_bytes() == first
    assert {"attrs", "cyclopts", "httpx2", "mcp", "pluggy", "pydantic"} <= names
    assert not names & {"mcpi-cli", "pytest", "ruff"}
    assert {one["ref"] for one in bill["dependencies"]} == refs

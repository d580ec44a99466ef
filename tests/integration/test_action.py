"""The GitHub action: its steps, run as a GitHub runner runs them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import frozen

import warm
from mcpi.core.version import __version__
from support.sarif import sarif_problems

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
LISTS = ROOT / "fixtures" / "servers" / "lists.py"
DEFECTIVE = ROOT / "fixtures" / "lint" / "defective" / "array-without-items.json"
LANGUAGE = {"LANG": "C.UTF-8"}
SHELLS = {"bash": ("bash", "--noprofile", "--norc", "-eo", "pipefail")}
CONDITIONS = {"${{ !cancelled() && inputs.lock != '' }}": lambda inputs: bool(inputs["lock"])}


@frozen
class Finished:
    """The result of an action run: failed steps, outputs, summary and log."""

    failed: list[str]
    outputs: dict[str, str]
    summary: str
    printed: str


def substituted(text: str, values: dict[str, str]) -> str:
    """Replace the expressions in a text, as the runner does before it starts a shell."""
    return re.sub(r"\$\{\{ *([^ ]+) *\}\}", lambda found: values[found[1]], text)


def run_action(folder: Path, **given: str) -> Finished:
    """Run all steps of the action in a folder."""
    known = {"version": __version__, **{name.replace("_", "-"): value for name, value in given.items()}}
    inputs = {name: known.pop(name, one["default"]) for name, one in ACTION["inputs"].items()}
    assert known == {}
    values = {f"inputs.{name}": value for name, value in inputs.items()}
    (folder / "temp").mkdir()
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    facts = {name: str(path) for name, path in files.items()} | {"RUNNER_TEMP": str(folder / "temp")}
    facts |= {"PATH": warm.search_path(LANGUAGE), **LANGUAGE}
    facts |= {"GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(ROOT), "PIP_NO_INDEX": "1", "HOME": str(folder)}
    failed: list[str] = []
    printed = ""
    outputs = dict.fromkeys(("steps.lint.outputs.sarif", "steps.diff.outputs.sarif"), "")
    for step in ACTION["runs"]["steps"]:
        runs = CONDITIONS[step["if"]](inputs) if "if" in step else not failed
        if "uses" in step or not runs:
            continue
        files["GITHUB_OUTPUT"].write_text("", "utf-8")
        script = folder / "step.sh"
        script.write_text(substituted(step["run"], values), "utf-8")
        env = facts | {name: substituted(value, values) for name, value in step.get("env", {}).items()}
        command = [*SHELLS[step["shell"]], str(script)]
        ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60)
        printed += ran.stdout + ran.stderr
        failed += [step["name"]] if ran.returncode else []
        written = (line.partition("=") for line in files["GITHUB_OUTPUT"].read_text("utf-8").splitlines())
        outputs |= {f"steps.{step['id']}.outputs.{name}": value for name, _, value in written}
    summary = files["GITHUB_STEP_SUMMARY"]
    return Finished(
        failed,
        {name: substituted(one["value"], outputs) for name, one in ACTION["outputs"].items()},
        summary.read_text("utf-8") if summary.exists() else "",
        printed,
    )


def rules(path: str) -> list[str]:
    """The rule IDs in a SARIF file, which must pass the checks of code scanning."""
    document = json.loads(Path(path).read_text("utf-8"))
    assert sarif_problems(document) == []
    return [one["ruleId"] for one in document["runs"][0]["results"]]


def test_inputs_are_not_interpolated_into_run_scripts() -> None:
    assert [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize(("given", "installed"), [("", "/action"), ("0.1.0", "mcpi-cli==0.1.0")])
def test_version_of_the_action_is_installed_by_default(given: str, installed: str) -> None:
    (step,) = (one for one in ACTION["runs"]["steps"] if one.get("name") == "Install mcpi")
    shown = step["run"].replace("python -m pip install --quiet", "printf %s")
    env = {"VERSION": given, "GITHUB_ACTION_PATH": "/action"}

    assert subprocess.check_output((*SHELLS["bash"], "-c", shown), env=env, text=True) == installed


def test_clean_server_passes_lint_and_lock_file_comparison(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    lists = folder / "my lists.json"
    tool = {"name": "search", "description": "Search.", "inputSchema": {"type": "object", "properties": {}}}
    lists.write_text(json.dumps({"capabilities": {"tools": {}}, "tools": [tool]}), "utf-8")
    old = {"lockVersion": 1, "protocolVersion": "2025-11-25", "tools": [tool, {**tool, "name": "gone_since"}]}
    (folder / "mcpi.lock.json").write_text(json.dumps(old), "utf-8")
    target = f"{sys.executable} {LISTS} '{lists}'"

    done = run_action(folder, target=target, lock="mcpi.lock.json", expect_tokens="<5000", args="--timeout 50s")

    assert (done.failed, rules(done.outputs["sarif"])) == (["Compare with the lock file"], []), done.printed
    assert "tool-removed" in rules(done.outputs["changes-sarif"])
    assert ("mcpi lint" in done.summary, "mcpi diff" in done.summary) == (True, True)


def test_defective_server_fails_after_writing_reports(tmp_path: Path) -> None:
    done = run_action(tmp_path, target=f"{sys.executable} {LISTS} {DEFECTIVE}", **{"for": "openai"})

    assert (done.failed, rules(done.outputs["sarif"])) == (["Lint"], ["array-without-items"]), done.printed
    assert done.outputs["changes-sarif"] == ""
    assert "array\\-without" in done.summary or "array-without-items" in done.summary


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": "$(touch pwned) ; touch pwned"}, "$(touch"),
        ({"target": "node 'server.js"}, "target: No closing quotation"),
        ({"target": "x", "fail_on": "$(touch pwned)"}, "--fail-on"),
        ({"target": "x", "version": "1 ; touch pwned"}, "touch pwned"),
    ],
)
def test_input_is_never_executed_as_code(tmp_path: Path, given: dict[str, str], message: str) -> None:
    done = run_action(tmp_path, **given)

    assert message in done.printed
    assert len(done.failed) == 1
    assert (done.outputs["sarif"], list(tmp_path.rglob("pwned"))) == ("", [])

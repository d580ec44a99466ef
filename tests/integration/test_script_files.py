"""Files written by a script: its envelopes, and reports, including those of a rejected script."""

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from running import Mcpi
from support.script_worlds import SERVER, run_script, script_world


def test_output_file_gets_the_envelopes_on_a_terminal(tmp_path: Path) -> None:
    world = script_world([{"method": "ping"}], terminal=True)

    assert world.run(*SERVER, "--script", "-", "--output", str(tmp_path / "out.json")) == 0
    assert json.loads((tmp_path / "out.json").read_text())[0]["success"] is True
    assert world.stdout.getvalue() == ""


@pytest.mark.parametrize(
    ("script", "flags", "why"),
    [
        ('[{"metod": "x"}, {"wait": 1}]', (), "step 1: unknown key 'metod' (did you mean method?)"),
        ("[", (), "invalid JSON"),
        ("[]", ("--config", "/nowhere/mcp.json"), "cannot read /nowhere/mcp.json"),
        ("[]", ("--config", "http://h/mcp"), "cannot read http://h/mcp: expected a file, not a URL"),
    ],
)
def test_rejected_script_reports_one_failing_test(
    script: str, flags: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    world = script_world(script)
    junit, tap = tmp_path / "r.xml", tmp_path / "r.tap"
    target = flags or ("server",)

    code = world.run(*target, "--script", "-", "--report-junit", str(junit), "--report-tap", str(tap))

    assert (code, world.stdout.getvalue(), world.transports) == (1, "", [])
    (suite,) = JUnitXml.fromfile(str(junit))
    (case,) = suite
    assert (suite.tests, suite.failures, case.name, case.classname) == (1, 1, "script", "standard input")
    assert why in case.result[0].message
    assert (why in world.stderr.getvalue(), "not ok 1 - script" in tap.read_text()) == (True, True)


def test_report_of_a_rejected_script_lists_every_error(tmp_path: Path) -> None:
    script_world('[{"metod": "x"}, {"wait": true}]').run(
        *SERVER, "--script", "-", "--report-junit", str(tmp_path / "r.xml")
    )

    assert "step 2, wait: expected a string, found boolean" in (tmp_path / "r.xml").read_text()


def test_unwritable_report_is_reported_with_the_script_error(tmp_path: Path) -> None:
    code, lines = run_script("[", "--report-junit", str(tmp_path / "gone" / "r.xml"))

    assert (code, len(lines)) == (1, 2)
    assert "cannot write" in lines[0]


def test_unknown_report_format_writes_no_file(tmp_path: Path) -> None:
    code, lines = run_script("[]", "--report", f"junt={tmp_path / 'r.xml'}")

    assert (code, list(tmp_path.iterdir()), lines[0]) == (1, [], "mcpi: --report: unknown report 'junt'")


def test_long_file_name_in_a_step_is_reported(mcpi: Mcpi, tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / "a.json").write_text(json.dumps([{"method": "diff", "old": f"{'a' * 5000}.json"}]))
    ran = mcpi("steps/a.json", "--demo", cwd=tmp_path)

    assert (ran.exit_code, "File name too long" in ran.stderr, "internal error" in ran.stderr) == (1, True, False)

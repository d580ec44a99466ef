"""Scripts, expectations and reports, with the demo server."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from running import COMMAND, Mcpi, clean_environment, has, wait_until

DEMO = ("--demo", "--quiet", "--era", "handshake")
PLAIN = str(Path(__file__).parents[2] / "fixtures" / "servers" / "plain.py")
SCHEMAS = Path(__file__).parents[2] / "src" / "mcpi" / "schemas"
ENVELOPE = json.loads((SCHEMAS / "envelope.json").read_text())
SCRIPT = json.loads((SCHEMAS / "script.json").read_text())
SEED = [
    {"method": "discover"},
    {"method": "tools/call", "toolName": "echo", "toolArgs": {"text": "hello"}, "onError": "continue"},
    {"method": "resources/list", "onError": "stop"},
    {"method": "resources/read", "uri": "demo://example", "onError": "skip-to:5"},
    {"method": "ping"},
]


def script(tmp_path: Path, steps: Any) -> str:
    """Write a script, and return its path."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps(steps))
    return str(path)


def test_script_with_a_failed_read_exits_with_2(mcpi: Mcpi, tmp_path: Path) -> None:
    ran = mcpi(*DEMO, "--script", script(tmp_path, SEED))

    assert ran.exit_code == 2
    assert [(step["index"], step["method"], step["success"]) for step in ran.json] == [
        (0, "discover", True),
        (1, "tools/call", True),
        (2, "resources/list", True),
        (3, "resources/read", False),
    ]


def test_every_envelope_matches_the_schema(mcpi: Mcpi, tmp_path: Path) -> None:
    ran = mcpi(*DEMO, "--script", script(tmp_path, SEED))

    for step in ran.json:
        jsonschema.validate(step, ENVELOPE)


def test_print_schema_prints_the_shipped_schemas(mcpi: Mcpi) -> None:
    assert mcpi("--print-schema", "envelope").json == ENVELOPE
    jsonschema.validate(SEED, mcpi("--print-schema", "script").json)


def test_one_script_covers_all_verdicts(mcpi: Mcpi, tmp_path: Path) -> None:
    steps = [
        {"method": "tools/call", "toolName": "fail", "failOnError": False},
        {"method": "tools/call", "toolName": "fail", "expect": {"/isError": True}},
        {"method": "tools/call", "toolName": "fail", "allowFailure": True},
        {"method": "tools/list", "retry": {"times": 2, "interval": 50}, "expect": {"/x": 1}, "onError": "skip-to:5"},
        {"method": "ping"},
        {
            "method": "tools/call",
            "toolName": "add",
            "toolArgs": {"a": 1, "b": 2},
            "maxDuration": 0,
            "onError": "continue",
        },
        {"method": "tools/call", "params": {"name": "fail"}, "name": "stops"},
        {"method": "ping"},
    ]

    ran = mcpi("--demo", "--era", "handshake", "--script", script(tmp_path, steps))

    assert (ran.exit_code, [step["index"] for step in ran.json]) == (1, [0, 1, 2, 3, 5, 6])
    assert [step.get("attempts") for step in ran.json] == [None, None, None, 3, None, None]
    for step in ran.json:
        jsonschema.validate(step, ENVELOPE)
    jsonschema.validate(steps, SCRIPT)
    lines = [re.sub(r"[\d.]+ (?=ms|s$)", "# ", line) for line in ran.stderr.splitlines()]
    assert lines == [
        "ok   1  tools/call fail   (# ms)",
        "ok   2  tools/call fail   (# ms)",
        "warn 3  tools/call fail  the tool 'fail' reports an error",
        "        This tool always fails, to show what a failed call looks like.",
        "FAIL 4  tools/list  /x: not found (expected 1); the result has tools (after 3 attempts)",
        "skip 5  ping",
        "FAIL 6  tools/call add  duration: expected at most # ms, got # ms",
        "FAIL 7  stops  the tool 'fail' reports an error",
        "        This tool always fails, to show what a failed call looks like.",
        "skip 8  ping",
        "8 steps: 2 passed, 3 failed, 1 allowed, 2 skipped in # s",
    ]


@pytest.mark.parametrize(
    "step",
    [
        {"method": "ping", "expect": {"/a": {}}},
        {"method": "ping", "expect": {"/a": {"equal": 1}}},
        {"method": "ping", "expect": {"/a:length": 1}},
        {"method": "ping", "retry": {"times": -1}},
        {"method": "ping", "retry": {"time": 1}},
        {"method": "ping", "failOnError": "no"},
        {"metod": "ping"},
    ],
)
def test_schema_rejects_the_steps_that_the_command_rejects(step: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([step], SCRIPT)


def test_fail_on_violation_fails_calls_and_script_steps(mcpi: Mcpi, faulty: Callable[..., tuple[str, ...]]) -> None:
    steps = [{"method": "tools/list", "onError": "continue"}] * 3
    flags = ("--quiet", "--era", "handshake", "--fail-on-violation")

    ran = mcpi(*flags, "--script", "-", "--", *faulty("noise_before"), stdin=json.dumps(steps))

    assert (ran.exit_code, ran.json[0]["error"]["code"]) == (1, "VIOLATION")
    assert mcpi(*flags, "--method", "tools/list", "--", *faulty("noise_before")).exit_code == 1
    assert mcpi("--quiet", "--method", "tools/list", "--", *faulty("noise_before")).exit_code == 0


def test_captured_number_is_substituted_unchanged(mcpi: Mcpi) -> None:
    steps = [
        {
            "method": "tools/call",
            "toolName": "add",
            "toolArgs": {"a": 1, "b": 2},
            "capture": {"sum": "/structuredContent/sum"},
        },
        {"method": "tools/call", "toolName": "echo", "toolArgs": {"text": "${sum} of ${who}"}},
        {"method": "tools/call", "toolName": "add", "toolArgs": {"a": "${sum}", "b": 4}},
    ]

    ran = mcpi(*DEMO, "--script", "-", "--var", "who=me", stdin=json.dumps(steps))

    assert ran.exit_code == 0
    assert [step["result"]["content"][0]["text"] for step in ran.json] == ["3", "3 of me", "7"]


def test_variable_of_the_command_line_is_a_string_or_json(mcpi: Mcpi, tmp_path: Path) -> None:
    add = {"method": "tools/call", "toolName": "add", "toolArgs": {"a": 1, "b": 2}}
    steps = script(tmp_path, [{**add, "expect": {"/structuredContent/sum": "${sum}"}}])
    (tmp_path / "sum.json").write_text("3")

    text, number = (
        mcpi("--demo", "--script", steps, "--var", "sum=3"),
        mcpi(*DEMO, "--script", steps, "--var", "sum:=3"),
    )
    file = mcpi(*DEMO, "--script", steps, "--var", f"sum:=@{tmp_path / 'sum.json'}")

    hint = "--var sum=3 is a string; for a number, write --var sum:=3"
    assert text.stderr.splitlines()[:2] == [
        'FAIL 1  tools/call add  /structuredContent/sum: expected "3", got 3',
        f"        {hint}",
    ]
    assert text.json[0]["error"]["hints"] == [hint]
    assert (text.exit_code, number.exit_code, file.exit_code) == (1, 0, 0)


def test_wait_step_waits_for_a_notification(mcpi: Mcpi) -> None:
    steps = [
        {"method": "resources/subscribe", "uri": "demo://counter"},
        {"method": "tools/call", "toolName": "touch"},
        {"wait": "notifications/resources/updated", "expect": {"/uri": "demo://counter"}, "timeout": "5s"},
        {"wait": "notifications/never", "timeout": 200},
    ]

    ran = mcpi(*DEMO, "--script", "-", stdin=json.dumps(steps))

    assert (ran.exit_code, [step["success"] for step in ran.json]) == (124, [True, True, True, False])
    assert ran.json[2]["result"] == {"uri": "demo://counter"}
    assert ran.json[3]["error"]["message"] == "notifications/never did not arrive within 200 ms"


def test_all_script_errors_are_reported_before_the_server_starts(mcpi: Mcpi, tmp_path: Path) -> None:
    steps = [{"method": "tools/lst"}, {"method": "tools/call", "toolNam": "x", "onError": "skip-to:0"}, {"wait": 3}]
    started = tmp_path / "started"

    ran = mcpi("touch", str(started), "--script", script(tmp_path, steps))

    assert (ran.exit_code, ran.stdout, started.exists()) == (1, "", False)
    expected = (
        "step 1, method",
        "did you mean tools/list?",
        "did you mean toolName?",
        "is not a later step",
        "step 3, wait",
    )
    assert [words for words in expected if words not in ran.stderr] == []


def test_lost_connection_ends_the_script(mcpi: Mcpi) -> None:
    steps = [{"method": "tools/list"}, {"method": "tools/list", "onError": "continue"}, {"method": "tools/list"}]
    exiting = f'{sys.executable} -c "{EXITING_SERVER}"'

    ran = mcpi("--script", "-", "--", "sh", "-c", exiting, stdin=json.dumps(steps))

    assert (ran.exit_code, [step["success"] for step in ran.json]) == (1, [True, False])
    assert (ran.json[1]["error"]["category"], ran.json[1]["connection"]["exitCode"]) == ("transport", 7)
    ok, fail, skip, closing = ran.stderr.splitlines()
    assert (ok[:6], "exited with code 7" in fail, skip) == ("ok   1", True, "skip 3  tools/list")
    assert closing.startswith("3 steps: 1 passed, 1 failed, 1 skipped in ")


EXITING_SERVER = (
    "import sys,json,os\\nn=0\\nfor l in sys.stdin:\\n m=json.loads(l)\\n if 'id' not in m: continue\\n"
    " n+=m['method']=='tools/list'\\n if n==2: os._exit(7)\\n"
    " r={'protocolVersion':'2025-11-25','capabilities':{'tools':{}},"
    "'serverInfo':{'name':'d','version':'1'},'tools':[]}\\n"
    " print(json.dumps({'jsonrpc':'2.0','id':m['id'],'result':r}) if m['method']!='server/discover' else"
    " json.dumps({'jsonrpc':'2.0','id':m['id'],'error':{'code':-32601,'message':'no'}}),flush=True)"
)
EXITING_SERVER = "exec('''" + EXITING_SERVER + "''')"


def test_ndjson_prints_one_envelope_per_line(mcpi: Mcpi, tmp_path: Path) -> None:
    ran = mcpi(*DEMO, "--script", script(tmp_path, SEED), "--ndjson")

    assert [json.loads(line)["index"] for line in ran.stdout.splitlines()] == [0, 1, 2, 3]


def test_stderr_before_a_response_is_in_the_envelope_of_its_step(
    mcpi: Mcpi, faulty: Callable[..., tuple[str, ...]], tmp_path: Path
) -> None:
    steps = [{"method": "tools/call", "toolName": "x"}] * 100

    ran = mcpi("--quiet", "--script", script(tmp_path, steps), "--", *faulty("stderr_with_escape_sequences"))

    assert [len(step["stderr"]) for step in ran.json] == [1] * 100


def test_script_of_quick_responses_can_be_interrupted(tmp_path: Path) -> None:
    path = script(tmp_path, [{"method": "ping"}] * 50_000)
    args = [COMMAND, "--quiet", "--ndjson", "--script", path, "--", sys.executable, "-SI", PLAIN]
    lines = tmp_path / "lines"
    # The server responds immediately.
    with lines.open("wb") as file, subprocess.Popen(args, stdout=file, env=clean_environment()) as running:
        wait_until(lambda: lines.stat().st_size > 0)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130

    *_, last = lines.read_text().splitlines()
    assert json.loads(last)["error"]["code"] == "INTERRUPTED"


@pytest.mark.parametrize(
    ("expectations", "code", "message"),
    [
        (("/structuredContent/sum=3", "/isError=false", "/content:length=1", "/content/0/text:matches=^3$"), 0, ""),
        (("/content/0/text:matches=[[3]",), 0, ""),
        (("/structuredContent/sum=4",), 1, "/structuredContent/sum: expected 4, got 3"),
        (("/structuredContent/sum:lessThan=3", "/nothing:exists=true"), 1, "/nothing: not found"),
    ],
)
def test_expect_flag_applies_to_a_single_call(
    mcpi: Mcpi, expectations: tuple[str, ...], code: int, message: str
) -> None:
    flags = [word for expectation in expectations for word in ("--expect", expectation)]

    ran = mcpi(*DEMO, "--method", "tools/call", "--tool-name", "add", "--tool-args", '{"a":1,"b":2}', *flags)

    assert (ran.exit_code, ran.json["structuredContent"]) == (code, {"sum": 3})
    assert message in ran.stderr
    assert "Warning" not in ran.stderr


@pytest.mark.skipif(not has("prove"), reason="requires prove (Perl)")
def test_reports_are_accepted_by_their_parsers(mcpi: Mcpi, tmp_path: Path) -> None:
    from junitparser import JUnitXml  # noqa: PLC0415 - one test reads JUnit

    steps = [
        *SEED[:3],
        {"method": "tools/call", "toolName": "nope", "toolArg": ["a=1"], "allowFailure": True},
        {"method": "resources/read", "uri": "demo://example"},
        {"method": "ping"},
    ]
    paths = {name: tmp_path / f"report.{name}" for name in ("junit", "tap", "html")}
    flags = [word for name, path in paths.items() for word in (f"--report-{name}", str(path))]

    ran = mcpi(*DEMO, "--script", script(tmp_path, steps), "--report", f"tap={tmp_path / 'again.tap'}", *flags)

    assert ran.exit_code == 2
    (suite,) = JUnitXml.fromfile(str(paths["junit"]))
    assert (suite.tests, suite.failures + suite.errors, suite.skipped) == (6, 1, 2)
    found = subprocess.run(["prove", "-e", "cat", str(paths["tap"])], capture_output=True, text=True, check=False)  # noqa: S607
    assert "Failed 1/6 subtests" in found.stdout + found.stderr
    assert (tmp_path / "again.tap").read_text() == paths["tap"].read_text()
    assert "<!doctype html>" in paths["html"].read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "again.tap", "report.html", "report.junit", "report.tap", "script.json"
    ]  # fmt: skip


def test_unknown_report_format_is_rejected(mcpi: Mcpi) -> None:
    ran = mcpi(*DEMO, "--method", "ping", "--report", "junt=x.xml")

    assert (ran.exit_code, " --report junit=x.xml\n" in ran.stderr) == (1, True)

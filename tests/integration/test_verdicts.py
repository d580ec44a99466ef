"""Verdicts of script steps: causes of failure, effects on later steps, and output."""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from junitparser import JUnitXml

from cases import Faulty
from running import Mcpi, Ran
from support.junit_schema import schema_problems
from terminal import PIPE, on_terminal

SWIFT = (sys.executable, "-SI", str(Path(__file__).parents[2] / "fixtures" / "servers" / "swift.py"))
ODD = (sys.executable, str(Path(__file__).parents[2] / "fixtures" / "servers" / "odd.py"))
OLD = ("--era", "handshake")
Step = dict[str, Any]


def call(tool: str, **members: Any) -> Step:
    """A step that calls a tool."""
    return {"method": "tools/call", "toolName": tool, **members}


FAIL, REFUSE, STALL = call("fail"), call("refuse"), call("stall", timeout="100ms")
PING: Step = {"method": "ping"}
WRONG: Step = {"method": "ping", "expect": {"/x": 1}}
EXIT = call("exit", toolArgs={"code": 3})


@pytest.fixture
def play(mcpi: Mcpi) -> Callable[..., Ran]:
    """Run a script against a server with a tool for each kind of response."""

    def run(steps: Any, *flags: str) -> Ran:
        return mcpi(*OLD, "--script", "-", *flags, "--", *SWIFT, stdin=json.dumps(steps))

    return run


Play = Callable[..., Ran]


def verdicts(ran: Ran) -> list[tuple[str, str]]:
    """The verdict and name of each step, from the lines on stderr."""
    return re.findall(r"^(ok|FAIL|warn|skip) +\d+  (\S+(?: \S+)*)", ran.stderr, re.MULTILINE)


def words(ran: Ran) -> list[str]:
    """The verdict of each step."""
    return [word for word, _ in verdicts(ran)]


# Causes of failure.


@pytest.mark.parametrize(("step", "code"), [(FAIL, 1), (WRONG, 1), (REFUSE, 2), (STALL, 124)])
def test_failed_request_expectation_or_is_error_fails_step_and_script(play: Play, step: Step, code: int) -> None:
    ran = play([step])

    assert (ran.exit_code, words(ran), ran.json[0]["success"]) == (code, ["FAIL"], False)


def test_expected_is_error_is_not_a_failure(play: Play) -> None:
    ran = play([call("fail", expect={"/isError": True}), call("fail", expect={"/content/0/text": "It did not work."})])

    # The second step expects a text, and not that the tool fails.
    assert (ran.exit_code, words(ran)) == (1, ["ok", "FAIL"])


UNKNOWN_TOOL = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        server = {"name": "a", "version": "1"}
        info = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server}
        unknown = {"isError": True, "content": [{"type": "text", "text": "Unknown tool"}]}
        result = {"initialize": info, "tools/list": {"tools": []}}.get(request["method"], unknown)
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


def test_expected_is_error_of_an_unknown_tool_is_not_a_failure(mcpi: Mcpi, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([call("nope", expect={"/isError": True}), call("nope")]))

    ran = mcpi("--script", str(script), "--era", "handshake", "--", sys.executable, "-c", UNKNOWN_TOOL)

    assert (ran.exit_code, words(ran)) == (1, ["ok", "FAIL"])
    assert "unknown tool 'nope' (Unknown tool)" in ran.stderr


@pytest.mark.parametrize(
    ("step", "flags", "script", "code"),
    [
        ({"failOnError": False}, ("--fail-on-error",), {}, 0),
        ({"failOnError": True}, ("--no-fail-on-error",), {"failOnError": False}, 1),
        ({}, ("--no-fail-on-error",), {"failOnError": True}, 0),
        ({}, ("--fail-on-error",), {"failOnError": False}, 1),
        ({}, (), {"failOnError": False}, 0),
        ({}, (), {}, 1),
    ],
)
def test_fail_on_error_of_a_step_overrides_the_flag_and_the_script(
    play: Play, step: Step, flags: tuple[str, ...], script: Step, code: int
) -> None:
    assert play({**script, "steps": [{**FAIL, **step}]}, *flags).exit_code == code


def test_single_call_with_is_error_exits_with_0_without_fail_on_error(mcpi: Mcpi) -> None:
    fail = ("tools/call", "--tool-name", "fail", *OLD)

    assert [mcpi(*fail, *more, "--", *SWIFT).exit_code for more in ((), ("--fail-on-error",))] == [0, 1]


def test_exit_code_is_that_of_the_first_failure_not_allowed(play: Play) -> None:
    on: Step = {"onError": "continue"}

    assert play([{**STALL, "allowFailure": True}, {**REFUSE, **on}, {**FAIL, **on}, PING]).exit_code == 2
    assert play([{**FAIL, **on}, {**REFUSE, **on}]).exit_code == 1
    assert play([{**FAIL, "allowFailure": True}, PING]).exit_code == 0


# Effects of a failure.


@pytest.mark.parametrize("step", [FAIL, WRONG, REFUSE, STALL, {"wait": "notifications/x", "timeout": 100}], ids=str)
def test_on_error_applies_to_every_failure(play: Play, step: Step) -> None:
    ran = play([{**step, "onError": "skip-to:2"}, PING, PING])

    assert words(ran) == ["FAIL", "skip", "ok"]


def test_allowed_failure_continues_unless_on_error_is_set(play: Play) -> None:
    allowed = {**FAIL, "allowFailure": True}

    assert words(play([allowed, PING])) == ["warn", "ok"]
    assert words(play([{**allowed, "onError": "stop"}, PING])) == ["warn", "skip"]


def test_stop_ends_the_output_and_reports_list_the_rest_as_skipped(play: Play, tmp_path: Path) -> None:
    junit, tap = tmp_path / "r.xml", tmp_path / "r.tap"
    ran = play([PING, FAIL, PING, PING], "--report-junit", str(junit), "--report-tap", str(tap))

    assert [step["index"] for step in ran.json] == [0, 1]
    assert [[part.tag for part in case][:1] for case in junit_cases(junit)] == [
        ["system-out"],
        ["failure"],
        ["skipped"],
        ["skipped"],
    ]
    assert tap.read_text().count("# SKIP") == 2


def junit_cases(path: Path) -> list[ET.Element]:
    """The test cases of a JUnit report, checked by the Jenkins schema and its test counts."""
    text = path.read_text("utf-8")
    (suite,) = JUnitXml.fromstring(text.encode())
    cases = list(ET.fromstring(text).iter("testcase"))  # noqa: S314 - written by mcpi
    tags = Counter(part.tag for case in cases for part in case)

    assert schema_problems(text) == []
    assert suite.tests == len(cases) == len([*suite])
    assert (suite.failures, suite.errors, suite.skipped) == (tags["failure"], tags["error"], tags["skipped"])
    return cases


def test_junit_report_of_each_kind_of_step_is_valid(play: Play, tmp_path: Path) -> None:
    odd = call("echo", toolArgs={"text": "]]> <&\u0001"}, name='<odd> & "quoted"')
    steps = [
        *(odd, {**FAIL, "retry": {"times": 1, "interval": 0}}, {**FAIL, "allowFailure": True}),
        *({**REFUSE, "onError": "skip-to:5"}, PING, STALL, EXIT, PING),
    ]
    ran = play([{"onError": "continue", **step} for step in steps], "--report-junit", str(tmp_path / "r.xml"))
    cases = junit_cases(tmp_path / "r.xml")

    assert words(ran) == ["ok", "FAIL", "warn", "FAIL", "skip", "FAIL", "FAIL", "skip"]
    assert [case[0].tag for case in cases] == [
        *("system-out", "failure", "skipped", "failure", "skipped", "error", "error", "skipped")
    ]
    assert (cases[0].get("name"), cases[1].get("name")) == ('<odd> & "quoted"', "tools/call fail")


def test_lost_connection_ends_the_script_even_if_allowed_before_the_last_step(
    play: Play,
) -> None:
    lost = {**EXIT, "allowFailure": True, "onError": "continue"}
    early, late = play([lost, PING]), play([PING, lost])

    assert (early.exit_code, len(early.json), words(early)) == (1, 1, ["FAIL", "skip"])
    assert (late.exit_code, words(late)) == (0, ["ok", "warn"])


# Violations.


def test_fail_on_violation_implies_validate_and_changes_only_exit_code_0(mcpi: Mcpi, faulty: Faulty) -> None:
    invalid = (*OLD, "tools/list", "--structured", "--", *faulty("one_bad_tool_of_three"))
    plain, strict = mcpi(*invalid), mcpi("--fail-on-violation", *invalid)
    refused = mcpi("--fail-on-violation", "tools/call", "refuse", *OLD, "--", *SWIFT)

    assert (plain.exit_code, plain.json["violations"]) == (0, [])
    assert (strict.exit_code, strict.json["error"]["code"]) == (1, "VIOLATION")
    assert {one["rule"] for one in strict.json["violations"]} == {"schema"}
    assert refused.exit_code == 2


def test_mistake_in_the_params_of_the_user_is_no_violation_by_the_server(mcpi: Mcpi) -> None:
    wrong = ("--method", "prompts/get", "--params", '{"name": "x", "arguments": {"a": 5}}')
    ran = mcpi(*OLD, *wrong, "--fail-on-violation", "--structured", "--", *SWIFT)

    assert ran.json["error"]["code"] != "VIOLATION"
    assert {one["rule"] for one in ran.json["violations"]} == {"sent-schema"}


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ('{"content":[],"structuredContent":{"n":"1"}}', "at /structuredContent/n: \"1\" is not of type 'integer'"),
        ('{"content":[]}', "has no structuredContent"),
    ],
)
def test_result_that_breaks_the_output_schema_is_a_violation(result: str, problem: str, mcpi: Mcpi) -> None:
    schema = '{"type":"object","properties":{"n":{"type":"integer"}}}'
    tools = f'{{"tools":[{{"name":"x","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}]}}'
    server = (*OLD, "--", *ODD, "tools/list", tools, "tools/call", result)
    plain, strict = (mcpi("tools/call", "x", *flags, *server) for flags in ((), ("--fail-on-violation",)))
    seen = mcpi("tools/call", "x", "--validate", "--structured", *server).json

    assert (plain.exit_code, plain.stderr) == (0, "")
    assert (strict.exit_code, problem in strict.stderr) == (1, True)
    assert [(one["rule"], problem in one["detail"]) for one in seen["violations"]] == [("output-schema", True)]
    assert [one["method"] for one in seen["implicit"]] == ["tools/list"]


def test_violations_belong_to_the_next_step_or_the_last(mcpi: Mcpi, faulty: Faulty) -> None:
    steps: list[Step] = [{"method": "tools/list", "onError": "continue"}] * 2
    strict = (*OLD, "--fail-on-violation", "--script", "-", "--")
    before = mcpi(*strict, *faulty("noise_before"), stdin=json.dumps(steps))
    after = mcpi(*strict, sys.executable, "-c", LATE, stdin=json.dumps(steps))

    assert (before.exit_code, words(before)) == (1, ["FAIL", "ok"])
    assert (after.exit_code, words(after)) == (1, ["ok", "FAIL"])
    assert [len(step["violations"]) for step in after.json] == [0, 1]


LATE = """
import json, sys
listed = 0
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    info = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "l", "version": "1"}}
    result = info if asked["method"] == "initialize" else {"tools": []}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
    listed += asked["method"] == "tools/list"
    if listed == 2:
        print("a line after the last result", flush=True)
"""


# Output.


MIXED = [
    {**PING, "name": "alive"},
    call("sum", name="wrong sum", toolArgs={"a": 1, "b": 2}, expect={"/structuredContent/sum": 4, "/y": 5},
         onError="continue"),
    {**FAIL, "name": "may fail", "allowFailure": True},
    {**REFUSE, "name": "refused"},
    {**PING, "name": "never"},
]  # fmt: skip
LINES = [
    "ok   1  alive   (# ms)",
    "FAIL 2  wrong sum  /structuredContent/sum: expected 4, got 3",
    "        /y: not found (expected 5); the result has content, structuredContent",
    "warn 3  may fail  the tool 'fail' reports an error",
    "        It did not work.",
    "FAIL 4  refused  tools/call failed: -32050 out of ink",
    "skip 5  never",
    "5 steps: 1 passed, 2 failed, 1 allowed, 1 skipped in # s",
]


def masked(text: str) -> list[str]:
    """The lines with durations masked."""
    return [re.sub(r"[\d.]+ (?=ms\)$|s$)", "# ", line) for line in text.splitlines()]


def test_script_prints_a_line_per_step_and_a_summary_line_on_stderr(play: Play) -> None:
    ran = play(MIXED)

    assert masked(ran.stderr) == LINES
    assert [step["index"] for step in ran.json] == [0, 1, 2, 3]


def test_tool_error_is_shown_before_the_expectations_that_it_broke(play: Play, mcpi: Mcpi) -> None:
    step = {**FAIL, "expect": {"/structuredContent/sum": 3}}

    ran = play([step])
    single = mcpi(*OLD, "tools/call", "fail", "--expect", "/structuredContent/sum=3", "--", *SWIFT)

    reasons = [
        "the tool 'fail' reports an error: It did not work.",
        "/structuredContent/sum: not found (expected 3); the result has content, isError",
    ]
    assert masked(ran.stderr)[:2] == [f"FAIL 1  tools/call fail  {reasons[0]}", f"        {reasons[1]}"]
    assert single.stderr.splitlines()[:3] == [
        "mcpi: tools/call: 1 of 1 expectations failed",
        *(f"  {line}" for line in reasons),
    ]


def test_fault_of_a_step_names_the_keys_of_the_script(play: Play) -> None:
    assert play([call("refuze")]).stderr.startswith("FAIL 1  tools/call refuze  toolName: unknown tool 'refuze' (")


def test_reports_name_the_reason_of_each_failure(play: Play, tmp_path: Path) -> None:
    junit, tap, html, page = (tmp_path / name for name in ("r.xml", "r.tap", "r.html", "r.md"))
    files = ("--report-junit", str(junit), "--report-tap", str(tap), "--report-html", str(html))
    play([{**WRONG, "onError": "continue"}, FAIL], *files, "--report", f"md={page}")

    failed_expectation = "step 1 (ping): 1 of 1 expectations failed: /x: not found (expected 1); the result is empty"
    refused = "the tool 'fail' reports an error: It did not work."
    found = [case[0] for case in junit_cases(junit)]
    assert [(one.get("message"), one.text) for one in found] == [
        (failed_expectation, "/x: not found (expected 1); the result is empty"),
        (refused, "It did not work."),
    ]
    for message in (tap.read_text(), page.read_text()):
        assert failed_expectation in message
        assert refused in message
    assert "<li><code>It did not work.</code></li>" in html.read_text()
    assert "mcpi's own request: the call failed; to check whether the tool exists" in html.read_text()


def test_zero_counts_are_left_out_of_the_summary_line(play: Play) -> None:
    assert masked(play([PING]).stderr)[-1] == "1 step: 1 passed in # s"


def test_quiet_prints_only_failures(play: Play) -> None:
    # The problems of a failed step below its first line belong to it.
    assert masked(play(MIXED, "--quiet").stderr) == [LINES[1], LINES[2], LINES[5]]


def test_terminal_prints_step_lines_unless_structured_is_given(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([PING]))
    args = (*OLD, "--script", str(path))
    shown = on_terminal(*args, "--", *SWIFT, stderr=PIPE)
    forced = on_terminal(*args, "--structured", "--", *SWIFT, stderr=PIPE, env={"NO_COLOR": "1"})

    assert (shown.stdout, masked(shown.stderr)[-1]) == ("", "1 step: 1 passed in # s")
    assert json.loads(forced.stdout)[0]["index"] == 0


def test_text_output_counts_steps_from_1_and_json_from_0(play: Play, tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("tap", "html")}
    reports = [word for name, path in paths.items() for word in (f"--report-{name}", str(path))]
    ran = play([{**FAIL, "onError": "skip-to:1"}, PING], *reports)
    jump = play([PING, {**PING, "onError": "skip-to:1"}])

    assert (words(ran), [step["index"] for step in ran.json]) == (["FAIL", "ok"], [0, 1])
    assert ran.stderr.startswith("FAIL 1  ")
    assert "\nnot ok 1 - tools/call fail" in paths["tap"].read_text()
    assert "tools/call fail" in paths["html"].read_text()
    assert "step 2, onError: skip-to:1 is not a later step" in jump.stderr


def test_junit_test_is_named_after_its_step_or_tool(mcpi: Mcpi, tmp_path: Path) -> None:
    path, junit = tmp_path / "smoke.json", tmp_path / "r.xml"
    steps = [PING, call("echo", toolArgs={"text": "a"}), PING, FAIL, {**PING, "name": "mine"}]
    names: list[list[str | None]] = []
    for inserted in ([], [{**PING, "name": "new"}]):
        path.write_text(json.dumps([steps[0], *inserted, *steps[1:]]))
        mcpi(*OLD, "--script", str(path), "--report-junit", str(junit), "--", *SWIFT)
        assert {case.get("classname") for case in junit_cases(junit)} == {"smoke.json"}
        names.append([case.get("name") for case in junit_cases(junit)])

    # The last test is of a step that is skipped; a step that is inserted renames no other.
    assert names[0] == ["ping", "tools/call echo", "ping #2", "tools/call fail", "mine"]
    assert names[1] == ["ping", "new", "tools/call echo", "ping #2", "tools/call fail", "mine"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[{"metod": "ping"}]', "step 1: unknown key 'metod' (did you mean method?)"),
        ('[{"method": "ping", "expct": {}}]', "step 1: ping has no key 'expct' (did you mean expect?)"),
        ('[{"method": "ping"},\n {"method": "tools/lst"}]', "did you mean tools/list?"),
        ('[{"method": "ping", "retry": {"tims": 1}}]', "step 1: retry has no key 'tims' (did you mean times?)"),
        ('[{"method": "ping", "onError": "stopp"}]', "did you mean stop?"),
        ('[{"method": "ping", "expect": {"/a:length": 4}}]', 'write {"/a": {"length": 4}}'),
        ('[{"method": "tools/call", "tool": "echo"}]', "tools/call has no key 'tool' (did you mean toolName?)"),
        ('[{"method": "tools/call", "toolName": "echo", "toolArgs": [1]}]', "toolArgs: expected a JSON object"),
        ('[{"wait": "message"}]', "unknown notification 'message' (did you mean notifications/message?)"),
        ("[]", "the script has no steps"),
        ('{"steps": [], "failOnErorr": true}', "a script has no key 'failOnErorr' (did you mean failOnError?)"),
        ('[{"method": "ping", "name": " "}]', "step 1, name: expected a name, got an empty string"),
        ("[\n{]", "invalid JSON: Expecting property name enclosed in double quotes at line 2, column 2"),
        ('[{"method":"tools/list",}]', "invalid JSON: trailing comma at line 1, column 24"),
    ],
)
def test_rejected_script_starts_no_server_and_reports_one_failing_test(
    mcpi: Mcpi, tmp_path: Path, text: str, why: str
) -> None:
    path, junit, tap = (tmp_path / name for name in ("s.json", "r.xml", "r.tap"))
    path.write_text(text)
    reports = ("--report-junit", str(junit), "--report-tap", str(tap))
    ran = mcpi("--script", str(path), *reports, "touch", str(tmp_path / "started"))
    (case,) = junit_cases(junit)

    assert (ran.exit_code, ran.stdout, (tmp_path / "started").exists()) == (1, "", False)
    assert why in ran.stderr
    assert (case.get("classname"), case.get("name"), case[0].tag) == ("s.json", "script", "failure")
    assert why in (case[0].get("message") or "")
    assert "not ok 1 - script" in tap.read_text()


# Keys of steps.


def test_step_is_retried_while_it_fails_and_the_last_attempt_counts(play: Play) -> None:
    again = {"retry": {"times": 2, "interval": "10ms"}}
    ran = play([{**FAIL, **again, "allowFailure": True}, {**PING, **again}, {**EXIT, **again}])

    assert [step.get("attempts") for step in ran.json] == [3, 1, 1]
    assert ran.json[0]["error"]["code"] == "TOOL_ERROR"
    # A lost connection is not retried.
    assert ran.json[2]["error"]["code"] == "SERVER_EXITED"


def test_max_duration_applies_to_the_last_attempt(play: Play) -> None:
    ran = play([{**PING, "maxDuration": "30s"}, {**PING, "maxDuration": 0, "retry": {"times": 1, "interval": 0}}])

    assert (ran.exit_code, words(ran), ran.json[1]["attempts"]) == (1, ["ok", "FAIL"], 2)
    assert "duration: expected at most 0 ms" in ran.stderr


def test_duration_without_a_unit_is_explained(mcpi: Mcpi) -> None:
    steps = [call("slow", maxDuration=5, toolArgs={"steps": 1, "delayMs": 100})]
    ran = mcpi("--demo", "--script", "-", stdin=json.dumps(steps))

    assert masked(ran.stderr)[1] == '        maxDuration 5 means 5 ms; write "5s" for seconds'


def test_duration_of_the_first_step_does_not_include_connecting(play: Play) -> None:
    first, second = play([PING, PING]).json

    for step in (first, second):
        assert step["durationMs"] <= step["connection"]["timings"]["requestMs"]


@pytest.mark.parametrize(("expected", "meant"), [({}, "{}"), ({"sum": 3}, '{"sum":3}'), ({"equal": 3}, "{...}")])
def test_plain_object_in_expect_is_rejected(play: Play, expected: Step, meant: str) -> None:
    ran = play([{**PING, "expect": {"/a": expected}}])

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert f'to compare with an object, use {{"equals": {meant}}}' in ran.stderr

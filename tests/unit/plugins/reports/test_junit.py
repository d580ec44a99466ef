"""JUnit's XML."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.exact import Printable
from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.plugins.reports.junit import mcpi_outputs, render
from support.reports import RUN

SUITE = ET.fromstring(render(RUN))[0]  # noqa: S314 - it is our own


def test_the_suite_counts_every_verdict() -> None:
    assert SUITE.attrib == {
        "name": "mcpi <script>.json",
        "tests": "5",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
        "time": "0.014",
        "timestamp": "2026-11-18T12:00:00.000",
    }


def test_each_step_is_a_case_with_its_verdict() -> None:
    assert [(case.get("classname"), case.get("name"), [part.tag for part in case]) for case in SUITE] == [
        ("tools/call", "step 0 (sum)", ["system-out", "system-err"]),
        ("tools/call", "step 1 (wrong)", ["failure", "system-out"]),
        ("x", "step 2 (may)", ["skipped", "system-out"]),
        ("mcpi", "step 3 (gone)", ["error", "system-out"]),
        ("mcpi", "step 4 (never)", ["skipped"]),
    ]


def test_a_failure_says_what_and_why() -> None:
    failure = SUITE[1][0]

    assert (failure.get("type"), failure.get("message")) == ("EXPECTATION_FAILED", "1 of 2 <expectations> did not hold")
    assert failure.text == '{\n  "failures": [\n    "/sum: expected 4, found 3"\n  ]\n}'


def test_the_result_and_the_server_s_stderr_are_the_case_s_output() -> None:
    assert [part.text for part in SUITE[0]] == ['{\n  "sum": 1.10\n}', "started"]


def test_what_the_server_said_and_what_it_did_wrong_is_told() -> None:
    noise = {"rule": "not-json", "detail": "a line that is no message", "evidence": "hello"}
    error: Printable = {"code": "JSON_RPC_ERROR", "message": "no", "rpc": {"code": -1}, "details": {}}
    step = ReportedStep("a", {"error": error, "violations": [noise], "stderr": ["started"]}, failed=True)
    case = ET.fromstring(render(Report("run", (step,))))[0][0]  # noqa: S314 - it is our own

    assert [part.text for part in case] == ['{\n  "code": -1\n}', "null", "warning: a line that is no message\nstarted"]


@given(st.text())
def test_no_text_breaks_the_xml(text: str) -> None:
    run = Report(
        text, (ReportedStep(text, {"method": "m", "error": {"message": text}, "stderr": [text]}, failed=True),)
    )

    assert ET.fromstring(render(run).encode("utf-8", "replace"))[0][0].tag == "testcase"  # noqa: S314 - it is our own


def test_the_output_is_offered_under_its_name() -> None:
    assert [output.name for output in mcpi_outputs()] == ["junit"]

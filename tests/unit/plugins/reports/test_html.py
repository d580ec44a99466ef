"""The HTML report."""

import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.findings.finding import Finding, finding_json
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.plans.reports import Report, ReportedStep, TraceEntry
from mcpi.plugins.reports.html import MAX_BODY, mcpi_outputs, render
from support.replay import exact
from support.reports import ERROR, NOISE, PASSED, RECEIVED, RUN, SENT

PAGE = render(RUN)


def text(page: str) -> str:
    """The visible text of the page, without tags."""
    body = page.partition("<body>")[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


class ActiveContent(HTMLParser):
    """Collects tags and attributes that load or run something."""

    def __init__(self) -> None:
        """Start with an empty set."""
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record a start tag."""
        self.seen |= {tag} if tag in {"script", "link", "img", "iframe"} else set()
        self.seen |= {name for name, _ in attrs if name in {"src", "href"} or name.startswith("on")}


def test_page_starts_with_the_verdict() -> None:
    assert "<title>mcpi &lt;script&gt;.json: failed</title>" in PAGE
    assert "1 passed 2 failed 1 allowed 1 skipped exit code 1" in text(PAGE)


def test_successful_run_has_the_verdict_passed() -> None:
    assert "<title>fine: passed</title>" in render(Report("fine", (PASSED,)))


def test_nonzero_exit_code_is_a_failure_without_failed_steps() -> None:
    assert "<title>run: failed</title>" in render(Report("run", (PASSED,), exit_code=130))


def test_failed_steps_are_expanded_and_passed_ones_collapsed() -> None:
    assert re.findall(r'<details class="step (\w+)"( open)?>', PAGE) == [
        ("passed", ""),
        ("failed", " open"),
        ("allowed", " open"),
        ("failed", " open"),
    ]


def test_failure_shows_the_failed_expectation() -> None:
    assert "<li><code>/sum: expected 4, got 3</code></li>" in PAGE


def test_server_error_is_shown() -> None:
    assert "<pre>code: -32002" in PAGE


def test_messages_are_listed_in_order_with_times() -> None:
    shown = text(PAGE)

    assert "12:00:00.000 tools/call add #7" in shown
    assert "12:00:00.004 result #7 3.9 ms" in shown
    assert "an id of another type" in shown
    assert "12:00:00.005 not a message" in shown
    assert "12:00:00.006 a &lt;line&gt; of the server" in shown


def test_result_is_shown_verbatim() -> None:
    assert "1.10" in text(PAGE)


def test_error_responses_and_notifications_are_labelled() -> None:
    answer = {**NOISE, "parsed": Exact('{"id":"a","error":{"code":-1}}', {"id": "a", "error": {"code": -1}})}
    expected = {**NOISE, "parsed": Exact('{"method":3}', {"method": 3})}
    shown = text(render(Report("run", (ReportedStep("a", {}, messages=(answer, expected)),))))

    assert "error -1 #&quot;a&quot;" in shown
    assert "12:00:00.005 3" in shown


def test_own_requests_are_labelled_with_their_reason() -> None:
    implicit: Printable = [
        {"method": "tools/list", "params": None, "reason": "the tool <may> not exist"},
        {"method": "x/y", "params": {"_meta": {"level": "debug"}}, "reason": "logs are shown"},
        {"method": "tools/call", "params": {"a": 1}, "reason": "the step asks for it"},
    ]
    methods = ("tools/call", "x/y", "tools/list")
    messages: list[TraceEntry] = [{**SENT, "parsed": {"method": one, "id": 1}} for one in methods]
    messages.append({**RECEIVED, "parsed": {"method": "tools/list", "id": 2}})
    step = ReportedStep("a", {"method": "tools/call", "implicit": implicit}, messages=tuple(messages))
    page = render(Report("run", (step,)))

    labels = re.findall(r'<span class="arrow">(.*?)</span>', page)
    own = '<span class="own">mcpi\'s own request: the tool &lt;may&gt; not exist'
    assert [label.partition('<span class="took">')[0] for label in labels] == [
        "tools/call #1",
        "x/y #1",
        f"tools/list #1{own}",
        "tools/list #2",
    ]


def test_logs_and_stderr_are_collapsed() -> None:
    assert re.findall(r"<details><summary>(\w+)</summary>", PAGE) == [
        *("Parameters", "Result", "Logs", "stderr", "Result"),
    ]


def test_parameters_of_the_last_attempt_are_shown_verbatim() -> None:
    first, last = (exact({"method": "tools/call", "params": {"n": number}}) for number in (1, 2))
    spelled = Exact('{"method":"tools/call","params":{"n":1.50}}', {"method": "tools/call", "params": {"n": 1.5}})
    received: TraceEntry = {**RECEIVED, "parsed": exact({"method": "tools/call", "params": {"n": 3}})}
    messages: list[TraceEntry] = [{**SENT, "parsed": one} for one in (first, last, spelled, exact({"method": "ping"}))]
    step = ReportedStep("a", {"method": "tools/call"}, messages=(*messages, received))
    page = render(Report("run", (step,)))

    assert "<summary>Parameters</summary><pre>{\n  &quot;n&quot;: 1.50\n}</pre>" in page
    assert "Parameters" not in render(Report("run", (ReportedStep("a", {"method": None}, messages=(NOISE,)),)))


def test_long_body_is_truncated_with_the_omitted_length() -> None:
    long = ReportedStep("a", {"result": "x" * (MAX_BODY + 8)})

    assert "… 10 more characters" in text(render(Report("run", (long,))))


def test_skipped_steps_are_listed() -> None:
    assert "skipped 5 never" in text(PAGE)


def test_script_steps_are_numbered_from_1_and_a_single_call_is_not() -> None:
    assert "passed 1 sum 12.0 ms" in text(PAGE)
    assert "passed sum 12.0 ms" in text(render(Report("run", (PASSED,))))


def test_an_error_without_expectations_shows_its_details() -> None:
    assert "<pre>exit code: 3</pre>" in render(Report("run", (ERROR,)))


def test_tool_error_and_hints_are_shown_as_text() -> None:
    error: Printable = {"message": "it failed", "details": {"evidence": ["no <note>"]}, "hints": ["try again"]}
    page = render(Report("run", (ReportedStep("a", {"error": error}, failed=True),)))

    assert "<p>it failed</p><ul><li><code>no &lt;note&gt;</code></li></ul><p>try again</p>" in page


@given(st.text())
def test_server_text_is_escaped(words: str) -> None:
    marked = f"<script>{words}</script><img src=x onerror=y>"
    step = ReportedStep(
        marked, {"error": {"message": marked, "code": marked}, "stderr": [marked], "result": marked}, failed=True
    )
    marks = ActiveContent()
    marks.feed(render(Report(marked, (step, ReportedStep(marked, {}, skipped=True)), facts={marked: marked})))

    assert marks.seen == set()


def test_format_is_registered_as_html() -> None:
    assert [output.name for output in mcpi_outputs()] == ["html"]


def test_findings_are_listed_in_a_table_with_evidence_links() -> None:
    findings = (
        Finding("unknown-type", "error", "no <type>", "tool", "a&b", "/x", ("claude",), "https://e.com", "Fix."),
        Finding("type-list", "warning", "a list", evidence="javascript:alert(1)"),
    )
    result: Any = {"findings": [finding_json(one) for one in findings], "summary": {}}
    page = render(Report("mcpi lint", (ReportedStep("lint", {"result": result}),)))

    assert (
        '<tr class="error"><td>error</td><td>tool a&amp;b /x</td><td>no &lt;type&gt;'
        '<small>Rejected by claude. Fix.</small></td><td><a href="https://e.com">unknown-type</a></td></tr>'
    ) in page
    assert "<td>a list<small></small></td><td>type-list</td>" in page
    assert '<table class="findings">' not in render(Report("mcpi ping", (ReportedStep("ping", {"result": {}}),)))

"""The reports of a run."""

from typing import Any

import pytest
from attrs import evolve, frozen

from mcpi import __version__
from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.options import ModeOptions, OutputOptions, ProtocolOptions, TimeOptions
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.modes.run_report import build_report, call_step, refused_script_report
from mcpi.core.outcome.faults import Invalid
from mcpi.core.plans.method import Method
from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.core.plans.steps import request
from mcpi.core.record.envelope import ConnectionFacts
from mcpi.core.scripts.script import Script
from mcpi.core.targets.target import Http, Sse, Stdio, Target
from mcpi.core.wire.server_info import NegotiatedServer
from support.replay import exact

HANDSHAKE = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}}))
PING = Method("ping", object, lambda _: request("ping"), "ping")
CALL = Method("tools/call", object, lambda _: request("tools/call"), "call")
STDIO = Stdio(("node", "server.js"))
TOOL_ERROR: Printable = {"code": "TOOL_ERROR"}
PLAIN = Invocation(ModeOptions(), ProtocolOptions(), TimeOptions(), OutputOptions(), STDIO, None, None)


def invocation(method: Method[Any] | None = PING, **parts: Any) -> Invocation:
    return evolve(PLAIN, method=method, **parts)


@frozen(kw_only=True)
class ToolName:
    """The flags of tools/call that name the step."""

    tool_name: str = "add"


@pytest.mark.parametrize(
    ("made", "title"),
    [
        (invocation(None), "follow"),
        (invocation(PING), "ping"),
        (invocation(CALL, args=ToolName()), "tools/call add"),
        (invocation(CALL, mode=ModeOptions(params=exact({"name": "sub"}))), "tools/call sub"),
        (invocation(CALL, mode=ModeOptions(params=exact({}))), "tools/call"),
    ],
)
def test_single_call_is_named_after_its_method_and_tool(made: Invocation, title: str) -> None:
    assert call_step(made, {"error": None}, 0).title == title
    assert build_report(made, [], ConnectionFacts(), 0, "now").title == f"mcpi {title}"


@pytest.mark.parametrize(
    ("error", "code", "verdict"),
    [
        (None, 0, "passed"),
        ({"code": "TOOL_ERROR"}, 0, "allowed"),
        ({"code": "TOOL_ERROR"}, 1, "failed"),
        (None, 1, "failed"),
    ],
)
def test_tool_error_that_does_not_change_the_exit_code_is_allowed(error: Printable, code: int, verdict: str) -> None:
    assert call_step(invocation(CALL), {"error": error}, code).verdict == verdict


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (Stdio(("node", "my server.js", "--token", "s3cr3t-s3cr3t")), "node 'my server.js' --token '***'"),
        (Http("https://u:p@example.com/mcp"), "https://***@example.com/mcp"),
        (Sse("https://example.com/sse"), "https://example.com/sse"),
    ],
)
def test_report_names_the_target_without_its_secrets(target: Target, shown: str) -> None:
    made = invocation(PING, target=target)

    assert build_report(made, [], ConnectionFacts(), 0, "now").facts == {"target": shown, "transport": None}


def test_report_includes_method_server_and_exit_code() -> None:
    steps = [ReportedStep("ping", {})]
    known = ConnectionFacts("stdio", evolve(HANDSHAKE, info=exact({"name": "demo"})), exit_code=3)
    about: dict[str, Printable] = {
        "target": "node server.js",
        "transport": "stdio",
        "server": exact("demo"),
        "protocol": "2025-11-25 (handshake)",
        "server's exit code": 3,
    }

    assert build_report(invocation(PING), steps, known, 1, "now") == Report(
        "mcpi ping", (ReportedStep("ping", {}),), 1, "now", __version__, about, "", "server.js"
    )


@pytest.mark.parametrize(
    ("target", "source"),
    [
        (Stdio(("node", "./dist/server.mjs", "--port", "1")), "dist/server.mjs"),
        (Stdio(("/usr/bin/python3", "/home/me/server.py")), "server.py"),
        (Stdio(("npx", "-y", "a-server")), ""),
        (Http("https://example.com/mcp"), ""),
    ],
)
def test_findings_are_located_in_the_server_script(target: Target, source: str) -> None:
    made = evolve(invocation(PING), target=target)

    assert build_report(made, [], ConnectionFacts(), 0, "now").source == source


@frozen(kw_only=True)
class ComparisonFlags:
    """The two sides of a comparison."""

    old: str | None = None
    new: str | None = None


@pytest.mark.parametrize(
    ("sides", "source"),
    [
        (ComparisonFlags(old="mcpi.lock.json", new="node dist/server.js"), "dist/server.js"),
        (ComparisonFlags(old="ci/mcpi.lock", new="https://example.com/server.json"), "ci/mcpi.lock"),
        (ComparisonFlags(old='{"a": "b.js"}', new="npx -y a-server"), ""),
    ],
)
def test_contract_changes_are_located_in_the_new_server_script_or_the_lock_file(
    sides: ComparisonFlags, source: str
) -> None:
    made = evolve(invocation(PING), args=sides, target=None)

    assert build_report(made, [], ConnectionFacts(), 0, "now").source == source


def test_report_without_a_server_has_no_transport() -> None:
    made = build_report(invocation(None, target=None), [], ConnectionFacts(), 0, "now")

    assert (made.title, made.facts) == ("mcpi follow", {"transport": None})


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("smoke.json", "smoke.json"),
        ("tests/a b.json", "a b.json"),
        ("C:\\t\\x.json", "x.json"),
        ("-", "standard input"),
        (None, ""),
    ],
)
def test_script_report_includes_the_file_name(path: str | None, name: str) -> None:
    made = invocation(None, mode=ModeOptions(script=path), script=Script(()))
    report = build_report(made, [ReportedStep("ping", {})], ConnectionFacts(), 0, "now")

    title = "standard input" if path == "-" else path or "follow"
    assert (report.title, report.script) == (f"mcpi {title}", name)


def test_rejected_script_is_reported_as_one_failed_test_with_its_errors() -> None:
    fault = Invalid("INVALID_SCRIPT", "t/s.json", "step 1: no (and 1 more)", ("step 2: neither",))
    report = refused_script_report("t/s.json", fault, "now")

    (step,) = report.steps
    assert (step.title, step.verdict, report.script, report.exit_code) == ("script", "failed", "s.json", 1)
    assert as_object(to_plain(step.envelope["error"]))["details"] == {
        "failures": ["t/s.json: step 1: no (and 1 more)", "step 2: neither"]
    }


def test_rejected_script_from_standard_input_is_named_so() -> None:
    report = refused_script_report("-", Invalid("INVALID_SCRIPT", "standard input", "the script is empty"), "now")

    assert (report.title, report.script) == ("mcpi standard input", "standard input")

"""The method lint: its flags, its config file, its requests, and when it fails."""

import json
from typing import Any

import pytest

from mcpi.core.flags.types import FLAG_TYPES, Clients
from mcpi.core.lint.rule import CLIENTS
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed, RpcError, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call, CallAll, Connect, ReportViolation
from mcpi.core.plans.world_steps import ReadFile
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
from mcpi.plugins.methods.lint import CONFIG, Lint, lint_server, mcpi_methods, mcpi_tools
from support.linting import tool, tool_with_property
from support.replay import exact, replay

BAD, DOTTED = tool_with_property({"type": "array"}), tool("docs.search")


def lint_tools(*tools: Any, config: object = None, **flags: Any) -> PlanResult:
    """Run lint for a server with these tools."""
    text = config if isinstance(config, str) or config is None else json.dumps(config)
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}}))
    return replay(
        lint_server(Lint(**flags)),
        (ReadFile(CONFIG), Success(text)),
        (Connect(), server),
        (CallAll((Call("tools/list"),)), (Success(exact({"tools": [*tools]})),)),
    )


def rules(ended: PlanResult) -> list[str]:
    """The rules of the findings in the result."""
    result: Any = ended.result
    return [one["rule"] for one in result["findings"]]


def config_fault(config: object = None, **flags: Any) -> Fault:
    """The fault of flags or of a config file, before the server is contacted."""
    text = config if isinstance(config, str) or config is None else json.dumps(config)
    exchanges = [] if flags else [(ReadFile(CONFIG), Success(text))]
    fault = replay(lint_server(Lint(**flags)), *exchanges).fault
    assert fault is not None
    return fault


def test_all_clients_are_completed() -> None:
    assert FLAG_TYPES[Clients].usual == CLIENTS


def test_a_server_without_findings_succeeds() -> None:
    ended = lint_tools(tool())

    assert ended.fault is None
    counts = {"errors": 0, "warnings": 0, "infos": 0, "tools": 1}
    assert ended.result == {"findings": [], "summary": {**counts, "tokens": 28, "toolTokens": {"search": 28}}}


@pytest.mark.parametrize(
    ("fail_on", "are_failing"),
    [("error", [False, False, True]), ("warning", [False, True, True]), ("info", [True] * 3), ("never", [False] * 3)],
)
def test_fail_on_selects_the_least_failing_severity(fail_on: Any, are_failing: list[bool]) -> None:
    ended = [lint_tools(one, fail_on=fail_on) for one in (tool(description="a" * 1100), DOTTED, BAD)]

    assert [one.fault is not None for one in ended] == are_failing
    assert [rules(one) for one in ended] == [["description-length"], ["tool-name-dotted"], ["array-without-items"]]


def test_fault_has_the_verdict_and_the_failing_findings() -> None:
    fault = lint_tools(BAD, DOTTED).fault

    assert isinstance(fault, OperationFailed)
    assert (fault.code, fault.problem) == ("FINDINGS", "lint: 1 error, 1 warning in 2 tools, about 57 tokens")
    assert fault.evidence == (
        'error: tool search /inputSchema/properties/value: the array has no "items" [array-without-items]',
    )
    assert fault.details == {"evidence": [*fault.evidence], "failing": ["error"]}


def test_clients_are_selected_with_the_for_flag() -> None:
    assert rules(lint_tools(BAD, for_=("claude",))) == []
    assert rules(lint_tools(BAD, for_=("claude, VSCode", "cursor"))) == ["array-without-items"]
    assert explain.sentence(config_fault(for_=("gemni",))) == "--for: unknown client 'gemni'"
    assert config_fault(for_=("gemni",)).hints == ("did you mean gemini?",)
    assert config_fault(for_=("windsurf",)).hints == ("available: claude, openai, gemini, vscode, cursor",)


def test_expect_tokens_limits_the_size_of_the_list() -> None:
    assert rules(lint_tools(tool(), expect_tokens="<20")) == ["token-budget"]
    assert rules(lint_tools(tool(), expect_tokens="1k")) == []
    assert explain.sentence(config_fault(expect_tokens="few")) == (
        "--expect-tokens: expected a limit such as '<20000', got 'few'"
    )


def test_pedantic_enables_stylistic_rules() -> None:
    assert rules(lint_tools(tool(), pedantic=True)) == ["missing-annotations", "missing-parameter-description"]


def test_findings_are_ignored_by_flag_and_by_file() -> None:
    entry = {"rule": "tool-name-dotted", "tool": "docs.search", "reason": "our clients take dots"}

    assert rules(lint_tools(DOTTED, ignore=("tool-name-dotted",))) == []
    assert rules(lint_tools(DOTTED, ignore=("tool-name-dotted:other",))) == ["tool-name-dotted", "unused-ignore"]
    assert rules(lint_tools(DOTTED, config=[entry])) == []
    assert rules(lint_tools(DOTTED, config={"ignore": [entry]})) == []
    assert rules(lint_tools(tool(), config={"ignore": [entry]})) == ["unused-ignore"]
    assert rules(lint_tools(tool(), config={})) == []
    assert explain.sentence(config_fault(ignore=(":search",))) == "--ignore: expected RULE or RULE:TOOL, got ':search'"
    assert explain.sentence(config_fault(ignore=("tool-name-doted",))) == "--ignore: unknown rule 'tool-name-doted'"
    assert config_fault(ignore=("tool-name-doted:x",)).hints == ("did you mean tool-name-dotted?",)
    assert config_fault(ignore=("q",)).hints == (
        "the rules are listed at https://github.com/mcpi-cli/mcpi/blob/main/docs/rules.md",
    )


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ("{", ".mcpi-lint.json: invalid JSON"),
        ({"ignores": []}, ".mcpi-lint.json: unknown key 'ignores'"),
        (["tool-name"], ".mcpi-lint.json: ignore[0] is of type string; expected an object"),
        ([{"rule": "tool-name"}], ".mcpi-lint.json: ignore[0] requires 'reason'"),
        (1, ".mcpi-lint.json: expected an array of objects, got number"),
    ],
)
def test_invalid_config_file_fails_before_the_first_request(config: object, problem: str) -> None:
    fault = config_fault(config)

    assert isinstance(fault, Invalid)
    assert fault.code == "INVALID_CONFIG"
    assert explain.sentence(fault).startswith(problem)


def test_unreadable_config_file_is_the_fault() -> None:
    unreadable = Invalid("INVALID_CONFIG", CONFIG, "cannot read the file: Permission denied")

    assert replay(lint_server(Lint()), (ReadFile(CONFIG), Failure(unreadable))).fault == unreadable


def lint_failing(fault: Fault) -> PlanResult:
    """Run lint with a failing tools/list."""
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}}))
    list_tools = (CallAll((Call("tools/list"),)), (Failure(fault),))
    return replay(lint_server(Lint()), (ReadFile(CONFIG), Success(None)), (Connect(), server), list_tools)


def test_refused_list_request_is_a_finding() -> None:
    ended = lint_failing(RpcError(-32603, "broken", exact({}), "tools/list"))

    assert rules(ended) == ["list-failed"]
    assert isinstance(ended.fault, OperationFailed)


def test_lost_connection_is_the_fault() -> None:
    for fault in (Unreachable("CONNECTION_LOST", "gone"), TimedOut("REQUEST_TIMEOUT", 1.0, "tools/list")):
        assert lint_failing(fault) == PlanResult(None, fault)


def test_repeated_cursor_is_a_finding_and_a_violation() -> None:
    server = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}}))
    page = exact({"tools": [tool()], "nextCursor": "x"})
    detail = "tools/list returned a cursor that it had returned before"
    ended = replay(
        lint_server(Lint()),
        (ReadFile(CONFIG), Success(None)),
        (Connect(), server),
        (CallAll((Call("tools/list"),)), (Success(page),)),
        (Call("tools/list", {"cursor": "x"}, allow_failure=True), Success(exact({"tools": [], "nextCursor": "x"}))),
        (ReportViolation(Violation("repeated-cursor", detail, "x")), None),
    )

    assert rules(ended) == ["pagination"]


def test_method_is_available_in_scripts_and_for_agents() -> None:
    (method,) = mcpi_methods()

    assert (method.name, method.is_protocol_method, mcpi_tools()) == ("lint", False, ("lint",))
    assert method.summarize is not None

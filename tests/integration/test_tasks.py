"""Tasks of both eras, on the MCP reference server and on a modern fixture server."""

import json
from pathlib import Path
from typing import Any

import pytest

from running import Mcpi
from traced import TARGETS, Members, Traced, check_printed_verbatim, check_starts_nothing, spelled, traced

RESEARCH = ("--method", "tools/call", "--tool-name", "simulate-research-query", "--tool-arg", "topic=tea")
AMBIGUOUS = (*RESEARCH, "--tool-arg", "ambiguous=true")
TASK, POLL = ("--run-as-task",), ("--run-as-task", "--poll")
EXTENSION = "io.modelcontextprotocol/tasks"


def declared(message: Any) -> dict[str, Any]:
    """The client capabilities of a modern request."""
    capabilities: dict[str, Any] = message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    return capabilities


def check_left_alone(seen: Traced) -> None:
    """Check that no tasks/cancel was sent."""
    assert seen.sent("tasks/cancel") == []
    assert seen.sent("notifications/cancelled") == []


# The handshake era, with the MCP reference server.


def test_run_as_task_prints_the_created_task(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *RESEARCH, *TASK, "--task-ttl", "1m")

    created = seen.ran.json["task"]
    assert spelled(seen.ran.stdout) == Members(taskId=created["taskId"], **seen.answer("tools/call")["result"])
    assert seen.sent("tools/call")[0]["params"]["task"] == {"ttl": 60_000}
    assert (seen.ran.json["task"]["status"], seen.sent("tasks/get")) == ("working", [])


def test_poll_waits_for_the_task_result(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *RESEARCH, *POLL, "--poll-interval", "100ms")

    printed = spelled(seen.ran.stdout)
    assert (seen.ran.exit_code, list(printed), printed["status"]) == (0, ["taskId", "status", "result"], "completed")
    assert printed["result"] == seen.answer("tasks/result")["result"]
    assert printed["result"]["content"][0]["text"].startswith("# Research Report: tea\n")
    assert len(seen.sent("tasks/get")) > 5


def test_handshake_envelope_lists_no_tasks_extension(mcpi: Mcpi) -> None:
    ran = mcpi(*TARGETS["everything"], *RESEARCH, *TASK, "--structured")

    assert "task" in ran.json["result"]
    assert set(ran.json["connection"]["clientCapabilities"]) == {"sampling", "elicitation"}


def test_client_capabilities_flag_overrides_the_tasks_extension(mcpi: Mcpi, tmp_path: Path) -> None:
    call = ("--method", "tools/call", "--tool-name", "at-once", "--run-as-task", "--client-capabilities", "{}")
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], *call)

    assert [declared(message) for message in seen.sent("tools/call")] == [{}]


def test_poll_uses_the_interval_of_the_server(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *RESEARCH, *POLL, "--timeout", "1.5s")

    assert (seen.ran.exit_code, len(seen.sent("tasks/get")) in {1, 2}) == (124, True)


def test_task_input_request_is_answered_by_the_handlers(mcpi: Mcpi, tmp_path: Path) -> None:
    given = ("--handle-elicitation", '{"interpretation": "technical"}', "--poll-interval", "100ms")
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *AMBIGUOUS, *POLL, *given)

    assert (seen.ran.exit_code, list(seen.ran.json)) == (0, ["taskId", "status", "result"])
    assert seen.ran.json["status"] == "completed"
    assert "- **Clarification**: technical" in seen.ran.json["result"]["content"][0]["text"]


def test_task_input_without_handler_is_reported_and_task_keeps_running(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *AMBIGUOUS, *POLL, "--poll-interval", "100ms")

    assert (seen.ran.exit_code, seen.ran.json["status"]) == (1, "input_required")
    assert spelled(seen.ran.stdout) == seen.answer("tasks/get")["result"]
    assert "requires input, and no handler was given" in seen.ran.stderr
    check_left_alone(seen)


def test_poll_timeout_prints_the_last_task_state(mcpi: Mcpi, tmp_path: Path) -> None:
    short_timeout = ("--timeout", "1s", "--poll-interval", "200ms")
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *RESEARCH, *POLL, *short_timeout)

    number = seen.ran.json["taskId"]
    assert (seen.ran.exit_code, seen.ran.json["status"]) == (124, "working")
    assert spelled(seen.ran.stdout) == seen.answer("tasks/get")["result"]
    assert f"the task {number} (status working) did not end within 1 s" in seen.ran.stderr
    assert f"the task is still running; query it with --method tasks/get --task-id {number}" in seen.ran.stderr
    check_left_alone(seen)


def test_poll_timeout_keeps_the_last_task_state_in_the_document(mcpi: Mcpi) -> None:
    ran = mcpi(*TARGETS["everything"], *RESEARCH, *POLL, "--timeout", "1s", "--structured")

    assert (ran.exit_code, ran.json["success"], ran.json["result"]["status"]) == (124, False, "working")
    assert ran.json["error"]["code"] == "REQUEST_TIMEOUT"


def test_task_can_be_listed_queried_and_cancelled(mcpi: Mcpi) -> None:
    call = {"toolName": "simulate-research-query", "toolArgs": {"topic": "tea"}, "runAsTask": True}
    steps = [
        {"method": "tools/call", **call, "capture": {"id": "/task/taskId"}},
        {"method": "tasks/list"},
        {"method": "tasks/get", "taskId": "${id}"},
        {"method": "tasks/cancel", "taskId": "${id}"},
        {"method": "tasks/get", "taskId": "${id}"},
        {"method": "tasks/cancel", "taskId": "${id}", "allowFailure": True, "onError": "continue"},
    ]

    ran = mcpi(*TARGETS["everything"], "--script", "-", "--quiet", stdin=json.dumps(steps))

    created, listed, *rest, again = ran.json
    number = created["result"]["task"]["taskId"]
    assert [one["taskId"] for one in listed["result"]["tasks"]] == [number]
    assert [one["result"]["status"] for one in rest] == ["working", "cancelled", "cancelled"]
    assert (again["success"], again["error"]["rpc"]["code"], ran.exit_code) == (False, -32602, 0)


@pytest.mark.parametrize("method", ["tasks/list", "tasks/get", "tasks/result", "tasks/cancel"])
def test_result_is_printed_verbatim(mcpi: Mcpi, tmp_path: Path, method: str) -> None:
    args = () if method == "tasks/list" else ("--task-id", "nothing")
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], "--method", method, *args)

    check_printed_verbatim(seen, method)
    assert "extensions" not in seen.sent("initialize")[0]["params"]["capabilities"]


def test_update_in_handshake_era_suggests_handlers_with_poll(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "tasks/update", "--task-id", "x", "--input-responses", "{}")
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *args)

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("tasks/update")) == (1, "", [])
    assert "use --handle-elicitation or --handle-sampling with --poll instead" in seen.ran.stderr


def test_server_without_tasks_fails_before_the_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["memory"], "--method", "tasks/get", "--task-id", "x")

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("tasks/get")) == (1, "", [])
    assert "did not declare the capability tasks" in seen.ran.stderr


# The modern era, where tasks are an extension.


@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("tasks/get", ("--task-id", "t-work")),
        ("tasks/get", ("--task-id", "t-question")),
        ("tasks/get", ("--task-id", "t-bad-end")),
        ("tasks/get", ("--task-id", "nothing")),
        ("tasks/cancel", ("--task-id", "t-work")),
        ("tasks/cancel", ("--task-id", "nothing")),
        ("tasks/update", ("--task-id", "t-question", "--input-responses", '{"name": {"action": "decline"}}')),
        ("tasks/update", ("--task-id", "nothing", "--input-responses", "{}")),
        ("tools/call", ("--tool-name", "work", "--run-as-task")),
    ],
)
def test_modern_task_is_printed_verbatim(mcpi: Mcpi, tmp_path: Path, method: str, args: tuple[str, ...]) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], "--method", method, *args)

    check_printed_verbatim(seen, method)
    assert declared(seen.sent(method)[0])["extensions"] == {EXTENSION: {}}


def test_modern_poll_declares_the_extension_without_a_task_param(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "tools/call", "--tool-name", "at-once", *POLL)
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], *args)

    check_printed_verbatim(seen, "tools/call")
    assert "task" not in seen.sent("tools/call")[0]["params"]
    assert seen.ran.json["content"][0]["text"] == "No task was needed."


def test_task_ttl_is_rejected_in_the_modern_era(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "tools/call", "--tool-name", "at-once", *POLL, "--task-ttl", "1m")
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], *args)

    assert (seen.ran.exit_code, seen.sent("tools/call")) == (1, [])
    assert (
        "--task-ttl: not part of protocol version 2026-07-28, in which the server decides how long it keeps a task"
        in seen.ran.stderr
    )


def test_plain_modern_call_does_not_declare_the_extension(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], "--method", "tools/call", "--tool-name", "work")

    check_printed_verbatim(seen, "tools/call")
    assert "extensions" not in declared(seen.sent("tools/call")[0])
    assert seen.ran.json["error"]["code"] == -32021


def polled(mcpi: Mcpi, folder: Path, tool: str, *args: str) -> Traced:
    """A modern call that creates a task."""
    return traced(mcpi, folder, *TARGETS["extended"], "--method", "tools/call", "--tool-name", tool, *POLL, *args)


def test_modern_task_result_is_read_from_the_task(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = polled(mcpi, tmp_path, "work")

    found = seen.answer("tasks/get")["result"]
    assert (seen.ran.exit_code, len(seen.sent("tasks/get")), seen.sent("tasks/result")) == (0, 2, [])
    assert spelled(seen.ran.stdout) == Members((name, found[name]) for name in ("taskId", "status", "result"))
    assert seen.ran.json["result"]["structuredContent"] == {"answer": 42}


@pytest.mark.parametrize(
    ("tool", "printed", "message"),
    [
        (
            "bad-end",
            {"status": "failed", "error": {"code": -32603, "message": "rate limit"}, "statusMessage": "too fast"},
            "ended with status failed: too fast",
        ),
        ("early-end", {"status": "cancelled"}, "ended with status cancelled"),
    ],
)
def test_failed_modern_task_exits_with_1(
    mcpi: Mcpi, tmp_path: Path, tool: str, printed: dict[str, Any], message: str
) -> None:
    seen = polled(mcpi, tmp_path, tool)

    assert (seen.ran.exit_code, seen.ran.json) == (1, {"taskId": "t7", **printed})
    assert message in seen.ran.stderr


def test_modern_task_tool_error_exits_with_0(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = polled(mcpi, tmp_path, "mistake")

    wrong = {"content": [{"type": "text", "text": "There is no such city."}], "isError": True}
    assert (seen.ran.exit_code, seen.ran.json) == (0, {"taskId": "t7", "status": "completed", "result": wrong})
    assert seen.ran.stderr == ""


def test_modern_task_tool_error_with_fail_on_error_exits_with_1(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = polled(mcpi, tmp_path, "mistake", "--fail-on-error")

    assert (seen.ran.exit_code, seen.ran.json["result"]["isError"]) == (1, True)
    assert "the tool reports an error" in seen.ran.stderr


@pytest.mark.parametrize(
    ("given", "response"),
    [
        ("auto", {"action": "accept", "content": {"name": "Ada"}}),
        ('{"name": "Grace"}', {"action": "accept", "content": {"name": "Grace"}}),
        ("decline", {"action": "decline"}),
        ("cancel", {"action": "cancel"}),
    ],
)
def test_modern_task_input_request_is_answered_once(
    mcpi: Mcpi, tmp_path: Path, given: str, response: dict[str, Any]
) -> None:
    seen = polled(mcpi, tmp_path, "question", "--handle-elicitation", given)

    (update,) = seen.sent("tasks/update")
    assert update["params"]["inputResponses"] == {"name": response}
    assert seen.ran.json["result"]["content"][0]["text"] == f"{json.dumps(response)}, in 1 update"


def test_modern_task_input_requests_are_answered_by_their_handlers(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = polled(mcpi, tmp_path, "two-questions", "--handle-elicitation", "auto", "--handle-sampling", "auto")

    answered_ids = [list(one["params"]["inputResponses"]) for one in seen.sent("tasks/update")]
    assert (seen.ran.exit_code, answered_ids) == (0, [["name"], ["model"]])
    assert seen.ran.json["result"]["content"][0]["text"] == "model, name, in 2 updates"


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("question", (), "requires input (elicitation/create), and no handler was given"),
        ("question", ("--handle-sampling", "auto"), "requires input (elicitation/create), and no handler was given"),
        ("two-questions", ("--handle-elicitation", "auto"), "requires input (sampling/createMessage), and no handler"),
        ("question", ("--handle-elicitation", '{"name": 7}'), "/name: 7 is not of type 'string'"),
        (
            "two-questions",
            ("--handle-elicitation", "auto", "--handle-sampling", "reject"),
            "sampling/createMessage request was rejected: User rejected sampling request",
        ),
    ],
)
def test_unanswered_input_request_ends_the_poll_and_prints_the_task(
    mcpi: Mcpi, tmp_path: Path, tool: str, given: tuple[str, ...], message: str
) -> None:
    seen = polled(mcpi, tmp_path, tool, *given)

    assert (seen.ran.exit_code, seen.ran.json["status"]) == (1, "input_required")
    assert spelled(seen.ran.stdout) == seen.answer("tasks/get")["result"]
    assert message in seen.ran.stderr
    check_left_alone(seen)


def test_modern_poll_timeout_does_not_cancel_the_task(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = polled(mcpi, tmp_path, "stall", "--timeout", "2s")

    assert (seen.ran.exit_code, seen.ran.json["statusMessage"]) == (124, "it will never end")
    assert "the task is still running" in seen.ran.stderr
    check_left_alone(seen)


@pytest.mark.parametrize("method", ["tasks/list", "tasks/result"])
def test_methods_missing_in_the_modern_era_are_reported(mcpi: Mcpi, tmp_path: Path, method: str) -> None:
    args = () if method == "tasks/list" else ("--task-id", "t-work")
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], "--method", method, *args)

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent(method)) == (1, "", [])
    assert f"{method}: not part of protocol version 2026-07-28 (modern era)" in seen.ran.stderr
    assert "use --method tasks/get instead" in seen.ran.stderr


# Invalid command lines and dry runs.


ID = ("--task-id", "t")
CALL = ("--tool-name", "x")
WRONG = [
    ("tasks/list", ("--cursor",), "--cursor requires a value"),
    ("tasks/list", ("--one-page=some",), "--one-page: expected true or false, got 'some'"),
    ("tasks/list", ID, "--task-id is a flag of"),
    ("tasks/get", (), "tasks/get requires --task-id"),
    ("tasks/get", ("--task-id",), "--task-id requires a value"),
    ("tasks/result", (), "tasks/result requires --task-id"),
    ("tasks/cancel", (), "tasks/cancel requires --task-id"),
    ("tasks/update", ("--input-responses", "{}"), "tasks/update requires --task-id"),
    ("tasks/update", ID, "tasks/update requires --input-responses"),
    ("tasks/update", (*ID, "--input-responses", "{"), "--input-responses: invalid JSON"),
    ("tasks/update", (*ID, "--input-responses", "[]"), "--input-responses: expected a JSON object"),
    ("tools/call", (*CALL, "--poll"), "--poll requires --run-as-task"),
    ("tools/call", (*CALL, "--poll-interval", "1s"), "--poll-interval requires --run-as-task"),
    ("tools/call", (*CALL, *POLL, "--poll-interval", "soon"), "--poll-interval: expected a duration"),
    ("tools/call", (*CALL, "--task-ttl", "1s"), "--task-ttl requires --run-as-task"),
    ("tools/call", (*CALL, *TASK, "--task-ttl", "-1"), "--task-ttl"),
    ("tools/call", (*CALL, "--run-as-task=perhaps"), "--run-as-task: expected true or false, got 'perhaps'"),
]


@pytest.mark.parametrize(("method", "args", "message"), WRONG)
def test_invalid_flags_start_no_server(
    mcpi: Mcpi, tmp_path: Path, method: str, args: tuple[str, ...], message: str
) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, "--method", method, *args)


@pytest.mark.parametrize(
    ("era", "method", "args", "params"),
    [
        ("handshake", "tasks/list", ("--cursor", "2"), {"cursor": "2"}),
        ("handshake", "tasks/get", ID, {"taskId": "t"}),
        ("handshake", "tasks/result", ID, {"taskId": "t"}),
        ("handshake", "tasks/cancel", ID, {"taskId": "t"}),
        ("modern", "tasks/get", ID, {"taskId": "t"}),
        ("modern", "tasks/cancel", ID, {"taskId": "t"}),
        ("modern", "tasks/update", (*ID, "--input-responses", "{}"), {"taskId": "t", "inputResponses": {}}),
    ],
)
def test_dry_run_prints_the_request(
    mcpi: Mcpi, era: str, method: str, args: tuple[str, ...], params: dict[str, Any]
) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", era, "--method", method, *args)

    (shown,) = ran.json["messages"]
    known = shown["params"].pop("_meta", {}).get("io.modelcontextprotocol/clientCapabilities", {})
    assert (ran.exit_code, shown) == (0, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert known.get("extensions") == ({EXTENSION: {}} if era == "modern" else None)

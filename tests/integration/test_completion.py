"""completion/complete against real servers, in both eras."""

from pathlib import Path

import pytest

from running import Mcpi
from traced import TARGETS, check_printed_verbatim, check_starts_nothing, traced

METHOD = ("--method", "completion/complete")
PROMPT_REF = ("--completion-ref", "ref/prompt/completable-prompt")
STYLE = ("--completion-ref", "ref/prompt/summarize", "--argument-name", "style", "--argument-value", "b")
ASKED = [
    ("everything", (*PROMPT_REF, "--argument-name", "department", "--argument-value", "S"), ["Sales", "Support"]),
    (
        "everything",
        (*PROMPT_REF, "--argument-name", "name", "--completion-context", "department=Sales"),
        ["David", "Eve", "Frank"],
    ),
    (
        "everything",
        (
            *("--completion-ref", "ref/resource/demo://resource/dynamic/text/{resourceId}"),
            *("--argument-name", "resourceId", "--argument-value", "1"),
        ),
        ["1"],
    ),
    ("demo", STYLE, ["bullet", "brief"]),
    ("demo, modern", STYLE, ["bullet", "brief"]),
    (
        "demo, modern",
        ("--completion-ref", "ref/resource/demo://greeting/{name}", "--argument-name", "name"),
        ["Ada", "Alan", "Barbara", "Edsger", "Grace"],
    ),
]


@pytest.mark.parametrize(("name", "args", "values"), ASKED)
def test_result_is_printed_verbatim(
    mcpi: Mcpi, tmp_path: Path, name: str, args: tuple[str, ...], values: list[str]
) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], *METHOD, *args)

    check_printed_verbatim(seen, "completion/complete")
    assert seen.ran.json["completion"]["values"] == values


def test_request_params_match_the_flags(mcpi: Mcpi, tmp_path: Path) -> None:
    args = (*PROMPT_REF, "--argument-name", "name", "--argument-value", "x", "--completion-context", "department=a=b")
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *METHOD, *args)

    assert [one["params"] for one in seen.sent("completion/complete")] == [
        {
            "ref": {"type": "ref/prompt", "name": "completable-prompt"},
            "argument": {"name": "name", "value": "x"},
            "context": {"arguments": {"department": "a=b"}},
        }
    ]


def test_unknown_reference_returns_the_server_error(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--completion-ref", "ref/prompt/nothing", "--argument-name", "x")
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *METHOD, *args)

    check_printed_verbatim(seen, "completion/complete")
    assert seen.ran.json == {"error": {"code": -32602, "message": "MCP error -32602: Prompt nothing not found"}}


def test_server_without_completions_fails_before_the_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["memory"], *METHOD, *PROMPT_REF, "--argument-name", "x")

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("completion/complete")) == (1, "", [])
    assert "did not declare the capability completions" in seen.ran.stderr


ARGUMENT = ("--argument-name", "x")
WRONG = [
    ((), "completion/complete requires --completion-ref"),
    (PROMPT_REF, "completion/complete requires --argument-name"),
    ((*PROMPT_REF, *ARGUMENT, "--argument-value"), "--argument-value requires a value"),
    (("--completion-ref", "summarize", *ARGUMENT), "--completion-ref: expected ref/prompt/NAME or ref/resource/URI"),
    (("--completion-ref", "ref/prompt/", *ARGUMENT), "--completion-ref: expected ref/prompt/NAME or ref/resource/URI"),
    ((*PROMPT_REF, *ARGUMENT, "--completion-context", "language"), "--completion-context: expected key=value"),
    (
        (*PROMPT_REF, *ARGUMENT, "--completion-context", "a=1", "--completion-context", "a=2"),
        "--completion-context: 'a' is given twice",
    ),
]


@pytest.mark.parametrize(("args", "message"), WRONG)
def test_invalid_flags_start_no_server(mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, *METHOD, *args)


def test_dry_run_prints_the_request(mcpi: Mcpi) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", "handshake", *METHOD, *PROMPT_REF, *ARGUMENT)

    params = {"ref": {"type": "ref/prompt", "name": "completable-prompt"}, "argument": {"name": "x", "value": ""}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": params}
    assert (ran.exit_code, ran.json["messages"]) == (0, [message])

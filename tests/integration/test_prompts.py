"""prompts/list and prompts/get against real servers, in both eras."""

from pathlib import Path

import pytest

from running import Mcpi
from traced import TARGETS, check_printed_verbatim, check_starts_nothing, traced

ASKED = [
    ("everything", "prompts/list", ()),
    ("everything", "prompts/get", ("--prompt-name", "args-prompt", "--prompt-arg", "city=Oslo")),
    ("everything", "prompts/get", ("--prompt-name", "args-prompt")),
    ("demo", "prompts/get", ("--prompt-name", "hello")),
    ("demo, modern", "prompts/list", ()),
    ("demo, modern", "prompts/get", ("--prompt-name", "summarize", "--prompt-args", '{"text": "ü", "style": "brief"}')),
    ("demo, modern", "prompts/get", ("--prompt-name", "nothing")),
]


@pytest.mark.parametrize(("name", "method", "args"), ASKED)
def test_result_is_printed_verbatim(mcpi: Mcpi, tmp_path: Path, name: str, method: str, args: tuple[str, ...]) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], "--method", method, *args)

    check_printed_verbatim(seen, method)


def test_prompts_of_the_reference_server_are_listed(mcpi: Mcpi) -> None:
    ran = mcpi(*TARGETS["everything"], "--method", "prompts/list")

    names = [prompt["name"] for prompt in ran.json["prompts"]]
    assert (ran.exit_code, names) == (0, ["simple-prompt", "args-prompt", "completable-prompt", "resource-prompt"])


def test_prompt_arguments_are_always_sent_as_strings(mcpi: Mcpi, tmp_path: Path) -> None:
    given = ("--prompt-arg", "resourceType=Text", "--prompt-arg", "resourceId:=1")
    call = ("--method", "prompts/get", "--prompt-name", "resource-prompt", *given)
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *call)

    check_printed_verbatim(seen, "prompts/get")
    (request,) = seen.sent("prompts/get")
    assert request["params"]["arguments"] == {"resourceType": "Text", "resourceId": "1"}
    assert seen.ran.json["messages"][1]["content"]["resource"]["uri"] == "demo://resource/dynamic/text/1"


def test_prompt_argument_is_read_from_a_file(mcpi: Mcpi, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("line 1\nline 2", "utf-8")
    given = ("--prompt-arg", f"text=@{tmp_path / 'text'}")

    ran = mcpi(*TARGETS["demo"], "--method", "prompts/get", "--prompt-name", "summarize", *given)

    text = ran.json["messages"][0]["content"]["text"]
    assert (ran.exit_code, text) == (0, "Summarize this text:\n\nline 1\nline 2")


def test_prompt_arguments_are_read_from_stdin(mcpi: Mcpi) -> None:
    call = ("--method", "prompts/get", "--prompt-name", "summarize", "--prompt-args", "-")

    ran = mcpi(*TARGETS["demo, modern"], *call, stdin='{"text": "hello"}')

    text = ran.json["messages"][0]["content"]["text"]
    assert (ran.exit_code, text) == (0, "Summarize this text:\n\nhello")


def test_server_without_prompts_fails_before_the_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["memory"], "--method", "prompts/get", "--prompt-name", "x")

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("prompts/get")) == (1, "", [])
    assert "did not declare the capability prompts (it declared: tools, resources)" in seen.ran.stderr


NAMED = ("--prompt-name", "x")
WRONG = [
    ("prompts/list", ("--cursor",), "--cursor requires a value"),
    ("prompts/list", ("--one-page=some",), "--one-page: expected true or false, got 'some'"),
    ("prompts/list", NAMED, "--prompt-name is a flag of prompts/get, not of prompts/list"),
    ("prompts/get", (), "prompts/get requires --prompt-name"),
    ("prompts/get", (*NAMED, "--prompt-arg", "style"), "--prompt-arg: expected key=value or key:=json, got 'style'"),
    ("prompts/get", (*NAMED, "--prompt-arg", "n:=x"), "--prompt-arg: the value of 'n' is invalid JSON"),
    ("prompts/get", (*NAMED, "--prompt-arg", "a=1", "--prompt-arg", "a=2"), "--prompt-arg: 'a' is given twice"),
    ("prompts/get", (*NAMED, "--prompt-arg", "a=@nowhere"), "--prompt-arg"),
    ("prompts/get", (*NAMED, "--prompt-args", "{"), "--prompt-args: invalid JSON"),
    ("prompts/get", (*NAMED, "--prompt-args", "[1]"), "--prompt-args: expected a JSON object, found array"),
    ("prompts/get", (*NAMED, "--prompt-args", "{}", "--prompt-arg", "a=1"), "--prompt-args cannot be combined with"),
]


@pytest.mark.parametrize(("method", "args", "message"), WRONG)
def test_invalid_flags_start_no_server(
    mcpi: Mcpi, tmp_path: Path, method: str, args: tuple[str, ...], message: str
) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, "--method", method, *args)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("prompts/list", "--cursor", "2"), {"method": "prompts/list", "params": {"cursor": "2"}}),
        (
            ("prompts/get", *NAMED, "--prompt-arg", "n:=1.50"),
            {"method": "prompts/get", "params": {"name": "x", "arguments": {"n": "1.50"}}},
        ),
    ],
)
def test_dry_run_prints_the_request(mcpi: Mcpi, args: tuple[str, ...], message: dict[str, object]) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", "handshake", "--method", *args)

    assert (ran.exit_code, ran.json["messages"]) == (0, [{"jsonrpc": "2.0", "id": 1, **message}])

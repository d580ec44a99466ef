"""Server requests for sampling, elicitation and roots, and their handlers, in both eras."""

import json
from pathlib import Path
from typing import Any

import pytest

from running import Mcpi
from traced import TARGETS, Traced, check_starts_nothing, traced

CALL = ("--method", "tools/call", "--tool-name")
SAMPLING = (*CALL, "trigger-sampling-request", "--tool-arg", "prompt=hi")
ELICITATION = (*CALL, "trigger-elicitation-request")
ASK_MODEL, ASK_USER = (*CALL, "ask-model"), (*CALL, "ask-user")
EVERYTHING = TARGETS["everything"]
ERAS = ["demo", "demo, modern"]
FOUR: dict[str, Any] = {
    "model": "m-1",
    "role": "assistant",
    "content": {"type": "text", "text": "4"},
    "stopReason": "endTurn",
}
DRINK = {"name": "Bo", "drink": "water", "cups": 3, "sugar": True}


def replies(seen: Traced) -> list[Any]:
    """The responses of mcpi to server requests."""
    sent = [json.loads(raw) for direction, raw in seen.messages if direction == "sent"]
    return [one.get("result", one.get("error")) for one in sent if "method" not in one]


def text(seen: Traced) -> str:
    """The text content of the tool result."""
    first: str = seen.ran.json["content"][0]["text"]
    return first


# Sampling.


def test_sampling_auto_returns_a_stub(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *EVERYTHING, *SAMPLING, "--handle-sampling", "auto")

    stub = {
        "model": "stub-model",
        "stopReason": "endTurn",
        "role": "assistant",
        "content": {"type": "text", "text": ""},
    }
    assert (seen.ran.exit_code, replies(seen)) == (0, [stub])
    assert text(seen).startswith("LLM sampling result")


def test_sampling_returns_the_given_response(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *EVERYTHING, *SAMPLING, "--handle-sampling", json.dumps(FOUR))

    assert replies(seen) == [FOUR]
    assert '"model": "m-1"' in text(seen)


@pytest.mark.parametrize("given", [("--handle-sampling", "reject"), ()])
def test_sampling_is_rejected_by_flag_and_by_default(mcpi: Mcpi, tmp_path: Path, given: tuple[str, ...]) -> None:
    seen = traced(mcpi, tmp_path, *EVERYTHING, *SAMPLING, *given)

    assert replies(seen) == [{"code": -1, "message": "User rejected sampling request"}]
    assert (seen.ran.exit_code, seen.ran.json["isError"]) == (0, True)


@pytest.mark.parametrize("name", ERAS)
def test_sampling_response_is_read_from_a_file(mcpi: Mcpi, tmp_path: Path, name: str) -> None:
    (tmp_path / "four.json").write_text(json.dumps(FOUR), "utf-8")
    seen = traced(mcpi, tmp_path, *TARGETS[name], *ASK_MODEL, "--handle-sampling", f"@{tmp_path / 'four.json'}")

    assert (seen.ran.exit_code, text(seen)) == (0, "4")


def test_sampling_response_is_read_from_stdin(mcpi: Mcpi, tmp_path: Path) -> None:
    given = ("--handle-sampling", "-")
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *ASK_MODEL, *given, stdin=json.dumps(FOUR))

    assert (seen.ran.exit_code, text(seen)) == (0, "4")


@pytest.mark.parametrize("given", [("--handle-sampling", "reject"), ()])
def test_rejected_modern_input_request_is_not_retried(mcpi: Mcpi, tmp_path: Path, given: tuple[str, ...]) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *ASK_MODEL, *given)

    assert (seen.ran.exit_code, seen.ran.stdout, len(seen.sent("tools/call"))) == (1, "", 1)
    assert "sampling/createMessage request was rejected: User rejected sampling request" in seen.ran.stderr


@pytest.mark.parametrize("name", ERAS)
def test_responses_are_used_in_order_and_the_last_one_repeats(mcpi: Mcpi, name: str) -> None:
    answers = [{**FOUR, "content": {"type": "text", "text": word}} for word in ("one", "two")]
    given = [part for one in answers for part in ("--handle-sampling", json.dumps(one))]
    steps = [{"method": "tools/call", "toolName": "ask-model"}] * 3

    ran = mcpi(*TARGETS[name], *given, "--script", "-", "--quiet", stdin=json.dumps(steps))

    assert [one["result"]["content"][0]["text"] for one in ran.json] == ["one", "two", "two"]


# Elicitation.


def test_elicitation_auto_returns_the_schema_defaults(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *EVERYTHING, *ELICITATION, "--handle-elicitation", "auto")

    content = {
        "firstLine": "It was a dark and stormy night.",
        "integer": 42,
        "number": 3.14,
        "untitledSingleSelectEnum": "Monica",
        "untitledMultipleSelectEnum": ["Guitar"],
        "titledSingleSelectEnum": "hero-1",
        "titledMultipleSelectEnum": ["fish-1"],
        "legacyTitledEnum": "pet-1",
    }
    assert replies(seen) == [{"action": "accept", "content": content}]
    assert "User provided the requested information!" in text(seen)


@pytest.mark.parametrize(("given", "action"), [("reject", "decline"), ("cancel", "cancel")])
def test_elicitation_reject_and_cancel_return_their_action(mcpi: Mcpi, tmp_path: Path, given: str, action: str) -> None:
    seen = traced(mcpi, tmp_path, *EVERYTHING, *ELICITATION, "--handle-elicitation", given)

    assert (seen.ran.exit_code, replies(seen)) == (0, [{"action": action}])


def test_elicitation_content_violating_the_schema_is_not_sent(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *EVERYTHING, *ELICITATION, "--handle-elicitation", '{"name": 7}')

    (reply,) = replies(seen)
    assert reply["code"] == -32602
    assert "/name: 7 is not of type 'string'" in reply["message"]


@pytest.mark.parametrize("name", ERAS)
def test_validate_checks_responses_of_mcpi(mcpi: Mcpi, name: str) -> None:
    odd = json.dumps({**FOUR, "role": "robot"})
    ran = mcpi(*TARGETS[name], *ASK_MODEL, "--validate", "--structured", "--handle-sampling", odd)

    assert "robot" in json.dumps([one for one in ran.json["violations"] if one["rule"] == "sent-schema"])


def test_invalid_elicitation_content_is_reported_to_the_user(mcpi: Mcpi) -> None:
    ran = mcpi(*TARGETS["demo"], *ASK_USER, "--handle-elicitation", '{"nome": "x"}')

    assert "the content given with --handle-elicitation does not match" in ran.stderr
    assert "'name' is a required property" in ran.stderr


def test_url_elicitation_is_accepted_without_content(mcpi: Mcpi, tmp_path: Path) -> None:
    ask = (*CALL, "trigger-url-elicitation", "--tool-arg", "url=https://example.org/x")
    seen = traced(mcpi, tmp_path, *EVERYTHING, *ask, "--handle-elicitation", '{"name": "Ada"}')

    assert replies(seen) == [{"action": "accept"}]
    assert "User completed the URL elicitation flow." in text(seen)


@pytest.mark.parametrize("name", ERAS)
@pytest.mark.parametrize(
    ("given", "came"),
    [
        (("--handle-elicitation", json.dumps(DRINK)), {"action": "accept", "content": DRINK}),
        (("--handle-elicitation", "decline"), {"action": "decline"}),
        ((), {"action": "decline"}),
    ],
)
def test_elicitation_outcome_is_the_same_in_both_eras(
    mcpi: Mcpi, tmp_path: Path, name: str, given: tuple[str, ...], came: dict[str, Any]
) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], *ASK_USER, *given)

    assert (seen.ran.exit_code, seen.ran.json["structuredContent"]) == (0, came)


def test_modern_input_response_is_sent_in_the_next_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *ASK_USER, "--handle-elicitation", "cancel")

    first, second = seen.sent("tools/call")
    assert second["id"] != first["id"]
    assert second["params"]["inputResponses"] == {"ask-user": {"action": "cancel"}}
    assert second["params"]["requestState"] == "ask-user requested input"
    assert replies(seen) == []


def test_invalid_content_ends_a_modern_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *ASK_USER, "--handle-elicitation", '{"name": "Bo"}')

    assert (seen.ran.exit_code, seen.ran.stdout, len(seen.sent("tools/call"))) == (1, "", 1)
    assert "/: 'drink' is a required property" in seen.ran.stderr


# Roots.


def test_roots_are_declared_announced_and_listed(mcpi: Mcpi, tmp_path: Path) -> None:
    roots = ("--roots", "file:///srv/a=My Project", "--roots", "file:///srv/b")
    seen = traced(mcpi, tmp_path, *EVERYTHING, *CALL, "get-roots-list", *roots)

    assert seen.sent("initialize")[0]["params"]["capabilities"]["roots"] == {"listChanged": True}
    assert len(seen.sent("notifications/roots/list_changed")) == 1
    expected = {"roots": [{"uri": "file:///srv/a", "name": "My Project"}, {"uri": "file:///srv/b"}]}
    assert replies(seen)
    assert all(reply == expected for reply in replies(seen))
    assert "1. My Project\n   URI: file:///srv/a" in text(seen)


def test_roots_capability_is_not_declared_without_roots(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *EVERYTHING, "--method", "tools/list")

    assert seen.sent("initialize")[0]["params"]["capabilities"] == {
        "elicitation": {"form": {}, "url": {}},
        "sampling": {},
    }
    assert seen.sent("notifications/roots/list_changed") == []
    assert "get-roots-list" not in [tool["name"] for tool in seen.ran.json["tools"]]


def test_modern_era_sends_no_roots_notification(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *CALL, "touch", "--roots", "file:///srv/a")

    known = seen.sent("tools/call")[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    assert (seen.ran.exit_code, known["roots"]) == (0, {})
    assert seen.sent("notifications/roots/list_changed") == []


# Capabilities, records and warnings.


def test_client_capabilities_flag_declares_only_its_value(mcpi: Mcpi, tmp_path: Path) -> None:
    declared = ("--client-capabilities", '{"roots": {}}', "--handle-sampling", "auto", "--roots", "file:///srv/a")
    seen = traced(mcpi, tmp_path, *TARGETS["demo"], *ASK_MODEL, *declared)

    assert seen.sent("initialize")[0]["params"]["capabilities"] == {"roots": {}}
    assert text(seen) == "ask-model requires a client that declares the capability sampling."


@pytest.mark.parametrize(("era", "declared"), [("handshake", {"listChanged": True}), ("modern", {}), ("auto", {})])
def test_roots_list_changed_is_declared_only_in_handshake_era(mcpi: Mcpi, era: str, declared: Any) -> None:
    ran = mcpi("--demo", "--method", "tools/list", "--era", era, "--roots", "file:///srv/a", "--structured")

    assert ran.json["connection"]["clientCapabilities"]["roots"] == declared


@pytest.mark.parametrize("name", ERAS)
def test_server_request_and_response_are_in_the_envelope(mcpi: Mcpi, name: str) -> None:
    ran = mcpi(*TARGETS[name], *ASK_USER, "--handle-elicitation", "cancel", "--structured", "--quiet")

    (request,) = ran.json["serverRequests"]
    assert (request["method"], request["response"]) == ("elicitation/create", {"action": "cancel"})
    assert request["params"]["message"] == "What would you like to drink?"


@pytest.mark.parametrize(("name", "code"), [("demo", "TOOL_ERROR"), ("demo, modern", "INPUT_REJECTED")])
def test_rejected_server_request_is_in_the_envelope(mcpi: Mcpi, name: str, code: str) -> None:
    ran = mcpi(*TARGETS[name], *ASK_MODEL, "--structured", "--quiet")

    (request,) = ran.json["serverRequests"]
    assert request["response"] == {"error": {"code": -1, "message": "User rejected sampling request"}}
    assert ran.json["error"]["code"] == code


@pytest.mark.parametrize(
    ("given", "warned"),
    [((), True), (("--handle-elicitation", "decline"), False)],
)
@pytest.mark.parametrize("name", ERAS)
def test_missing_handler_prints_a_warning(mcpi: Mcpi, name: str, given: tuple[str, ...], *, warned: bool) -> None:
    ran = mcpi(*TARGETS[name], *ASK_USER, *given)

    warning = "warning: the server requested elicitation/create, but no handler was given; mcpi declined it"
    assert (ran.exit_code, warning in ran.stderr) == (0, warned)


def test_server_can_list_roots_before_the_first_request(mcpi: Mcpi, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("hello")
    read = ("--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", f"path={tmp_path / 'note.txt'}")

    ran = mcpi(*TARGETS["filesystem"], *read, "--roots", f"file://{tmp_path}")

    assert ran.json["content"] == [{"type": "text", "text": "hello"}]


WRONG = [
    (("--handle-sampling",), "--handle-sampling requires a value"),
    (("--handle-sampling", "yes"), "--handle-sampling: expected auto, reject or a JSON template, got 'yes'"),
    (("--handle-sampling", '{"model": "m"}'), "--handle-sampling: the template has no role, content"),
    (("--handle-sampling", "@nowhere"), "--handle-sampling"),
    (("--handle-elicitation", "yes"), "--handle-elicitation: expected auto, decline, cancel or a JSON object"),
    (("--handle-elicitation", "[1]"), "--handle-elicitation: the content must be a JSON object, got [1]"),
    (("--handle-elicitation", "auto", "--handle-elicitation", "{"), "--handle-elicitation: expected auto"),
    (("--roots", "/home/me"), "--roots: expected a URI such as file:///home/me/project, got '/home/me'"),
    (("--roots", "https://example.org"), "--roots: expected a file:// URI, got 'https://example.org'"),
    (("--client-capabilities", "[]"), "--client-capabilities: expected a JSON object, found array"),
    (("--client-capabilities", "sampling"), "--client-capabilities: invalid JSON"),
]


@pytest.mark.parametrize(("args", "message"), WRONG)
def test_invalid_flags_start_no_server(mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, "--method", "tools/list", *args)

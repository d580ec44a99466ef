"""The summary condenses the envelope to a few lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, exact, nested
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.record.summary import MAX_ENTRIES, summary_text_lines
from mcpi.core.text.colors import no_color

ADD: JsonObject = {
    "name": "add",
    "description": "Adds\n two numbers.",
    "inputSchema": {"properties": {"a": {}, "b": {}, "round": {}}, "required": ["a", "b"]},
}
CONNECTION: JsonObject = {
    "transport": "stdio",
    "era": "modern",
    "protocolVersion": "2026-07-28",
    "negotiation": "server/discover succeeded",
    "serverInfo": {"name": "sums", "version": "1.2", "title": "Sums"},
    "timings": {"connectMs": 4.0, "handshakeMs": 1200.0, "requestMs": None},
}
RESULT: JsonObject = {
    "capabilities": {"tools": True, "resources": False, "logging": True},
    "tools": [ADD, {"name": "now", "inputSchema": {}}],
    "resourceTemplates": [{"uriTemplate": "sum://{a}", "title": "A sum"}],
    "prompts": [{"name": "ask", "arguments": [{"name": "what", "required": True}, {"name": "how"}]}],
}
MESSAGES: list[TraceEntry] = [
    {"direction": "sent", "parsed": {"id": 1, "method": "server/discover"}},
    {"direction": "sent", "parsed": {"id": 2, "method": "initialize"}},
    {"direction": "received", "parsed": {"id": 1}, "answerMs": 1200.0},
    {"direction": "received", "parsed": {"id": 2}, "answerMs": 40.0},
    {"direction": "received", "parsed": {"id": 3}, "answerMs": 3.0},
    {"direction": "received", "parsed": None, "answerMs": 5.25},
    {"direction": "received"},
]


def document(**members: Json) -> JsonObject:
    return {"result": RESULT, "connection": CONNECTION, "durationMs": 1500.0, "violations": [], **members}


def test_capabilities_are_listed_if_their_lists_were_not_requested() -> None:
    result: Json = {"capabilities": {"tools": {"listChanged": True}, "logging": {}, "extensions": {"x": {}}}}
    lines = summary_text_lines(document(result=result), [], 100, no_color)

    assert "  offers      tools, logging, extensions" in lines


def test_healthy_server_is_summarized_in_a_few_lines() -> None:
    assert summary_text_lines(document(), MESSAGES, 100, no_color) == [
        "sums 1.2 (Sums)",
        "  protocol    2026-07-28 (modern era) over stdio; server/discover succeeded",
        "  offers      2 tools, 1 resource template, 1 prompt; logging",
        "  tools       add(a, b, round?)  Adds two numbers.",
        "              now()",
        "  templates   sum://{a}  A sum",
        "  prompts     ask(what, how?)",
        "  violations  none in 5 messages",
        "  timing      connected in 1.2 s; 2 responses in 3 ms to 5.25 ms (median 4.12 ms); total 1.5 s",
    ]


def test_time_before_the_handshake_is_a_part_of_the_connection() -> None:
    timings: JsonObject = {"connectMs": 4.0, "handshakeMs": 14.0, "requestMs": 4.0}
    lines = summary_text_lines(
        document(connection={**CONNECTION, "timings": timings}, durationMs=447.0), MESSAGES[4:5], 100, no_color
    )

    assert lines[-1] == (
        "  timing      connected in 443 ms (loading mcpi: 425 ms, handshake: 18 ms); 1 response in 3 ms; total 447 ms"
    )


def test_deeply_nested_message_ids_are_accepted() -> None:
    invalid: list[TraceEntry] = [
        {"direction": "received", "parsed": {"id": exact(nested(DEEP)).value, "method": "initialize"}},
        {"direction": "received", "parsed": {"id": exact(nested(DEEP)).value}, "answerMs": 7.0},
    ]

    assert summary_text_lines(document(), invalid, 100, no_color)[-1] == (
        "  timing      connected in 1.2 s; 1 response in 7 ms; total 1.5 s"
    )


def test_single_response_has_one_time_and_failure_has_its_own_line() -> None:
    lines = summary_text_lines(
        document(result=None, error={"message": "the tool reports an error"}), MESSAGES[4:5], 100, no_color
    )

    assert lines[2:] == [
        "  error       the tool reports an error",
        "  violations  none in 1 message",
        "  timing      connected in 1.2 s; 1 response in 3 ms; total 1.5 s",
    ]


def test_each_violated_rule_is_listed_once_with_its_count() -> None:
    violations: list[Json] = [
        {"rule": "schema", "detail": "the first"},
        {"rule": "not-json", "detail": "a line"},
        {"rule": "schema", "detail": "the second"},
    ]
    dropped: JsonObject = {"violations:schema": 5, "logs": 3, "messages": "many"}

    lines = summary_text_lines(document(violations=violations, dropped=dropped), [], 100, no_color)

    assert lines[7:9] == ["  violations  schema (7 times): the first", "              not-json: a line"]


def test_violation_is_shown_with_its_evidence_on_one_line() -> None:
    noise: Json = {"rule": "not-json", "detail": "not a JSON-RPC message", "evidence": "server  ready\non stdio\x1b"}
    lines = summary_text_lines(document(violations=[noise]), [], 100, no_color)
    short = summary_text_lines(document(violations=[noise]), [], 60, no_color)

    assert lines[7] == "  violations  not-json: not a JSON-RPC message: server ready on stdio\\x1b"
    assert short[7] == "  violations  not-json: not a JSON-RPC message: server read…"


def test_last_stderr_line_is_the_last_one_with_text() -> None:
    lines = summary_text_lines(document(stderr=["a", "      b", " ", ""]), [], 100, no_color)
    blank = summary_text_lines(document(stderr=[" "]), [], 100, no_color)

    assert (lines[-1], blank[-1]) == (
        "  stderr      4 lines; last line: b",
        "  stderr      1 line; last line: (blank)",
    )


def test_last_stderr_line_is_shown_with_control_characters_escaped() -> None:
    assert summary_text_lines(document(stderr=["a", "b\x1b[2J"]), [], 100, no_color)[-1] == (
        "  stderr      2 lines; last line: b\\x1b[2J"
    )


def test_server_without_any_data_is_summarized() -> None:
    assert summary_text_lines(
        {"connection": {"negotiation": ""}, "result": {"capabilities": {}}}, [], 100, no_color
    ) == [
        "(unnamed server)",
        "  protocol     ( era) over ",
        "  offers      nothing",
        "  violations  none in 0 messages",
        "  timing      connected in 0 ms; total 0 ms",
    ]


def test_result_of_another_method_is_not_shown_as_an_offer() -> None:
    labels = [line.split()[0] for line in summary_text_lines(document(result={"content": []}), [], 100, no_color)]

    assert labels == ["sums", "protocol", "violations", "timing"]


def test_long_list_is_truncated() -> None:
    tools: list[Json] = [{"name": f"t{number}"} for number in range(MAX_ENTRIES + 3)]
    lines = summary_text_lines(document(result={"tools": tools}), [], 100, no_color)

    assert lines[2 : 2 + MAX_ENTRIES + 1] == [
        "  tools       t0",
        *(f"              t{number}" for number in range(1, MAX_ENTRIES)),
        "              and 3 more",
    ]


def test_overlong_name_does_not_shift_other_columns() -> None:
    tools: list[Json] = [{"name": "x" * 50, "description": "long"}, {"name": "y", "description": "short"}]
    lines = summary_text_lines(document(result={"tools": tools}), [], 100, no_color)

    assert lines[2:4] == [f"  tools       {'x' * 50}  long", "              y  short"]


FIELDS: dict[str, Json] = dict.fromkeys(("owner", "repo", "title", "body", "labels"))


@pytest.mark.parametrize(
    ("width", "required", "head"),
    [
        (110, ["repo"], "create_issue(owner?, repo, title?, body?, labels?)"),
        (80, ["repo"], "create_issue(repo, …)"),
        (80, ["owner", "repo"], "create_issue(owner, repo, …)"),
        (80, list(FIELDS), "create_issue(owner, repo, …)"),
        (80, [], "create_issue(…)"),
        (50, ["repo"], "create_issue(…)"),
    ],
)
def test_long_signature_leaves_room_for_the_description(width: int, required: Json, head: str) -> None:
    schema: Json = {"properties": FIELDS, "required": required}
    tool: Json = {"name": "create_issue", "description": "Opens an issue in a repository.", "inputSchema": schema}
    lines = summary_text_lines(document(result={"tools": [tool]}), [], width, no_color)

    assert lines[2].startswith(f"  tools       {head}  Opens an issue"[:width])


def test_equal_response_times_are_shown_once() -> None:
    messages: list[TraceEntry] = [
        {"direction": "received", "parsed": {"id": 9}, "answerMs": one} for one in (1.801, 1.802)
    ]

    assert "; 2 responses in 1.8 ms;" in summary_text_lines(document(), messages, 100, no_color)[-1]


@pytest.mark.parametrize(("times", "middle"), [((3.0, 9.0), 6), ((1.0, 2.0, 9.0), 2), ((1.0, 2.0, 4.0, 9.0), 3)])
def test_median_of_an_even_number_is_the_mean_of_the_middle_two(times: tuple[float, ...], middle: int) -> None:
    messages: list[TraceEntry] = [{"direction": "received", "parsed": {"id": 9}, "answerMs": one} for one in times]

    assert f"(median {middle} ms);" in summary_text_lines(document(), messages, 100, no_color)[-1]


@pytest.mark.parametrize("entry", [None, "text", {}, {"inputSchema": [], "arguments": {}}])
def test_entry_without_a_name_is_shown_as_no_name(entry: Json) -> None:
    assert "(no name)" in summary_text_lines(document(result={"tools": [entry]}), [], 100, no_color)[2]


@given(st.integers(0, 300), st.text(alphabet="word "))
def test_list_line_fits_the_terminal_width(width: int, about: str) -> None:
    tools: list[Json] = [{"name": "t", "description": about * 20}]
    line = summary_text_lines(document(result={"tools": tools}), [], width, no_color)[2]

    assert len(line) <= max(width, 50)
